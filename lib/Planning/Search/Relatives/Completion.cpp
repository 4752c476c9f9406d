//===- Completion.cpp - What is missing in a packing without holes --------===//

#include "lib/Planning/Search/Relatives/Completion.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <map>
#include <random>
#include <unordered_map>

namespace tpu_mlir::planning {
namespace {

/// A total is at most a sixteenth above the largest live sum; one is a guess.
constexpr int64_t kMostLacking = 16, kGuess = 64;
/// Changes of one group: how many, and by how many others they may be apart.
constexpr size_t kMostInGroup = 4;
constexpr size_t kReach[kMostInGroup + 1] = {0, 0, 64, 64, 24};

/// More changes are no packing from which a few pieces were taken; more groups
/// of one size, and more steps that are looked at for them, take too long.
constexpr int64_t kMostChanges = 10'000, kMostScans = 8'000'000;
constexpr size_t kMostGroups = 1 << 18;

/// Where what is lacking changes.
struct Change {
  int64_t step = 0;
  int64_t bytes = 0; ///< More of it, or less.
};

class Completion {
public:
  /// `lackingMore`: by step.
  Completion(const std::map<int64_t, int64_t> &lackingMore, Interval whole,
             uint64_t seed, llvm::function_ref<bool()> isLate)
      : whole(whole), seed(seed), isLate(isLate), random(seed) {
    int64_t sum = 0;
    for (const auto &[step, bytes] : lackingMore) {
      sum += bytes;
      if (bytes != 0) {
        changes.push_back({step, bytes});
        lacking.push_back(sum);
      }
    }
  }

  std::vector<Missing> run() {
    if (changes.size() < 2)
      return {};
    matchGroups();
    matchEnds();
    matchRest();
    return std::move(found);
  }

  /// What ends or begins alone after all, of the first and the last step.
  std::pair<int64_t, int64_t> atEnds() {
    matchGroups();
    std::pair<int64_t, int64_t> sums = {0, 0};
    for (const Change &change : changes)
      if (!isEnd(change)) {
        int64_t &sum = change.bytes < 0 ? sums.first : sums.second;
        sum = saturatedAdd(sum, std::abs(change.bytes));
      }
    return sums;
  }

private:
  /// Changes that add up to nothing, by step.
  struct Group {
    size_t members[kMostInGroup] = {};
    size_t count = 0;
    int64_t length = 0;
  };

  bool isEnd(const Change &change) const {
    return change.step == whole.begin || change.step == whole.end;
  }
  bool isLacking(size_t from, size_t to, int64_t bytes) {
    scans += int64_t(to - from);
    return std::all_of(lacking.begin() + ptrdiff_t(from),
                       lacking.begin() + ptrdiff_t(to),
                       [&](int64_t each) { return each >= bytes; });
  }
  void fill(size_t from, size_t to, int64_t bytes) {
    for (size_t i = from; i < to; ++i)
      lacking[i] -= bytes;
    changes[from].bytes -= bytes;
    changes[to].bytes += bytes;
    found.push_back({{changes[from].step, changes[to].step}, bytes});
  }

  /// Small groups first, of these the short ones; not those of the first and
  /// the last step.
  void matchGroups() {
    for (size_t count = 2; count <= kMostInGroup; ++count) {
      open.clear();
      places.clear();
      for (size_t i = 0; i < changes.size(); ++i)
        if (changes[i].bytes != 0 && !isEnd(changes[i])) {
          places[changes[i].bytes].push_back(open.size());
          open.push_back(i);
        }
      groups.clear();
      Group group;
      for (size_t at = 0; at < open.size(); ++at)
        if (changes[open[at]].bytes > 0 && !isLate())
          extend(group, at, count, 0);
      std::stable_sort(
          groups.begin(), groups.end(),
          [](const Group &a, const Group &b) { return a.length < b.length; });
      scans = 0;
      for (const Group &each : groups)
        if (scans < kMostScans)
          take(each);
    }
  }

