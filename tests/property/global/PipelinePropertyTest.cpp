//===- PipelinePropertyTest.cpp - What holds of every planned module ------===//
//
// Random modules through tpu-global-memory with every strategy and, sparsely
// crossed, chips, I/O modes and alignments.
//
//===----------------------------------------------------------------------===//

#include "tests/property/global/Oracle.h"
#include "tests/property/global/PassRunner.h"
#include "tests/property/global/RandomChoice.h"
#include "tests/property/global/RandomModules.h"

#include "lib/Transforms/Tpu/MemoryReport/CollectReport.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace mlir;

namespace tpu_mlir::test {
namespace {

struct Case {
  Choice choice;
  ModuleShape shape;
  std::vector<ExtraPool> pools;
};

Case drawCase(uint64_t seed) {
  Draw draw(seed);
  const char *chips[] = {"bm1684x", "bm1684x", "bm1688",
                         "bm1684",  "cv181x",  "bm1690"};
  Case run;
  run.choice.chip = draw.oneOf(chips);
  const target::ChipSpec &chip = *target::findChip(run.choice.chip);
  auto strategies = planning::StrategyRegistry::all();
  run.choice.strategy = draw.oneOf(strategies)->name;
  auto modes = modesOf(chip);
  run.choice.ioMode = draw.oneOf(modes);
  const int64_t alignments[] = {0, 0, 64, 16384};
  run.choice.alignment = draw.oneOf(alignments);
  run.choice.dedup = draw.chance(30);
  if (draw.chance(15))
    run.choice.sameAddr = draw.chance(50) ? "0:0" : "0:1";
  const int64_t sizes[] = {8, 15, 30, 30, 60, 60, 120, 300};
  run.shape.ops = draw.oneOf(sizes);
  run.shape.structure = draw.chance(80);
  run.shape.l2Scratch = chip.l2Bytes > 0;
  run.shape.fourN = chip.batchLayout == target::BatchLayout::FourN;
  run.shape.huge = draw.chance(20);
  run.shape.unknownOps = draw.chance(20);
  // Last, so that the rest of a seed is as it was.
  if (chip.addressForm != target::AddressForm::BaseRegister && draw.chance(40))
    run.pools = drawPools(draw, chip, run.choice);
  return run;
}

/// Every region is as large as its attributes say, and its lower bound is one.
void expectBounds(ModuleOp root, const target::ChipSpec &chip) {
  for (ModuleOp module : modulesOfFunctions(root)) {
    auto report = memory_report::collectMemoryReport(module, chip);
    ASSERT_TRUE(succeeded(report));
    for (const report::RegionRow &row : report->regions) {
      EXPECT_LE(row.lowerBoundBytes, row.usedBytes) << row.name;
      auto size = module->getAttrOfType<IntegerAttr>("module.neuron_size");
      if (row.name == "neuron" || row.name == "shared") {
        EXPECT_LE(row.usedBytes, size.getInt());
      }
    }
    for (const report::TensorRow &row : report->tensors)
      EXPECT_NE(row.region, "") << row.name;
  }
}

class Pipeline : public testing::TestWithParam<uint64_t> {};

TEST_P(Pipeline, GivesSoundAddresses) {
  auto context = makeContext();
  Case run = drawCase(GetParam());
  auto module = randomModule(*context, GetParam(), run.shape);
  SCOPED_TRACE(describe(run.choice));
  ASSERT_TRUE(succeeded(verify(*module)));
  OwningOpRef<ModuleOp> again = module->clone();
  Outcome outcome = assignAddresses(*module, run.choice);
  if (StringRef(outcome.errors).contains("TPUMEM-E009")) {
    // Two addresses may be asked for that cannot be one.
    ASSERT_NE(run.choice.sameAddr, "");
    module = again->clone();
    run.choice.sameAddr.clear();
    outcome = assignAddresses(*module, run.choice);
  }
  ASSERT_TRUE(outcome.succeeded) << outcome.errors << print(*module);

  const target::ChipSpec &chip = *target::findChip(run.choice.chip);
  OracleOptions options;
  options.pools = run.pools;
  options.alignment =
      run.choice.alignment ? run.choice.alignment : chip.neuronAlignment;
  EXPECT_EQ(findFault(*module, chip, options), "") << print(*module);
  expectBounds(*module, chip);

  // The same module, the same bytes; a second run has nothing to change.
  ASSERT_TRUE(assignAddresses(*again, run.choice).succeeded);
  std::string text = print(*module);
  EXPECT_EQ(print(*again), text);
  ASSERT_TRUE(assignAddresses(*again, run.choice).succeeded);
  EXPECT_EQ(print(*again), text);
}

int64_t neuronBytes(ModuleOp root) {
  int64_t total = 0;
  for (ModuleOp module : modulesOfFunctions(root))
    total += module->getAttrOfType<IntegerAttr>("module.neuron_size").getInt();
  return total;
}

/// What is shared by choice is sound, and needs no more neuron memory; a second
/// run finds nothing else to share.
TEST_P(Pipeline, SharesSoundly) {
  auto context = makeContext();
  Case run = drawCase(GetParam());
  auto plain = randomModule(*context, GetParam(), run.shape);
  OwningOpRef<ModuleOp> module = plain->clone(), again = plain->clone();
  if (!assignAddresses(*plain, run.choice).succeeded)
    return; // An address that two tensors cannot share.
  run.choice.share = true;
  SCOPED_TRACE(describe(run.choice));
  Outcome outcome = assignAddresses(*module, run.choice);
  ASSERT_TRUE(outcome.succeeded) << outcome.errors << print(*module);
  const target::ChipSpec &chip = *target::findChip(run.choice.chip);
  OracleOptions options;
  options.pools = run.pools;
  options.alignment =
      run.choice.alignment ? run.choice.alignment : chip.neuronAlignment;
  EXPECT_EQ(findFault(*module, chip, options), "") << print(*module);
  expectBounds(*module, chip);
  EXPECT_LE(neuronBytes(*module), neuronBytes(*plain)) << print(*module);
  ASSERT_TRUE(assignAddresses(*again, run.choice).succeeded);
  const std::string text = print(*module);
  EXPECT_EQ(print(*again), text);
  ASSERT_TRUE(assignAddresses(*again, run.choice).succeeded);
  EXPECT_EQ(print(*again), text);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Pipeline,
                         testing::Range<uint64_t>(0, seedCount(400)));

/// One module, every strategy on every chip of the build: nothing is left out
/// when one is added.
TEST(EveryChip, WorksWithEveryStrategyAndMode) {
  auto context = makeContext();
  for (const target::ChipSpec *chip : target::allChips())
    for (const planning::Strategy *strategy : planning::StrategyRegistry::all())
      for (const std::string &mode : modesOf(*chip)) {
        ModuleShape shape;
        shape.ops = 25;
        shape.l2Scratch = chip->l2Bytes > 0;
        shape.fourN = chip->batchLayout == target::BatchLayout::FourN;
        auto module = randomModule(*context, 1000 + mode.size(), shape);
        Choice choice;
        choice.chip = chip->name;
        choice.strategy = strategy->name;
        choice.ioMode = mode;
        SCOPED_TRACE(describe(choice));
        Outcome outcome = assignAddresses(*module, choice);
        ASSERT_TRUE(outcome.succeeded) << outcome.errors;
        expectBounds(*module, *chip);
      }
}

} // namespace
} // namespace tpu_mlir::test
