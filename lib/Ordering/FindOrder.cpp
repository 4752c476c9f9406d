//===- FindOrder.cpp - Candidates, parts, and a search of each ------------===//

#include "tpu_mlir/Ordering/FindOrder.h"

#include "lib/Ordering/Bounds.h"
#include "lib/Ordering/Candidates.h"
#include "lib/Ordering/Search.h"
#include "lib/Ordering/Trees.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tpu_mlir::ordering {

/// Ops around the peak that are searched together where the whole part is too
/// much, one width after the other, and sets of them.
static constexpr size_t kWindows[] = {12, 24, 48};
static constexpr int64_t kSetsOfWindow = 2000;

namespace {

/// A part between ops that every path goes through, and the best that is known.
struct KnownPart {
  Order ops;
  int64_t peak = 0;
  int64_t bound = 0;
  bool isGivenUp = false;
};

class Finder {
public:
  Finder(const OrderProblem &problem, const OrderOptions &options)
      : options(options), uses(problem), startLevel(LiveSet(uses).level()),
        setsLeft(options.maxSets) {}
  OrderResult run();

private:
  void add(const char *method, Order order);
  void makeParts();
  void fillParts(const std::vector<int64_t> &needs);
  void searchParts();
  LiveSet before(size_t index) const;
  int64_t bound() const;
  void narrow(KnownPart &part, size_t index);
  bool improveWindow(KnownPart &part, LiveSet alive, size_t width);
  SearchResult search(LiveSet &alive, const Groups &groups, int64_t budget,
                      int64_t sets);

  const OrderOptions &options;
  const Uses uses;
  const int64_t startLevel;
  /// Of all parts together.
  int64_t wholeBound = 0;
  int64_t setsLeft;
  std::vector<FoundOrder> orders;
  std::vector<KnownPart> parts;
};

} // namespace

/// Leaves the ops in the set.
static int64_t runAll(LiveSet &alive, const Order &ops) {
  int64_t peak = 0;
  for (int op : ops) {
    peak = std::max(peak, alive.look(op).during);
    alive.run(op);
  }
  return peak;
}

static void undoAll(LiveSet &alive, const Order &ops) {
  for (size_t i = ops.size(); i-- > 0;)
    alive.undo(ops[i]);
}

