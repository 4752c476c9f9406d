//===- OrderProblem.cpp - Check and evaluate orders -----------------------===//
//
// Validates a problem, and computes the peak and the level after each op of an
// order.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Ordering/OrderProblem.h"

#include "lib/Ordering/LiveSet.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::ordering {

/// All bytes of a problem fit in so many, so that no sum of them leaves 63
/// bits.
static constexpr int64_t kMostBytes = int64_t(1) << 62;

static std::string named(const char *what, size_t number) {
  return what + (" " + std::to_string(number));
}

static std::string checkTensor(const Tensor &tensor, size_t number, int ops) {
  if (tensor.size < 0)
    return named("tensor", number) + " has a negative size";
  for (const std::vector<int> *users : {&tensor.writers, &tensor.readers})
    for (int op : *users)
      if (op < 0 || op >= ops)
        return named("tensor", number) + " is used by op " +
               std::to_string(op) + ", and there are " + std::to_string(ops) +
               " ops";
  return "";
}

static std::string checkOp(const Op &op, size_t number, int tensors) {
  if (op.scratch < 0)
    return named("op", number) + " has a negative scratch size";
  for (int before : op.after)
    if (before < 0 || before >= static_cast<int>(number))
      return named("op", number) + " comes after op " + std::to_string(before) +
             ", which is not before it in the text";
  for (const auto &[dying, made] : op.inPlace)
    for (int tensor : {dying, made})
      if (tensor < 0 || tensor >= tensors)
        return named("op", number) + " computes in place of tensor " +
               std::to_string(tensor) + ", and there are " +
               std::to_string(tensors) + " tensors";
  return "";
}

std::string checkProblem(const OrderProblem &problem) {
  int64_t sum = 0;
  for (size_t i = 0; i < problem.tensors.size(); ++i) {
    std::string wrong = checkTensor(problem.tensors[i], i,
                                    static_cast<int>(problem.ops.size()));
    if (!wrong.empty())
      return wrong;
    sum = saturatedAdd(sum, problem.tensors[i].size);
  }
  int64_t most = 0;
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    std::string wrong =
        checkOp(problem.ops[i], i, static_cast<int>(problem.tensors.size()));
    if (!wrong.empty())
      return wrong;
    most = std::max(most, problem.ops[i].scratch);
  }
  if (saturatedAdd(sum, most) > kMostBytes)
    return "tensors and scratch have " + formatSum(saturatedAdd(sum, most)) +
           " in all, the most is " + formatBytes(kMostBytes);
  return "";
}

bool isAllowed(const OrderProblem &problem, const Order &order) {
  if (order.size() != problem.ops.size())
    return false;
  std::vector<bool> hasRun(order.size());
  for (int op : order) {
    if (op < 0 || op >= static_cast<int>(order.size()) || hasRun[op])
      return false;
    for (int before : problem.ops[op].after)
      if (!hasRun[before])
        return false;
    hasRun[op] = true;
  }
  return true;
}

int64_t peakOf(const OrderProblem &problem, const Order &order) {
  const Uses uses(problem);
  LiveSet alive(uses);
  int64_t peak = alive.level();
  for (int op : order) {
    peak = std::max(peak, alive.look(op).during);
    alive.run(op);
  }
  return peak;
}

} // namespace tpu_mlir::ordering
