//===- HoistAllocs.h - Allocations out of loops and branches ----*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_HOISTALLOCS_H
#define TPU_MLIR_TRANSFORMS_HOISTALLOCS_H

#include "tpu_mlir/Transforms/HoistMode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Memref/HoistAllocs/HoistAllocs.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Memref/HoistAllocs/HoistAllocs.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_HOISTALLOCS_H
