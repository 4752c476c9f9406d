//===- FilesPropertyTest.cpp - What is written can be read ----------------===//

#include "tests/property/planning/RandomProblems.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

template <typename T> const T *good(const std::variant<T, ParseError> &result) {
  if (const auto *error = std::get_if<ParseError>(&result))
    ADD_FAILURE() << error->line << ":" << error->column << ": "
                  << error->message;
  return std::get_if<T>(&result);
}

class Files : public testing::TestWithParam<Family> {};

TEST_P(Files, ProblemsAndPlansComeBack) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = randomProblem(GetParam(), seed);
    const std::string text = printProblemJson(problem);
    const auto parsed = parseProblemJson(text);
    ASSERT_NE(good(parsed), nullptr) << text;
    EXPECT_EQ(*good(parsed), problem) << text;

    SolveOptions options;
    options.nodeLimit = 1000;
    const SolveResult solved = solve(problem, options);
    const Plan *plan = std::get_if<Plan>(&solved);
    if (!plan)
      continue;
    const auto fromJson = parsePlanJson(problem, printPlanJson(problem, *plan));
    ASSERT_NE(good(fromJson), nullptr);
    EXPECT_EQ(*good(fromJson), *plan);

    const auto fromCsv = parsePlanCsv(problem, printPlanCsv(problem, *plan));
    ASSERT_NE(good(fromCsv), nullptr);
    EXPECT_EQ(good(fromCsv)->placements, plan->placements);
    for (size_t pool = 0; pool < plan->pools.size(); ++pool)
      EXPECT_EQ(good(fromCsv)->pools[pool].usedBytes,
                plan->pools[pool].usedBytes);
  }
}

/// Damaged files are errors with a position, or still problems; never a crash.
TEST_P(Files, DamagedFilesAreErrorsOrProblems) {
  int64_t errors = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Draw draw(seed);
    std::string text = printProblemJson(randomProblem(GetParam(), seed, 6));
    for (int64_t i = draw.between(1, 3); i > 0; --i) {
      const size_t at = size_t(draw.between(0, int64_t(text.size()) - 1));
      if (draw.chance(50))
        text.erase(at, size_t(draw.between(1, 5)));
      else
        text[at] = char(draw.between(0, 255));
    }
    for (const auto &parsed : {parseProblemJson(text), parseProblemCsv(text)})
      if (const auto *error = std::get_if<ParseError>(&parsed)) {
        ++errors;
        EXPECT_GE(error->line, 1) << error->message;
        EXPECT_GE(error->column, 1) << error->message;
        EXPECT_FALSE(error->message.empty());
      } else {
        EXPECT_TRUE(check(std::get<Problem>(parsed)).empty());
      }
  }
  EXPECT_GT(errors, 60);
}

INSTANTIATE_TEST_SUITE_P(Families, Files, testing::ValuesIn(allFamilies()),
                         [](const auto &info) {
                           return familyName(info.param);
                         });

} // namespace
