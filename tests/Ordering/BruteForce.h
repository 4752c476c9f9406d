//===- BruteForce.h - All orders of a few ops -------------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_ORDERING_BRUTEFORCE_H
#define TPU_MLIR_TESTS_ORDERING_BRUTEFORCE_H

#include "tpu_mlir/Ordering/OrderProblem.h"

#include <algorithm>
#include <map>

namespace tpu_mlir::ordering {

/// What an op needs and leaves, from the definition alone: everything that is
/// there is counted anew at each op.
class Ledger {
public:
  explicit Ledger(const OrderProblem &problem) : problem(problem) {}

  bool isAlive(int tensor, uint32_t ran) const {
    const Tensor &t = problem.tensors[tensor];
    bool isMade = t.fromStart, isNeeded = t.toEnd;
    for (int op : t.writers) {
      isMade |= ran >> op & 1;
      isNeeded |= !(ran >> op & 1);
    }
    for (int op : t.readers)
      isNeeded |= !(ran >> op & 1);
    return isMade && isNeeded;
  }
  int64_t level(uint32_t ran) const {
    int64_t sum = 0;
    for (size_t t = 0; t < problem.tensors.size(); ++t)
      if (isAlive(static_cast<int>(t), ran))
        sum += problem.tensors[t].size;
    return sum;
  }
  int64_t during(int op, uint32_t ran) const {
    int64_t sum = level(ran) + problem.ops[op].scratch;
    const uint32_t after = ran | uint32_t(1) << op;
    for (size_t t = 0; t < problem.tensors.size(); ++t)
      if (writes(static_cast<int>(t), op) && !isAlive(static_cast<int>(t), ran))
        sum += problem.tensors[t].size;
    std::vector<int> given, taken;
    for (const auto &[dying, made] : problem.ops[op].inPlace) {
      if (!isAlive(dying, ran) || isAlive(dying, after) || isAlive(made, ran) ||
          problem.tensors[made].size > problem.tensors[dying].size ||
          contains(given, dying) || contains(taken, made))
        continue;
      given.push_back(dying);
      taken.push_back(made);
      sum -= problem.tensors[made].size;
    }
    return sum;
  }
  /// The best peak of all orders: each is an order of all ops after a set of
  /// them, and nothing but the set matters for what is still to come.
  int64_t best(uint32_t ran = 0) {
    if (auto found = known.find(ran); found != known.end())
      return found->second;
    int64_t result =
        ran + 1 == uint32_t(1) << problem.ops.size() ? level(ran) : INT64_MAX;
    for (size_t op = 0; op < problem.ops.size(); ++op)
      if (!(ran >> op & 1) && mayRun(static_cast<int>(op), ran))
        result = std::min(result, std::max(during(static_cast<int>(op), ran),
                                           best(ran | uint32_t(1) << op)));
    return known[ran] = std::max(result, level(ran));
  }
  bool mayRun(int op, uint32_t ran) const {
    for (int before : problem.ops[op].after)
      if (!(ran >> before & 1))
        return false;
    return true;
  }

private:
  static bool contains(const std::vector<int> &all, int one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }
  bool writes(int tensor, int op) const {
    return contains(problem.tensors[tensor].writers, op);
  }
  const OrderProblem &problem;
  std::map<uint32_t, int64_t> known;
};

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_TESTS_ORDERING_BRUTEFORCE_H
