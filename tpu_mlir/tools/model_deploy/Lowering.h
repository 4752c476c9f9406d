//===- Lowering.h - The stages of model_deploy that lower -------*- C++ -*-===//
//
// From a Top module to one for a chip: which passes, and the commands of
// tpuc-opt that stand for them. In INT8 the numbers of weights go along.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_LOWERING_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_LOWERING_H

#include "tpu_mlir/Quantization/WeightStore.h"
#include "tpu_mlir/tools/model_deploy/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tpu_mlir::deploy {

/// Layers that have no Tpu op yet; what says that it is lowered is.
bool needsLowering(mlir::ModuleOp module);

/// What is lowered cannot be lowered to something else: E005.
mlir::LogicalResult checkLowered(mlir::ModuleOp module, const Options &options);

/// A step: what runs, and what tpuc-opt is told instead, without files of
/// modules.
struct Stage {
  const char *what; ///< For people who wait.
  std::string command;
  std::function<void(mlir::OpPassManager &)> addPasses;
};

class Lowering {
public:
  explicit Lowering(const Options &options) : options(options) {}

  /// Numbers are in the file `path` for now, and in `file` later.
  void readFrom(std::string path, std::string file) {
    writtenTo = std::move(path);
    openedFile = std::move(file);
  }

  /// To the mode that is asked for. Opens the file of weights. Emits and fails:
  /// no mode (E005), a file that cannot be read (E017).
  mlir::FailureOr<Stage> lower(mlir::ModuleOp module);
  /// Coefficients as the chip reads them; nullopt when they are, or when there
  /// are none of integers or packed matrices. Opens the file of weights, if
  /// that has not happened; emits and fails as lower().
  mlir::FailureOr<std::optional<Stage>> pack(mlir::ModuleOp module);

  /// Nothing without numbers, or when some are not known; else the bytes of the
  /// file of weights that belongs to `module`.
  mlir::FailureOr<std::optional<std::string>>
  weightFile(mlir::ModuleOp module) const;
  std::string weightPath(const char *end) const {
    return options.stem + end + "_weights.npz";
  }

private:
  mlir::LogicalResult openWeights(mlir::ModuleOp module);
  Stage lowerFloats() const;
  Stage lowerIntegers(bool hasRanges) const;

  const Options &options;
  std::string openedFile, writtenTo;
  std::shared_ptr<quantization::WeightStore> weights;
};

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_LOWERING_H
