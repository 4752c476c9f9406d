//===- Copies.h - What is a copy, and what can stand for it -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_COPIES_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_COPIES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/StringSet.h"

#include <optional>

namespace tpu_mlir::copies {

/// An op that copies all of one memref to another of the same shape.
struct BufferCopy {
  mlir::Operation *op = nullptr;
  mlir::Value source, target;
};

/// `memref.copy`, `linalg.copy`, an identity `linalg.generic`,
/// `bufferization.clone`, which makes its target by itself, or an op that
/// `others` names: one of two memrefs and nothing else. It reads the one and
/// writes the other; when it does not say which, the first is the source.
std::optional<BufferCopy> asCopy(mlir::Operation *op,
                                 const llvm::StringSet<> &others);

/// Values of both types mean the same elements at the same places: what is of
/// type `from` can be cast to `to`.
bool isCastable(mlir::Type from, mlir::Type to);

/// Shape, elements and memory space agree; layouts may not.
bool differInLayoutOnly(mlir::Type a, mlir::Type b);

/// `memref`, cast to `type` before `before` if it is of another.
mlir::Value castTo(mlir::Value memref, mlir::Type type,
                   mlir::Operation *before);

/// The `memref.alloc` or `memref.alloca` of a value that a pass may take away:
/// bufferization.manual_deallocation is not among its attributes.
mlir::Operation *removableAlloc(mlir::Value memref);

/// The alignment attribute of an allocation; 0 without.
int64_t alignmentOf(mlir::Operation *alloc);

/// Sees to it that `memref` is aligned to `bytes`. False: that is not known and
/// cannot be had; nothing was changed. `mayChange` allows to align an
/// allocation.
bool hasAlignment(mlir::Value memref, int64_t bytes, bool mayChange);

} // namespace tpu_mlir::copies

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_COPIES_H
