//===- InfeasibleSubset.cpp - Which buffers are in each other's way -------===//

#include "lib/Planning/Kit/Packing.h"
#include "tpu_mlir/Planning/Explain.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
constexpr const char *kProver = "exact";

enum class Answer { Fits, Over, NotKnown };

/// The storage that has to be in one pool, as a problem of its own: no aliases,
/// no choice.
class OnePool {
public:
  OnePool(const Problem &problem, PoolId pool, const SolveOptions &wanted)
      : options(wanted) {
    if (options.strategy == "auto")
      options.strategy = kProver;
    options.fitIsEnough = true;
    whole.pools = {problem.pools[pool]};
    // What is in it by now is of no kind.
    whole.pools[0].access = PoolAccess::ReadWrite;
    whole.period = problem.period;
    ItemOfBuffer indexOf(problem);
    for (const StorageClass &storage : foldAliases(problem)) {
      const bool isHere = storage.pin ? storage.pin->pool == pool
                                      : storage.pools == std::vector{pool};
      if (!isHere)
        continue;
      indexOf.add(storage, roots.size());
      add(storage);
    }
    addPairs(problem, indexOf, whole);
  }

  int64_t haveBytes() const {
    const Pool &pool = whole.pools[0];
    return pool.capacityBytes.value_or(kMaxInt64 - pool.baseAddress);
  }
  size_t size() const { return roots.size(); }
  BufferId rootOf(size_t index) const { return roots[index]; }
  const Problem &problem() const { return whole; }

  bool hasAlignment() const {
    return whole.pools[0].alignment > 1 ||
           std::any_of(whole.buffers.begin(), whole.buffers.end(),
                       [](const Buffer &b) { return b.alignment > 1; });
  }
  /// What is alive at one step fits when its live sum does: one on top of the
  /// other, whatever the order.
  bool isStackOf(const std::vector<size_t> &indices) const {
    return whole.pools[0].reserved.empty() && whole.overlaps.empty() &&
           std::all_of(indices.begin(), indices.end(), [&](size_t i) {
             const Buffer &one = whole.buffers[i];
             return !one.pin &&
                    one.alignment == whole.buffers[indices[0]].alignment;
           });
  }

  /// The buffers at these indices, which ascend.
  Problem part(const std::vector<size_t> &indices) const {
    Problem result;
    result.pools = whole.pools;
    result.period = whole.period;
    ItemOfBuffer newIndex(whole);
    for (size_t index : indices) {
      newIndex.add(BufferId(index), result.buffers.size());
      result.buffers.push_back(whole.buffers[index]);
    }
    addPairs(whole, newIndex, result);
    return result;
  }

  /// Asks the strategy that can prove, if it is there.
  Answer prove(const Problem &question) const {
    return StrategyRegistry::find(options.strategy) ? ask(question, options)
                                                    : Answer::NotKnown;
  }
  /// Also looks for a plan where nothing is proved.
  Answer decide(const Problem &question) const {
    const Answer answer = prove(question);
    SolveOptions search = options;
    search.strategy = "auto";
    return answer == Answer::NotKnown ? ask(question, search) : answer;
  }

private:
  /// Pairs of different buffers of `from` that are both in `to`, by where they
  /// are there. A pair that names members would keep more apart there than was
  /// asked for.
  static void addPairs(const Problem &from, const ItemOfBuffer &indexOf,
                       Problem &to) {
    std::vector<bool> isMember(from.buffers.size(), false);
    for (const Alias &alias : from.aliases)
      isMember[size_t(alias.member)] = true;
    for (const auto &[first, second] : from.forbiddenSharing)
      if (const auto a = indexOf[first], b = indexOf[second];
          a && b && *a != *b && !isMember[size_t(first)] &&
          !isMember[size_t(second)])
        to.forbiddenSharing.emplace_back(*a, *b);
    for (const Overlap &pair : from.overlaps)
      if (const auto a = indexOf[pair.lower], b = indexOf[pair.upper]; a && b)
        to.overlaps.push_back({*a, *b, pair.distanceBytes});
  }
  void add(const StorageClass &storage) {
    Buffer buffer;
    buffer.sizeBytes = storage.sizeBytes;
    buffer.alignment = storage.alignment;
    buffer.lifespans = storage.lifespans;
    if (storage.pin)
      buffer.pin = Pin{0, storage.pin->offsetBytes};
    whole.buffers.push_back(std::move(buffer));
    roots.push_back(storage.root);
  }

