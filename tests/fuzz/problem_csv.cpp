//===- problem_csv.cpp - Arbitrary bytes as CSV ---------------------------===//

#include "tests/fuzz/Entries.h"
#include "tests/fuzz/FileProperties.h"

namespace tpu_mlir::planning {
namespace {

std::string brokenProblem(const Problem &problem) {
  if (!check(problem).empty())
    return "the reader let pass what check() does not";
  const auto again = parseProblemCsv(printProblemCsv(problem));
  if (const auto *error = std::get_if<ParseError>(&again))
    return "what was printed does not parse: " + error->message;
  if (!(std::get<Problem>(again) == problem))
    return "what was printed is another problem";
  const Plan plan = somePlan(problem);
  const auto read = parsePlanCsv(problem, printPlanCsv(problem, plan));
  if (const auto *error = std::get_if<ParseError>(&read))
    return "the plan does not parse: " + error->message;
  if (std::get<Plan>(read).placements != plan.placements ||
      std::get<Plan>(read).pools != plan.pools)
    return "the plan that was printed is another one";
  return "";
}

/// The same bytes as offsets for two buffers.
std::string brokenPlan(std::string_view bytes) {
  Problem problem;
  problem.pools = {{"memory", 0, std::nullopt, 1, 0}};
  for (const char *name : {"a", "b"}) {
    problem.buffers.emplace_back();
    problem.buffers.back().name = name;
    problem.buffers.back().lifespans = {{0, 1}};
  }
  const auto plan = parsePlanCsv(problem, bytes);
  if (const auto *error = std::get_if<ParseError>(&plan))
    return brokenError(*error, bytes);
  return std::get<Plan>(plan).placements.size() == 2 ? "" : "a short plan";
}

} // namespace

FuzzOutcome fuzzProblemCsv(std::string_view bytes) {
  FuzzOutcome outcome;
  outcome.broken = brokenPlan(bytes);
  if (!outcome.broken.empty())
    return outcome;
  const auto parsed = parseProblemCsv(bytes);
  if (const auto *error = std::get_if<ParseError>(&parsed)) {
    outcome.broken = brokenError(*error, bytes);
    return outcome;
  }
  outcome.isProblem = true;
  outcome.broken = brokenProblem(std::get<Problem>(parsed));
  return outcome;
}

} // namespace tpu_mlir::planning
