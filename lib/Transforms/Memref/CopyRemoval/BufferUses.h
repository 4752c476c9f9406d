//===- BufferUses.h - The uses of one allocation ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_BUFFERUSES_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_BUFFERUSES_H

#include "tpu_mlir/Analysis/Memref/Calls.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tpu_mlir::copies {

/// What uses a memref and views of it.
struct BufferUses {
  /// The first op of the block that defines the memref that uses it, by itself
  /// or in regions. nullptr: none.
  mlir::Operation *first = nullptr;
  /// The first and the last one that may read or write; frees do not count.
  mlir::Operation *firstAccess = nullptr, *lastAccess = nullptr;
  /// Where it gets a name that is no view, leaves the block, or goes to an op
  /// that may keep it. nullptr: views are its only names.
  mlir::Operation *leaves = nullptr;
  llvm::SmallVector<mlir::memref::DeallocOp, 2> deallocs;
  /// The largest alignment that an op relies on; 0: none.
  int64_t alignment = 0;
  /// All direct users, but deallocs, take a memref of any layout.
  bool anyLayout = true;
};

/// O(uses, in the worst case each with the depth of its regions).
BufferUses usesOf(mlir::Value memref, const CallSummaries &calls);

/// Without casts between static and dynamic shapes.
mlir::Value stripCasts(mlir::Value memref);

} // namespace tpu_mlir::copies

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_BUFFERUSES_H
