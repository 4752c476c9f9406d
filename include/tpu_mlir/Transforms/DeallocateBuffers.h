//===- DeallocateBuffers.h - Frees what is allocated ------------*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_DEALLOCATEBUFFERS_H
#define TPU_MLIR_TRANSFORMS_DEALLOCATEBUFFERS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Memref/DeallocateBuffers/DeallocateBuffers.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Memref/DeallocateBuffers/DeallocateBuffers.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_DEALLOCATEBUFFERS_H
