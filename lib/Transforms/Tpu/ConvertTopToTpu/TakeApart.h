//===- TakeApart.h - Top ops that are several others ------------*- C++ -*-===//
//
// The Tpu dialect has no op for these, but for what they are made of:
//   - Split is a slice for each result;
//   - Unpack is a slice for each result, and a squeeze;
//   - Pack unsqueezes each operand, and is a concat of these.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_TAKEAPART_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_TAKEAPART_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tpu_mlir::lowering {

/// Replaces them by ops of the Top dialect. Results keep their names. Those
/// whose axis, shapes or types do not say what they do stay. O(ops).
void takeApart(mlir::func::FuncOp function);

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_TAKEAPART_H
