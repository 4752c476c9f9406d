//===- Recipe.h - What is done for the memory of a module -------*- C++ -*-===//
//
// From a lowered module to addresses there are choices that cost time and save
// memory. A recipe is one set of them: model_deploy makes its module by one,
// and --fit compares many.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_RECIPE_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_RECIPE_H

#include "lib/Transforms/Tpu/Reorder/Reorder.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"
#include "tpu_mlir/tools/model_deploy/Lowering.h"

namespace tpu_mlir::deploy {

/// A tensor that is computed again, with up to `depth` ops in a row.
struct Again {
  std::string tensor;
  int64_t depth = 1;
};

/// A stretch of layers that runs in parts.
struct Parts {
  std::vector<std::string> tensors; ///< That its layers make.
  int64_t dim = 0;                  ///< Of the last one.
  int64_t parts = 2;
};

struct Recipe {
  /// In this order, each on what the one before made.
  std::vector<Again> again;
  std::vector<Parts> parts;
  bool layerGroups = true;
  /// Groups run transfers of their neighbours.
  bool overlaps = true;
  std::string objective;
  /// Names of tensors that should stay in local memory.
  std::vector<std::string> keepLocal;
  int64_t maxRecompute = 150;
  bool reorders = true;
  /// Tensors share what they may, and not only what they have to.
  bool shares = true;
};

/// What the command line asks for. `keepsGroups`: the module brings groups that
/// stay.
Recipe recipeOf(const Options &options, bool keepsGroups);

/// Says on how many cores the module runs, if the command line does.
std::optional<Stage> coresOf(const Options &options);
/// Its copies and parts, one pass each.
std::vector<Stage> rewritesOf(const Recipe &recipe);
ReorderOptions reorderOptions(const Options &options, const Recipe &recipe);
/// Groups run transfers of their neighbours, and are checked.
Stage overlapOf(const Options &options);
void fillLocal(const Options &options, const Recipe &recipe,
               LocalMemoryOptions &pipeline);
void fillGlobal(const Options &options, const Recipe &recipe,
                GlobalMemoryOptions &pipeline);

/// All of it: copies, parts, groups, order, overlap of groups, addresses.
/// `sink` may be null.
void addPasses(const Options &options, const Recipe &recipe, RecordSink sink,
               mlir::OpPassManager &manager);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_RECIPE_H
