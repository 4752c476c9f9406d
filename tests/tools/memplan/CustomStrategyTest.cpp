//===- CustomStrategyTest.cpp - A strategy from outside, by its name ------===//
//
// What tpu_mlir/docs/add/AddAStrategy.md promises: a program that links memplan
// and registers a strategy of its own has it on the command line.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/tools/memplan/Memplan.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace tpu_mlir::planning;

namespace {

/// One after the other from the last to the first, with a page between them.
std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &) {
  constexpr int64_t kPageBytes = 4096;
  Packing packing;
  packing.offsets.resize(problem.items.size());
  for (size_t i = 0; i < packing.offsets.size(); ++i)
    packing.offsets[i] = kPageBytes * int64_t(packing.offsets.size() - 1 - i);
  return packing;
}

const RegisterStrategy
    registration({"spaced", "one after the other, a page apart; O(n)", pack});

TEST(CustomStrategy, IsNamedOnTheCommandLine) {
  EXPECT_NE(StrategyRegistry::names().find("spaced"), std::string::npos);
  const std::string problem = testing::TempDir() + "/three.csv";
  const std::string plan = testing::TempDir() + "/plan.csv";
  std::ofstream(problem) << "id,lower,upper,size\na,0,2,8\nb,1,3,8\nc,2,4,8\n";
  const std::string output = "--output=" + plan;
  const char *arguments[] = {"memplan", "solve",        "--strategy=spaced",
                             "--quiet", output.c_str(), problem.c_str()};
  ASSERT_EQ(tpu_mlir::memplan::runMemplan(6, arguments), 0);
  std::stringstream text;
  text << std::ifstream(plan).rdbuf();
  EXPECT_EQ(text.str(), "id,lower,upper,size,offset\na,0,2,8,8192\n"
                        "b,1,3,8,4096\nc,2,4,8,0\n");
}

} // namespace
