//===- BuildProblemTest.cpp - Pools, pins and lives for every mode --------===//

#include "tests/Analysis/Tensor/Net.h"

#include "tpu_mlir/Planning/Strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using testing::ElementsAre;
using testing::HasSubstr;
using tpu_mlir::planning::Buffer;
using tpu_mlir::planning::BufferKind;

namespace tpu_mlir::test {
namespace {

/// y is made from x and k; what crosses the call is p and q.
const std::string kNet = mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %0 = func.call @s(%a) : (!t) -> tensor<1024xi8>
    %y = "tpu.Add"(%0, %k) : (tensor<1024xi8>, !t) -> tensor<8192xi8> loc("y")
    return %y : tensor<8192xi8>
  )",
                                "tensor<8192xi8>") +
                         R"(
    func.func @s(%p: !t) -> tensor<1024xi8> {
      %s = "tpu.Buffer"() : () -> tensor<100xi8> loc("s")
      %b = "tpu.Softmax"(%p, %s) : (!t, tensor<100xi8>) -> !t loc("b")
      %q = "tpu.Active"(%b) : (!t) -> tensor<1024xi8> loc("q")
      return %q : tensor<1024xi8>
    })";
constexpr int64_t kSteps = 6; // a, call, b, q, return, y, return.

struct Planned {
  Net net;
  std::optional<GlobalProblem> global;

  Planned(const std::string &chip, IoMode mode, const std::string &text = kNet)
      : net(text) {
    GlobalPlanOptions options;
    options.ioMode = mode;
    global = net.problem(chip, options);
  }
  const Buffer &buffer(const std::string &name) const {
    for (const Buffer &buffer : global->problem.buffers)
      if (buffer.name == name)
        return buffer;
    ADD_FAILURE() << "no buffer " << name;
    return global->problem.buffers.front();
  }
  std::string poolOf(const std::string &name) const {
    return global->problem.pools[buffer(name).pools.front()].name;
  }
  std::vector<std::string> pools() const {
    std::vector<std::string> names;
    for (const auto &pool : global->problem.pools)
      names.push_back(pool.name);
    return names;
  }
  Interval life(const std::string &name) const {
    return buffer(name).lifespans.front();
  }
  /// Where a region begins once a plan without padding is there.
  int64_t baseOf(RegionRole role, const std::string &chip) {
    auto result = planning::solve(global->problem);
    auto *plan = std::get_if<planning::Plan>(&result);
    const target::ChipSpec &spec = *target::findChip(chip);
    if (!plan || !placeRegions(*global, *plan, spec, {spec.weightBase, 8192}))
      return -1;
    for (const PlannedRegion &region : global->regions)
      if (region.role == role)
        return region.base;
    return -1;
  }
};

/// The pools that a buffer may be in, best first.
std::vector<std::string> poolsOf(const Planned &p, const std::string &name) {
  std::vector<std::string> names;
  for (planning::PoolId pool : p.buffer(name).pools)
    names.push_back(p.global->problem.pools[pool].name);
  return names;
}

TEST(BuildProblem, DescribesEveryPieceOfStorageOnce) {
  Planned p("bm1684", IoMode::Basic);
  std::vector<std::string> names;
  for (const Buffer &buffer : p.global->problem.buffers)
    names.push_back(buffer.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("x", "k", "f", "a", "s", "b",
                                                   "q", "y"));
  EXPECT_EQ(p.buffer("x").kind, BufferKind::Input);
  EXPECT_EQ(p.buffer("y").kind, BufferKind::Output);
  EXPECT_EQ(p.buffer("s").kind, BufferKind::Scratch);
  EXPECT_EQ(p.buffer("a").kind, BufferKind::Activation);
  EXPECT_EQ(p.buffer("q").sizeBytes, 1024);
  EXPECT_EQ(p.buffer("q").alignment, 4096);
  EXPECT_TRUE(planning::check(p.global->problem).empty());
  EXPECT_THAT(p.pools(), ElementsAre("neuron"));
}

