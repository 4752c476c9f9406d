//===- Relations.h - Which memref may be which ------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_RELATIONS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_RELATIONS_H

#include "lib/Analysis/Memref/Deallocation/Model/Names.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tpu_mlir::verify_deallocation {

/// Which memref of a function may be which, whatever the conditions. A null
/// source is something that nobody knows.
struct Relations {
  /// O(ops).
  Relations(mlir::Operation *function, const Callees &callees);

  using Map = llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>>;
  Map sources;
  Map targets;

private:
  void relateCall(mlir::Operation *call, const Callees &callees);
  void relate(mlir::Value source, mlir::Value target);
};

/// All that can be reached, also from the start.
llvm::DenseSet<mlir::Value> closure(llvm::ArrayRef<mlir::Value> starts,
                                    const Relations::Map &relation);

/// Somebody else may have the buffer once the function is left, or frees it
/// under a name that `relations` do not have. O(its names and their uses).
bool mayBeKept(mlir::Value buffer, const Relations &relations,
               const Callees &callees, AsynchronousNest &asynchronous);

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_RELATIONS_H
