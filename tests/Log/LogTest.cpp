//===- LogTest.cpp - What a program says while it works -------------------===//

#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Log/Decisions.h"
#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/Log/Progress.h"

#include <gtest/gtest.h>

#include <thread>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

class LogTest : public testing::Test {
protected:
  void TearDown() override { log::setLevel(log::Level::Warning); }

  /// What `talk` writes to standard error.
  template <typename Talk> static std::string heard(const Talk &talk) {
    testing::internal::CaptureStderr();
    talk();
    return testing::internal::GetCapturedStderr();
  }
};

Buffer buffer(const char *name, int64_t sizeBytes, Interval life) {
  Buffer result;
  result.name = name;
  result.sizeBytes = sizeBytes;
  result.lifespans = {life};
  return result;
}

Problem threeBuffers() {
  Problem problem;
  problem.pools.emplace_back().name = "sram";
  problem.buffers = {buffer("a", 64, {0, 2}), buffer("b", 32, {1, 3}),
                     buffer("c", 64, {2, 3})};
  return problem;
}

TEST_F(LogTest, ProgressIsForTerminals) {
  log::setLevel(log::Level::Info);
  EXPECT_EQ(heard([] {
              log::progress("reading");
              log::progress("running", 1, 2);
              log::info("i");
              log::progress("");
            }),
            "i\n");
}

TEST_F(LogTest, EachLevelShowsItselfAndWhatIsWorse) {
  const auto all = [] {
    log::debug("d");
    log::info("i");
    log::warning("w");
    log::error("e");
  };
  EXPECT_EQ(heard(all), "w\ne\n");
  const std::pair<log::Level, const char *> shown[] = {
      {log::Level::Debug, "debug: d\ni\nw\ne\n"},
      {log::Level::Info, "i\nw\ne\n"},
      {log::Level::Warning, "w\ne\n"},
      {log::Level::Error, "e\n"}};
  for (const auto &[level, text] : shown) {
    log::setLevel(level);
    EXPECT_EQ(heard(all), text);
    EXPECT_EQ(log::levelOfName(log::levelName(level)), level);
    EXPECT_TRUE(log::isShown(level));
  }
  EXPECT_FALSE(log::isShown(log::Level::Warning));
  EXPECT_FALSE(log::levelOfName("Debug"));
  EXPECT_EQ(log::levelNames(), "debug, info, warning, error");
}

TEST_F(LogTest, BracesAreText) {
  log::setLevel(log::Level::Info);
  EXPECT_EQ(heard([] { log::info("{} {0} {"); }), "{} {0} {\n");
}

TEST_F(LogTest, EntriesOfThreadsDoNotMix) {
  const std::string text = heard([] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (int j = 0; j < 50; ++j)
          log::error("first\nsecond");
      });
    for (std::thread &thread : threads)
      thread.join();
  });
  std::string expected;
  for (int i = 0; i < 200; ++i)
    expected += "first\nsecond\n";
  EXPECT_EQ(text, expected);
}

TEST_F(LogTest, DecisionsSayWhatDecides) {
  Problem problem = threeBuffers();
  const SolveResult plan = solve(problem);
  EXPECT_EQ(heard([&] { log::decision("tensors", problem, plan); }), "");
  log::setLevel(log::Level::Debug);
  std::string text = heard([&] { log::decision("tensors", problem, plan); });
  EXPECT_EQ(text.rfind("debug: tensors: 3 buffers\n", 0), 0u) << text;
  EXPECT_NE(text.find("sram: used 96 B, lower bound 96 B"), std::string::npos)
      << text;
  EXPECT_NE(text.find("sram: most is alive at step 1: 'a' 64 B, 'b' 32 B\n"),
            std::string::npos)
      << text;

  problem.pools[0].capacityBytes = 90;
  const SolveResult none = solve(problem);
  text = heard([&] { log::decision("tensors", problem, none); });
  problem.buffers.clear();
  EXPECT_EQ(heard([&] { log::decision("tensors", problem, none); }), "");
  EXPECT_NE(text.find("no plan by auto: pool 'sram' needs 96 B, has 90 B, over "
                      "by 6 B\n"),
            std::string::npos)
      << text;
}

TEST_F(LogTest, ManyAtThePeakAreSummed) {
  Problem problem = threeBuffers();
  for (int i = 0; i < 5; ++i)
    problem.buffers.push_back(buffer("small", 2 + i, {1, 2}));
  EXPECT_EQ(describePeak(problem, 0),
            "sram: most is alive at step 1: 'a' 64 B, 'b' 32 B, 'small' 6 B, "
            "'small' 5 B, 3 more with 9 B");
  problem.buffers.clear();
  EXPECT_EQ(describePeak(problem, 0), "");
}

} // namespace