TEST(BuildProblem, BasicKeepsInputsForTheWholeRun) {
  Planned p("bm1684x", IoMode::Basic);
  EXPECT_THAT(p.pools(), ElementsAre("neuron", "l2"));
  EXPECT_EQ(p.poolOf("x"), "neuron");
  EXPECT_EQ(p.life("x"), (Interval{0, kSteps + 1}));
  EXPECT_EQ(p.life("y"), (Interval{5, kSteps + 1}));
  EXPECT_FALSE(p.buffer("x").pin);
  EXPECT_EQ(p.baseOf(RegionRole::Neuron, "bm1684x"), 4294967296 + 8192);
}

TEST(BuildProblem, InReuseLetsInputsDie) {
  Planned p("bm1684x", IoMode::InReuse);
  EXPECT_EQ(p.life("x"), (Interval{0, 1}));
  EXPECT_EQ(p.life("k"), (Interval{0, 6}));
  EXPECT_EQ(p.life("y"), (Interval{5, kSteps + 1}));
}

TEST(BuildProblem, IoAlonePacksInputsThenOutputs) {
  Planned p("bm1684x", IoMode::IoAlone);
  EXPECT_THAT(p.pools(), ElementsAre("neuron", "io", "l2"));
  int64_t next = 0;
  for (const char *io : {"x", "k", "f", "y"}) {
    ASSERT_TRUE(p.buffer(io).pin) << io;
    EXPECT_EQ(p.poolOf(io), "io");
    EXPECT_EQ(p.buffer(io).pin->offsetBytes, next) << io;
    EXPECT_EQ(p.life(io), (Interval{0, kSteps + 1}));
    next += 4096;
  }
  EXPECT_EQ(p.poolOf("a"), "neuron");
  // Weights, inputs and outputs, neurons.
  EXPECT_EQ(p.baseOf(RegionRole::Io, "bm1684x"), 4294967296 + 8192);
  EXPECT_EQ(p.baseOf(RegionRole::Neuron, "bm1684x"),
            4294967296 + 8192 + 3 * 4096 + 8192);
  // A chip with tags has a base for them.
  EXPECT_EQ(Planned("bm1688", IoMode::IoAlone).baseOf(RegionRole::Io, "bm1688"),
            0x100000000);
}

TEST(BuildProblem, IoRelocPutsThemBehindTheNeurons) {
  Planned p("bm1684x", IoMode::IoReloc);
  EXPECT_EQ(p.poolOf("x"), "io");
  EXPECT_EQ(p.baseOf(RegionRole::Neuron, "bm1684x"), 4294967296 + 8192);
  EXPECT_GT(p.baseOf(RegionRole::Io, "bm1684x"), 4294967296 + 8192 + 4096);
}

TEST(BuildProblem, IoTagGivesTheLargestATagEach) {
  Planned p("bm1688", IoMode::IoTag);
  EXPECT_EQ(p.global->ioMode, IoMode::IoTag);
  EXPECT_EQ(p.poolOf("y"), "io0"); // 8192 bytes.
  EXPECT_EQ(p.poolOf("x"), "io1");
  EXPECT_EQ(p.poolOf("k"), "io2");
  EXPECT_EQ(p.poolOf("f"), "io3");
  EXPECT_EQ(p.buffer("y").pin->offsetBytes, 0);
  EXPECT_EQ(p.baseOf(RegionRole::Neuron, "bm1688"), 0xa000000000);
}