  static Answer ask(const Problem &question, const SolveOptions &options) {
    const SolveResult result = solve(question, options);
    if (std::holds_alternative<Plan>(result))
      return Answer::Fits;
    const auto *failure = std::get_if<Infeasible>(&result);
    return failure && (failure->boundExceeds || failure->isProved)
               ? Answer::Over
               : Answer::NotKnown;
  }

  SolveOptions options;
  Problem whole;
  std::vector<BufferId> roots;
};

bool isOver(const LiveBound &bound, int64_t haveBytes) {
  return bound.leaves63Bits || bound.liveSumBytes > haveBytes;
}

/// The largest at the peak, as few as are over.
class LiveSumFilter {
public:
  LiveSumFilter(const OnePool &here, const LiveBound &whole) : here(here) {
    for (BufferId index : whole.peakSet)
      peak.push_back(size_t(index));
    result.isLiveSum = true;
    result.peakStep = whole.peakStep;
  }

  InfeasibleSubset run() {
    size_t fits = 0, over = peak.size();
    while (over - fits > 1) {
      const size_t middle = fits + (over - fits) / 2;
      (isOver(boundOf(middle), here.haveBytes()) ? over : fits) = middle;
    }
    peak.resize(over);
    result.boundBytes = boundOf(over).bytes;
    result.isIrreducible = isIrreducible() && here.isStackOf(peak);
    for (size_t index : peak)
      result.buffers.push_back(here.rootOf(index));
    return std::move(result);
  }
  /// After run(): indices of the set, largest first.
  const std::vector<size_t> &members() const { return peak; }

private:
  /// For the first `count` of the peak, without the one at `without`.
  LiveBound boundOf(size_t count,
                    std::optional<size_t> without = std::nullopt) const {
    std::vector<size_t> indices;
    for (size_t i = 0; i < count; ++i)
      if (i != without)
        indices.push_back(peak[i]);
    std::sort(indices.begin(), indices.end());
    return liveBound(here.part(indices), 0);
  }
  /// When the smallest can be spared by nobody, nor can larger ones. Padding
  /// makes exceptions, as it depends on what all have in common.
  bool isIrreducible() const {
    if (!here.hasAlignment())
      return true;
    for (size_t i = 0; i < peak.size(); ++i)
      if (isOver(boundOf(peak.size(), i), here.haveBytes()))
        return false;
    return true;
  }

  const OnePool &here;
  std::vector<size_t> peak; ///< Largest first; after run() those of the set.
  InfeasibleSubset result;
};

/// Leaves out what is not needed for the rest to be too much.
class DeletionFilter {
public:
  /// `from`: too much already.
  DeletionFilter(const OnePool &here, std::vector<size_t> from)
      : here(here), kept(std::move(from)) {
    std::sort(kept.begin(), kept.end());
  }

  InfeasibleSubset run() {
    size_t part = kept.size();
    do {
      part = (part + 1) / 2;
      // Each part size sweeps over all; the last one, 1, settles it.
      isSure = true;
      for (size_t at = 0; at < kept.size();)
        at += leaveOut(at, std::min(part, kept.size() - at)) ? 0 : part;
    } while (part > 1);
    InfeasibleSubset result;
    result.isIrreducible = isSure;
    const LiveBound bound = liveBound(here.part(kept), 0);
    result.boundBytes = bound.bytes;
    result.peakStep = bound.peakStep;
    for (size_t index : kept)
      result.buffers.push_back(here.rootOf(index));
    return result;
  }

private:
  bool leaveOut(size_t at, size_t count) {
    if (count == kept.size())
      return false;
    std::vector<size_t> rest = kept;
    rest.erase(rest.begin() + int64_t(at), rest.begin() + int64_t(at + count));
    const Answer answer = here.prove(here.part(rest));
    isSure &= answer != Answer::NotKnown;
    if (answer == Answer::Over)
      kept = std::move(rest);
    return answer == Answer::Over;
  }

  const OnePool &here;
  std::vector<size_t> kept;
  bool isSure = true;
};

