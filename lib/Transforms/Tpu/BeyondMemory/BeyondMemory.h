//===- BeyondMemory.h - What lies beyond the end of a memory ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_BEYONDMEMORY_BEYONDMEMORY_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_BEYONDMEMORY_BEYONDMEMORY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace tpu_mlir {

/// Of plans for pictures alone: by memory the names of the tensors that lie
/// beyond its end because there is no room. Their addresses may be those of
/// another memory. On the module of functions.
inline constexpr llvm::StringLiteral kBeyondMemory = "module.beyond";

/// The memory of each of these tensors, by name; nothing where the attribute is
/// none of ours.
llvm::StringMap<llvm::StringRef> readBeyond(mlir::ModuleOp module);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_BEYONDMEMORY_BEYONDMEMORY_H
