//===- StackBound.cpp - What alignments cost ------------------------------===//

#include "lib/Planning/Kit/StackBound.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMostStates = int64_t(1) << 14, kMostWork = int64_t(1) << 20;
/// No sum of paddings leaves 63 bits below this.
constexpr int64_t kCoarsest = int64_t(1) << 40;
/// Sums of sizes beyond this are nothing that an alignment decides.
constexpr int64_t kHighest = int64_t(1) << 61;
constexpr size_t kMostClasses = 64;

/// Items that are the same to any stack: whole multiples of the coarsest
/// alignment can be taken out of one and change no offset modulo it.
struct Kind {
  int64_t alignment, sizeBytes, count;
};

/// All sizes are multiples of `common`, all alignments of the items multiples
/// of `common` and divisors of `coarsest`.
struct Kinds {
  std::vector<Kind> kinds;
  int64_t whole = 0;  ///< What was taken out.
  int64_t states = 1; ///< kMostStates + 1: more than these.
};

Kinds kindsOf(const std::vector<Aligned> &items, int64_t common,
              int64_t coarsest) {
  std::map<std::pair<int64_t, int64_t>, int64_t> counts;
  Kinds result;
  for (const Aligned &item : items) {
    const int64_t padded = alignUp(item.sizeBytes, common);
    const int64_t rest = padded % coarsest;
    result.whole += padded - rest;
    // Below all others it costs nothing, and changes nothing.
    if (rest > 0)
      ++counts[{std::gcd(item.alignment, coarsest), rest}];
  }
  for (const auto &[kind, count] : counts) {
    result.kinds.push_back({kind.first, kind.second, count});
    result.states = std::min(result.states * (count + 1), kMostStates + 1);
  }
  return result;
}

/// Each state is a number whose digits are the counts of the kinds.
int64_t leastHeight(const Kinds &kinds, int64_t &work) {
  std::vector<int64_t> least(size_t(kinds.states), kHighest);
  least[0] = 0;
  for (size_t state = 0; state < least.size(); ++state) {
    size_t digit = 1;
    for (const Kind &kind : kinds.kinds) {
      const size_t base = size_t(kind.count) + 1;
      if (state / digit % base < size_t(kind.count)) {
        int64_t &next = least[state + digit];
        next = std::min(next,
                        alignUp(least[state], kind.alignment) + kind.sizeBytes);
      }
      digit *= base;
    }
  }
  work += kinds.states * int64_t(kinds.kinds.size());
  return kinds.whole + least.back();
}

/// Of those items alone whose alignments are multiples of `alignment`: all but
/// the topmost end with their padding. The largest int64_t where it leaves
/// that.
int64_t heightOfClass(const std::vector<Aligned> &items, int64_t alignment) {
  __int128 height = 0;
  int64_t largestPadding = 0;
  for (const Aligned &item : items) {
    if (item.alignment % alignment != 0)
      continue;
    const int64_t over = item.sizeBytes % alignment;
    const int64_t padding = over == 0 ? 0 : alignment - over;
    height += __int128(item.sizeBytes) + padding;
    largestPadding = std::max(largestPadding, padding);
  }
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return int64_t(std::min(height - largestPadding, __int128(kMost)));
}

struct Alignments {
  int64_t common = 0;
  /// The least common multiple of as many as stay below kCoarsest.
  int64_t coarsest = 1;
  /// Each alignment once, and what two have in common, the coarsest ones.
  std::vector<int64_t> classes;
};

Alignments alignmentsOf(const std::vector<Aligned> &items) {
  std::set<int64_t, std::greater<int64_t>> all, classes;
  for (const Aligned &item : items)
    all.insert(item.alignment);
  Alignments result;
  for (int64_t alignment : all) {
    result.common = std::gcd(result.common, alignment);
    if (classes.size() < kMostClasses)
      for (int64_t other : all)
        classes.insert(std::gcd(alignment, other));
  }
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    const int64_t times = *it / std::gcd(*it, result.coarsest);
    if (times <= kCoarsest / result.coarsest)
      result.coarsest *= times;
  }
  classes.erase(result.common); // The live sum knows of that.
  result.classes.assign(classes.begin(), classes.end());
  result.classes.resize(std::min(classes.size(), kMostClasses));
  return result;
}

