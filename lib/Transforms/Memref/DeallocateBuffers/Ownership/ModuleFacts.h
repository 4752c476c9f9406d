//===- ModuleFacts.h - What is known of all functions -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_MODULEFACTS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_MODULEFACTS_H

#include "tpu_mlir/Analysis/Memref/Calls.h"

namespace tpu_mlir::deallocation {

/// Of the functions below one op, as the program was: the pass adds nothing of
/// it.
struct ModuleFacts {
  /// O(ops), and what CallSummaries takes.
  explicit ModuleFacts(mlir::Operation *root);

  /// What calls free and keep.
  CallSummaries calls;
  /// Some op looks at the form of a memref (see Form.h): a function that is
  /// given one may, too.
  bool formMatters;
  /// Functions may write to what an argument of another one is, as there is a
  /// memref.global that may be written, an op that does not say where it
  /// writes, or one that goes on after it is done.
  bool elsewhereMatters;
};

/// `op`, which is no call, may write to memory that it has no memref of as an
/// operand: it does not say where it writes, or waits for what others write.
bool writesAnywhere(mlir::Operation *op);

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_MODULEFACTS_H
