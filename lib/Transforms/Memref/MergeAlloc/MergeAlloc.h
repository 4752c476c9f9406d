//===- MergeAlloc.h - The pass as generated ---------------------*- C++ -*-===//
//
// The interface is tpu_mlir/Transforms/MergeAlloc.h.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_MERGEALLOC_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_MERGEALLOC_H

#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Memref/MergeAlloc/MergeAlloc.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_MERGEALLOC_H
