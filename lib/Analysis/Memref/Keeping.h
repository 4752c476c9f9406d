//===- Keeping.h - Arguments that a function goes on holding ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_KEEPING_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_KEEPING_H

#include "tpu_mlir/Analysis/Memref/Calls.h"

namespace tpu_mlir::detail {

/// Which arguments `functions` store, take the address of, or hand on to what
/// goes on with them, and why: themselves, or functions that they call by
/// `callees`, in circles, too. To be returned is not meant, as the caller sees
/// that, nor to be freed. O(uses of all names of arguments).
llvm::DenseMap<mlir::Value, Stay>
findKept(llvm::ArrayRef<mlir::Operation *> functions,
         const llvm::DenseMap<mlir::Operation *, mlir::Operation *> &callees);

} // namespace tpu_mlir::detail

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_KEEPING_H
