//===- NestedStacks.cpp - Lives within each other as one stack ------------===//
//
// Pipelines with several stages on a device (interleaved 1F1B, Megatron-LM, SC
// 2021) run pieces of many passes in turn. Each piece keeps activations that
// are freed in the opposite order:
//
//     bytes |      |_c_|            A stack is as high as all of it together
//       ^   |   |__b______|         and belongs to a slot: of those that are
//           |  |_____a______|       free the lowest one that is high enough, or
//           |_______________|____>  the highest, which grows.
//
// Slots lie on each other and grow in turn from below and from above, so that
// what two neighbours have free is one hole. An item is put on the stack whose
// topmost item's life is least longer. Is it much longer, then it is a piece of
// its own that only happens to run meanwhile: how much is much, the differences
// say, where they have a break.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Woven/NestedStacks.h"
#include "lib/Planning/Strategies/LifeBreaks.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

/// Lives of the last pieces are short: a break is no wide one.
constexpr int64_t kWideBreak = 2;

struct Stack {
  std::vector<size_t> ids;
  std::vector<int64_t> belowBytes;
  std::vector<size_t> alive; ///< Places in `ids`, the lowest first.
  int64_t bytes = 0;
  Interval life;
};

class NestedStacks {
public:
  NestedStacks(const std::vector<Item> &items, int64_t longLife)
      : items(items) {
    for (size_t id = 0; id < items.size(); ++id) {
      const bool isKept =
          items[id].sizeBytes > 0 && totalLife(items[id]) >= longLife;
      (isKept ? kept : others).push_back(id);
      alignment = std::max(alignment, items[id].alignment);
    }
    const auto keptKey = [&](size_t id) {
      const Interval life = hullOf(items[id]);
      return std::make_tuple(life.begin, -life.end, id);
    };
    std::sort(kept.begin(), kept.end(),
              [&](size_t a, size_t b) { return keptKey(a) < keptKey(b); });
    const auto otherKey = [&](size_t id) {
      return std::make_tuple(-items[id].sizeBytes, hullOf(items[id]).begin, id);
    };
    std::sort(others.begin(), others.end(),
              [&](size_t a, size_t b) { return otherKey(a) < otherKey(b); });
  }

  /// Something is kept, one alignment is enough for all, and there are offsets
  /// for whatever lies on each other.
  bool isPossible() const {
    int64_t sum = 0;
    for (const Item &item : items) {
      const auto size = checkedAlignUp(item.sizeBytes, alignment);
      const auto more = size ? checkedAdd(sum, *size) : std::nullopt;
      if (!more || alignment % item.alignment != 0)
        return false;
      sum = *more;
    }
    return !kept.empty();
  }

  /// What is not kept, the largest first.
  const std::vector<size_t> &order() const { return others; }

  /// What lives more than `most` steps less than what is below begins another
  /// stack. Returns by how much less items live, of all that could lie on one.
  std::vector<int64_t> build(int64_t most) {
    stacks.clear();
    tops.clear();
    std::vector<int64_t> differences;
    for (size_t id : kept) {
      const Interval life = hullOf(items[id]);
      freeUntil(life.begin);
      auto top = tightest(life);
      if (top != tops.end()) {
        differences.push_back(differenceFrom(*top, life));
        if (differences.back() > most)
          top = tops.end();
      }
      const size_t on = top == tops.end() ? stacks.size() : top->second;
      if (top == tops.end())
        stacks.emplace_back().life = life;
      else
        tops.erase(top);
      push(stacks[on], id);
      tops.emplace(life.end, on);
    }
    return differences;
  }

  /// Offsets of what is kept, -1 of the others.
  std::vector<int64_t> offsets() const {
    std::vector<int64_t> heights;
    const std::vector<size_t> slots = slotsOf(heights);
    std::vector<int64_t> bases(heights.size());
    std::partial_sum(heights.begin(), heights.end(), bases.begin());
    std::vector<int64_t> result(items.size(), -1);
    for (size_t i = 0; i < stacks.size(); ++i) {
      const size_t slot = slots[i];
      const int64_t end = bases[slot], begin = end - heights[slot];
      for (size_t k = 0; k < stacks[i].ids.size(); ++k) {
        const size_t id = stacks[i].ids[k];
        const int64_t below = stacks[i].belowBytes[k];
        result[id] = slot % 2 == 0 ? begin + below : end - below - sizeOf(id);
      }
    }
    return result;
  }

private:
  int64_t sizeOf(size_t id) const {
    return *checkedAlignUp(items[id].sizeBytes, alignment);
  }
  Interval lifeOfTop(const Stack &stack) const {
    return hullOf(items[stack.ids[stack.alive.back()]]);
  }

