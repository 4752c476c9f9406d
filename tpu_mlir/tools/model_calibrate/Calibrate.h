//===- Calibrate.h - Ranges of a network's tensors by running it -*- C++
//-*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_CALIBRATE_CALIBRATE_H
#define TPU_MLIR_TOOLS_MODEL_CALIBRATE_CALIBRATE_H

#include "tpu_mlir/Interpreter/Interpreter.h"
#include "tpu_mlir/Quantization/Thresholds.h"

#include "llvm/ADT/MapVector.h"

namespace tpu_mlir {

/// A file of inputs, or random ones where there is none.
struct Sample {
  std::string file;
  uint64_t seed = 0;
};

/// Runs a Top module on samples, twice over all of them, and looks at every
/// tensor of floats.
class Calibration {
public:
  Calibration(mlir::ModuleOp module, quantization::ThresholdMethod method,
              unsigned threads)
      : module(module), method(method), threads(threads) {}

  /// Numbers of weights; without it random ones.
  DataSource weights;

  /// Emits what is wrong with a sample or the module, and fails.
  mlir::FailureOr<quantization::CalibrationTable>
  run(llvm::ArrayRef<Sample> samples);

private:
  using See = void (Calibration::*)(llvm::StringRef name,
                                    llvm::ArrayRef<float> numbers);

  void warnOfNumbers();
  /// Error: a tensor whose name no line of a table can have.
  mlir::LogicalResult checkNames();
  mlir::LogicalResult runOn(const Sample &sample, See see);
  void look(llvm::StringRef name, const execution::TensorView &tensor, See see);
  void extend(llvm::StringRef name, llvm::ArrayRef<float> numbers) {
    tensors[name.str()].extend(numbers);
  }
  void count(llvm::StringRef name, llvm::ArrayRef<float> numbers) {
    tensors[name.str()].count(numbers, method);
  }

  mlir::ModuleOp module;
  quantization::ThresholdMethod method;
  unsigned threads;
  /// Numbers that are infinite or none, by tensor.
  std::map<std::string, int64_t> strange;
  /// By name, in the order in which they are computed.
  llvm::MapVector<std::string, quantization::NumberStatistics,
                  std::map<std::string, unsigned>>
      tensors;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_MODEL_CALIBRATE_CALIBRATE_H
