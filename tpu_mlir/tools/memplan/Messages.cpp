//===- Messages.cpp - What memplan says about plans -----------------------===//

#include "tpu_mlir/tools/memplan/Messages.h"

#include "tpu_mlir/Planning/Shortage.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/StopToken.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/ProgressLine.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tpu_mlir::memplan {

using namespace planning;

/// Witnesses that are told one by one.
static constexpr size_t kNotes = 8;

int64_t numSteps(const Problem &problem) {
  int64_t last = 0;
  for (const Buffer &buffer : problem.buffers)
    last = std::max(last, buffer.lifespans.back().end);
  return problem.period.value_or(last);
}

static std::string rangeOf(const Buffer &buffer) {
  std::string text;
  for (const Interval &span : buffer.lifespans)
    text += (text.empty() ? "[" : " [") + std::to_string(span.begin) + "," +
            std::to_string(span.end) + ")";
  return text;
}

static std::string describeBuffer(const Buffer &buffer,
                                  const std::string &name) {
  // Hundreds of pieces would hide the rest of the line.
  const size_t pieces = buffer.lifespans.size();
  const std::string life =
      pieces <= 3 ? rangeOf(buffer)
                  : "[" + std::to_string(buffer.lifespans.front().begin) + "," +
                        std::to_string(buffer.lifespans.back().end) + ") in " +
                        std::to_string(pieces) + " pieces";
  // A problem need not say who reads.
  const int64_t idle = buffer.readSteps.empty() ? 0 : longestIdle(buffer);
  return formatBytes(buffer.sizeBytes) + " alive for steps " + life + ": '" +
         name + "' (" + std::string(kindName(buffer.kind)) +
         (idle > 0 ? ", unused for " + formatCount(idle) + " steps)" : ")");
}

/// What ended the search, and what to try next.
static std::string advice(const Infeasible &infeasible,
                          const SolveOptions &options) {
  if (infeasible.isProved)
    return ", but a search has shown that no layout can fit";
  const std::string would = ", which would fit: ";
  if (infeasible.isInterrupted)
    return would + "the search was interrupted";
  if (infeasible.isCutByTime)
    return would + "the --time-limit of " +
           llvm::formatv("{0}", *options.timeLimitSeconds).str() +
           " s ended the search; try a longer one";
  const bool isSearch =
      infeasible.strategy == "exact" || infeasible.strategy == "auto";
  if (isSearch)
    return would + "none was found within the --node-limit of " +
           formatCount(options.nodeLimit) +
           "; try a higher one, or a --time-limit";
  std::string text =
      would + "only the packing by '" + infeasible.strategy + "' failed; try ";
  return text + (StrategyRegistry::find("exact") ? "--strategy=exact"
                                                 : "--strategy=auto");
}

static void showShortage(const ProblemFile &file, const Shortage &shortage) {
  llvm::errs() << file.path << ": error: " << shortage.message
               << (shortage.isCertain ? " [TPUMEM-E001]\n" : " [TPUMEM-E022]\n")
               << file.path << ": note: " << shortage.peak << "\n";
  for (const auto &[id, text] : shortage.buffers)
    llvm::errs() << file.positionOf(id) << ": note: " << text << "\n";
  if (!shortage.others.empty())
    llvm::errs() << file.path << ": note: " << shortage.others << "\n";
}

/// What the peak proves, or what else to try.
static std::string reasonOf(const ProblemFile &file,
                            const Infeasible &infeasible,
                            const SolveOptions &options) {
  Problem unpinned = file.problem;
  for (Buffer &buffer : unpinned.buffers)
    buffer.pin.reset();
  const LiveBound bound = liveBound(unpinned, infeasible.pool);
  const bool fitsThere =
      !bound.leaves63Bits && bound.bytes <= infeasible.haveBytes;
  const bool isForced = !fitsThere && !bound.leaves63Bits &&
                        bound.liveSumBytes <= infeasible.haveBytes;
  if (infeasible.boundExceeds && fitsThere &&
      liveBound(file.problem, infeasible.pool).bytes > infeasible.haveBytes)
    return "a buffer is pinned to bytes up to " +
           formatCount(infeasible.needBytes) + ", so no layout can fit";
  if (hasChoice(file.problem, infeasible) &&
      (!infeasible.boundExceeds || fitsThere))
    return "what has to be there would fit; of the others, here at step " +
           std::to_string(infeasible.peakStep) + ", some find no room in " +
           "any of their pools" +
           (infeasible.isProved ? ", as a search has shown" : "");
  return "peak is step " + std::to_string(infeasible.peakStep) + " of " +
         std::to_string(numSteps(file.problem)) +
         "; what is alive there already sums to " +
         formatSum(bound.liveSumBytes) +
         (isForced ? ", but " + kForcesMore + " " + formatSum(bound.bytes) +
                         ", so no layout can fit"
          : infeasible.boundExceeds ? ", so no layout can fit"
                                    : advice(infeasible, options));
}

