//===- VerifyDeallocation.h - Each buffer is freed once -------*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_VERIFYDEALLOCATION_H
#define TPU_MLIR_TRANSFORMS_VERIFYDEALLOCATION_H

#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Memref/VerifyDeallocation/VerifyDeallocation.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Memref/VerifyDeallocation/VerifyDeallocation.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_VERIFYDEALLOCATION_H
