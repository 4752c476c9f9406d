//===- PlannedGroupsTest.cpp - Plans of random networks, executed ---------===//
//
// The proof of tpu-layer-group: random networks on small chips, where hardly
// anything fits, are planned, verified, executed byte by byte and compared with
// whole-tensor execution.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/networks/PlannedGroups.h"
#include "tests/exec/groups/GroupExec.h"
#include "tests/exec/networks/RandomNetwork.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <fstream>
#include <iterator>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::exec;

namespace {

/// A chip that is not among the known ones, as a file.
struct Chip {
  std::string name;
  int64_t lanes, laneBytes, euBytes, banks, icParallelBytes, requantBytes;
  bool inPlace;
  int64_t cores = 1;
};

std::string json(const Chip &chip) {
  const auto number = [](const char *name, int64_t value) {
    return std::string("  \"") + name + "\": " + std::to_string(value) + ",\n";
  };
  return "{\n  \"name\": \"" + chip.name + "\",\n" +
         number("lanes", chip.lanes) + number("laneBytes", chip.laneBytes) +
         number("euBytes", chip.euBytes) + number("banks", chip.banks) +
         number("icParallelBytes", chip.icParallelBytes) +
         number("requantBytes", chip.requantBytes) +
         number("cores", chip.cores) + number("macsPerCycle8", 64) +
         number("macsPerCycle16", 32) + number("macsPerCycle32", 16) +
         number("dmaBytesPerCycle", 8) +
         number("sharedDmaBytesPerCycle", 4 + 4 * chip.cores) +
         number("barrierCycles", 20) + number("dmaSetupCycles", 10) +
         number("computeSetupCycles", 2) + number("weightAlignment", 64) +
         number("neuronAlignment", 64) +
         "  \"localInPlace\": " + (chip.inPlace ? "true" : "false") +
         ",\n  \"addressForm\": \"linear\",\n  \"batchLayout\": \"1N\",\n"
         "  \"weightBase\": \"0x0\"\n}\n";
}

const Chip kChips[] = {
    {"four", 4, 4096, 16, 4, 1, 5, true},
    {"eight", 8, 2048, 16, 8, 16, 12, true},
    {"three", 3, 3072, 32, 2, 8, 0, false},
    {"two", 2, 8192, 64, 16, 64, 5, true},
    {"two_cores", 4, 2048, 16, 4, 1, 5, true, 2},
    {"eight_cores", 2, 4096, 16, 8, 16, 12, true, 8},
};
/// Known chips after the small ones, for the sizes that are really used.
const char *const kKnownChips[] = {"cv184x", "bm1688"};
constexpr int kNumSmall = std::size(kChips);
constexpr int kNumChips = kNumSmall + std::size(kKnownChips);
/// Networks differ from chip to chip.
constexpr uint32_t kSeeds = 6;

class PlannedGroupsTest : public testing::TestWithParam<int> {
protected:
  PlannedGroupsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  void SetUp() override {
    const int index = GetParam();
    if (index >= kNumSmall) {
      plan.chip = kKnownChips[index - kNumSmall];
      spec = *target::findChip(plan.chip);
      return;
    }
    const std::string text = json(kChips[index]);
    auto parsed = target::parseChipJson(text);
    ASSERT_EQ(parsed.index(), 0u) << std::get<1>(parsed).message;
    spec = std::get<0>(parsed);
    spec.usedCores = spec.cores;
    plan.chipFile = testing::TempDir() + "/" + kChips[index].name + ".json";
    std::ofstream(plan.chipFile) << text;
  }

  NetworkOptions networkOptions(uint32_t seed) const {
    NetworkOptions options;
    options.layers = 3 + static_cast<int>(seed % 12);
    options.isInteger = seed % 3 == 0;
    if (GetParam() >= kNumSmall) {
      options.maxChannels = 40;
      options.maxExtent = 96;
    }
    return options;
  }

  uint32_t networkOffset() const {
    const int index = GetParam();
    return static_cast<uint32_t>(index < kNumSmall ? index
                                                   : index - kNumSmall + 4);
  }

  /// Every way to search gets its turn.
  LayerGroupOptions optionsFor(uint32_t seed) const {
    LayerGroupOptions options = plan;
    options.remarks = false;
    options.nodeLimit = 2000;
    if (seed % 4 == 1)
      options.search = "greedy";
    options.objective = seed % 5 == 3   ? "cycles"
                        : seed % 5 == 4 ? "balanced"
                                        : "traffic";
    options.cutChannels = seed % 7 != 2;
    if (seed % 3 == 1)
      options.maxRecompute = 300;
    if (seed % 11 == 3)
      options.maxLayers = 3;
    return options;
  }

  /// "" or what is wrong.
  std::string check(uint32_t seed) {
    return check(
        randomNetwork(seed * kSeeds + networkOffset(), networkOptions(seed)),
        optionsFor(seed));
  }
  std::string check(const std::string &text, const LayerGroupOptions &options) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return "does not parse:\n" + text;
    (*module)->setAttr("module.cores",
                       Builder(&context).getI64IntegerAttr(spec.usedCores));
    std::string problem = planAndVerify(*module, options, spec);
    if (problem.empty())
      problem = runGroups(*module, spec, &stats).value_or("");
    if (!problem.empty())
      return problem + "\n" + text;
    counts.add(*module, spec);
    return "";
  }

