//===- Spared.h - Arguments that flags keep from being freed ----*- C++ -*-===//
//
// A function may free something under a name that its argument goes by, too,
// but only where a flag beside the name says that it is not the argument. This
// is what functions look like that have been through this pass:
//
//     func @f(%x, %c)
//       %m, %own = if %c { yield alloc, true } else { yield %x, false }
//       if %own { dealloc %m }
//
// For those who call it, it frees nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_SPARED_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_SPARED_H

#include "tpu_mlir/Analysis/Memref/Calls.h"

namespace tpu_mlir::deallocation {

/// Takes out of `freeing` the arguments of functions below `root` that no path
/// frees under what is known of flags. `calleesFirst`: those functions. Where
/// they call each other in a circle what the text says stays. O(worlds of such
/// arguments as may be freed by the text).
void spareByFlags(CallSummaries &freeing, mlir::Operation *root,
                  llvm::ArrayRef<mlir::Operation *> calleesFirst);

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_SPARED_H
