//===- RealModels.cpp - Compiled models with layer groups -----------------===//

#include "tests/exec/groups/RealModels.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"

#include <cstdlib>

using namespace mlir;

namespace tpu_mlir::exec {

const std::vector<RealModel> &realModels() {
  static const std::vector<RealModel> models = {
      {"blazeface_bm1688_f16", "bm1688", 13},
      {"qwen_block_0_bm1684x", "bm1684x", 3},
      {"qwen_block_cache_0_bm1684x", "bm1684x", 4},
      {"yolov8s_cv181x_int8", "cv181x", 33},
  };
  return models;
}

bool haveRealModels() { return std::getenv("TPU_MEMORY_DATA") != nullptr; }

LoadedModel::LoadedModel(const RealModel &model)
    : spec(target::findChip(model.chip)) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  parsed =
      parseSourceFile<ModuleOp>(std::string(std::getenv("TPU_MEMORY_DATA")) +
                                    "/tpu_mlir/" + model.folder + "/final.mlir",
                                &context);
}

} // namespace tpu_mlir::exec
