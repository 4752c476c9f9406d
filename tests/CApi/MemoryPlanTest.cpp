//===- MemoryPlanTest.cpp - The planner behind its C interface ------------===//

#include "tpu_mlir/CApi/MemoryPlan.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>
#include <thread>

extern "C" int64_t planInC(int64_t capacityBytes, TpumemStatus *status);

namespace tpu_mlir {
namespace {

using testing::HasSubstr;

struct Arrays {
  std::vector<int64_t> sizes, lower, upper, alignments;
  TpumemBuffers view() const {
    return {sizeof(TpumemBuffers), int64_t(sizes.size()), sizes.data(),
            lower.data(),          upper.data(),          alignments.data()};
  }
};

Arrays randomArrays(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Arrays arrays;
  for (size_t i = 0; i < count; ++i) {
    const int64_t begin = random() % 50;
    arrays.sizes.push_back(random() % 5000);
    arrays.lower.push_back(begin);
    arrays.upper.push_back(begin + 1 + random() % 9);
    arrays.alignments.push_back(int64_t(1) << random() % 7);
  }
  return arrays;
}

/// Status, offsets, and the message where there is one.
struct Answer {
  TpumemStatus status;
  std::vector<int64_t> offsets;
  TpumemResult figures;
  std::string message;
};

Answer ask(const TpumemBuffers &buffers, const TpumemOptions *options) {
  Answer answer{};
  answer.offsets.assign(std::max<int64_t>(buffers.count, 0), -7);
  answer.figures.structBytes = sizeof(TpumemResult);
  answer.status =
      tpumemSolve(&buffers, options, answer.offsets.data(), &answer.figures);
  if (answer.figures.message)
    answer.message = answer.figures.message;
  tpumemFree(answer.figures.message);
  return answer;
}

Answer ask(const Arrays &arrays, const TpumemOptions *options = nullptr) {
  return ask(arrays.view(), options);
}

TpumemOptions defaults() {
  TpumemOptions options;
  tpumemDefaultOptions(&options);
  return options;
}

TEST(CApi, PlansAsTheCoreDoes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Arrays arrays = randomArrays(200, seed);
    planning::Problem problem;
    problem.pools.emplace_back().name = "memory";
    for (size_t i = 0; i < arrays.sizes.size(); ++i) {
      planning::Buffer buffer;
      buffer.sizeBytes = arrays.sizes[i];
      buffer.alignment = arrays.alignments[i];
      buffer.lifespans = {{arrays.lower[i], arrays.upper[i]}};
      problem.buffers.push_back(buffer);
    }
    const auto solved = planning::solve(problem);
    const auto &plan = std::get<planning::Plan>(solved);
    const Answer answer = ask(arrays);
    ASSERT_EQ(answer.status, TPUMEM_OK);
    for (size_t i = 0; i < arrays.sizes.size(); ++i)
      EXPECT_EQ(answer.offsets[i], plan.placements[i].offsetBytes);
    EXPECT_EQ(answer.figures.usedBytes, plan.pools[0].usedBytes);
    EXPECT_EQ(answer.figures.lowerBoundBytes, plan.pools[0].lowerBoundBytes);
    EXPECT_EQ(answer.figures.proof, int32_t(plan.proof));
  }
}

TEST(CApi, FromC) {
  TpumemStatus status;
  EXPECT_EQ(planInC(INT64_MAX, &status), 96);
  EXPECT_EQ(status, TPUMEM_OK);
  EXPECT_EQ(planInC(95, &status), 96);
  EXPECT_EQ(status, TPUMEM_DOES_NOT_FIT);
}

TEST(CApi, SaysWhatIsWrong) {
  TpumemOptions options = defaults();
  options.capacityBytes = 100;
  const Answer over = ask({{64, 64}, {0, 0}, {1, 1}, {1, 1}}, &options);
  EXPECT_EQ(over.status, TPUMEM_DOES_NOT_FIT);
  EXPECT_EQ(over.figures.needBytes, 128);
  EXPECT_THAT(over.message, HasSubstr("needs 128 B, has 100 B, over by 28 B"));
  EXPECT_THAT(over.message, HasSubstr("buffer 1"));
  EXPECT_EQ(over.offsets, (std::vector<int64_t>{-7, -7})) << "left alone";

  const Answer empty = ask({{64}, {3}, {3}, {1}});
  EXPECT_EQ(empty.status, TPUMEM_BAD_INPUT);
  EXPECT_THAT(empty.message, HasSubstr("buffer 0: "));
  EXPECT_EQ(ask({{-1}, {0}, {1}, {1}}).status, TPUMEM_BAD_INPUT);
  EXPECT_EQ(ask({{1}, {0}, {1}, {0}}).status, TPUMEM_BAD_INPUT);
}

TEST(CApi, OptionsOutOfRange) {
  const Arrays one{{64}, {0}, {1}, {1}};
  const auto refused = [&](auto set, const char *word) {
    TpumemOptions options = defaults();
    set(options);
    const Answer answer = ask(one, &options);
    EXPECT_EQ(answer.status, TPUMEM_USAGE);
    EXPECT_THAT(answer.message, HasSubstr(word));
  };
  refused([](TpumemOptions &o) { o.strategy = "magic"; }, "'magic'");
  refused([](TpumemOptions &o) { o.nodeLimit = -1; }, "nodeLimit");
  refused([](TpumemOptions &o) { o.capacityBytes = -1; }, "capacityBytes");
  refused([](TpumemOptions &o) { o.threads = -1; }, "threads");
  refused([](TpumemOptions &o) { o.timeLimitSeconds = -1; }, "timeLimit");
  refused([](TpumemOptions &o) { o.timeLimitSeconds = NAN; }, "timeLimit");
  TpumemBuffers none = one.view();
  none.sizes = nullptr;
  EXPECT_EQ(ask(none, nullptr).status, TPUMEM_USAGE);
  none.count = -1;
  EXPECT_EQ(ask(none, nullptr).status, TPUMEM_USAGE);
  EXPECT_EQ(tpumemSolve(nullptr, nullptr, nullptr, nullptr), TPUMEM_USAGE);
}

TEST(CApi, NothingToPlan) {
  const TpumemBuffers none{
      sizeof(TpumemBuffers), 0, nullptr, nullptr, nullptr, nullptr};
  const Answer answer = ask(none, nullptr);
  EXPECT_EQ(answer.status, TPUMEM_OK);
  EXPECT_EQ(answer.figures.usedBytes, 0);
}

/// Structs of a caller that was compiled against fewer fields: what it does not
/// know is left alone, and taken as by default.
TEST(CApi, OlderCallers) {
  const Arrays arrays{{64, 64}, {0, 0}, {1, 1}, {64, 64}};
  TpumemBuffers buffers = arrays.view();
  buffers.structBytes = offsetof(TpumemBuffers, alignments);
  buffers.alignments = reinterpret_cast<const int64_t *>(1);
  TpumemOptions options = defaults();
  options.structBytes = offsetof(TpumemOptions, capacityBytes);
  options.capacityBytes = 1;
  options.threads = -5;
  TpumemResult result;
  std::memset(&result, 0x5a, sizeof(result));
  result.structBytes = offsetof(TpumemResult, proof);
  int64_t offsets[2];
  EXPECT_EQ(tpumemSolve(&buffers, &options, offsets, &result), TPUMEM_OK);
  EXPECT_EQ(result.usedBytes, 128);
  EXPECT_EQ(result.proof, 0x5a5a5a5a);
}

TEST(CApi, Json) {
  const std::string text = R"({"version": 1,
    "pools": [{"name": "fast", "capacityBytes": 64}, {"name": "slow"}],
    "buffers": [
      {"name": "a", "sizeBytes": 64, "lifespans": [[0, 2]], "pools": ["fast", "slow"]},
      {"name": "b", "sizeBytes": 64, "lifespans": [[1, 3]], "pools": ["fast", "slow"]}]})";
  char *plan = nullptr;
  TpumemResult result{sizeof(TpumemResult), 0, 0, 0, 0, nullptr};
  ASSERT_EQ(tpumemSolveJson(text.data(), text.size(), nullptr, &plan, &result),
            TPUMEM_OK)
      << result.message;
  const auto parsed = planning::parseProblemJson(text);
  const auto &problem = std::get<planning::Problem>(parsed);
  const auto solved = planning::solve(problem);
  EXPECT_EQ(plan, printPlanJson(problem, std::get<planning::Plan>(solved)));
  EXPECT_EQ(result.usedBytes, 128);
  tpumemFree(plan);

  ASSERT_EQ(tpumemSolveJson("{", 1, nullptr, &plan, &result), TPUMEM_BAD_INPUT);
  EXPECT_EQ(plan, nullptr);
  EXPECT_THAT(result.message, HasSubstr("line 1, column "));
  tpumemFree(result.message);
  TpumemOptions options = defaults();
  options.capacityBytes = 5;
  EXPECT_EQ(tpumemSolveJson(text.data(), text.size(), &options, &plan, &result),
            TPUMEM_USAGE);
  tpumemFree(result.message);
}

TEST(CApi, SeveralThreads) {
  const Arrays arrays = randomArrays(500, 1);
  const Answer alone = ask(arrays);
  std::vector<std::vector<int64_t>> answers(4);
  std::vector<std::thread> threads;
  for (std::vector<int64_t> &answer : answers)
    threads.emplace_back([&] { answer = ask(arrays).offsets; });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<int64_t> &answer : answers)
    EXPECT_EQ(answer, alone.offsets);
}

TEST(CApi, Versions) {
  EXPECT_EQ(tpumemApiVersion(), TPUMEM_API_VERSION);
  EXPECT_THAT(tpumemVersion(), HasSubstr(" (LLVM "));
}

} // namespace
} // namespace tpu_mlir
