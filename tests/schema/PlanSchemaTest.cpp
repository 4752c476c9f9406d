//===- PlanSchemaTest.cpp - The schema of plans says what is written ------===//

#include "tests/property/planning/RandomProblems.h"
#include "tests/schema/SchemaChecker.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using namespace tpu_mlir::schema;

namespace {

TEST(PlanSchema, EveryFieldIsWrittenAndEveryWrittenFieldIsKnown) {
  Schema schema("plan.schema.json");
  int numPlans = 0;
  for (Family family : allFamilies())
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Problem problem = randomProblem(family, seed);
      SolveOptions options;
      options.nodeLimit = 1000;
      const SolveResult result = solve(problem, options);
      if (const Plan *found = std::get_if<Plan>(&result)) {
        Plan plan = *found;
        addClassicUse(problem, plan);
        plan.isInterrupted = seed == 1;
        schema.apply(parsed(printPlanJson(problem, plan)));
        ++numPlans;
      }
    }
  EXPECT_GT(numPlans, 10);
  EXPECT_EQ(schema.problems, std::vector<std::string>());
  EXPECT_EQ(schema.used, schema.known());
}

TEST(PlanSchema, KnowsEveryProof) {
  Problem problem;
  problem.pools = {{"ddr", 0, {}, 1, 0}};
  Plan plan;
  plan.pools = {{0, 0}};
  for (Proof proof :
       {Proof::None, Proof::LowerBound, Proof::Optimal, Proof::LimitHit}) {
    plan.proof = proof;
    Schema schema("plan.schema.json");
    schema.apply(parsed(printPlanJson(problem, plan)));
    EXPECT_EQ(schema.problems, std::vector<std::string>());
  }
}

TEST(PlanSchema, RejectsWhatTheReaderRejects) {
  Problem problem;
  problem.pools = {{"ddr", 0, {}, 1, 0}};
  problem.buffers.resize(1);
  problem.buffers[0].name = "a";
  problem.buffers[0].sizeBytes = 4;
  problem.buffers[0].lifespans = {{0, 1}};
  const std::string good =
      R"({"version": 1, "proof": "none", "pools": [{"name": "ddr",
          "usedBytes": 4}], "placements": [{"buffer": "a", "pool": "ddr",
          "offsetBytes": 0}]})";
  auto isRejected = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    Schema schema("plan.schema.json");
    schema.apply(parsed(text));
    EXPECT_EQ(std::holds_alternative<ParseError>(parsePlanJson(problem, text)),
              !schema.problems.empty())
        << text;
    return !schema.problems.empty();
  };
  EXPECT_FALSE(isRejected("none", "optimal"));
  EXPECT_TRUE(isRejected("none", "luck"));
  EXPECT_TRUE(isRejected("\"version\": 1", "\"version\": 2"));
  EXPECT_TRUE(isRejected("\"offsetBytes\": 0", "\"offset\": 0"));
  EXPECT_TRUE(isRejected("\"usedBytes\": 4", "\"used\": 4"));
  EXPECT_TRUE(isRejected("\"proof\"", "\"prove\""));
}

} // namespace
