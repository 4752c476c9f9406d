//===- OpenedSelects.h - Selects that may own what they give ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OPENEDSELECTS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OPENEDSELECTS_H

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Owners.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tpu_mlir::deallocation {

/// Selects whose place an scf.if has taken, which can own what it gives.
class OpenedSelects {
public:
  /// Opens each select among `names`; the others own from now on. True when
  /// that is anything new.
  bool open(llvm::ArrayRef<mlir::Value> names);
  /// Keeps those open that own something by a plan that will be carried out,
  /// which may make other ops of them.
  void keep(const Owners &owners);
  /// Makes selects again of those that were opened in vain.
  void close();

  /// Names that own what they get, though they might be names of something
  /// else.
  llvm::DenseSet<mlir::Value> critical;

private:
  llvm::SmallVector<mlir::scf::IfOp> choices;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OPENEDSELECTS_H
