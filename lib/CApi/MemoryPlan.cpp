//===- MemoryPlan.cpp - The planner for programs in C and beyond ----------===//
//
// Turns arrays and JSON into problems, and plans and reasons back. Nothing that
// is thrown leaves this file.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/CApi/MemoryPlan.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Shortage.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Version.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

/// How a call ends badly.
struct Failure {
  TpumemStatus status;
  std::string message;
  int64_t needBytes = 0;
};

/// What the caller filled of a struct that may have grown since.
template <typename T> T partOf(const T &given) {
  T known{};
  std::memcpy(&known, &given, std::min(given.structBytes, sizeof(T)));
  return known;
}

char *copyText(const std::string &text) {
  auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (copy)
    std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::optional<Failure> findMisuse(const TpumemOptions &options) {
  const auto misuse = [](std::string message) {
    return Failure{TPUMEM_USAGE, std::move(message) + " [TPUMEM-E018]"};
  };
  const std::string name = options.strategy ? options.strategy : "auto";
  if (!StrategyRegistry::find(name))
    return misuse("unknown strategy '" + name + "', there are " +
                  StrategyRegistry::names());
  if (options.nodeLimit < 0)
    return misuse("nodeLimit has to be at least 0, is " +
                  std::to_string(options.nodeLimit));
  if (!(options.timeLimitSeconds >= 0) || std::isinf(options.timeLimitSeconds))
    return misuse("timeLimitSeconds has to be a number of at least 0");
  if (options.capacityBytes < 0)
    return misuse("capacityBytes has to be at least 0, is " +
                  std::to_string(options.capacityBytes));
  if (options.threads < 0)
    return misuse("threads has to be at least 0, is " +
                  std::to_string(options.threads));
  return std::nullopt;
}

SolveOptions solveOptions(const TpumemOptions &options) {
  SolveOptions solving;
  if (options.strategy)
    solving.strategy = options.strategy;
  solving.seed = options.seed;
  solving.nodeLimit = options.nodeLimit;
  if (options.timeLimitSeconds > 0)
    solving.timeLimitSeconds = options.timeLimitSeconds;
  solving.threads = options.threads;
  return solving;
}

Problem problemOf(const TpumemBuffers &given, int64_t capacityBytes) {
  Problem problem;
  problem.pools.emplace_back().name = "memory";
  if (capacityBytes != INT64_MAX)
    problem.pools.front().capacityBytes = capacityBytes;
  problem.buffers.resize(static_cast<size_t>(given.count));
  for (int64_t i = 0; i < given.count; ++i) {
    Buffer &buffer = problem.buffers[i];
    buffer.sizeBytes = given.sizes[i];
    buffer.lifespans = {{given.lower[i], given.upper[i]}};
    if (given.alignments)
      buffer.alignment = given.alignments[i];
  }
  return problem;
}

/// Buffers have no names here unless a file gave them some.
std::string nameOf(const Problem &problem, BufferId id) {
  const std::string &name = problem.buffers[id].name;
  return name.empty() ? "buffer " + std::to_string(id) : "'" + name + "'";
}

Failure explain(const Problem &problem, const InvalidProblem &why) {
  std::string text;
  for (const ProblemError &error : why.errors) {
    text += text.empty() ? "" : "\n";
    if (error.buffer)
      text += nameOf(problem, *error.buffer) + ": ";
    text += error.message;
  }
  return {TPUMEM_BAD_INPUT, text + " [TPUMEM-E017]"};
}

Failure explain(const Problem &problem, const Infeasible &why) {
  const Shortage shortage = describeShortage(
      problem, why,
      {"the problem", "pool '" + problem.pools[why.pool].name + "'", false,
       "peak is step " + std::to_string(why.peakStep) + "; ", "strategy",
       [&](BufferId id) { return ": " + nameOf(problem, id); }, "more"});
  std::string text = shortage.message;
  text += shortage.isCertain ? " [TPUMEM-E001]" : " [TPUMEM-E022]";
  if (!shortage.peak.empty())
    text += "\n" + shortage.peak;
  for (const auto &[id, line] : shortage.buffers)
    text += "\n" + line;
  if (!shortage.others.empty())
    text += "\n" + shortage.others;
  return {why.isCertain() ? TPUMEM_DOES_NOT_FIT : TPUMEM_NOT_FOUND, text,
          why.needBytes};
}

Failure explain(const InvalidPlan &why) {
  std::string text = "the plan of strategy '" + why.strategy + "' was rejected";
  for (const std::string &violation : why.violations)
    text += "\n" + violation;
  return {TPUMEM_INTERNAL, text + " [TPUMEM-E015]"};
}

std::variant<Plan, Failure> planOf(const Problem &problem,
                                   const TpumemOptions &options) {
  SolveResult solved = solve(problem, solveOptions(options));
  if (auto *plan = std::get_if<Plan>(&solved))
    return std::move(*plan);
  if (const auto *why = std::get_if<InvalidProblem>(&solved))
    return explain(problem, *why);
  if (const auto *why = std::get_if<Infeasible>(&solved))
    return explain(problem, *why);
  return explain(std::get<InvalidPlan>(solved));
}

TpumemResult figuresOf(const Plan &plan) {
  TpumemResult figures{};
  for (const PoolUse &pool : plan.pools) {
    figures.usedBytes = saturatedAdd(figures.usedBytes, pool.usedBytes);
    figures.lowerBoundBytes =
        saturatedAdd(figures.lowerBoundBytes, pool.lowerBoundBytes);
  }
  figures.proof = static_cast<int32_t>(plan.proof);
  return figures;
}

/// Fills what the caller knows of a result, and hands the status on.
TpumemStatus finish(TpumemResult *result, TpumemResult figures,
                    const Failure *failure) {
  if (failure) {
    figures.needBytes = failure->needBytes;
    figures.message = copyText(failure->message);
  }
  if (result) {
    figures.structBytes = result->structBytes;
    std::memcpy(result, &figures,
                std::min(figures.structBytes, sizeof(figures)));
  }
  // A caller that does not look at messages does not free them.
  const bool isTaken =
      result &&
      result->structBytes >= offsetof(TpumemResult, message) + sizeof(char *);
  if (!isTaken)
    std::free(figures.message);
  return failure ? failure->status : TPUMEM_OK;
}

TpumemOptions optionsOf(const TpumemOptions *given) {
  TpumemOptions options;
  tpumemDefaultOptions(&options);
  if (given)
    std::memcpy(&options, given, std::min(given->structBytes, sizeof(options)));
  return options;
}

/// Runs `call`, which returns a Failure where there is one and fills figures.
template <typename Call>
TpumemStatus guarded(TpumemResult *result, const Call &call) {
  TpumemResult figures{};
  try {
    const std::optional<Failure> failure = call(figures);
    return finish(result, figures, failure ? &*failure : nullptr);
  } catch (const std::bad_alloc &) {
    const Failure failure{TPUMEM_OUT_OF_MEMORY, "out of memory"};
    return finish(result, {}, &failure);
  }
}

} // namespace