bool mayLeave63Bits(const std::vector<Aligned> &items,
                    const Alignments &alignments) {
  const int64_t coarsest = std::max(alignments.coarsest, alignments.common);
  int64_t sum = 0;
  for (const Aligned &item : items)
    sum = saturatedAdd(sum, saturatedAdd(item.sizeBytes, coarsest));
  return sum >= kHighest;
}

/// By kinds, with alignments as coarse as leave few of them; 0 where even the
/// finest do not.
int64_t heightByKinds(const std::vector<Aligned> &items,
                      const Alignments &alignments, int64_t &work) {
  const int64_t common = alignments.common;
  int64_t coarsest = alignments.coarsest;
  Kinds kinds = kindsOf(items, common, coarsest);
  while (kinds.states > kMostStates && coarsest % (2 * common) == 0) {
    coarsest /= 2;
    kinds = kindsOf(items, common, coarsest);
    work += int64_t(items.size());
  }
  if (kinds.states > kMostStates)
    return 0;
  // The topmost item ends without its padding.
  int64_t largestPadding = 0;
  for (const Aligned &item : items)
    largestPadding = std::max(largestPadding,
                              alignUp(item.sizeBytes, common) - item.sizeBytes);
  return leastHeight(kinds, work) - largestPadding;
}

} // namespace

int64_t leastStack(const std::vector<Aligned> &items, int64_t &work) {
  const Alignments alignments = alignmentsOf(items);
  int64_t height = 0;
  for (int64_t alignment : alignments.classes)
    height = std::max(height, heightOfClass(items, alignment));
  work += int64_t(items.size() * alignments.classes.size());
  if (alignments.classes.empty() || mayLeave63Bits(items, alignments))
    return height;
  return std::max(height, heightByKinds(items, alignments, work));
}

namespace {

/// A step at which an item was born and the next event is an end, and how high
/// a stack would be with each item padded to its own alignment.
struct Moment {
  int64_t padded;
  int64_t step;
};

std::vector<Moment> momentsAbove(const std::vector<Item> &items,
                                 int64_t known) {
  std::vector<std::tuple<int64_t, bool, int64_t>> events;
  for (const Item &item : items) {
    const int64_t padded = saturatedAdd(item.sizeBytes, item.alignment - 1);
    for (const Interval &span : item.lifespans) {
      events.push_back({span.begin, true, padded});
      events.push_back({span.end, false, padded});
    }
  }
  std::sort(events.begin(), events.end());
  std::vector<Moment> moments;
  __int128 sum = 0;
  bool wasStart = false;
  int64_t last = 0;
  for (const auto &[step, isStart, padded] : events) {
    if (wasStart && !isStart && sum > known && sum < kHighest)
      moments.push_back({int64_t(sum), last});
    sum += isStart ? padded : -padded;
    wasStart = isStart, last = step;
  }
  std::sort(moments.begin(), moments.end(),
            [](const Moment &a, const Moment &b) {
              return std::tie(b.padded, a.step) < std::tie(a.padded, b.step);
            });
  return moments;
}

} // namespace

int64_t boundOfStacks(const std::vector<Item> &items, int64_t known) {
  const bool isAlike =
      std::all_of(items.begin(), items.end(), [&](const Item &item) {
        return item.alignment == items.front().alignment;
      });
  if (isAlike)
    return known;
  int64_t work = 0;
  for (const Moment &moment : momentsAbove(items, known)) {
    if (moment.padded <= known || work > kMostWork)
      break;
    std::vector<Aligned> alive;
    for (const Item &item : items)
      for (const Interval &span : item.lifespans)
        if (span.contains(moment.step) && item.sizeBytes > 0)
          alive.push_back(
              {item.sizeBytes,
               std::gcd(item.alignment, item.pinOffset.value_or(0))});
    work += int64_t(items.size());
    known = std::max(known, leastStack(alive, work));
  }
  return known;
}

} // namespace tpu_mlir::planning
