//===- RealGroupsTest.cpp - Another compiler's groups, executed -----------===//
//
// Every group of the real models runs clean, transfers that neighbours lend
// each other included. Needs $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/groups/GroupExec.h"
#include "tests/exec/groups/Mixing.h"
#include "tests/exec/groups/RealModels.h"

#include "gtest/gtest.h"

using namespace tpu_mlir;
using namespace tpu_mlir::exec;

namespace {

class RealGroupsTest : public testing::TestWithParam<RealModel> {};

TEST_P(RealGroupsTest, RunAndAreRight) {
  if (!haveRealModels())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  LoadedModel model(GetParam());
  ASSERT_TRUE(model.module());
  ExecStats stats;
  auto error = runGroups(model.module(), model.chip(), &stats);
  EXPECT_EQ(error.value_or(""), "");
  EXPECT_EQ(stats.groups, GetParam().groups);
  RecordProperty("items", stats.items);
  RecordProperty("sections", static_cast<int>(stats.sections));
}

/// None is left out: in yolov8s 16 groups lend each other 11 transfers.
TEST_P(RealGroupsTest, LentTransfers) {
  if (!haveRealModels())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  LoadedModel model(GetParam());
  ASSERT_TRUE(model.module());
  auto chains = readChains(model.module(), model.chip());
  ASSERT_EQ(chains.index(), 0u) << std::get<1>(chains);
  size_t lent = 0, linked = 0;
  for (const auto &chain : std::get<0>(chains)) {
    linked += chain.size() > 1 ? chain.size() : 0;
    for (const GroupModel &group : chain)
      lent += group.lentToPrevious.size() + group.lentToNext.size();
  }
  const bool isYolo = GetParam().groups == 33;
  EXPECT_EQ(linked, isYolo ? 16u : 0u);
  EXPECT_EQ(lent, isYolo ? 11u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Models, RealGroupsTest,
                         testing::ValuesIn(realModels()), [](const auto &info) {
                           return std::string(info.param.folder);
                         });

} // namespace
