//===- RealGroupsTest.cpp - Another compiler's groups, executed -----------===//
//
// Needs $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "GroupExec.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>

using namespace mlir;
using namespace tpu_mlir;

namespace {

struct RealModel {
  const char *folder;
  const char *chip;
  int groups;
};

void PrintTo(const RealModel &model, std::ostream *os) { *os << model.folder; }

class RealGroupsTest : public testing::TestWithParam<RealModel> {};

TEST_P(RealGroupsTest, RunAndAreRight) {
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data)
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  const auto file = std::filesystem::path(data) / "tpu_mlir" /
                    GetParam().folder / "final.mlir";
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  auto module = parseSourceFile<ModuleOp>(file.string(), &context);
  ASSERT_TRUE(module) << file;
  const target::ChipSpec *chip = target::findChip(GetParam().chip);
  ASSERT_TRUE(chip);

  exec::ExecStats stats;
  auto error = exec::runGroups(*module, *chip, &stats);
  EXPECT_EQ(error.value_or(""), "");
  EXPECT_EQ(stats.groups, GetParam().groups);
  RecordProperty("items", stats.items);
  RecordProperty("sections", static_cast<int>(stats.sections));
}

INSTANTIATE_TEST_SUITE_P(
    Models, RealGroupsTest,
    testing::Values(RealModel{"blazeface_bm1688_f16", "bm1688", 13},
                    RealModel{"qwen_block_0_bm1684x", "bm1684x", 3},
                    RealModel{"qwen_block_cache_0_bm1684x", "bm1684x", 4},
                    RealModel{"yolov8s_cv181x_int8", "cv181x", 33}),
    [](const auto &info) { return std::string(info.param.folder); });

} // namespace