std::vector<size_t> allOf(const OnePool &here) {
  std::vector<size_t> indices(here.size());
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

/// Where the live sum of some fits, but they do not, as reserved bytes, pins or
/// alignments are in the way, fewer may be too much.
InfeasibleSubset liveSumSubset(const OnePool &here, const LiveBound &whole) {
  constexpr size_t kMostToProve = 64;
  LiveSumFilter filter(here, whole);
  InfeasibleSubset found = filter.run();
  if (found.isIrreducible || filter.members().size() > kMostToProve ||
      filter.members().size() < 2)
    return found;
  InfeasibleSubset fewer = DeletionFilter(here, filter.members()).run();
  if (fewer.buffers.size() < found.buffers.size())
    return fewer;
  found.isIrreducible = fewer.isIrreducible;
  return found;
}

bool isPoolOf(const Problem &problem, PoolId pool) {
  return check(problem).empty() && pool >= 0 &&
         pool < PoolId(problem.pools.size());
}

/// A problem that makes no sense since one is pinned beyond the pool's end:
/// that one.
std::optional<InfeasibleSubset> pinnedBeyondEnd(const Problem &problem,
                                                PoolId pool) {
  Problem unlimited = problem;
  for (Pool &each : unlimited.pools)
    each.capacityBytes.reset();
  if (!isPoolOf(unlimited, pool) || !problem.pools[size_t(pool)].capacityBytes)
    return std::nullopt;
  InfeasibleSubset result;
  result.pool = pool;
  result.isIrreducible = true;
  result.haveBytes = *problem.pools[size_t(pool)].capacityBytes;
  for (const StorageClass &storage : foldAliases(problem)) {
    if (!storage.pin || storage.pin->pool != pool)
      continue;
    const int64_t end = storage.pin->offsetBytes + storage.sizeBytes;
    if (end <= std::max(result.haveBytes, result.boundBytes))
      continue;
    result.boundBytes = end;
    result.buffers = {storage.root};
    result.peakStep = storage.lifespans.front().begin;
  }
  return result.buffers.empty() ? std::nullopt : std::optional(result);
}

} // namespace

std::variant<InfeasibleSubset, NoSubset>
infeasibleSubset(const Problem &problem, PoolId pool,
                 const SolveOptions &options) {
  const bool isKnown =
      options.strategy == "auto" || StrategyRegistry::find(options.strategy);
  if (!isKnown)
    return NoSubset::BadProblem;
  if (!isPoolOf(problem, pool)) {
    if (auto pinned = pinnedBeyondEnd(problem, pool))
      return *pinned;
    return NoSubset::BadProblem;
  }
  const OnePool here(problem, pool, timed(options));
  const LiveBound whole = liveBound(here.problem(), 0);
  const bool isLiveSum = isOver(whole, here.haveBytes());
  const Answer answer = isLiveSum ? Answer::Over : here.decide(here.problem());
  if (answer != Answer::Over)
    return answer == Answer::Fits ? NoSubset::Fits : NoSubset::NotProved;
  InfeasibleSubset result = isLiveSum ? liveSumSubset(here, whole)
                                      : DeletionFilter(here, allOf(here)).run();
  result.pool = pool;
  result.haveBytes = here.haveBytes();
  return result;
}

Relaxations relaxations(const Problem &problem, PoolId pool,
                        const SolveOptions &options) {
  Relaxations result;
  if (!isPoolOf(problem, pool))
    return result;
  const OnePool here(problem, pool, timed(options));
  auto relaxed = [&](const Problem &without) {
    if (without == here.problem())
      return Relaxed::NotThere;
    const Answer answer = here.decide(without);
    return answer == Answer::Fits   ? Relaxed::Fits
           : answer == Answer::Over ? Relaxed::StillOver
                                    : Relaxed::NotKnown;
  };
  Problem noPins = here.problem(), noPairs = noPins, noAlignment = noPins;
  for (Buffer &buffer : noPins.buffers)
    buffer.pin.reset();
  noPairs.forbiddenSharing.clear();
  noAlignment.pools[0].alignment = 1;
  for (Buffer &buffer : noAlignment.buffers)
    buffer.alignment = 1;
  result.pins = relaxed(noPins);
  result.forbiddenSharing = relaxed(noPairs);
  result.alignment = relaxed(noAlignment);
  return result;
}

} // namespace tpu_mlir::planning
