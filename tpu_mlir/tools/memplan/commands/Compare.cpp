//===- Compare.cpp - memplan compare --------------------------------------===//

#include "tpu_mlir/tools/memplan/commands/Compare.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/StopToken.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <limits>

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One line for each tenth of the work, once it has taken a while: short runs
/// say nothing.
class Progress {
public:
  Progress(size_t total, bool quiet) : total(total), quiet(quiet) {}
  void step() {
    ++done;
    const size_t tenth = done * 10 / total;
    if (quiet || tenth == shown || secondsSince(start) < kPatienceSeconds)
      return;
    shown = tenth;
    llvm::errs() << "compared " << tenth * 10 << " %\n";
  }

private:
  static constexpr double kPatienceSeconds = 2;
  const Clock::time_point start = Clock::now();
  size_t total, done = 0, shown = 0;
  bool quiet;
};

class Compare : public Command {
public:
  Compare() : Command("compare", "Run strategies side by side") {}

  int run() override {
    if (files.empty())
      return usageError(sub, "at least one problem is needed");
    if (!areApart(sub, files, {{output, "--output"}}) || !flags.read() ||
        !chooseStrategies())
      return kUsage;
    if (!canWrite(output))
      return kBadInput;
    std::vector<Comparison> comparisons;
    Progress progress(files.size() * chosen.size(), quiet);
    stopOnSignals();
    int code = kOk;
    for (const std::string &path : files) {
      auto file = readProblem(path);
      if (!file)
        return kBadInput;
      flags.limit(file->problem);
      if (!quiet)
        flags.remarkUnused(*file, chosen);
      comparisons.push_back({file->path, file->problem.buffers.size(), {}});
      const int one = runAll(*file, comparisons.back(), progress);
      if (one == kInternal || one == kBadInput)
        return one;
      // What is proved says more than what was not found.
      if (code != kDoesNotFit && one != kOk)
        code = one;
      if (StopToken::ofProcess().isRequested())
        break;
    }
    if (StopToken::ofProcess().isRequested()) {
      code = kInterrupted;
      // A row less would look like a strategy that is not there.
      if (comparisons.back().outcomes.size() < chosen.size())
        comparisons.pop_back();
      if (comparisons.empty()) {
        llvm::errs() << "memplan: interrupted before one was compared\n";
        return code;
      }
    }
    const int written = writeResult(output, render(comparisons));
    return written == kOk ? code : written;
  }

  std::string example() const override {
    return "memplan compare --strategies=auto,best-fit --format=markdown "
           "a.csv b.json";
  }
  bool hasStrategies() const override { return true; }

private:
  enum class Format { Text, Json, Csv, Markdown };

  bool chooseStrategies() {
    const std::vector<std::string> &names = strategies;
    const bool isAll = names.empty() || llvm::is_contained(names, "all");
    for (const std::string &name : names)
      if (name != "all" && !isStrategy(sub, name))
        return false;
    // Always in the order of the registry, each once.
    for (const Strategy *strategy : StrategyRegistry::all())
      if (isAll || llvm::is_contained(names, strategy->name))
        chosen.push_back(std::string(strategy->name));
    return true;
  }

  int runAll(const ProblemFile &file, Comparison &comparison,
             Progress &progress) {
    bool anyFits = false, isCertain = false;
    for (const std::string &name : chosen) {
      SolveOptions options = flags.options();
      options.strategy = name;
      const auto start = Clock::now();
      const SolveResult result = solve(file.problem, options);
      const double seconds = secondsSince(start);
      if (const auto *invalid = std::get_if<InvalidPlan>(&result))
        return showInvalid(file, *invalid);
      const auto *invalid = std::get_if<InvalidProblem>(&result);
      // Ill-formed only under --capacity, which cuts off a pinned buffer.
      if (invalid && !overBound(file.problem))
        return showInvalid(file, *invalid);
      comparison.outcomes.push_back(outcomeOf(file.problem, result));
      comparison.outcomes.back().strategy = name;
      comparison.outcomes.back().seconds = seconds;
      if (StopToken::ofProcess().isRequested())
        return kInterrupted;
      anyFits |= comparison.outcomes.back().fits;
      isCertain |= comparison.outcomes.back().isCertain;
      progress.step();
    }
    return anyFits ? kOk : isCertain ? kDoesNotFit : kNotFound;
  }

  static Outcome outcomeOf(const Problem &problem, const SolveResult &result) {
    Outcome outcome;
    if (const auto *plan = std::get_if<Plan>(&result)) {
      outcome.fits = true;
      outcome.winner = plan->winner;
      outcome.nodes = plan->nodes;
      outcome.proof = plan->proof;
      for (const PoolUse &use : plan->pools) {
        outcome.usedBytes = sum(outcome.usedBytes, use.usedBytes);
        outcome.boundBytes = sum(outcome.boundBytes, use.lowerBoundBytes);
      }
      return outcome;
    }
    const auto *infeasible = std::get_if<Infeasible>(&result);
    const auto over = infeasible ? *infeasible : *overBound(problem);
    outcome.isCertain = over.isCertain();
    outcome.usedBytes = over.needBytes;
    for (size_t pool = 0; pool < problem.pools.size(); ++pool)
      outcome.boundBytes =
          sum(outcome.boundBytes, liveBound(problem, PoolId(pool)).bytes);
    return outcome;
  }
  /// Several pools may leave 63 bits together.
  static int64_t sum(int64_t a, int64_t b) {
    return checkedAdd(a, b).value_or(std::numeric_limits<int64_t>::max());
  }

  std::string render(const std::vector<Comparison> &comparisons) const {
    switch (format) {
    case Format::Json:
      return renderJson(comparisons, withTime);
    case Format::Csv:
      return renderCsv(comparisons, withTime);
    case Format::Markdown:
      return renderMarkdown(comparisons, withTime);
    case Format::Text:
      break;
    }
    return renderText(comparisons, withTime);
  }

  cl::list<std::string> files{cl::Positional, cl::desc("<problem>..."),
                              cl::sub(sub)};
  cl::list<std::string> strategies{
      "strategies", cl::desc("Names with commas between them, or all (all)"),
      cl::CommaSeparated, cl::sub(sub)};
  SolverFlags flags{sub};
  cl::opt<Format> format{
      "format", cl::desc("Of the result"), cl::init(Format::Text), cl::sub(sub),
      cl::values(clEnumValN(Format::Text, "text", "tables"),
                 clEnumValN(Format::Markdown, "markdown", "tables"),
                 clEnumValN(Format::Csv, "csv", "one line a run"),
                 clEnumValN(Format::Json, "json", "versioned"))};
  cl::opt<bool> withTime{
      "time", cl::desc("Tell seconds; --time=false makes runs comparable"),
      cl::init(true), cl::sub(sub)};
  cl::opt<std::string> output{
      "output", cl::desc("Where the result goes; standard output by default"),
      cl::sub(sub)};
  cl::opt<bool> quiet{"quiet", cl::desc("Show no progress"), cl::sub(sub)};
  std::vector<std::string> chosen;
};

} // namespace

std::unique_ptr<Command> makeCompare() { return std::make_unique<Compare>(); }

} // namespace tpu_mlir::memplan
