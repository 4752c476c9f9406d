//===- Candidates.cpp - Make orders by rules of thumb ---------------------===//
//
// Greedy lists forwards and backwards, depth first, and running on with what
// has just become ready.
//
//===----------------------------------------------------------------------===//

#include "lib/Ordering/Candidates.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace tpu_mlir::ordering {

/// Ops that may be next, as others run.
class ReadyOps {
public:
  explicit ReadyOps(const Uses &uses)
      : uses(uses), waitsFor(uses.problem.ops.size()) {
    for (size_t op = 0; op < waitsFor.size(); ++op) {
      waitsFor[op] = static_cast<int>(uses.after(static_cast<int>(op)).size());
      if (waitsFor[op] == 0)
        ops.push_back(static_cast<int>(op));
    }
  }
  /// Those that are ready now because of it.
  std::vector<int> run(int op) {
    ops.erase(std::find(ops.begin(), ops.end(), op));
    std::vector<int> added;
    for (int next : uses.before(op))
      if (--waitsFor[next] == 0)
        added.push_back(next);
    ops.insert(ops.end(), added.begin(), added.end());
    return added;
  }
  std::vector<int> ops;

private:
  const Uses &uses;
  std::vector<int> waitsFor;
};

/// Less is better; of equals the first in the text.
using Rank = std::pair<int64_t, int64_t>;
using Judge =
    std::function<Rank(const LiveSet::Step &, int64_t level, int64_t peak)>;

static Order listOrder(const Uses &uses, const Judge &judge) {
  LiveSet alive(uses);
  ReadyOps ready(uses);
  Order order;
  int64_t peak = alive.level();
  while (!ready.ops.empty()) {
    std::tuple<Rank, int> best = {{INT64_MAX, INT64_MAX}, INT32_MAX};
    for (int op : ready.ops)
      best = std::min(
          best, std::tuple(judge(alive.look(op), alive.level(), peak), op));
    const int op = std::get<1>(best);
    peak = std::max(peak, alive.look(op).during);
    alive.run(op);
    ready.run(op);
    order.push_back(op);
  }
  return order;
}

static Rank leastPeak(const LiveSet::Step &step, int64_t level, int64_t peak) {
  return {std::max(peak, step.during), step.after - level};
}

static Rank leastLevel(const LiveSet::Step &step, int64_t, int64_t) {
  return {step.after, step.during};
}

/// The problem in which ops run backwards: what was last is first.
static OrderProblem reversed(const Uses &uses) {
  const OrderProblem &problem = uses.problem;
  const int count = static_cast<int>(problem.ops.size());
  OrderProblem result;
  result.ops.resize(count);
  for (int op = 0; op < count; ++op) {
    result.ops[count - 1 - op].scratch = problem.ops[op].scratch;
    for (int next : uses.before(op))
      result.ops[count - 1 - op].after.push_back(count - 1 - next);
  }
  for (size_t number = 0; number < problem.tensors.size(); ++number) {
    const Tensor &tensor = problem.tensors[number];
    Tensor turned{tensor.size, {}, {}, tensor.toEnd, tensor.fromStart};
    for (int op : uses.users(static_cast<int>(number)))
      turned.writers.push_back(count - 1 - op);
    result.tensors.push_back(std::move(turned));
  }
  return result;
}

static Order backwards(const Uses &uses, const Judge &judge) {
  const OrderProblem turned = reversed(uses);
  Order order = listOrder(Uses(turned), judge);
  std::reverse(order.begin(), order.end());
  for (int &op : order)
    op = static_cast<int>(order.size()) - 1 - op;
  return order;
}

/// What each op has to come after is finished first, the ops that make most
/// before the others.
static Order depthFirst(const Uses &uses) {
  const int count = static_cast<int>(uses.problem.ops.size());
  std::vector<int64_t> made(count);
  for (int op = 0; op < count; ++op)
    for (const auto &[tensor, writes] : uses.of(op))
      made[op] += writes ? uses.problem.tensors[tensor].size : 0;
  std::vector<char> state(count); // 1: entered, 2: in the order.
  Order order;
  std::vector<int> open;
  for (int last = 0; last < count; ++last) {
    if (!uses.before(last).empty())
      continue;
    open.push_back(last);
    while (!open.empty()) {
      const int op = open.back();
      if (state[op] != 0) {
        open.pop_back();
        if (std::exchange(state[op], 2) == 1)
          order.push_back(op);
        continue;
      }
      state[op] = 1;
      std::vector<int> before;
      for (int other : uses.after(op))
        if (state[other] == 0)
          before.push_back(other);
      std::stable_sort(before.begin(), before.end(),
                       [&](int a, int b) { return made[a] < made[b]; });
      open.insert(open.end(), before.begin(), before.end());
    }
  }
  return order;
}

/// Goes on with what the last op has made ready, as long as there is something.
static Order runThrough(const Uses &uses) {
  ReadyOps ready(uses);
  Order order;
  std::vector<int> open(ready.ops.rbegin(), ready.ops.rend());
  while (!open.empty()) {
    const int op = open.back();
    open.pop_back();
    order.push_back(op);
    std::vector<int> added = ready.run(op);
    open.insert(open.end(), added.rbegin(), added.rend());
  }
  return order;
}

/// Each op before all that it has to come before, those that are reached last
/// from the first ops first.
static Order reversePostOrder(const Uses &uses) {
  const int count = static_cast<int>(uses.problem.ops.size());
  std::vector<size_t> next(count); // Successors that were looked at.
  std::vector<bool> isReached(count);
  Order order;
  std::vector<int> open;
  const auto reach = [&](int op) {
    if (!isReached[op])
      open.push_back(op);
    isReached[op] = true;
  };
  for (int first = 0; first < count; ++first) {
    if (uses.after(first).empty())
      reach(first);
    while (!open.empty()) {
      const int op = open.back();
      if (next[op] < uses.before(op).size()) {
        reach(uses.before(op)[next[op]++]);
        continue;
      }
      order.push_back(op);
      open.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<Candidate> quickOrders(const Uses &uses) {
  return {{"least-peak", listOrder(uses, leastPeak)},
          {"least-level", listOrder(uses, leastLevel)},
          {"depth-first", depthFirst(uses)},
          {"run-through", runThrough(uses)},
          {"reverse-post-order", reversePostOrder(uses)},
          {"least-peak-backwards", backwards(uses, leastPeak)},
          {"least-level-backwards", backwards(uses, leastLevel)}};
}

} // namespace tpu_mlir::ordering
