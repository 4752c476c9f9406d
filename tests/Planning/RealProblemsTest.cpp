//===- RealProblemsTest.cpp - Public traces through every strategy --------===//
//
// Reads $TPU_MEMORY_DATA/problems and skips when there is none.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Support/AtomicFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

std::vector<std::string> csvFiles() {
  std::vector<std::string> paths;
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data)
    return paths;
  const std::filesystem::path folder = std::filesystem::path(data) / "problems";
  if (std::filesystem::is_directory(folder))
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".csv")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Problem problemIn(const std::string &path) {
  const auto text = readWholeFile(path);
  if (const auto *error = std::get_if<FileError>(&text)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  const auto problem = parseProblemCsv(std::get<std::string>(text));
  if (const auto *error = std::get_if<ParseError>(&problem)) {
    ADD_FAILURE() << path << ":" << error->line << ":" << error->column << ": "
                  << error->message;
    return {};
  }
  return std::get<Problem>(problem);
}

TEST(RealProblems, EveryStrategyIsValidAndAtOrAboveTheBound) {
  const std::vector<std::string> paths = csvFiles();
  if (paths.empty())
    GTEST_SKIP() << "TPU_MEMORY_DATA names no folder with problems";
  for (const std::string &path : paths) {
    SCOPED_TRACE(path);
    const Problem problem = problemIn(path);
    ASSERT_FALSE(problem.buffers.empty());
    const int64_t bound = liveBound(problem, 0).bytes;
    for (const Strategy *strategy : StrategyRegistry::all()) {
      SolveOptions options;
      options.strategy = std::string(strategy->name);
      options.nodeLimit = 10000;
      const SolveResult result = solve(problem, options);
      const Plan *plan = std::get_if<Plan>(&result);
      ASSERT_NE(plan, nullptr) << strategy->name;
      EXPECT_TRUE(validate(problem, *plan).empty()) << strategy->name;
      EXPECT_GE(plan->pools[0].usedBytes, bound) << strategy->name;
    }
  }
}

TEST(RealProblems, FilesComeBackAsTheyWere) {
  const std::vector<std::string> paths = csvFiles();
  if (paths.empty())
    GTEST_SKIP() << "TPU_MEMORY_DATA names no folder with problems";
  for (const std::string &path : paths) {
    SCOPED_TRACE(path);
    const Problem problem = problemIn(path);
    const auto again = parseProblemJson(printProblemJson(problem));
    ASSERT_TRUE(std::holds_alternative<Problem>(again));
    EXPECT_EQ(std::get<Problem>(again), problem);
  }
}

SolveResult solveExactly(const Problem &problem, int64_t nodeLimit) {
  SolveOptions options;
  options.strategy = "exact";
  options.nodeLimit = nodeLimit;
  return solve(problem, options);
}

/// Networks pack well: on the traces of TFLite models the bound is met.
TEST(RealProblems, NetworksMeetTheirBounds) {
  int64_t networks = 0;
  for (const std::string &path : csvFiles()) {
    if (path.find("/dnn/") == std::string::npos)
      continue;
    ++networks;
    const Problem problem = problemIn(path);
    for (const SolveResult &result :
         {solve(problem), solveExactly(problem, 100'000)}) {
      ASSERT_TRUE(std::holds_alternative<Plan>(result));
      EXPECT_EQ(std::get<Plan>(result).proof, Proof::LowerBound) << path;
    }
  }
  if (networks == 0)
    GTEST_SKIP() << "TPU_MEMORY_DATA names no folder with networks";
}

/// What the search is for: 154 to 816 buffers whose lives hardly leave a byte
/// free. The most that each may take is what is known to be possible.
struct Challenge {
  const char *file;
  int64_t mostBytes;
};

class Challenges : public testing::TestWithParam<Challenge> {};

TEST_P(Challenges, AreSolvedToTheBound) {
  const std::vector<std::string> paths = csvFiles();
  const std::string name = std::string("/") + GetParam().file;
  const auto path =
      std::find_if(paths.begin(), paths.end(), [&](const std::string &p) {
        return p.size() > name.size() &&
               p.compare(p.size() - name.size(), name.size(), name) == 0;
      });
  if (path == paths.end())
    GTEST_SKIP() << "TPU_MEMORY_DATA names no folder with " << GetParam().file;
  const Problem problem = problemIn(*path);
  const SolveResult result = solveExactly(problem, 2'000'000);
  ASSERT_TRUE(std::holds_alternative<Plan>(result));
  const Plan &plan = std::get<Plan>(result);
  EXPECT_TRUE(validate(problem, plan).empty());
  EXPECT_EQ(plan.proof, Proof::LowerBound);
  EXPECT_EQ(plan.pools[0].usedBytes, liveBound(problem, 0).bytes);
  EXPECT_LE(plan.pools[0].usedBytes, GetParam().mostBytes);
}

INSTANTIATE_TEST_SUITE_P(Files, Challenges,
                         testing::Values(Challenge{"A.1048576.csv", 1048576},
                                         Challenge{"B.1048576.csv", 1048576},
                                         Challenge{"C.1048576.csv", 1039360},
                                         Challenge{"D.1048576.csv", 986112},
                                         Challenge{"E.1048576.csv", 1048576},
                                         Challenge{"G_1.csv", INT64_MAX}),
                         [](const auto &info) {
                           return std::string(info.param.file, 1);
                         });

} // namespace
