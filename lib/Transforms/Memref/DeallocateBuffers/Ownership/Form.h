//===- Form.h - What a copy has not of the original -------------*- C++ -*-===//
//
// A copy of a memref has its elements, sizes and type. It does not have what is
// around them in the buffer, the offset and the strides that the type leaves
// open, nor more alignment than memrefs of its type have anyway.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FORM_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FORM_H

#include "mlir/IR/Operation.h"

namespace tpu_mlir::deallocation {

/// `op` may look at more of `memref`, one of its operands, than a copy has: it
/// finds the buffer around it again, reads its strides, takes them for known,
/// or relies on its alignment. O(rank).
bool seesForm(mlir::Operation *op, mlir::Value memref);
/// Some op in `root` does so. O(operands).
bool someoneSeesForm(mlir::Operation *root);

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FORM_H
