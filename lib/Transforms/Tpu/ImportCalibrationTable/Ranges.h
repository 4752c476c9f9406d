//===- Ranges.h - Ranges of tensors that have to agree ----------*- C++ -*-===//
//
// An op that only moves numbers gives integers of its operand's scale. Where a
// table says otherwise one of the two ranges has to give way:
//   - the operand's, when nothing else reads it, for relus, largest elements,
//     concats, minima and maxima of several;
//   - else the result's.
// Integers of results have a sign where those of the operands have one.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_IMPORTCALIBRATIONTABLE_RANGES_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_IMPORTCALIBRATIONTABLE_RANGES_H

#include "tpu_mlir/Quantization/CalibrationTable.h"
#include "tpu_mlir/Quantization/Scheme.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tpu_mlir::calibration {

/// Which integers a chip has for ranges.
struct RangeRules {
  quantization::Scheme scheme = quantization::Scheme::Qdm;
  bool asymmetric = false;
};

/// The type of `result` with this range, as far as its op can fill it; null
/// when the range is empty or the result is no tensor of floats.
mlir::Type rangedType(mlir::Value result, const quantization::ValueRange &range,
                      const RangeRules &rules);

/// Makes the ranges in the types of `function` agree. O(ops + operands).
void agreeOnRanges(mlir::FunctionOpInterface function, const RangeRules &rules);

} // namespace tpu_mlir::calibration

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_IMPORTCALIBRATIONTABLE_RANGES_H
