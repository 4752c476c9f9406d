//===- RandomNetworksTest.cpp - Random plans are run ----------------------===//
//
// Random networks with calls, branches, loops, several cores and every kind of
// shared storage are planned, for every chip, in every I/O mode and into pools,
// and run, and then run again with an address that is another value's. A plan
// that the run finds wrong the verifier refuses.
//
//===----------------------------------------------------------------------===//

#include "tests/property/global/RandomChoice.h"

#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Interpreter/Interpreter.h"

#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir::test {
namespace {

/// The errors of a run in both memories; "" for none.
std::string errorsOf(ModuleOp root, uint64_t seed) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  ScopedDiagnosticHandler handler(
      root.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          stream << diagnostic << "\n";
        return success();
      });
  RunOptions options;
  options.mixesUnknown = true;
  options.seed = seed;
  for (ModuleOp module : functionModules(root))
    if (failed(runModule(module, options)))
      stream << "failed\n";
  return errors;
}

std::vector<Value> placedValues(ModuleOp root) {
  std::vector<Value> values;
  auto add = [&](ValueRange all) {
    for (Value value : all)
      if (getAddress(value.getType()))
        values.push_back(value);
  };
  root.walk([&](Operation *op) {
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  return values;
}

struct Network {
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module;
  Choice choice;
  bool isPlanned = false;

  explicit Network(uint64_t seed) {
    Draw draw(seed);
    auto chips = target::allChips();
    const target::ChipSpec &chip = *draw.oneOf(chips);
    choice.chip = chip.name;
    auto modes = modesOf(chip);
    choice.ioMode = draw.oneOf(modes);
    if (chip.addressForm != target::AddressForm::BaseRegister &&
        draw.chance(40))
      drawPools(draw, chip, choice);
    ModuleShape shape;
    shape.ops = draw.between(5, 30);
    shape.l2Scratch = chip.l2Bytes > 0;
    shape.fourN = chip.batchLayout == target::BatchLayout::FourN;
    choice.share = draw.chance(60);
    choice.pack = draw.chance(30);
    choice.inOrder = choice.share && draw.chance(50);
    module = randomModule(*context, seed, shape);
    isPlanned = assignAddresses(*module, choice).succeeded;
  }
};

TEST(RandomNetworksTest, PlansRun) {
  uint64_t planned = 0;
  const uint64_t count = seedCount(2000);
  for (uint64_t seed = 0; seed < count; ++seed) {
    Network network(seed);
    if (!network.isPlanned)
      continue;
    ++planned;
    ASSERT_EQ(errorsOf(*network.module, seed), "")
        << "seed " << seed << " " << describe(network.choice) << "\n"
        << print(*network.module);
  }
  EXPECT_GT(planned, count / 2);
}

TEST(RandomNetworksTest, WhatRunsWrongIsRefused) {
  const uint64_t count = seedCount(300);
  uint64_t wrong = 0, made = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Network network(seed);
    std::vector<Value> values = placedValues(*network.module);
    if (!network.isPlanned || values.size() < 2)
      continue;
    Draw draw(seed);
    for (int mutant = 0; mutant < 5; ++mutant) {
      Value moved = draw.oneOf(values), onto = draw.oneOf(values);
      const Type before = moved.getType();
      moved.setType(withAddress(before, *getAddress(onto.getType())));
      ++made;
      const std::string errors = errorsOf(*network.module, seed);
      if (errors.find("E012") != std::string::npos) {
        ++wrong;
        EXPECT_FALSE(verifyAddresses(*network.module, network.choice).succeeded)
            << "seed " << seed << " " << describe(network.choice) << "\n"
            << errors << print(*network.module);
      }
      moved.setType(before);
    }
  }
  EXPECT_GT(wrong, made / 10);
}

} // namespace
} // namespace tpu_mlir::test