TEST(BuildProblem, IoTagFallsBackForSeveralSubnetsAndSharedStorage) {
  Planned shared("bm1688", IoMode::IoTag, mainOf(R"(
    %r = "tpu.Reshape"(%x) : (!t) -> !t
    return %r : !t)"));
  EXPECT_EQ(shared.global->ioMode, IoMode::Basic);
  Planned several("bm1688", IoMode::IoTag, mainOf(R"(
    %a = func.call @s(%x) : (!t) -> !t
    %b = func.call @u(%a) : (!t) -> !t
    return %b : !t)") + R"(
    func.func @s(%p: !t) -> !t {
      %0 = "tpu.Active"(%p) : (!t) -> !t
      return %0 : !t
    }
    func.func @u(%p: !t) -> !t {
      %0 = "tpu.Active"(%p) : (!t) -> !t
      return %0 : !t
    })");
  EXPECT_EQ(several.global->ioMode, IoMode::Basic);
  EXPECT_THAT(several.pools(), ElementsAre("neuron"));
}

TEST(BuildProblem, BaseRegistersTakeIoAndWhatCrossesFunctions) {
  Planned p("cv181x", IoMode::Basic);
  EXPECT_THAT(p.pools(),
              ElementsAre("shared", "io0", "io1", "io2", "io3", "private"));
  EXPECT_EQ(p.poolOf("x"), "io0"); // In order, not by size.
  EXPECT_EQ(p.poolOf("y"), "io3");
  EXPECT_EQ(p.poolOf("a"), "private");
  EXPECT_EQ(p.poolOf("q"), "private");
  EXPECT_EQ(p.poolOf("b"), "shared");
  EXPECT_EQ(p.poolOf("s"), "shared");
  EXPECT_EQ(p.buffer("b").alignment, 16);
  EXPECT_EQ(p.baseOf(RegionRole::Neuron, "cv181x"), 0);
  EXPECT_EQ(p.baseOf(RegionRole::Private, "cv181x"), int64_t(2) << 40);
}

TEST(BuildProblem, L2HoldsTheScratchThatAsksForIt) {
  const std::string text = mainOf(R"(
    %s = "tpu.Buffer"() {buffer_type = #tpu<buffer_type L2>} : () -> !t loc("s")
    %g = "tpu.Buffer"() {buffer_type = #tpu<buffer_type GMEM>} : () -> !t loc("g")
    %y = "tpu.Softmax"(%x, %s, %g) : (!t, !t, !t) -> !t loc("y")
    return %y : !t)");
  Planned p("bm1690", IoMode::Basic, text);
  EXPECT_THAT(poolsOf(p, "s"), ElementsAre("l2"));
  EXPECT_THAT(poolsOf(p, "g"), ElementsAre("l2", "neuron"));
  Planned none("bm1688", IoMode::Basic, text);
  EXPECT_FALSE(none.global);
  EXPECT_THAT(none.net.errors, HasSubstr("chip 'bm1688' has no L2 for it "
                                         "[TPUMEM-E001]"));
}

TEST(BuildProblem, ChipsThatOpenL2HaveActivationsThere) {
  Planned p("bm1690", IoMode::Basic);
  EXPECT_THAT(poolsOf(p, "b"), ElementsAre("l2", "neuron"));
  // What crosses a call or the border of the network is in global memory.
  for (const char *name : {"x", "k", "a", "q", "y"})
    EXPECT_THAT(poolsOf(p, name), ElementsAre("neuron")) << name;
  EXPECT_THAT(poolsOf(Planned("bm1684x", IoMode::Basic), "b"),
              ElementsAre("neuron"));
  Net net(kNet);
  GlobalPlanOptions options;
  options.l2 = false;
  auto global = net.problem("bm1690", options);
  ASSERT_TRUE(global);
  for (const Buffer &buffer : global->problem.buffers)
    EXPECT_THAT(buffer.pools, ElementsAre(0)) << buffer.name;
}

TEST(BuildProblem, ModesThatAChipDoesNotHaveAreErrors) {
  for (auto [chip, mode] : {std::pair("bm1684x", IoMode::IoTag),
                            {"bm1688", IoMode::IoReloc},
                            {"cv181x", IoMode::IoAlone},
                            {"bm1690e", IoMode::IoAlone},
                            {"bm1690", IoMode::IoTag}}) {
    Planned p(chip, mode);
    EXPECT_FALSE(p.global) << chip;
    EXPECT_THAT(p.net.errors, HasSubstr("[TPUMEM-E007]")) << chip;
  }
}

TEST(BuildProblem, TheBoardLimitsWhatIsLeftForNeurons) {
  Net net(kNet);
  GlobalPlanOptions options;
  options.gmemBytes = 100'000;
  auto global = net.problem("bm1684x", options);
  // A region is as large as its size rounded up.
  EXPECT_EQ(global->problem.pools[0].capacityBytes, 22 * 4096);
  options.ioMode = IoMode::IoAlone;
  options.gmemBytes = 10'000;
  EXPECT_FALSE(net.problem("bm1684x", options));
  EXPECT_THAT(net.errors, HasSubstr("[TPUMEM-E001]"));
}

TEST(BuildProblem, AlignmentsThatARegionCannotKeepAreErrors) {
  GlobalPlanOptions options;
  options.alignment = 3 * 4096; // Not of powers of two only.
  Net linear(kNet);
  auto global = linear.problem("bm1684x", options);
  ASSERT_TRUE(global);
  auto result = planning::solve(global->problem);
  const target::ChipSpec &spec = *target::findChip("bm1684x");
  ASSERT_TRUE(placeRegions(*global, std::get<planning::Plan>(result), spec,
                           {spec.weightBase, 8192}));
  EXPECT_EQ(global->regions.front().base % (3 * 4096), 0);
  Net tagged(kNet);
  EXPECT_FALSE(tagged.problem("bm1688", options));
  EXPECT_THAT(tagged.errors,
              HasSubstr("alignment 12288 is not possible: on chip 'bm1688' "
                        "region 'neuron' begins at 687194767360, which is no "
                        "multiple of it [TPUMEM-E005]"));
}

//===----------------------------------------------------------------------===//
// Shared addresses
//===----------------------------------------------------------------------===//

std::string shareError(const std::string &body, int64_t input = 0,
                       int64_t output = 0) {
  Net net(mainOf(body));
  EXPECT_EQ(net.errors, "");
  GlobalPlanOptions options;
  options.sameAddress = {{input, output}};
  auto global = net.problem("bm1684x", options);
  EXPECT_EQ(bool(global), net.errors.empty());
  if (global) {
    EXPECT_TRUE(planning::check(global->problem).empty());
    EXPECT_EQ(net.facts->aliases.lookup(net.facts->inputs[input])->classId,
              net.facts->aliases.lookup(net.facts->outputs[output])->classId);
  }
  return net.errors;
}

TEST(SameAddress, IsForInputsThatAreDeadOrUpdated) {
  EXPECT_EQ(shareError(R"(%a = "tpu.Active"(%x) : (!t) -> !t
    %y = "tpu.Active"(%a) : (!t) -> !t
    return %y : !t)"),
            "");
  EXPECT_EQ(shareError(R"(%y = "tpu.Insert"(%x, %k) : (!t, !t) -> !t
    return %y : !t)"),
            "");
  EXPECT_EQ(shareError(R"(%y = "tpu.Active"(%x) : (!t) -> !t
    return %y : !t)",
                       1), // k is not read at all.
            "");
  EXPECT_EQ(shareError("return %x : !t"), "");
}

TEST(SameAddress, IsNotForOthers) {
  auto isConflict = HasSubstr("[TPUMEM-E009]");
  // Written while it is read; read later; another size; no such output.
  EXPECT_THAT(shareError(R"(%y = "tpu.Active"(%x) : (!t) -> !t
    return %y : !t)"),
              isConflict);
  EXPECT_THAT(shareError(R"(%y = "tpu.Active"(%k) : (!t) -> !t
    %z = "tpu.Active"(%x) : (!t) -> !t
    return %y : !t)"),
              isConflict);
  EXPECT_THAT(shareError(R"(%y = "tpu.Active"(%x) : (!t) -> !t
    return %y : !t)",
                         2),
              isConflict);
  EXPECT_THAT(shareError("return %k : !t", 0, 1), isConflict);
  EXPECT_THAT(shareError("return %k : !t", -1, 0), isConflict);
  // Updated, but read by the same op as well.
  EXPECT_THAT(shareError(R"(%y = "tpu.Insert"(%x, %x) : (!t, !t) -> !t
    return %y : !t)"),
              isConflict);
  EXPECT_THAT(shareError(R"(%v = "tpu.Reshape"(%x) : (!t) -> !t
    %y = "tpu.Insert"(%x, %v) : (!t, !t) -> !t
    return %y : !t)"),
              isConflict);
  // Another input, which is there from the start, too.
  EXPECT_THAT(shareError(R"(%y = "tpu.Reshape"(%k) : (!t) -> !t
    return %y : !t)"),
              isConflict);
  // A weight, which is where it is.
  EXPECT_THAT(shareError(R"(%w = "top.Weight"() : () -> !t
    %y = "tpu.Weight2Activation"(%w) : (!t) -> !t
    return %y : !t)"),
              isConflict);
}

} // namespace
} // namespace tpu_mlir::test
