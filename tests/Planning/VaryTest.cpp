//===- VaryTest.cpp - Problems like a given one ---------------------------===//

#include "tpu_mlir/tools/memplan/generators/Vary.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

Generated strip(uint64_t seed = 1) {
  GenerateOptions options;
  options.family = "pinwheel";
  options.buffers = 60;
  options.seed = seed;
  return std::get<Generated>(generate(options));
}

std::variant<Generated, std::string> tried(const Generated &made,
                                           const VaryOptions &options) {
  return vary({&made.problem, &*made.plan}, {}, options);
}

Generated varied(const Generated &made, const std::string &kind,
                 uint64_t seed = 1, int64_t percent = 3, int64_t grid = 64) {
  return std::get<Generated>(tried(made, {kind, seed, percent, grid}));
}

TEST(Vary, EachMakesAnotherProblemAndAPlanOfIt) {
  const Generated made = strip();
  for (const std::string &kind : variations()) {
    SCOPED_TRACE(kind);
    const Generated other = varied(made, kind);
    EXPECT_TRUE(check(other.problem).empty());
    EXPECT_FALSE(other.problem == made.problem);
    EXPECT_TRUE(other.problem == varied(made, kind).problem);
    ASSERT_TRUE(other.plan);
    EXPECT_TRUE(validate(other.problem, *other.plan, 1).empty());
    EXPECT_GE(other.plan->pools[0].usedBytes,
              liveBound(other.problem, 0).bytes);
  }
}

TEST(Vary, SeedsDiffer) {
  const Generated made = strip();
  for (const char *kind :
       {"drop", "grid", "lives", "minus-byte", "plus-byte", "sizes"})
    EXPECT_FALSE(varied(made, kind, 1).problem.buffers ==
                 varied(made, kind, 2).problem.buffers)
        << kind;
}

TEST(Vary, SizesStayNear) {
  const Generated made = strip();
  for (int64_t percent : {1, 3, 20}) {
    const Generated other = varied(made, "sizes", 1, percent);
    for (size_t id = 0; id < made.problem.buffers.size(); ++id) {
      const int64_t before = made.problem.buffers[id].sizeBytes;
      const int64_t now = other.problem.buffers[id].sizeBytes;
      EXPECT_LE(std::abs(now - before) * 100, before * percent + 100);
    }
  }
  for (const Buffer &buffer : varied(made, "grid", 1, 3, 4096).problem.buffers)
    EXPECT_EQ(buffer.sizeBytes % 4096, 0);
  for (const Buffer &buffer :
       varied(made, "alignment", 1, 3, 4096).problem.buffers)
    EXPECT_EQ(buffer.alignment, 4096);
}

TEST(Vary, BytesAndPrimes) {
  const Generated made = strip();
  const Generated less = varied(made, "minus-byte"),
                  more = varied(made, "plus-byte"),
                  primes = varied(made, "primes");
  int64_t taken = 0, added = 0;
  for (size_t id = 0; id < made.problem.buffers.size(); ++id) {
    const int64_t size = made.problem.buffers[id].sizeBytes;
    taken += size - less.problem.buffers[id].sizeBytes;
    added += more.problem.buffers[id].sizeBytes - size;
    const int64_t prime = primes.problem.buffers[id].sizeBytes;
    EXPECT_LE(prime, size);
    for (int64_t d = 2; d * d <= prime; ++d)
      ASSERT_NE(prime % d, 0);
  }
  EXPECT_GT(taken, 10);
  EXPECT_LT(taken, 50);
  EXPECT_GT(added, 10);
  EXPECT_LT(added, 50);
  // The old plan holds: the order from the bottom up is no higher.
  EXPECT_LE(less.plan->pools[0].usedBytes, made.plan->pools[0].usedBytes);
}

TEST(Vary, TwoProblemsAreOne) {
  const Generated first = strip(1), second = strip(2);
  for (const char *kind : {"concat", "side-by-side"}) {
    const auto result =
        vary({&first.problem, &*first.plan}, {&second.problem, &*second.plan},
             {kind, 1, 3, 64});
    const Generated &both = std::get<Generated>(result);
    EXPECT_EQ(both.problem.buffers.size(), 120u);
    ASSERT_TRUE(both.plan);
    EXPECT_TRUE(validate(both.problem, *both.plan, 1).empty());
    const int64_t height = int64_t(1) << 20;
    EXPECT_EQ(both.plan->pools[0].usedBytes,
              kind == std::string("concat") ? height : 2 * height);
    EXPECT_EQ(both.optimumBytes, both.plan->pools[0].usedBytes);
  }
}

TEST(Vary, SaysWhatMakesNoSense) {
  Generated made = strip();
  const auto wrong = [&](const VaryOptions &options) {
    const auto result = tried(made, options);
    const auto *text = std::get_if<std::string>(&result);
    return text ? *text : std::string();
  };
  EXPECT_EQ(wrong({"luck", 1, 3, 64}), "unknown variation 'luck'");
  EXPECT_EQ(wrong({"sizes", 1, 0, 64}),
            "the percentage must be from 1 to 90, not 0");
  EXPECT_EQ(wrong({"grid", 1, 3, 0}),
            "the grid must be from 1 to 4611686018427387904 bytes, not 0");
  made.problem.buffers[3].pin = Pin{0, 64};
  EXPECT_NE(wrong({"sizes", 1, 3, 64}).find("only problems of one pool"),
            std::string::npos);
}

} // namespace
