//===- problem_json.cpp - Arbitrary bytes as JSON -------------------------===//

#include "tests/fuzz/Entries.h"
#include "tests/fuzz/FileProperties.h"

namespace tpu_mlir::planning {
namespace {

std::string brokenProblem(const Problem &problem, std::string_view bytes) {
  if (!check(problem).empty())
    return "the reader let pass what check() does not";
  const auto again = parseProblemJson(printProblemJson(problem));
  if (const auto *error = std::get_if<ParseError>(&again))
    return "what was printed does not parse: " + error->message;
  if (!(std::get<Problem>(again) == problem))
    return "what was printed is another problem";
  const Plan plan = somePlan(problem);
  const auto read = parsePlanJson(problem, printPlanJson(problem, plan));
  if (const auto *error = std::get_if<ParseError>(&read))
    return "the plan does not parse: " + error->message;
  if (!(std::get<Plan>(read) == plan))
    return "the plan that was printed is another one";
  // A problem is no plan; neither is it a crash.
  const auto noPlan = parsePlanJson(problem, bytes);
  const auto *error = std::get_if<ParseError>(&noPlan);
  return error ? brokenError(*error, bytes) : "a problem was read as a plan";
}

} // namespace

FuzzOutcome fuzzProblemJson(std::string_view bytes) {
  FuzzOutcome outcome;
  const auto parsed = parseProblemJson(bytes);
  if (const auto *error = std::get_if<ParseError>(&parsed)) {
    outcome.broken = brokenError(*error, bytes);
    return outcome;
  }
  outcome.isProblem = true;
  outcome.broken = brokenProblem(std::get<Problem>(parsed), bytes);
  return outcome;
}

} // namespace tpu_mlir::planning