  using Tops = std::multimap<int64_t, size_t>; ///< Stacks by end.

  int64_t differenceFrom(const Tops::value_type &top, Interval life) const {
    return lifeOfTop(stacks[top.second]).length() - life.length();
  }

  /// The stack whose topmost item lives least longer at both ends, of the
  /// nearest ones; end() where there is none.
  Tops::iterator tightest(Interval life) {
    constexpr int kNearest = 64;
    auto best = tops.end();
    auto top = tops.lower_bound(life.end);
    for (int i = 0; i < kNearest && top != tops.end(); ++i, ++top) {
      if (best != tops.end() &&
          top->first - life.end >= differenceFrom(*best, life))
        break;
      if (best == tops.end() ||
          differenceFrom(*top, life) < differenceFrom(*best, life))
        best = top;
    }
    return best;
  }

  void freeUntil(int64_t step) {
    while (!tops.empty() && tops.begin()->first <= step) {
      const size_t on = tops.begin()->second;
      tops.erase(tops.begin());
      stacks[on].alive.pop_back();
      if (!stacks[on].alive.empty())
        tops.emplace(lifeOfTop(stacks[on]).end, on);
    }
  }

  void push(Stack &stack, size_t id) const {
    const size_t place = stack.ids.size();
    int64_t below = 0;
    if (!stack.alive.empty()) {
      const size_t top = stack.alive.back();
      below = stack.belowBytes[top] + sizeOf(stack.ids[top]);
    }
    stack.ids.push_back(id);
    stack.belowBytes.push_back(below);
    stack.alive.push_back(place);
    stack.bytes = std::max(stack.bytes, below + sizeOf(id));
  }

  /// By stack; they stand in the order in which they begin.
  std::vector<size_t> slotsOf(std::vector<int64_t> &heights) const {
    using EndOfSlot = std::pair<int64_t, size_t>;
    std::priority_queue<EndOfSlot, std::vector<EndOfSlot>, std::greater<>>
        taken;
    std::set<std::pair<int64_t, size_t>> free; // By height.
    std::vector<size_t> slots;
    for (const Stack &stack : stacks) {
      for (; !taken.empty() && taken.top().first <= stack.life.begin;
           taken.pop())
        free.emplace(heights[taken.top().second], taken.top().second);
      size_t slot = heights.size();
      if (free.empty()) {
        heights.push_back(0);
      } else {
        auto chosen = free.lower_bound({stack.bytes, 0});
        if (chosen == free.end())
          --chosen;
        slot = chosen->second;
        free.erase(chosen);
      }
      heights[slot] = std::max(heights[slot], stack.bytes);
      taken.emplace(stack.life.end, slot);
      slots.push_back(slot);
    }
    return slots;
  }

  const std::vector<Item> &items;
  std::vector<size_t> kept, others;
  std::vector<Stack> stacks;
  Tops tops;
  int64_t alignment = 1;
};

/// The most that differences within a piece may be: those of all, those before
/// the widest break, where one is four times as much as the one before it, and
/// twice the median, as most of them are of one piece. Without repetition.
std::vector<int64_t> limitsOf(std::vector<int64_t> differences) {
  constexpr int64_t kWide = 4;
  std::vector<int64_t> limits = {kMaxOffset};
  if (differences.empty())
    return limits;
  std::sort(differences.begin(), differences.end());
  double widest = 0;
  int64_t beforeBreak = differences.back();
  for (size_t i = 1; i < differences.size(); ++i) {
    const int64_t less = std::max<int64_t>(differences[i - 1], 1);
    const double ratio = double(differences[i]) / double(less);
    if (differences[i] / kWide < less || ratio <= widest)
      continue;
    widest = ratio;
    beforeBreak = less;
  }
  const int64_t twice = 2 * differences[differences.size() / 2];
  for (int64_t limit : {beforeBreak, twice})
    if (limit < differences.back() && limit != limits.back())
      limits.push_back(limit);
  return limits;
}

} // namespace

void offerNestedStacks(const PackingProblem &problem, BestOrder &orders) {
  if (!problem.forbiddenSharing.empty() ||
      std::any_of(problem.items.begin(), problem.items.end(),
                  [](const Item &item) { return item.pinOffset.has_value(); }))
    return;
  for (int64_t longLife : lifeBreaks(problem.items, kWideBreak)) {
    NestedStacks stacks(problem.items, longLife);
    if (!stacks.isPossible())
      continue;
    for (int64_t limit : limitsOf(stacks.build(kMaxOffset))) {
      if (!orders.canGoOn())
        return;
      if (limit != kMaxOffset) // That one is built.
        stacks.build(limit);
      orders.offerAround(stacks.offsets(), stacks.order());
    }
  }
}

} // namespace tpu_mlir::planning
