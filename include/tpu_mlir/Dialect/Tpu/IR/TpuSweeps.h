//===- TpuSweeps.h - Results that may begin below an operand ----*- C++ -*-===//
//
// An op with the attribute `in_order` runs by a kernel that makes one sweep
// over its result (Support/Sweep.h): the result may lie over the end of an
// operand that nobody reads afterwards. Which operands, and how far above the
// result they have to begin, follows from the op's shapes and attributes alone.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUSWEEPS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPUSWEEPS_H

#include "tpu_mlir/Support/LocalFacts.h"
#include "tpu_mlir/Support/Sweep.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tpu_mlir::tpu {

inline constexpr llvm::StringLiteral kInOrder = "in_order";
/// On the module of functions: kernels make one sweep although the chip does
/// not say so.
inline constexpr llvm::StringLiteral kKernelsInOrder =
    "module.kernels_in_order";

/// An operand above the one result of an op.
struct SweepEdge {
  unsigned operand = 0;
  /// From where the result begins to where the operand does, at least.
  int64_t distanceBytes = 0;
};

/// A tensor in units of memory: elements, or with `fourN` slots with an element
/// of each of several images. nullopt: no static size, or elements that are no
/// whole bytes.
std::optional<SweptTensor> sweptTensor(mlir::Type type, bool fourN);

/// The operands that a sweep reads in the order of the result: all of
/// convolution, pooling and upsampling, elsewhere those of which each element
/// of the result needs a window. Empty for an op that is no sweep: several
/// results, scratch, views, what is computed in several passes. By position;
/// whether it is of any use is not asked.
llvm::SmallVector<unsigned> sweptOperands(mlir::Operation *op, bool fourN);

/// sweptOperands() with what is between them and the result, where that is less
/// than the result. O(extents of the result times operands).
llvm::SmallVector<SweepEdge> sweepEdges(mlir::Operation *op, bool fourN);

} // namespace tpu_mlir::tpu

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUSWEEPS_H