/// Capacities that would do, and buffers that could go.
static void showHelp(const ProblemFile &file, const Remedies &help) {
  const bool isAlone = file.problem.pools.size() == 1;
  for (const PoolRequirement &one : help.capacities)
    if (one.worksWithBytes)
      llvm::errs() << file.path << ": note: a plan was found with "
                   << formatExactBytes(*one.worksWithBytes) << " for pool '"
                   << file.problem.pools[one.pool].name << "'"
                   << (isAlone ? "" : ", the other pools as they are")
                   << (*one.worksWithBytes == one.atLeastBytes
                           ? "; less cannot do\n"
                           : "\n");
  if (!help.isMovingEnough)
    return;
  const std::vector<std::string> names = fileNames(file.problem);
  std::string moved;
  for (size_t i = 0; i < help.toMove.size() && i < kNotes; ++i)
    moved += (i ? ", '" : "'") + names[size_t(help.toMove[i])] + "'";
  if (help.toMove.size() > kNotes)
    moved += " and " + std::to_string(help.toMove.size() - kNotes) + " more";
  llvm::errs() << file.path << ": note: or without " << moved << "\n";
}

int showNotFit(const ProblemFile &file, const Infeasible &infeasible,
               const Remedies &help, const SolveOptions &options) {
  const Problem &problem = file.problem;
  Shortage shortage;
  shortage.isCertain = infeasible.isCertain();
  shortage.message =
      (shortage.isCertain
           ? "'" + file.title() + "' does not fit"
           : "no plan found for '" + file.title() + "', which may have one") +
      ": pool '" + problem.pools[infeasible.pool].name + "' " +
      formatShortage(infeasible.needBytes, infeasible.haveBytes);
  shortage.peak = reasonOf(file, infeasible, options);
  const std::vector<std::string> names = fileNames(problem);
  BufferNotes notes;
  notes.text = [&](BufferId id) {
    return describeBuffer(problem.buffers[id], names[id]);
  };
  notes.sizeBytes = [&](BufferId id) { return problem.buffers[id].sizeBytes; };
  notes.more = "more buffers";
  notes.most = kNotes;
  tellBuffers(shortage, infeasible.witness, notes);
  showShortage(file, shortage);
  showHelp(file, help);
  return shortage.isCertain         ? kDoesNotFit
         : infeasible.isInterrupted ? kInterrupted
                                    : kNotFound;
}

int showInvalid(const ProblemFile &file, const InvalidProblem &why) {
  for (const ProblemError &error : why.errors)
    llvm::errs() << (error.buffer ? file.positionOf(*error.buffer) : file.path)
                 << ": error: " << error.message << " [TPUMEM-E017]\n";
  return kBadInput;
}

int showInvalid(const ProblemFile &file, const InvalidPlan &why) {
  for (const std::string &violation : why.violations)
    llvm::errs() << file.path << ": error: the plan of strategy '"
                 << why.strategy << "' was rejected: " << violation
                 << " [TPUMEM-E015]\n";
  return kInternal;
}

std::optional<Infeasible> overBound(const Problem &problem) {
  for (size_t pool = 0; pool < problem.pools.size(); ++pool) {
    const auto capacity = problem.pools[pool].capacityBytes;
    if (!capacity)
      continue;
    LiveBound bound = liveBound(problem, PoolId(pool));
    if (bound.bytes <= *capacity)
      continue;
    Infeasible over;
    over.pool = PoolId(pool);
    over.needBytes = bound.bytes;
    over.haveBytes = *capacity;
    over.peakStep = bound.peakStep;
    over.witness = std::move(bound.peakSet);
    over.boundExceeds = true;
    return over;
  }
  return std::nullopt;
}

/// What is said about the cache comes after the line of progress is gone.
static SolveResult solveIn(PlanCache *cache, const Problem &problem,
                           SolveOptions options, bool isWatched) {
  ProgressLine line(!isWatched);
  options.progress = line.progress();
  return cache ? solveCached(problem, options, *cache)
               : solve(problem, options);
}

Solved solveOrExplain(const ProblemFile &file, const SolveOptions &options,
                      bool isWatched, PlanCache *cache) {
  auto notFit = [&](const Infeasible &infeasible) {
    Remedies help = remedies(file.problem, infeasible, options);
    const int code = showNotFit(file, infeasible, help, options);
    return Solved{std::nullopt, code, std::move(help)};
  };
  // What would help is searched for, too.
  stopOnSignals();
  if (auto over = overBound(file.problem))
    return notFit(*over);
  SolveResult result = solveIn(cache, file.problem, options, isWatched);
  if (cache)
    for (const std::string &text : cache->takeRemarks())
      llvm::errs() << "memplan: warning: " << text << "\n";
  if (auto *plan = std::get_if<Plan>(&result)) {
    const int code = plan->isInterrupted ? kInterrupted : kOk;
    return {std::move(*plan), code, std::nullopt};
  }
  if (const auto *infeasible = std::get_if<Infeasible>(&result))
    return notFit(*infeasible);
  if (const auto *invalid = std::get_if<InvalidProblem>(&result))
    return {std::nullopt, showInvalid(file, *invalid), std::nullopt};
  return {std::nullopt, showInvalid(file, std::get<InvalidPlan>(result)),
          std::nullopt};
}

} // namespace tpu_mlir::memplan
