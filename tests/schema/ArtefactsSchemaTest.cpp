//===- ArtefactsSchemaTest.cpp - The schema of maps says what is written --===//

#include "tests/property/planning/RandomProblems.h"
#include "tests/schema/SchemaChecker.h"

#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Report/ArtefactReport.h"

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using namespace tpu_mlir::report;
using namespace tpu_mlir::schema;

namespace {

void applyMap(Schema &schema, const std::vector<ArtefactModel> &models,
              const ArtefactOptions &options) {
  const ArtefactResult result = renderArtefacts(models, options);
  const auto *files = std::get_if<std::vector<ArtefactFile>>(&result);
  ASSERT_NE(files, nullptr) << std::get<ArtefactError>(result).message;
  schema.apply(parsed(files->back().contents));
}

TEST(ArtefactsSchema, EveryFieldIsWrittenAndEveryWrittenFieldIsKnown) {
  Schema schema("artefacts.schema.json");
  int numMaps = 0;
  for (Family family : allFamilies())
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Problem problem = randomProblem(family, seed);
      // A pool of inputs that the caller provides.
      problem.pools.emplace_back().name = "io";
      problem.pools[0].targets = {"c", "accel"};
      Buffer &input = problem.buffers.emplace_back();
      input.name = "image";
      input.kind = BufferKind::Input;
      input.lifespans = {{0, 1}};
      input.pools = {PoolId(problem.pools.size()) - 1};
      SolveOptions solveOptions;
      solveOptions.nodeLimit = 1000;
      const SolveResult result = solve(problem, solveOptions);
      const Plan *plan = std::get_if<Plan>(&result);
      if (!plan)
        continue;
      ++numMaps;
      const std::string pool = problem.pools[0].name;
      applyMap(schema, {{"net", &problem, plan, ""}},
               {"net", {pool}, {"io"}, {{pool, ".bss.first"}}, {}});
    }
  EXPECT_GT(numMaps, 10);
  EXPECT_EQ(schema.problems, std::vector<std::string>());
  EXPECT_EQ(schema.used, schema.known());
}

TEST(ArtefactsSchema, KnowsHowModelsArePlanned) {
  Problem first, second;
  for (Problem *problem : {&first, &second})
    problem->pools.emplace_back().name = "sram";
  Plan plan;
  plan.pools.resize(1);
  Schema schema("artefacts.schema.json");
  const ArtefactOptions options{"app", {}, {}, {}, {}};
  applyMap(schema, {{"a", &first, &plan, "a/"}, {"b", &first, &plan, "b/"}},
           options);
  applyMap(schema, {{"a", &first, &plan, ""}, {"b", &second, &plan, ""}},
           options);
  EXPECT_EQ(schema.problems, std::vector<std::string>());
}

} // namespace