int32_t tpumemApiVersion(void) { return TPUMEM_API_VERSION; }

const char *tpumemVersion(void) { return versionText(); }

void tpumemFree(void *memory) { std::free(memory); }

void tpumemDefaultOptions(TpumemOptions *options) {
  const SolveOptions defaults;
  *options = {sizeof(TpumemOptions), nullptr, defaults.seed,
              defaults.nodeLimit,    0,       INT64_MAX,
              defaults.threads};
}

TpumemStatus tpumemSolve(const TpumemBuffers *buffers,
                         const TpumemOptions *options, int64_t *offsets,
                         TpumemResult *result) {
  return guarded(result, [&](TpumemResult &figures) -> std::optional<Failure> {
    if (!buffers || !result)
      return Failure{TPUMEM_USAGE, "buffers and result must not be NULL"};
    const TpumemBuffers given = partOf(*buffers);
    if (given.count < 0)
      return Failure{TPUMEM_USAGE, "count has to be at least 0, is " +
                                       std::to_string(given.count)};
    if (given.count > 0 &&
        !(given.sizes && given.lower && given.upper && offsets))
      return Failure{TPUMEM_USAGE,
                     "sizes, lower, upper and offsets must not be NULL"};
    const TpumemOptions known = optionsOf(options);
    if (std::optional<Failure> misuse = findMisuse(known))
      return misuse;
    const auto planned = planOf(problemOf(given, known.capacityBytes), known);
    if (const auto *failure = std::get_if<Failure>(&planned))
      return *failure;
    const Plan &plan = std::get<Plan>(planned);
    for (int64_t i = 0; i < given.count; ++i)
      offsets[i] = plan.placements[i].offsetBytes;
    figures = figuresOf(plan);
    return std::nullopt;
  });
}

TpumemStatus tpumemSolveJson(const char *text, size_t bytes,
                             const TpumemOptions *options, char **plan,
                             TpumemResult *result) {
  if (plan)
    *plan = nullptr;
  return guarded(result, [&](TpumemResult &figures) -> std::optional<Failure> {
    if (!text || !plan || !result)
      return Failure{TPUMEM_USAGE, "problem, plan and result must not be NULL"};
    const TpumemOptions known = optionsOf(options);
    if (std::optional<Failure> misuse = findMisuse(known))
      return misuse;
    if (known.capacityBytes != INT64_MAX)
      return Failure{TPUMEM_USAGE, "capacityBytes has no effect: the problem "
                                   "says it of each pool [TPUMEM-E018]"};
    const auto parsed = parseProblemJson({text, bytes});
    if (const auto *error = std::get_if<ParseError>(&parsed))
      return Failure{TPUMEM_BAD_INPUT,
                     "line " + std::to_string(error->line) + ", column " +
                         std::to_string(error->column) + ": " + error->message +
                         " [TPUMEM-E017]"};
    const Problem &problem = std::get<Problem>(parsed);
    const auto planned = planOf(problem, known);
    if (const auto *failure = std::get_if<Failure>(&planned))
      return *failure;
    figures = figuresOf(std::get<Plan>(planned));
    *plan = copyText(printPlanJson(problem, std::get<Plan>(planned)));
    if (!*plan)
      throw std::bad_alloc();
    return std::nullopt;
  });
}
