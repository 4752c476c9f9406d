//===- Recipe.cpp - What is done for the memory of a module ---------------===//

#include "tpu_mlir/tools/model_deploy/Recipe.h"

#include "lib/Pipelines/HandOn.h"
#include "lib/Transforms/Tpu/ProcessorAssign/ProcessorAssign.h"
#include "lib/Transforms/Tpu/Rematerialize/Rematerialize.h"
#include "lib/Transforms/Tpu/Section/Section.h"
#include "tpu_mlir/tools/model_deploy/Commands.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir::deploy {

Recipe recipeOf(const Options &options, bool keepsGroups) {
  Recipe recipe;
  recipe.layerGroups = options.layerGroup;
  recipe.overlaps = options.layerGroup && options.groupOverlap && !keepsGroups;
  recipe.objective = options.groupObjective;
  recipe.reorders =
      options.order == "memory" || (options.order == "auto" && !keepsGroups);
  recipe.shares =
      options.share == "memory" || (options.share == "auto" && !keepsGroups);
  return recipe;
}

static Stage stageOf(const Again &again) {
  RematerializeOptions options;
  options.tensors = again.tensor;
  options.depth = again.depth;
  return {"ops a second time",
          " --tpu-rematerialize=\"tensors={" + options.tensors +
              "} depth=" + std::to_string(again.depth) + "\"",
          [options](OpPassManager &manager) {
            manager.addPass(createRematerialize(options));
          }};
}

static Stage stageOf(const Parts &parts) {
  SectionOptions options;
  options.tensors = llvm::join(parts.tensors, ";");
  options.dim = parts.dim;
  options.parts = parts.parts;
  return {"stretches in parts",
          " --tpu-section=\"tensors={" + options.tensors +
              "} dim=" + std::to_string(parts.dim) +
              " parts=" + std::to_string(parts.parts) + "\"",
          [options](OpPassManager &manager) {
            manager.addPass(createSection(options));
          }};
}

std::vector<Stage> rewritesOf(const Recipe &recipe) {
  std::vector<Stage> stages;
  for (const Again &again : recipe.again)
    stages.push_back(stageOf(again));
  for (const Parts &parts : recipe.parts)
    stages.push_back(stageOf(parts));
  return stages;
}

std::optional<Stage> coresOf(const Options &options) {
  if (options.numCore == 0)
    return std::nullopt;
  auto assign = handedOn<ProcessorAssignOptions>(options);
  assign.numCore = options.numCore;
  std::string command;
  for (const auto &[name, value] : {std::pair("chip=", assign.chip),
                                    std::pair("chip-file=", assign.chipFile)})
    if (!value.empty())
      command += name + value + " ";
  return Stage{"cores",
               " --processor-assign=\"" + command +
                   "num_core=" + std::to_string(assign.numCore) + "\"",
               [assign](OpPassManager &manager) {
                 manager.addPass(createProcessorAssign(assign));
               }};
}

ReorderOptions reorderOptions(const Options &options, const Recipe &recipe) {
  auto reorder = handedOn<ReorderOptions>(options);
  reorder.ioMode = options.addressMode == "auto" ? "" : options.addressMode;
  reorder.inPlace = recipe.shares;
  return reorder;
}

void fillLocal(const Options &options, const Recipe &recipe,
               LocalMemoryOptions &pipeline) {
  handOn(pipeline, options);
  handOn(pipeline, recipe);
  // The order of ops may change in between.
  pipeline.overlap = false;
  pipeline.merges = recipe.shares && recipe.objective == "traffic";
  pipeline.keepLocal = llvm::join(recipe.keepLocal, ";");
  // Who asks for new groups has to know which ones stay.
  pipeline.remarks = options.regroup;
}

Stage overlapOf(const Options &options) {
  LocalMemoryOptions pipeline;
  handOn(pipeline, options);
  const std::string onChip = describeChip(pipeline);
  return {"overlap of groups",
          " --tpu-group-overlap" + onChip + " --tpu-verify-local" + onChip,
          [&options](OpPassManager &manager) {
            LocalMemoryOptions pipeline;
            handOn(pipeline, options);
            addGroupOverlap(manager, pipeline);
          }};
}

void fillGlobal(const Options &options, const Recipe &recipe,
                GlobalMemoryOptions &pipeline) {
  handOn(pipeline, options);
  pipeline.ioMode = options.addressMode == "auto" ? "" : options.addressMode;
  pipeline.share = recipe.shares;
  pipeline.inOrder = recipe.shares && options.inOrder;
  pipeline.verify = !options.unlimited;
}

void addPasses(const Options &options, const Recipe &recipe, RecordSink sink,
               OpPassManager &manager) {
  for (const Stage &stage : rewritesOf(recipe))
    stage.addPasses(manager);
  if (recipe.layerGroups) {
    LocalMemoryOptions local;
    fillLocal(options, recipe, local);
    buildCachedLocalMemoryPipeline(manager, local, options.cache);
  }
  if (recipe.reorders)
    manager.addPass(createReorder(reorderOptions(options, recipe)));
  if (recipe.overlaps)
    overlapOf(options).addPasses(manager);
  GlobalMemoryOptions global;
  fillGlobal(options, recipe, global);
  buildRecordedGlobalMemoryPipeline(manager, global, std::move(sink),
                                    options.cache);
}

} // namespace tpu_mlir::deploy
