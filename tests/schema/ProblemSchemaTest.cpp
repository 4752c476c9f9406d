//===- ProblemSchemaTest.cpp - The schema of problems and the writer ------===//

#include "tests/property/planning/RandomProblems.h"
#include "tests/schema/SchemaChecker.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using namespace tpu_mlir::schema;

namespace {

TEST(ProblemSchema, EveryFieldIsWrittenAndEveryWrittenFieldIsKnown) {
  Schema schema("problem.schema.json");
  for (Family family : allFamilies())
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Problem problem = randomProblem(family, seed);
      problem.buffers[0].location = "model.mlir:1:1";
      problem.pools[0].targets = {"c", "accel"};
      problem.pools[0].isCallers = seed == 1;
      SolveOptions options;
      options.nodeLimit = 100;
      const SolveResult solved = solve(problem, options);
      if (problem.buffers.size() > 1)
        problem.overlaps = {{0, 1, 5}};
      schema.apply(
          parsed(printProblemJson(problem, std::get_if<Plan>(&solved))));
    }
  EXPECT_EQ(schema.problems, std::vector<std::string>());
  EXPECT_EQ(schema.used, schema.known());
}

TEST(ProblemSchema, RejectsWhatTheReaderRejects) {
  const std::string good = R"({"version": 1, "buffers": [
      {"name": "a", "sizeBytes": 3, "lifespans": [[0, 1]]}]})";
  auto isRejected = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    Schema schema("problem.schema.json");
    schema.apply(parsed(text));
    EXPECT_TRUE(std::holds_alternative<ParseError>(parseProblemJson(text)) ||
                schema.problems.empty())
        << text;
    return !schema.problems.empty();
  };
  EXPECT_FALSE(isRejected("3", "4"));
  EXPECT_TRUE(isRejected("3", "-3"));
  EXPECT_TRUE(isRejected("3", "\"3\""));
  EXPECT_TRUE(isRejected("\"version\": 1", "\"version\": 2"));
  EXPECT_TRUE(isRejected("[[0, 1]]", "[]"));
  EXPECT_TRUE(isRejected("[0, 1]", "[0]"));
  EXPECT_TRUE(isRejected("[0, 1]", "[-1, 1]"));
  EXPECT_TRUE(isRejected("\"a\"", "\"\""));
  EXPECT_TRUE(isRejected("\"sizeBytes\": 3,", ""));
  EXPECT_TRUE(isRejected("\"sizeBytes\"", "\"size\": 1, \"sizeBytes\""));
}

} // namespace