  /// Adds the change at `at` to the group, which lacked `level` before.
  void extend(Group &group, size_t at, size_t count, int64_t level) {
    level += changes[open[at]].bytes;
    if (level <= 0)
      return;
    group.members[group.count++] = open[at];
    if (group.count + 1 == count) {
      close(group, at, level);
    } else {
      const size_t end = std::min(open.size(), at + 1 + kReach[count]);
      for (size_t next = at + 1; next < end; ++next)
        extend(group, next, count, level);
    }
    --group.count;
  }
  void close(Group &group, size_t at, int64_t level) {
    const auto ends = places.find(-level);
    if (ends == places.end())
      return;
    auto end = std::upper_bound(ends->second.begin(), ends->second.end(), at);
    for (size_t tried = 0; end != ends->second.end() && tried < kReach[2] &&
                           groups.size() < kMostGroups;
         ++end, ++tried) {
      Group whole = group;
      whole.members[whole.count++] = open[*end];
      whole.length = changes[open[*end]].step - changes[group.members[0]].step;
      if (seed != 0)
        whole.length += int64_t(random() % uint64_t(whole.length));
      groups.push_back(whole);
    }
  }

  /// If none of its changes is taken, and all of it is lacking.
  void take(const Group &group) {
    int64_t level = 0;
    for (size_t m = 0; m + 1 < group.count; ++m) {
      level += changes[group.members[m]].bytes;
      if (changes[group.members[m]].bytes == 0 || level <= 0 ||
          !isLacking(group.members[m], group.members[m + 1], level))
        return;
    }
    if (changes[group.members[group.count - 1]].bytes != -level)
      return;
    // Open ones, the last one at the end: begin and bytes.
    std::vector<std::pair<size_t, int64_t>> begun;
    for (size_t m = 0; m + 1 < group.count; ++m) {
      const size_t at = group.members[m];
      const int64_t bytes = changes[at].bytes;
      // One that ends where the next one begins, or one more, or less.
      const bool isAfter = m > 0 && seed != 0 && random() % 2 == 0 &&
                           begun.back().second + bytes > 0;
      if (isAfter) {
        const auto [from, before] = begun.back();
        fill(from, at, before);
        begun.back() = {at, before + bytes};
      } else if (bytes > 0) {
        begun.push_back({at, bytes});
      } else {
        end(begun, at, -bytes);
      }
    }
    end(begun, group.members[group.count - 1], level);
  }
  void end(std::vector<std::pair<size_t, int64_t>> &begun, size_t at,
           int64_t bytes) {
    while (bytes > 0) {
      auto &[from, left] = begun.back();
      const int64_t some = std::min(left, bytes);
      fill(from, at, some);
      bytes -= some;
      left -= some;
      if (left == 0)
        begun.pop_back();
    }
  }

  /// What is lacking from the first step on, or up to the last one, may be any
  /// number of items.
  void matchEnds() {
    const size_t last = changes.size() - 1;
    const bool isFirst = changes[0].step == whole.begin;
    const bool isLast = changes[last].step == whole.end;
    for (size_t i = 1; isFirst && i < last; ++i)
      if (changes[i].bytes < 0 && isLacking(0, i, -changes[i].bytes))
        fill(0, i, -changes[i].bytes);
    for (size_t i = last; isLast && i-- > 1;)
      if (changes[i].bytes > 0 && isLacking(i, last, changes[i].bytes))
        fill(i, last, changes[i].bytes);
    if (isFirst && isLast && lacking[0] > 0 && isLacking(0, last, lacking[0]))
      fill(0, last, lacking[0]);
  }

  /// Falls in their order, each with any rises that are open: the last ones, or
  /// with a seed those that chance takes.
  void matchRest() {
    std::vector<size_t> rises;
    for (size_t i = 0; i < changes.size(); ++i) {
      if (changes[i].bytes > 0)
        rises.push_back(i);
      while (changes[i].bytes < 0) {
        const size_t chosen =
            seed == 0 ? rises.size() - 1 : size_t(random() % rises.size());
        const size_t from = rises[chosen];
        fill(from, i, std::min(changes[from].bytes, -changes[i].bytes));
        if (changes[from].bytes == 0)
          rises.erase(rises.begin() + ptrdiff_t(chosen));
      }
    }
  }