void Finder::add(const char *method, Order order) {
  const bool isKnown =
      std::any_of(orders.begin(), orders.end(), [&](const FoundOrder &found) {
        return found.order == order;
      });
  if (isKnown)
    return;
  const int64_t peak = peakOf(uses.problem, order);
  orders.push_back({std::move(order), peak, method});
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Every path goes through an op if in the text no way leads past it: from an
/// op before it to one after it, or from or to what is outside.
void Finder::makeParts() {
  const int count = static_cast<int>(uses.problem.ops.size());
  std::vector<int> ways(count + 1);
  const auto addWay = [&](int from, int to) {
    if (to - from > 1) {
      ++ways[from + 1];
      --ways[to];
    }
  };
  for (int op = 0; op < count; ++op) {
    if (uses.after(op).empty())
      addWay(-1, op);
    if (uses.before(op).empty())
      addWay(op, count);
    for (int next : uses.before(op))
      addWay(op, next);
  }
  int past = 0;
  std::vector<int> ops;
  const auto close = [&] {
    if (!ops.empty())
      parts.push_back({std::exchange(ops, {})});
  };
  for (int op = 0; op < count; ++op) {
    past += ways[op];
    if (past == 0)
      close();
    ops.push_back(op);
    if (past == 0)
      close();
  }
  close();
}

/// With the best piece of the orders that are there: each of them runs the ops
/// of a part at the same places.
void Finder::fillParts(const std::vector<int64_t> &needs) {
  LiveSet alive(uses);
  size_t begin = 0;
  for (KnownPart &part : parts) {
    for (int op : part.ops)
      part.bound = std::max(part.bound, needs[op]);
    const size_t end = begin + part.ops.size();
    part.peak = INT64_MAX;
    Order best;
    for (const FoundOrder &found : orders) {
      Order ops(found.order.begin() + begin, found.order.begin() + end);
      const int64_t peak = runAll(alive, ops);
      undoAll(alive, ops);
      if (std::exchange(part.peak, std::min(part.peak, peak)) > peak)
        best = std::move(ops);
    }
    part.ops = std::move(best);
    runAll(alive, part.ops);
    begin = end;
  }
}

LiveSet Finder::before(size_t index) const {
  LiveSet alive(uses);
  for (size_t i = 0; i < index; ++i)
    for (int op : parts[i].ops)
      alive.run(op);
  return alive;
}

int64_t Finder::bound() const {
  int64_t result = wholeBound;
  for (const KnownPart &part : parts)
    result = std::max(result, part.bound);
  return result;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

SearchResult Finder::search(LiveSet &alive, const Groups &groups,
                            int64_t budget, int64_t sets) {
  SearchResult result =
      searchOrder(alive, groups, budget, std::min(sets, setsLeft));
  setsLeft -= std::max<int64_t>(result.sets, 1);
  return result;
}

/// Looks for less around the first place of the peak. True if there is.
bool Finder::improveWindow(KnownPart &part, LiveSet alive, size_t width) {
  Order &ops = part.ops;
  size_t at = 0;
  LiveSet run = alive;
  for (; run.look(ops[at]).during < part.peak; ++at)
    run.run(ops[at]);
  const size_t begin = at - std::min(at, width / 2),
               end = std::min(begin + width, ops.size());
  for (size_t i = 0; i < begin; ++i)
    alive.run(ops[i]);
  const Order window(ops.begin() + begin, ops.begin() + end);
  const SearchResult found = search(alive, groupOps(uses, alive, window),
                                    part.peak - 1, kSetsOfWindow);
  if (found.answer != SearchResult::Answer::Found)
    return false;
  std::copy(found.order.begin(), found.order.end(), ops.begin() + begin);
  return true;
}

/// The part gets as good as anybody asks for, or is given up.
void Finder::narrow(KnownPart &part, size_t index) {
  LiveSet alive = before(index);
  const auto update = [&] {
    part.peak = runAll(alive, part.ops);
    undoAll(alive, part.ops);
  };
  const Groups groups = groupOps(uses, alive, part.ops);
  int64_t budget = bound();
  while (part.peak > budget && setsLeft > 0) {
    const SearchResult result =
        search(alive, groups, budget, std::max<int64_t>(setsLeft / 4, 1));
    if (result.answer == SearchResult::Answer::Found) {
      part.ops = result.order;
      update();
      budget = bound();
    } else if (result.answer == SearchResult::Answer::None) {
      part.bound = std::min(result.nextBudget, part.peak);
      budget = std::max(budget, part.bound);
    } else if (part.peak - budget > 1) {
      // Halfway between what cannot be decided and what is there.
      budget += (part.peak - budget + 1) / 2;
    } else {
      break;
    }
  }
  for (size_t width : kWindows)
    while (part.peak > bound() && setsLeft > 0 &&
           improveWindow(part, alive, width))
      update();
  part.isGivenUp = true;
}

/// The highest one first; what stays below another one's bound is good enough.
void Finder::searchParts() {
  while (setsLeft > 0) {
    const auto worst = std::max_element(
        parts.begin(), parts.end(),
        [](const KnownPart &a, const KnownPart &b) { return a.peak < b.peak; });
    if (worst == parts.end() || worst->isGivenUp || worst->peak <= bound())
      return;
    if (static_cast<int>(worst->ops.size()) <= options.maxOpsForCuts)
      worst->bound =
          std::max(worst->bound, cutBound(uses, worst->ops, worst->peak));
    narrow(*worst, worst - parts.begin());
  }
}

OrderResult Finder::run() {
  Order text(uses.problem.ops.size());
  std::iota(text.begin(), text.end(), 0);
  add("text", std::move(text));
  const std::vector<int64_t> needs = needsOfOps(uses);
  wholeBound = startLevel;
  for (int64_t need : needs)
    wholeBound = std::max(wholeBound, need);
  if (wholeBound >= orders.front().peak)
    return {std::move(orders), wholeBound, 0};
  for (Candidate &candidate : quickOrders(uses))
    add(candidate.method, std::move(candidate.order));
  for (TreeOrder &tree : treeOrders(uses)) {
    wholeBound = std::max(wholeBound, tree.bound);
    add("trees", std::move(tree.order));
  }
  makeParts();
  fillParts(needs);
  searchParts();
  Order joined;
  for (const KnownPart &part : parts)
    joined.insert(joined.end(), part.ops.begin(), part.ops.end());
  add("search", std::move(joined));
  // The text was the first, and stays so among equals.
  std::stable_sort(
      orders.begin(), orders.end(),
      [](const FoundOrder &a, const FoundOrder &b) { return a.peak < b.peak; });
  OrderResult result;
  result.bound = std::min(bound(), orders.front().peak);
  result.orders = std::move(orders);
  result.sets = std::min(options.maxSets, options.maxSets - setsLeft);
  return result;
}

OrderResult findOrder(const OrderProblem &problem,
                      const OrderOptions &options) {
  return Finder(problem, options).run();
}

} // namespace tpu_mlir::ordering
