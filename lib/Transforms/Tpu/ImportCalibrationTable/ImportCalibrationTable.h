//===- ImportCalibrationTable.h - Ranges into types -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_IMPORTCALIBRATIONTABLE_IMPORTCALIBRATIONTABLE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_IMPORTCALIBRATIONTABLE_IMPORTCALIBRATIONTABLE_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/ImportCalibrationTable/ImportCalibrationTable.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/ImportCalibrationTable/ImportCalibrationTable.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_IMPORTCALIBRATIONTABLE_IMPORTCALIBRATIONTABLE_H
