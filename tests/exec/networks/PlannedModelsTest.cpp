//===- PlannedModelsTest.cpp - Plans of whole models ----------------------===//
//
// Real models as they are before layer groups (these need $TPU_MEMORY_DATA, and
// skip without), and the bundled examples, lowered here: planned, verified, and
// executed where that does not take too long.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/groups/GroupExec.h"
#include "tests/exec/networks/PlannedGroups.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::exec;

namespace {

struct Model {
  const char *name;
  const char *file; ///< In $TPU_MEMORY_DATA/tpu_mlir, or an example of ours.
  const char *chip;
  bool isReal = false;
  bool executes = false;
  int64_t maxLayers = 16; ///< Debug builds shall end, too.
  int64_t cores = 1;
  int64_t lines = 0; ///< Line buffers, at least; none are asked for with 0.
};

void PrintTo(const Model &model, std::ostream *os) { *os << model.name; }

class PlannedModelsTest : public testing::TestWithParam<Model> {
protected:
  PlannedModelsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  OwningOpRef<ModuleOp> load() {
    const Model &model = GetParam();
    if (model.isReal)
      return parseSourceFile<ModuleOp>(
          std::string(std::getenv("TPU_MEMORY_DATA")) + "/tpu_mlir/" +
              model.file,
          &context);
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
        std::string("tpu_mlir/examples/") + model.file, &context);
    auto state = module ? (*module)->getAttrOfType<StringAttr>("module.state")
                        : StringAttr();
    if (!module || (state && state.getValue().starts_with("TPU")))
      return module;
    ConvertTopToTpuOptions lower;
    lower.chip = model.chip;
    lower.mode = "F16";
    PassManager manager(&context);
    manager.addPass(createConvertTopToTpu(lower));
    if (failed(manager.run(*module)))
      return nullptr;
    return module;
  }

  MLIRContext context;
};

TEST_P(PlannedModelsTest, VerifyAndRun) {
  const Model &model = GetParam();
  if (model.isReal && !std::getenv("TPU_MEMORY_DATA"))
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  OwningOpRef<ModuleOp> module = load();
  ASSERT_TRUE(module);
  target::ChipSpec chip = *target::findChip(model.chip);
  chip.usedCores = model.cores;
  (*module)->setAttr("module.cores",
                     Builder(&context).getI64IntegerAttr(model.cores));
  LayerGroupOptions plan;
  plan.chip = model.chip;
  plan.remarks = false;
  plan.maxLayers = model.maxLayers;
  plan.lineBuffers = model.lines > 0;
  if (plan.lineBuffers)
    plan.objective = "traffic";
  ASSERT_EQ(planAndVerify(*module, plan, chip), "");
  PlanCounts counts;
  counts.add(*module, chip);
  EXPECT_GT(counts.groups, 0);
  EXPECT_GE(counts.lines, model.lines);
  RecordProperty("groups", counts.groups);
  RecordProperty("loops", counts.loops);
  if (!model.executes)
    return;
  ExecStats stats;
  EXPECT_EQ(runGroups(*module, chip, &stats).value_or(""), "");
  EXPECT_EQ(stats.groups, counts.groups);
}

INSTANTIATE_TEST_SUITE_P(
    Models, PlannedModelsTest,
    testing::Values(
        Model{"qwen_block_0", "qwen_block_0_bm1684x/tpu.mlir", "bm1684x", true},
        Model{"qwen_block_cache_0", "qwen_block_cache_0_bm1684x/tpu.mlir",
              "bm1684x", true, true},
        Model{"yolov8s_cv181x", "yolov8s_cv181x_int8/tpu.mlir", "cv181x", true,
              true, 4},
        Model{"chain_bm1684x", "chain.mlir", "bm1684x", false, true},
        Model{"chain_cv184x", "chain.mlir", "cv184x", false, true},
        Model{"bert_base_bm1684x", "bert_base.mlir", "bm1684x"},
        Model{"bert_base_cv184x", "bert_base.mlir", "cv184x"},
        Model{"densenet121_bm1684x", "densenet121.mlir", "bm1684x"},
        Model{"densenet121_cv184x", "densenet121.mlir", "cv184x", false, false,
              4},
        Model{"llama_block_bm1684x", "llama_block.mlir", "bm1684x"},
        Model{"llama_block_cv184x", "llama_block.mlir", "cv184x"},
        Model{"mobilenet_v2_bm1684x", "mobilenet_v2.mlir", "bm1684x", false,
              true},
        Model{"mobilenet_v2_cv184x", "mobilenet_v2.mlir", "cv184x", false, true,
              4},
        Model{"mobilenet_v2_bm1688_2", "mobilenet_v2.mlir", "bm1688", false,
              true, 16, 2},
        Model{"mobilenet_v2_bm1690_8", "mobilenet_v2.mlir", "bm1690", false,
              true, 16, 8},
        Model{"chain_bm1690_8", "chain.mlir", "bm1690", false, true, 16, 8},
        Model{"resnet50_bm1688_2", "resnet50.mlir", "bm1688", false, false, 16,
              2},
        Model{"resnet50_bm1684x", "resnet50.mlir", "bm1684x"},
        Model{"resnet50_cv184x", "resnet50.mlir", "cv184x", false, false, 4},
        Model{"unet_bm1684x", "unet.mlir", "bm1684x", false, false, 4},
        Model{"unet_cv184x", "unet.mlir", "cv184x", false, false, 4},
        Model{"mobilenet_v2_lines", "mobilenet_v2.mlir", "cv184x", false, true,
              8, 1, 4},
        Model{"chain_lines", "chain.mlir", "cv184x", false, true, 16, 1, 4},
        Model{"yolo_fpn_lines", "yolo_fpn.mlir", "bm1688", false, false, 16, 1,
              4},
        Model{"yolov8s_lines", "yolov8s_cv181x_int8/tpu.mlir", "cv181x", true,
              true, 4, 1, 1},
        Model{"yolo_fpn_bm1684x", "yolo_fpn.mlir", "bm1684x", false, false, 8},
        Model{"yolo_fpn_cv184x", "yolo_fpn.mlir", "cv184x", false, false, 4}),
    [](const testing::TestParamInfo<Model> &info) {
      return std::string(info.param.name);
    });

} // namespace
