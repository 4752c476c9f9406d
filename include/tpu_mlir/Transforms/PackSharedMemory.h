//===- PackSharedMemory.h - Workgroup memory of GPU kernels -----*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_PACKSHAREDMEMORY_H
#define TPU_MLIR_TRANSFORMS_PACKSHAREDMEMORY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Gpu/PackSharedMemory/PackSharedMemory.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Gpu/PackSharedMemory/PackSharedMemory.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_PACKSHAREDMEMORY_H