  const Interval whole; ///< From the first to the last step.
  const uint64_t seed;
  const llvm::function_ref<bool()> isLate;
  std::mt19937_64 random;
  std::vector<Change> changes;  ///< By step.
  std::vector<int64_t> lacking; ///< From each change to the next one.
  std::vector<Missing> found;

  // While groups of one size are looked for.
  std::vector<size_t> open;                                ///< By step.
  std::unordered_map<int64_t, std::vector<size_t>> places; ///< In `open`.
  std::vector<Group> groups;
  int64_t scans = 0; ///< Steps that isLacking() has looked at.
};

/// By step how much more is lacking of `total`.
std::map<int64_t, int64_t> lackingOf(const std::vector<Item> &items,
                                     int64_t total) {
  std::map<int64_t, int64_t> byStep;
  for (const Item &item : items)
    for (const Interval &span : item.lifespans) {
      byStep[span.begin] -= item.sizeBytes;
      byStep[span.end] += item.sizeBytes;
    }
  if (!byStep.empty()) {
    byStep.begin()->second += total;
    byStep.rbegin()->second -= total;
  }
  return byStep;
}
Interval wholeOf(const std::map<int64_t, int64_t> &byStep) {
  return byStep.empty()
             ? Interval{}
             : Interval{byStep.begin()->first, byStep.rbegin()->first};
}

/// The roundest number up to kMostLacking above `bytes`.
int64_t nextRound(int64_t bytes) {
  int64_t grid = 1, round = bytes;
  while (grid <= bytes / 2) {
    grid *= 2;
    const int64_t up = (bytes + grid - 1) / grid * grid;
    if (up - bytes <= bytes / kMostLacking)
      round = up;
  }
  return round;
}

} // namespace

std::vector<int64_t> likelyTotals(const std::vector<Item> &items,
                                  llvm::function_ref<bool()> isLate) {
  int64_t sum = 0, most = 0;
  for (const auto &[step, more] : lackingOf(items, 0))
    most = std::max(most, sum -= more);
  // With so much to fill, no way to fill it is impossible.
  const int64_t twice = saturatedAdd(most, most);
  const std::map<int64_t, int64_t> lacking = lackingOf(items, twice);
  const auto numChanges =
      std::count_if(lacking.begin(), lacking.end(),
                    [](const auto &change) { return change.second != 0; });
  if (lacking.empty() || numChanges > kMostChanges ||
      size_t(numChanges) > items.size() / 2)
    return {};
  const auto [falls, rises] =
      Completion(lacking, wholeOf(lacking), 0, isLate).atEnds();
  std::vector<int64_t> totals = {
      most, saturatedAdd(twice - lacking.begin()->second, falls),
      saturatedAdd(twice + lacking.rbegin()->second, rises), nextRound(most),
      most + most / kGuess};
  totals.erase(std::remove_if(totals.begin(), totals.end(),
                              [&](int64_t total) {
                                return total < most ||
                                       total - most > most / kMostLacking;
                              }),
               totals.end());
  std::sort(totals.begin(), totals.end());
  totals.erase(std::unique(totals.begin(), totals.end()), totals.end());
  return totals;
}

std::vector<Missing> missingItems(const std::vector<Item> &items, int64_t total,
                                  uint64_t seed,
                                  llvm::function_ref<bool()> isLate) {
  const std::map<int64_t, int64_t> lacking = lackingOf(items, total);
  return Completion(lacking, wholeOf(lacking), seed, isLate).run();
}

std::vector<Missing> cutAnew(const std::vector<Missing> &pieces, Interval whole,
                             uint64_t seed) {
  std::map<int64_t, int64_t> lacking;
  for (const Missing &piece : pieces) {
    lacking[piece.life.begin] += piece.bytes;
    lacking[piece.life.end] -= piece.bytes;
  }
  return Completion(lacking, whole, seed, [] { return false; }).run();
}

} // namespace tpu_mlir::planning
