//===- Bounds.cpp - What some op needs in every order ---------------------===//

#include "lib/Ordering/Bounds.h"

#include "lib/Ordering/OpSet.h"
#include "lib/Ordering/Trees.h"
#include "tpu_mlir/Ordering/FindOrder.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/MaxFlow.h"

#include <algorithm>

namespace tpu_mlir::ordering {

/// Ops whose relation to all others is kept, as bits.
static constexpr size_t kMostRelated = 4000;

namespace {

/// What comes before and after each op in every order, itself included.
struct Relations {
  explicit Relations(const Uses &uses);
  std::vector<OpSet> before, after;
};

} // namespace

Relations::Relations(const Uses &uses) {
  const size_t count = uses.problem.ops.size();
  before.assign(count, OpSet(count));
  after = before;
  for (size_t op = 0; op < count; ++op) {
    before[op].insert(static_cast<int>(op));
    for (int other : uses.after(static_cast<int>(op)))
      before[op] |= before[other];
  }
  for (size_t op = count; op-- > 0;) {
    after[op].insert(static_cast<int>(op));
    for (int other : uses.before(static_cast<int>(op)))
      after[op] |= after[other];
  }
}

/// Alive when the op runs whatever runs before it: but what it may make in the
/// place of another tensor counts once, with that one.
static int64_t ownBytes(const Uses &uses, int op) {
  int64_t sum = uses.problem.ops[op].scratch;
  for (const auto &[tensor, writes] : uses.of(op))
    if (!writes || !uses.mayBeInPlace(op, tensor))
      sum += uses.problem.tensors[tensor].size;
  return sum;
}

/// What is pinned is alive at every op.
static std::vector<int64_t> ownNeeds(const Uses &uses) {
  int64_t pinned = 0;
  for (size_t number = 0; number < uses.problem.tensors.size(); ++number) {
    const Tensor &tensor = uses.problem.tensors[number];
    pinned += tensor.fromStart && tensor.toEnd ? tensor.size : 0;
  }
  std::vector<int64_t> needs;
  for (size_t op = 0; op < uses.problem.ops.size(); ++op) {
    needs.push_back(pinned + ownBytes(uses, static_cast<int>(op)));
    for (const auto &use : uses.of(static_cast<int>(op))) {
      const Tensor &tensor = uses.problem.tensors[use.tensor];
      if (tensor.fromStart && tensor.toEnd)
        needs.back() -= tensor.size;
    }
  }
  return needs;
}

/// Of a tensor that somebody has written before the op, and somebody uses after
/// it, in every order.
static std::vector<int64_t> forcedNeeds(const Uses &uses,
                                        const Relations &relations) {
  const size_t count = uses.problem.ops.size();
  std::vector<int64_t> needs;
  for (const Op &op : uses.problem.ops)
    needs.push_back(op.scratch);
  for (size_t number = 0; number < uses.problem.tensors.size(); ++number) {
    const Tensor &tensor = uses.problem.tensors[number];
    OpSet made(count, tensor.fromStart), used(count, tensor.toEnd);
    for (int op : tensor.writers)
      made |= relations.after[op];
    for (int op : uses.users(static_cast<int>(number)))
      used |= relations.before[op];
    made &= used;
    for (size_t op = 0; op < count; ++op)
      if (made.contains(static_cast<int>(op)))
        needs[op] += tensor.size;
  }
  for (size_t op = 0; op < count; ++op)
    for (const auto &[tensor, writes] : uses.of(static_cast<int>(op)))
      if (writes && !uses.problem.tensors[tensor].fromStart &&
          uses.mayBeInPlace(static_cast<int>(op), tensor))
        needs[op] -= uses.problem.tensors[tensor].size;
  return needs;
}

//===----------------------------------------------------------------------===//
// Minimum cuts
//===----------------------------------------------------------------------===//

/// What is alive at least when op `next` runs, with its operands: the least cut
/// of a network in which what has run is on the side of the source. Vertices:
/// ops, then two for each tensor, then source and sink.
static int64_t leastAlive(const Uses &uses, const Relations &relations,
                          int next, int64_t noCut) {
  const int ops = static_cast<int>(uses.problem.ops.size());
  const int tensors = static_cast<int>(uses.problem.tensors.size());
  const int source = ops + 2 * tensors, sink = source + 1;
  MaxFlow network(sink + 1);
  for (int op = 0; op < ops; ++op) {
    if (op == next)
      network.connect(op, sink, noCut);
    else if (relations.before[next].contains(op))
      network.connect(source, op, noCut);
    for (int before : uses.after(op))
      network.connect(op, before, noCut);
  }
  std::vector<bool> counted(tensors);
  for (const auto &[tensor, writes] : uses.of(next))
    counted[tensor] = writes && !uses.mayBeInPlace(next, tensor);
  for (int number = 0; number < tensors; ++number) {
    const Tensor &tensor = uses.problem.tensors[number];
    const int made = ops + 2 * number, alive = made + 1;
    for (int op : tensor.writers)
      network.connect(op, made, noCut);
    if (tensor.fromStart)
      network.connect(source, made, noCut);
    network.connect(made, alive, counted[number] ? 0 : tensor.size);
    for (int op : uses.users(number))
      network.connect(alive, op, noCut);
    if (tensor.toEnd)
      network.connect(alive, sink, noCut);
  }
  return network.largest(source, sink);
}

/// More than any cut; 0 where the sums of a flow might leave 63 bits.
static int64_t moreThanAll(const Uses &uses) {
  int64_t sum = 1;
  for (const Tensor &tensor : uses.problem.tensors)
    sum += tensor.size;
  const int64_t vertices =
      2 + uses.problem.ops.size() + 2 * uses.problem.tensors.size();
  return saturatedMul(sum, vertices) < INT64_MAX / 2 ? sum : 0;
}

/// And what the op makes and needs beside what is alive.
static int64_t cutNeed(const Uses &uses, const Relations &relations, int op,
                       int64_t noCut) {
  int64_t sum = uses.problem.ops[op].scratch;
  for (const auto &[tensor, writes] : uses.of(op))
    if (writes && !uses.mayBeInPlace(op, tensor))
      sum += uses.problem.tensors[tensor].size;
  return sum + leastAlive(uses, relations, op, noCut);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

std::vector<int64_t> needsOfOps(const Uses &uses) {
  std::vector<int64_t> needs = ownNeeds(uses);
  if (needs.size() > kMostRelated)
    return needs;
  const std::vector<int64_t> forced = forcedNeeds(uses, Relations(uses));
  for (size_t op = 0; op < needs.size(); ++op)
    needs[op] = std::max(needs[op], forced[op]);
  return needs;
}

int64_t cutBound(const Uses &uses, const std::vector<int> &ops,
                 int64_t enough) {
  const int64_t noCut = moreThanAll(uses);
  if (noCut == 0 || uses.problem.ops.size() > kMostRelated)
    return 0;
  const Relations relations(uses);
  int64_t bound = 0;
  for (int op : ops) {
    bound = std::max(bound, cutNeed(uses, relations, op, noCut));
    if (bound >= enough)
      break;
  }
  return bound;
}

int64_t lowerBound(const OrderProblem &problem, const OrderOptions &options) {
  const Uses uses(problem);
  int64_t bound = LiveSet(uses).level();
  for (const TreeOrder &tree : treeOrders(uses))
    bound = std::max(bound, tree.bound);
  for (int64_t need : needsOfOps(uses))
    bound = std::max(bound, need);
  std::vector<int> all(problem.ops.size());
  for (size_t op = 0; op < all.size(); ++op)
    all[op] = static_cast<int>(op);
  if (static_cast<int>(all.size()) <= options.maxOpsForCuts)
    bound = std::max(bound, cutBound(uses, all, INT64_MAX));
  return bound;
}

} // namespace tpu_mlir::ordering
