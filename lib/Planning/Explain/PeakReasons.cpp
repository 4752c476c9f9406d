//===- PeakReasons.cpp - Why bytes are alive at a peak --------------------===//

#include "tpu_mlir/Planning/PeakReasons.h"

#include "tpu_mlir/Support/Names.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::planning {
namespace {

/// Sums may leave 63 bits although no size does.
using Sum = __int128;

int64_t clamped(Sum sum) {
  return static_cast<int64_t>(
      std::min<Sum>(sum, std::numeric_limits<int64_t>::max()));
}

/// The live sum of every step, between the steps where it may change.
class LiveLine {
public:
  explicit LiveLine(std::vector<int64_t> steps) : points(std::move(steps)) {
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    sums.assign(points.size(), 0);
  }

  void add(Interval steps, Sum bytes) {
    for (size_t at = indexOf(steps.begin), end = indexOf(steps.end); at < end;
         ++at)
      sums[at] += bytes;
  }
  Sum highest() const {
    return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
  }

private:
  size_t indexOf(int64_t step) const {
    return size_t(std::lower_bound(points.begin(), points.end(), step) -
                  points.begin());
  }
  std::vector<int64_t> points;
  std::vector<Sum> sums;
};

/// Bytes to add to the line during some steps.
struct Change {
  Interval steps;
  Sum bytes = 0;
};

class Reasons {
public:
  Reasons(const Problem &problem, PoolId pool, int64_t peakStep,
          size_t maxParts)
      : problem(problem), maxParts(maxParts) {
    result.peakStep = peakStep;
    for (StorageClass &storage : foldAliases(problem))
      if (storage.pools == std::vector{pool} && storage.sizeBytes > 0)
        classes.push_back(std::move(storage));
  }

  PeakReasons run();

private:
  std::vector<int64_t> stepsOfChange() const;
  void addParts();
  PeakPart describe(const StorageClass &storage) const;
  int64_t idleBytes(const StorageClass &storage) const;
  void tryAll(LiveLine &line);
  void tryChange(LiveLine &line, PeakRemedy remedy,
                 std::optional<BufferId> root,
                 const std::vector<Change> &changes);
  std::vector<Change> freeInputs() const;
  std::vector<Change> noPadding() const;
  std::vector<Change> keepLocal(const StorageClass &storage) const;
  std::vector<Change> recompute(const StorageClass &storage,
                                const PeakPart &part) const;
  std::vector<Change> splitAlias(const StorageClass &storage) const;

