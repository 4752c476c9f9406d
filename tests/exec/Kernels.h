//===- Kernels.h - What Tpu ops compute, in integers ------------*- C++ -*-===//
//
// Kernels for proving plans, not for running networks. Each has its op's true
// data dependence - which elements of the operands an element of the result
// comes from - but computes in integers that wrap around at the width of the
// result's elements. Where an op would hide what it read (a maximum, a
// rounding), the kernel mixes instead: changing any element that is read
// changes the result. Sums are exact in any order, so the same numbers come
// out of whole tensors and of parts, bit for bit.
//
// The exact layout of a chip's filters does not matter for that. Any layout of
// parameters is accepted: channel r of R is a row of L elements, and weight j
// of a result channel is element j mod L of its row.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_EXEC_KERNELS_H
#define TPU_MLIR_TESTS_EXEC_KERNELS_H

#include "TensorPart.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::exec {

/// One call: the op, a part for each operand (null for `none`), and the part
/// of result 0 that is wanted.
struct KernelCall {
  mlir::Operation *op = nullptr;
  std::vector<const TensorPart *> operands;
  TensorPart *result = nullptr;
};

/// Fills `call.result`. An error says what was read that is not in an
/// operand's part, or why there is no kernel for this op.
std::optional<std::string> runKernel(const KernelCall &call);

/// Whether there is a kernel for ops of this name ("tpu.Conv2D"); attributes
/// may still be refused.
bool hasKernel(llvm::StringRef opName);

/// The result's element comes from the operands' elements at its place only,
/// and elements are read before anything is written there: the result may lie
/// over an operand.
bool isElementwise(mlir::Operation *op);

/// The shape of a value seen by groups of tpu-mlir's type `groupType` (0
/// normal, 1 three-dimensional, 2 small c, 3 to 5 matrices) on a chip with
/// `lanes` lanes. An error: not a static tensor of 8, 16 or 32 bits.
struct ShapeOrError {
  TensorShape shape;
  std::string error;
};
ShapeOrError shapeOf(mlir::Type type, int64_t groupType, int64_t lanes);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_KERNELS_H
