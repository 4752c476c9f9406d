//===- GroupOverlap.h - Groups that load for the next one -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_GROUPOVERLAP_GROUPOVERLAP_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_GROUPOVERLAP_GROUPOVERLAP_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/GroupOverlap/GroupOverlap.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/GroupOverlap/GroupOverlap.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_GROUPOVERLAP_GROUPOVERLAP_H