  /// Nothing is proved by networks that fit: less is needed of the large chips.
  void expectMuch() const {
    const int much = GetParam() < kNumSmall ? 4 : 1;
    EXPECT_GE(counts.groups, 120);
    EXPECT_GE(counts.manyOutputs, 50);
    EXPECT_GE(counts.loops, 10 * much);
    EXPECT_GE(counts.images, 4 * much);
    EXPECT_GE(counts.rows, 4 * much);
    EXPECT_GE(counts.columns, 2 * much - 1);
    EXPECT_GE(counts.halos, 2 * much);
    EXPECT_GE(counts.held, 20 * much);
    if (spec.usedCores > 1) {
      EXPECT_GE(counts.onCores, 10 * much);
    }
    EXPECT_GE(counts.wrapped, 30 * much);
    EXPECT_GE(counts.scratch, 5 * much);
    EXPECT_GE(counts.arranged, 10 * much);
    EXPECT_GE(counts.opsInLoops.size(), 12u);
    if (GetParam() < kNumSmall) {
      EXPECT_GE(counts.channels, 3);
      EXPECT_GE(counts.opsInLoops.size(), 18u);
    }
    if (GetParam() == 0) {
      EXPECT_GE(counts.reloaded, 2);
    }
    // Without its result's being written over an operand, if the chip cannot.
    EXPECT_EQ(counts.inPlace > 0, spec.localInPlace);
  }

  MLIRContext context;
  LayerGroupOptions plan;
  target::ChipSpec spec;
  ExecStats stats;
  PlanCounts counts;
};

TEST_P(PlannedGroupsTest, RunAndAreRight) {
  constexpr uint32_t kNumNetworks = 120;
  int numWrong = 0;
  for (uint32_t seed = 0; seed < kNumNetworks && numWrong < 3; ++seed) {
    const std::string problem = check(seed);
    EXPECT_EQ(problem, "") << "seed " << seed;
    numWrong += !problem.empty();
  }
  EXPECT_EQ(stats.groups, counts.groups);
  expectMuch();
}

/// Rows stay in local memory from section to section.
TEST_P(PlannedGroupsTest, KeepRows) {
  constexpr uint32_t kNumNetworks = 120;
  int numWrong = 0;
  for (uint32_t seed = 0; seed < kNumNetworks && numWrong < 3; ++seed) {
    LayerGroupOptions options = optionsFor(seed);
    options.lineBuffers = true;
    if (seed % 4 != 0)
      options.objective = "traffic";
    const std::string problem =
        check(randomNetwork(seed * kSeeds + networkOffset() + 10'000,
                            networkOptions(seed)),
              options);
    EXPECT_EQ(problem, "") << "seed " << seed;
    numWrong += !problem.empty();
  }
  if (spec.usedCores > 1)
    EXPECT_EQ(counts.lines, 0);
  else
    EXPECT_GE(counts.lines, GetParam() < kNumSmall ? 5 : 1);
}

/// Short groups of larger tensors follow each other, and run transfers for each
/// other.
TEST_P(PlannedGroupsTest, HelpEachOther) {
  constexpr uint32_t kNumNetworks = 120;
  int numWrong = 0;
  for (uint32_t seed = 0; seed < kNumNetworks && numWrong < 3; ++seed) {
    LayerGroupOptions options = optionsFor(seed);
    options.objective = "cycles";
    options.maxLayers = 2 + seed % 3;
    options.lineBuffers = seed % 4 == 0;
    NetworkOptions network = networkOptions(seed);
    network.layers = 10;
    network.maxExtent *= 2;
    const std::string problem =
        check(randomNetwork(seed * kSeeds + networkOffset() + 20'000, network),
              options);
    EXPECT_EQ(problem, "") << "seed " << seed;
    numWrong += !problem.empty();
  }
  if (spec.usedCores > 1) {
    EXPECT_EQ(counts.hoisted + counts.sunk, 0);
    return;
  }
  EXPECT_GE(counts.hoisted, 5);
  // Without results over operands there is less room.
  if (spec.localInPlace) {
    EXPECT_GE(counts.sunk, 5);
  }
}

/// The first and the last layer read the input. With one load each section
/// would have a row in which nothing computes.
TEST_P(PlannedGroupsTest, AnInputIsLoadedTwice) {
  if (GetParam() > 0)
    GTEST_SKIP() << "sizes are those of the first chip";
  plan.remarks = false;
  plan.objective = "cycles";
  plan.cutChannels = false;
  const std::string text = R"(
    !x = tensor<1x32x32x16xf16>
    !w = tensor<32x32x1x1xf16>
    module @net {
      func.func @main(%arg0: !x) -> !x {
        %n = "top.None"() : () -> none
        %in = "top.Input"(%arg0) : (!x) -> !x
        %w0 = "top.Weight"() : () -> !w loc("w0")
        %w1 = "top.Weight"() : () -> !w loc("w1")
        %c0 = "tpu.Conv2D"(%in, %w0, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!x, !w, none) -> !x loc("c0")
        %c1 = "tpu.Conv2D"(%c0, %w1, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!x, !w, none) -> !x loc("c1")
        %sum = "tpu.Add"(%c1, %in) : (!x, !x) -> !x loc("sum")
        return %sum : !x
      }
    })";
  EXPECT_EQ(check(text, plan), "");
  EXPECT_EQ(counts.loadedTwice, 1);
}

INSTANTIATE_TEST_SUITE_P(Chips, PlannedGroupsTest,
                         testing::Range(0, kNumChips));

} // namespace
