//===- FitMeasure.h - What a recipe makes of a module -----------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_FITMEASURE_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_FITMEASURE_H

#include "tpu_mlir/tools/model_deploy/Fit.h"

#include <map>

namespace tpu_mlir::deploy {

/// A tensor that is in the way of less memory.
struct HotTensor {
  std::string name;
  int64_t sizeBytes = 0;
  /// It waits, between two of its readers, while memory is scarce.
  bool waits = false;
};

/// A row, and what its memory is taken by.
struct Measure {
  FitRow row;
  /// What is above `target` at each step, summed up: less is nearer to it.
  int64_t excessBytes = 0;
  /// Alive when more than `target` bytes are, but no inputs and outputs;
  /// largest first.
  std::vector<HotTensor> hot;
};

class Measuring {
public:
  Measuring(mlir::ModuleOp module, const Options &options);

  /// Makes a copy of the module by the recipe, or remembers what became of it.
  /// What passes say is heard if `isLoud`. nullopt: it cannot be made.
  std::optional<Measure> run(const Recipe &recipe, bool isLoud = false);

  /// Bytes to get to: what is above counts as excess. Without it, seven eighths
  /// of what a row needs.
  void setTarget(int64_t bytes) { target = bytes; }
  /// From now on there is no target.
  void aimAtPeak() {
    target.reset();
    isAtPeak = true;
  }
  bool aimsAtPeak() const { return isAtPeak; }

  /// Of the last recipe that could not be made.
  const std::string &whyNot() const { return reason; }

private:
  std::optional<Measure> make(const Recipe &recipe, bool isLoud);

  mlir::ModuleOp module;
  /// Without a limit of memory.
  Options options;
  std::optional<int64_t> target;
  bool isAtPeak = false;
  std::string reason;
  /// By the target and all that the recipe says.
  struct Known {
    std::optional<Measure> measure;
    std::string reason;
  };
  std::map<std::string, Known> known;
};

/// See FitResult. Emits and fails as the analyses do.
mlir::LogicalResult findBounds(mlir::ModuleOp module, const Options &options,
                               FitResult &result);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_FITMEASURE_H