  const Problem &problem;
  const size_t maxParts;
  std::vector<StorageClass> classes;
  PeakReasons result;
};

Sum paddedTo(int64_t bytes, int64_t alignment) {
  return (Sum(bytes) + alignment - 1) / alignment * alignment;
}
Sum paddedBytes(const StorageClass &storage) {
  return paddedTo(storage.sizeBytes, storage.alignment);
}

bool isAliveAt(const std::vector<Interval> &lifespans, int64_t step) {
  return std::any_of(lifespans.begin(), lifespans.end(),
                     [&](Interval span) { return span.contains(step); });
}

std::vector<int64_t> Reasons::stepsOfChange() const {
  std::vector<int64_t> steps;
  const auto addSpan = [&](Interval span) {
    steps.insert(steps.end(), {span.begin, span.begin + 1, span.end});
  };
  for (const StorageClass &storage : classes) {
    for (const Interval &span : storage.lifespans)
      addSpan(span);
    for (int64_t step : storage.readSteps)
      steps.insert(steps.end(), {step, step + 1});
    for (BufferId member : storage.members)
      for (const Interval &span : problem.buffers[size_t(member)].lifespans)
        addSpan(span);
  }
  return steps;
}

/// Bytes of a class with aliases that belong to none of those alive.
int64_t Reasons::idleBytes(const StorageClass &storage) const {
  if (storage.members.empty())
    return 0;
  std::vector<Interval> used;
  for (const Alias &alias : problem.aliases) {
    const Buffer &member = problem.buffers[size_t(alias.member)];
    if (alias.root == storage.root &&
        isAliveAt(member.lifespans, result.peakStep))
      used.push_back({alias.offsetBytes, alias.offsetBytes + member.sizeBytes});
  }
  std::sort(used.begin(), used.end());
  int64_t covered = 0, end = 0;
  for (const Interval &bytes : used) {
    covered += std::max<int64_t>(bytes.end - std::max(bytes.begin, end), 0);
    end = std::max(end, bytes.end);
  }
  return storage.sizeBytes - covered;
}

PeakPart Reasons::describe(const StorageClass &storage) const {
  PeakPart part;
  part.root = storage.root;
  part.sizeBytes = storage.sizeBytes;
  part.paddingBytes = clamped(paddedBytes(storage) - storage.sizeBytes);
  part.idleBytes = idleBytes(storage);
  const int64_t peak = result.peakStep;
  part.lastUse = storage.lifespans.front().begin;
  for (int64_t step : storage.readSteps)
    if (step <= peak)
      part.lastUse = step;
    else if (!part.nextUse)
      part.nextUse = step;
  const BufferKind kind = problem.buffers[size_t(storage.root)].kind;
  const bool isPinned = kind == BufferKind::Input ||
                        (kind == BufferKind::Output && !part.nextUse);
  if (storage.lifespans.front().begin == peak && kind != BufferKind::Input)
    part.why = WhyAlive::Made;
  else if (part.lastUse == peak && !storage.readSteps.empty() &&
           std::binary_search(storage.readSteps.begin(),
                              storage.readSteps.end(), peak))
    part.why = WhyAlive::Read;
  else if (isPinned)
    part.why = WhyAlive::Pinned;
  else
    part.why = part.idleBytes > 0 ? WhyAlive::Alias : WhyAlive::Waits;
  return part;
}

void Reasons::addParts() {
  for (const StorageClass &storage : classes)
    if (isAliveAt(storage.lifespans, result.peakStep))
      result.parts.push_back(describe(storage));
  std::stable_sort(result.parts.begin(), result.parts.end(),
                   [](const PeakPart &a, const PeakPart &b) {
                     return a.sizeBytes > b.sizeBytes;
                   });
}

void Reasons::tryChange(LiveLine &line, PeakRemedy remedy,
                        std::optional<BufferId> root,
                        const std::vector<Change> &changes) {
  for (const Change &change : changes)
    line.add(change.steps, change.bytes);
  const int64_t peak = clamped(line.highest());
  for (const Change &change : changes)
    line.add(change.steps, -change.bytes);
  if (peak < result.peakBytes)
    result.changes.push_back({remedy, root, peak});
}

/// From after the last reader on.
std::vector<Change> Reasons::freeInputs() const {
  std::vector<Change> changes;
  for (const StorageClass &storage : classes) {
    if (problem.buffers[size_t(storage.root)].kind != BufferKind::Input ||
        storage.lifespans.size() != 1)
      continue;
    const Interval life = storage.lifespans.front();
    const int64_t end =
        1 + (storage.readSteps.empty() ? life.begin : storage.readSteps.back());
    if (end < life.end)
      changes.push_back({{end, life.end}, -paddedBytes(storage)});
  }
  return changes;
}

std::vector<Change> Reasons::noPadding() const {
  std::vector<Change> changes;
  for (const StorageClass &storage : classes)
    for (const Interval &span : storage.lifespans)
      changes.push_back({span, storage.sizeBytes - paddedBytes(storage)});
  return changes;
}

std::vector<Change> Reasons::keepLocal(const StorageClass &storage) const {
  std::vector<Change> changes;
  for (const Interval &span : storage.lifespans)
    changes.push_back({span, -paddedBytes(storage)});
  return changes;
}

/// What the op that makes it reads has to be there once more. That op and the
/// reader count as one step, which is never too little.
std::vector<Change> Reasons::recompute(const StorageClass &storage,
                                       const PeakPart &part) const {
  const int64_t made = storage.lifespans.front().begin;
  std::vector<Change> changes = {
      {{part.lastUse + 1, *part.nextUse}, -paddedBytes(storage)}};
  for (const StorageClass &operand : classes) {
    const bool isRead = std::binary_search(operand.readSteps.begin(),
                                           operand.readSteps.end(), made);
    const int64_t end = operand.lifespans.back().end;
    if (isRead && operand.root != storage.root && end <= *part.nextUse)
      changes.push_back({{end, *part.nextUse + 1}, paddedBytes(operand)});
  }
  return changes;
}

/// The whole lives when one of its size does; smaller ones live by themselves.
std::vector<Change> Reasons::splitAlias(const StorageClass &storage) const {
  std::vector<Change> changes = keepLocal(storage);
  Interval whole = {0, 0};
  for (BufferId id : storage.members) {
    const Buffer &member = problem.buffers[size_t(id)];
    for (const Interval &span : member.lifespans) {
      if (member.sizeBytes < storage.sizeBytes)
        changes.push_back(
            {span, paddedTo(member.sizeBytes, storage.alignment)});
      else
        whole = whole.empty() ? span
                              : Interval{std::min(whole.begin, span.begin),
                                         std::max(whole.end, span.end)};
    }
  }
  if (whole.empty())
    return {};
  changes.push_back({whole, paddedBytes(storage)});
  return changes;
}

void Reasons::tryAll(LiveLine &line) {
  tryChange(line, PeakRemedy::FreeInputs, std::nullopt, freeInputs());
  tryChange(line, PeakRemedy::NoPadding, std::nullopt, noPadding());
  size_t tried = 0;
  for (const PeakPart &part : result.parts) {
    const Buffer &root = problem.buffers[size_t(part.root)];
    if (root.kind == BufferKind::Input || root.kind == BufferKind::Output)
      continue;
    if (++tried > maxParts)
      break;
    const StorageClass &storage = *std::lower_bound(
        classes.begin(), classes.end(), part.root,
        [](const StorageClass &c, BufferId id) { return c.root < id; });
    tryChange(line, PeakRemedy::KeepLocal, part.root, keepLocal(storage));
    if (part.why == WhyAlive::Waits && part.nextUse)
      tryChange(line, PeakRemedy::Recompute, part.root,
                recompute(storage, part));
    if (part.idleBytes > 0)
      tryChange(line, PeakRemedy::SplitAlias, part.root, splitAlias(storage));
  }
  std::stable_sort(result.changes.begin(), result.changes.end(),
                   [](const PeakChange &a, const PeakChange &b) {
                     return a.peakBytes < b.peakBytes;
                   });
}

PeakReasons Reasons::run() {
  LiveLine line(stepsOfChange());
  for (const StorageClass &storage : classes)
    for (const Interval &span : storage.lifespans)
      line.add(span, paddedBytes(storage));
  result.peakBytes = clamped(line.highest());
  addParts();
  tryAll(line);
  return std::move(result);
}

} // namespace

static constexpr Named<WhyAlive> kWhyAlive[] = {
    {WhyAlive::Made, "made"},     {WhyAlive::Read, "read"},
    {WhyAlive::Pinned, "pinned"}, {WhyAlive::Alias, "alias"},
    {WhyAlive::Waits, "waits"},
};
static constexpr Named<PeakRemedy> kRemedies[] = {
    {PeakRemedy::FreeInputs, "free-inputs"},
    {PeakRemedy::Recompute, "recompute"},
    {PeakRemedy::KeepLocal, "keep-local"},
    {PeakRemedy::SplitAlias, "split-alias"},
    {PeakRemedy::NoPadding, "no-padding"},
};

std::string_view whyAliveName(WhyAlive why) { return nameIn(kWhyAlive, why); }
std::string_view peakRemedyName(PeakRemedy remedy) {
  return nameIn(kRemedies, remedy);
}

PeakReasons explainPeak(const Problem &problem, PoolId pool, int64_t peakStep,
                        size_t maxParts) {
  return Reasons(problem, pool, peakStep, maxParts).run();
}

} // namespace tpu_mlir::planning
