//===- Calibrate.cpp - Ranges of a network's tensors by running it --------===//

#include "tpu_mlir/tools/model_calibrate/Calibrate.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Log/Progress.h"
#include "tpu_mlir/tools/model_runner/Arrays.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir {

using quantization::CalibrationTable;

void Calibration::look(StringRef name, const execution::TensorView &tensor,
                       See see) {
  if (!execution::isFloat(tensor.type.element))
    return;
  const std::vector<float> numbers = execution::floatsOf(tensor);
  if (see == &Calibration::extend)
    if (const auto count = llvm::count_if(
            numbers, [](float number) { return !std::isfinite(number); }))
      strange[name.str()] += count;
  (this->*see)(name, numbers);
}

void Calibration::warnOfNumbers() {
  if (strange.empty())
    return;
  const auto &[name, count] = *strange.begin();
  emitWarning(module.getLoc())
      << "tensor '" << name << "' has " << count
      << " numbers that are infinite or none"
      << (strange.size() > 1
              ? ", and so have " + std::to_string(strange.size() - 1) + " more"
              : "")
      << ": they are in no range";
}

LogicalResult Calibration::checkNames() {
  for (const auto &[name, numbers] : tensors)
    if (const char *why = quantization::whyNoLine(name))
      return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                            "the range of tensor '" + name +
                                "' cannot be written into a table: its name " +
                                why);
  return success();
}

/// Inputs are no results of ops: they are seen where they come from.
LogicalResult Calibration::runOn(const Sample &sample, See see) {
  RunOptions options;
  options.inArena = false;
  options.threads = threads;
  options.weights = weights;
  options.seed = sample.seed;
  options.onTensor = [&](StringRef name, const execution::TensorView &tensor) {
    look(name, tensor, see);
  };
  std::function<std::vector<std::string>()> unread;
  if (!sample.file.empty()) {
    auto opened = openArrays(sample.file, /*sameShape=*/true);
    if (auto *error = std::get_if<std::string>(&opened))
      return emitCodedError(module.getLoc(), ErrorCode::NotReadable, *error);
    unread = std::get<ArraySource>(opened).unread;
    options.inputs = [this, see, source = std::get<ArraySource>(opened).source](
                         llvm::ArrayRef<std::string> names,
                         const execution::TensorType &type) {
      auto bytes = source(names, type);
      if (auto *numbers = std::get_if<std::vector<uint8_t>>(&bytes))
        look(names.front(), {type, *numbers}, see);
      return bytes;
    };
  }
  for (ModuleOp inner : functionModules(module))
    if (failed(runModule(inner, options)))
      return failure();
  if (see == &Calibration::extend && unread)
    for (const std::string &name : unread())
      emitWarning(module.getLoc())
          << "array '" << name << "' in '" << sample.file
          << "' is no input of the network: nothing reads it";
  return success();
}

FailureOr<CalibrationTable> Calibration::run(llvm::ArrayRef<Sample> samples) {
  size_t runs = 0;
  for (See see : {&Calibration::extend, &Calibration::count})
    for (const Sample &sample : samples) {
      log::progress("running samples", runs++, 2 * samples.size());
      if (failed(runOn(sample, see)) || failed(checkNames()))
        return failure();
    }
  log::progress("");
  warnOfNumbers();
  CalibrationTable table;
  const auto numTensors = static_cast<double>(tensors.size());
  for (auto [index, entry] : llvm::enumerate(tensors)) {
    // Later layers have fewer numbers of which none may be lost.
    const double share = 0.9999 + (0.99999999 - 0.9999) *
                                      static_cast<double>(index) /
                                      std::max(numTensors - 1, 1.);
    quantization::ValueRange range = entry.second.range(method, share);
    range.threshold = std::max(range.threshold, 1e-5);
    table.add({entry.first, range, 0});
  }
  return table;
}

} // namespace tpu_mlir
