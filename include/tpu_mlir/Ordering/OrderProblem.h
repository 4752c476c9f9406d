//===- OrderProblem.h - Ops to be put in order, and their memory *- C++ -*-===//
//
// Ops use tensors; which tensors are alive depends on the set of ops that have
// run alone, not on the order in which they did. An order is as good as the
// most bytes that are alive at one time are few.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ORDERING_ORDERPROBLEM_H
#define TPU_MLIR_ORDERING_ORDERPROBLEM_H

#include <cstdint>
#include <string>
#include <vector>

namespace tpu_mlir::ordering {

/// Bytes that are one thing: a tensor, or all names of one storage. It is alive
/// from its first writer to its last user, both included.
struct Tensor {
  int64_t size = 0;
  /// Ops by number. Each of them may be the first: the pieces of a concat that
  /// is computed in place are several writers of one tensor.
  std::vector<int> writers;
  std::vector<int> readers;
  /// Alive from the beginning, as an input is, if it has a use at all.
  bool fromStart = false;
  /// Alive to the end, as an output is.
  bool toEnd = false;
};

/// The op may put the tensor `made` where `dying` is, if nobody uses that
/// later. The sizes may differ; `made` has to fit.
struct InPlace {
  int dying = 0;
  int made = 0;
};

struct Op {
  /// Ops that have to run before; they come first in the text.
  std::vector<int> after;
  /// Bytes that it needs while it runs.
  int64_t scratch = 0;
  std::vector<InPlace> inPlace;
};

/// Ops are numbered as in the text, which is an order that is allowed.
struct OrderProblem {
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
};

/// What is wrong with a problem: a number that is none, an op that comes after
/// a later one, negative bytes, more than 2^62 of them in all. Empty: nothing.
/// O(size).
std::string checkProblem(const OrderProblem &problem);

using Order = std::vector<int>;

/// Each op once, after all that it has to come after. O(size).
bool isAllowed(const OrderProblem &problem, const Order &order);

/// The most bytes that are alive while an op of the order runs: what was alive
/// before, what it makes in addition, and its scratch, less what it may make in
/// place. The problem is right and the order allowed. O(size).
int64_t peakOf(const OrderProblem &problem, const Order &order);

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_ORDERING_ORDERPROBLEM_H
