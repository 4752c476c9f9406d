//===- NestedStacksTest.cpp - Lives within each other as one stack --------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Validate.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

/// A device of a pipeline that has two stages, as Megatron-LM interleaves them:
/// passes go in groups of as many as there are devices, forward through the
/// first stage, then through the second; each backward pass follows the forward
/// one before which it became possible.
class Interleaved {
public:
  Interleaved(uint64_t seed, int64_t devices, int64_t passes)
      : random(seed), devices(devices), passes(passes) {
    for (int64_t &size : sizes)
      size = 64 << random() % 9;
  }

  Problem run(int64_t device) {
    const int64_t pieces = kStages * passes;
    const int64_t before = 2 * (devices - device - 1) + (kStages - 1) * devices;
    for (int64_t i = 0; i < pieces + before; ++i) {
      if (i < pieces)
        forward(passOf(i), stageOf(i));
      if (i >= before)
        backward(passOf(i - before), kStages - 1 - stageOf(i - before));
    }
    return problemOf(std::move(buffers));
  }

private:
  static constexpr int64_t kStages = 2, kLayers = 12; ///< Of a stage.

  int64_t passOf(int64_t piece) const {
    return piece / (kStages * devices) * devices + piece % devices;
  }
  int64_t stageOf(int64_t piece) const { return piece / devices % kStages; }

  /// What is kept of a layer, and a result that the next one reads.
  void forward(int64_t pass, int64_t stage) {
    for (int64_t layer = 0; layer < kLayers; ++layer, now += 2) {
      begins[{pass, stage, layer}] = now;
      add({now, now + 2}, 64);
    }
  }
  void backward(int64_t pass, int64_t stage) {
    for (int64_t layer = kLayers; layer-- > 0; now += 2)
      add({begins[{pass, stage, layer}], now + 1},
          sizes[size_t(stage * kLayers + layer)]);
  }
  void add(Interval life, int64_t bytes) {
    buffers.push_back(
        buffer("b" + std::to_string(buffers.size()), {life}, bytes));
  }

  std::mt19937_64 random;
  const int64_t devices, passes;
  std::array<int64_t, size_t(kStages *kLayers)> sizes;
  std::map<std::array<int64_t, 3>, int64_t> begins;
  std::vector<Buffer> buffers;
  int64_t now = 0;
};

/// What each piece of a pass keeps is one stack, and has the place of another
/// (7.7 % above the live sum otherwise).
TEST(NestedStacks, TakeTurnsInTheirPlaces) {
  for (uint64_t seed : {3, 5}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = Interleaved(seed, 4, 40).run(1);
    const Plan plan = std::get<Plan>(solveWith(problem, "end-matching"));
    EXPECT_TRUE(validate(problem, plan).empty());
    EXPECT_LE(double(plan.pools[0].usedBytes),
              1.03 * double(plan.pools[0].lowerBoundBytes));
  }
}

/// Where alignments, pins, pauses or forbidden pairs are in the way there are
/// other plans.
TEST(NestedStacks, LeaveTheRestToOthers) {
  for (int kind = 0; kind < 5; ++kind) {
    SCOPED_TRACE(kind);
    Problem problem = Interleaved(3, 2, 8).run(0);
    Buffer &first = problem.buffers[0], &last = problem.buffers.back();
    if (kind == 0)
      first.alignment = 3, last.alignment = 128;
    if (kind == 1)
      first.pin = Pin{0, 640};
    if (kind == 2)
      last.lifespans = {{0, 1}, {40, 50}};
    if (kind == 3)
      problem.forbiddenSharing = {{0, BufferId(problem.buffers.size() - 1)}};
    if (kind == 4)
      last.sizeBytes = int64_t(1) << 61;
    const Plan plan = std::get<Plan>(solveWith(problem, "end-matching"));
    EXPECT_TRUE(validate(problem, plan).empty());
  }
}

} // namespace
