//===- ExplanationSchemaTest.cpp - The schema of explanations -------------===//

#include "tests/property/planning/RandomProblems.h"
#include "tests/schema/SchemaChecker.h"

#include "tpu_mlir/Planning/Explain.h"

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using namespace tpu_mlir::schema;

namespace {

TEST(ExplanationSchema, EveryFieldIsWrittenAndEveryWrittenFieldIsKnown) {
  Schema schema("explanation.schema.json");
  int numPlans = 0, numFailures = 0;
  SolveOptions solveOptions;
  solveOptions.strategy = "best-fit";
  solveOptions.nodeLimit = 1000;
  for (Family family : {Family::Memories, Family::Tight, Family::Pools})
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      const Problem problem = randomProblem(family, seed, 10);
      const SolveResult result = solve(problem, solveOptions);
      const Plan *plan = std::get_if<Plan>(&result);
      const auto *failure = std::get_if<Infeasible>(&result);
      std::optional<Remedies> help;
      if (failure)
        help = remedies(problem, *failure, solveOptions);
      const Explanation why = explain(problem, {plan, solveOptions});
      schema.apply(parsed(
          printExplanationJson(problem, why, plan, help ? &*help : nullptr)));
      numPlans += plan != nullptr;
      numFailures += failure != nullptr;
    }
  EXPECT_GT(numPlans, 10);
  EXPECT_GT(numFailures, 10);
  EXPECT_EQ(schema.problems, std::vector<std::string>());
  EXPECT_EQ(schema.used, schema.known());
}

TEST(ExplanationSchema, KnowsEveryVerdict) {
  Problem problem;
  problem.pools.resize(1);
  problem.pools[0].name = "ddr";
  for (Fit fit : {Fit::Fits, Fit::BoundOver, Fit::ProvedOver,
                  Fit::PackingFailed, Fit::NotKnown}) {
    Explanation why;
    why.pools.resize(1);
    why.pools[0].fit = fit;
    Schema schema("explanation.schema.json");
    schema.apply(parsed(printExplanationJson(problem, why, nullptr, nullptr)));
    EXPECT_EQ(schema.problems, std::vector<std::string>());
  }
}

} // namespace
