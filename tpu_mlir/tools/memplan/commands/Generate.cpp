//===- Generate.cpp - memplan generate ------------------------------------===//

#include "tpu_mlir/tools/memplan/generators/Vary.h"

#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

class Generate : public Command {
public:
  Generate()
      : Command("generate", "Make a problem, most with a known optimum, or "
                            "one like a given problem") {}

  int run() override {
    if (const std::string wrong = misuse(); !wrong.empty())
      return usageError(sub, wrong);
    if (!problemFormat.empty() && problemFormat != "csv" &&
        problemFormat != "json")
      return usageError(sub, "--format has to be csv or json");
    if (!plan.empty() && (isStandardOutput(plan) ? isStandardOutput(output)
                                                 : isSameFile(plan, output)))
      return usageError(sub, "--output and --plan are one file");
    if (variation.getNumOccurrences())
      return runVariation();
    auto options = read();
    if (!options)
      return kUsage;
    auto generated = generate(*options);
    if (const auto *error = std::get_if<std::string>(&generated))
      return usageError(sub, *error);
    return write(std::get<Generated>(generated));
  }

  std::string example() const override {
    return "memplan generate --family=pinwheel --buffers=256 --seed=7 "
           "--output=pinwheel.csv --plan=best.csv";
  }

private:
  /// What does not go together; "": nothing.
  std::string misuse() const {
    const bool isVaried = variation.getNumOccurrences();
    const std::vector<std::string> all =
        isVaried ? variations() : generateFamilies();
    const std::string chosen = isVaried ? variation : family;
    if (!llvm::is_contained(all, chosen))
      return (isVaried ? "--vary has to be one of "
                       : "--family has to be one of ") +
             llvm::join(all, ", ");
    const bool hasPercent =
        chosen == "sizes" || chosen == "grid" || chosen == "drop";
    const std::tuple<const char *, int, bool> flags[] = {
        {"family", family.getNumOccurrences(), !isVaried},
        {"buffers", buffers.getNumOccurrences(), !isVaried},
        {"delete-percent", deletePercent.getNumOccurrences(), !isVaried},
        {"jitter", jitter.getNumOccurrences(), !isVaried},
        {"alignments", alignments.getNumOccurrences(), !isVaried},
        {"gap-percent", gapPercent.getNumOccurrences(), !isVaried},
        {"pin-percent", pinPercent.getNumOccurrences(), !isVaried},
        {"known-plans", knownPlans.getNumOccurrences(), isVaried},
        {"percent", percent.getNumOccurrences(), hasPercent},
        {"grid", grid.getNumOccurrences(),
         chosen == "alignment" || chosen == "grid"}};
    for (const auto &[flag, occurrences, isUsed] : flags)
      if (occurrences && !isUsed)
        return "--" + std::string(flag) + " has no effect with --" +
               (isVaried ? "vary=" : "family=") + chosen;
    if (files.size() > (isVaried ? isOfTwo(chosen) ? 2 : 1 : 0))
      return isVaried ? "'" + chosen + "' is given too many problems"
                      : "a problem is for --vary";
    if (isVaried && files.empty())
      return "--vary needs a problem";
    if (!knownPlans.empty() && knownPlans.size() != files.size())
      return "--known-plans needs one plan for each problem";
    return "";
  }

  /// False after a message.
  bool readVariation(VaryOptions &options) const {
    options.kind = variation;
    options.seed = seed;
    if (percent.getNumOccurrences() || options.kind == "drop")
      options.percent = percent.getNumOccurrences() ? int64_t(percent) : 10;
    const bool isAligned = options.kind == "alignment";
    const auto bytes = grid.empty()
                           ? std::optional<int64_t>(isAligned ? 4096 : 64)
                           : parseBytes(grid);
    options.gridBytes = bytes.value_or(0);
    const std::string wrong =
        bytes ? whatIsWrong(options) : "--grid has to be a number of bytes";
    if (!wrong.empty())
      usageError(sub, wrong);
    return wrong.empty();
  }

  int runVariation() {
    std::vector<ProblemFile> problems;
    VaryOptions options;
    if (!readVariation(options))
      return kUsage;
    std::vector<Plan> plans;
    std::vector<std::string> read(files.begin(), files.end());
    read.insert(read.end(), knownPlans.begin(), knownPlans.end());
    if (!areApart(sub, read, {{output, "--output"}, {plan, "--plan"}}))
      return kUsage;
    for (size_t i = 0; i < files.size(); ++i) {
      auto file = readProblem(files[i]);
      if (!file)
        return kBadInput;
      if (file->problem.name.empty())
        file->problem.name = file->title();
      problems.push_back(std::move(*file));
      if (knownPlans.empty())
        continue;
      auto known = readPlan(problems.back(), knownPlans[i]);
      if (!known)
        return kBadInput;
      plans.push_back(std::move(*known));
    }
    const auto given = [&](size_t i) {
      return i < problems.size()
                 ? GivenProblem{&problems[i].problem,
                                i < plans.size() ? &plans[i] : nullptr}
                 : GivenProblem();
    };
    auto made = vary(given(0), given(1), options);
    if (const auto *error = std::get_if<std::string>(&made)) {
      showError(problems[0].path, {*error});
      return kBadInput;
    }
    return write(std::get<Generated>(made));
  }

  std::optional<GenerateOptions> read() {
    GenerateOptions options;
    options.family = family;
    options.buffers = buffers;
    options.seed = seed;
    options.deletePercent = deletePercent;
    options.jitter = jitter;
    options.gapPercent = gapPercent;
    options.pinPercent = pinPercent;
    for (const std::string &text : alignments) {
      const auto bytes = parseBytes(text);
      if (!bytes) {
        usageError(sub, "--alignments has '" + text +
                            "', which is no number of bytes");
        return std::nullopt;
      }
      options.alignments.push_back(*bytes);
    }
    return options;
  }

  static bool isStandardOutput(const std::string &path) {
    return path.empty() || path == "-";
  }

  /// The format that was asked for, else that of the file's name.
  bool isJson(llvm::StringRef path) const {
    return problemFormat.empty() ? llvm::sys::path::extension(path) == ".json"
                                 : problemFormat == "json";
  }

  int write(const Generated &made) const {
    if (plan.getNumOccurrences() && !made.plan) {
      usageError(sub, variation.empty()
                          ? "--plan: no best plan of this problem is known"
                          : "--plan is made from --known-plans");
      return kUsage;
    }
    const Problem &problem = made.problem;
    const std::string text =
        isJson(output) ? printProblemJson(problem) : printProblemCsv(problem);
    if (plan.getNumOccurrences()) {
      const std::string best = isJson(plan) ? printPlanJson(problem, *made.plan)
                                            : printPlanCsv(problem, *made.plan);
      if (const int code = writeResult(plan, best))
        return code;
    }
    if (const int code = writeResult(output, text))
      return code;
    if (!quiet)
      sayOptimum(made);
    return kOk;
  }

  static void sayOptimum(const Generated &made) {
    llvm::errs() << made.problem.buffers.size() << " buffers, "
                 << numSteps(made.problem) << " steps; lower bound "
                 << formatExactBytes(liveBound(made.problem, 0).bytes)
                 << "; optimum "
                 << (made.optimumBytes ? formatExactBytes(*made.optimumBytes)
                                       : "not known")
                 << (made.plan && !made.optimumBytes
                         ? "; a plan with " +
                               formatExactBytes(made.plan->pools[0].usedBytes)
                         : "")
                 << "\n";
  }

  cl::list<std::string> files{cl::Positional, cl::desc("[<problem>...]"),
                              cl::sub(sub)};
  cl::opt<std::string> variation{
      "vary",
      cl::desc("Change the given problem: alignment, concat, drop, grid, "
               "lives, minus-byte, plus-byte, primes, side-by-side or sizes; "
               "concat and side-by-side take a second one, or the mirror "
               "image of the first"),
      cl::sub(sub)};
  cl::list<std::string> knownPlans{
      "known-plans",
      cl::desc("Plans of the given problems: --plan is made from them"),
      cl::CommaSeparated, cl::sub(sub)};
  cl::opt<int64_t> percent{
      "percent",
      cl::desc("How much sizes change at most (3), or buffers that drop (10)"),
      cl::init(3), cl::sub(sub)};
  cl::opt<std::string> grid{
      "grid",
      cl::desc("Bytes of which sizes become multiples (64), or the alignment "
               "(4096)"),
      cl::sub(sub)};

  cl::opt<std::string> family{
      "family",
      cl::desc("guillotine, interleaved, micro-batches, pinwheel, "
               "random or training"),
      cl::sub(sub)};
  cl::opt<int64_t> buffers{"buffers", cl::desc("How many (100)"), cl::init(100),
                           cl::sub(sub)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Another seed, another problem (1)"),
                         cl::init(1), cl::sub(sub)};
  cl::opt<int64_t> deletePercent{"delete-percent",
                                 cl::desc("Pieces that are cut and left out"),
                                 cl::init(0), cl::sub(sub)};
  cl::opt<bool> jitter{"jitter",
                       cl::desc("Let lives end a step earlier or later"),
                       cl::sub(sub)};
  cl::list<std::string> alignments{
      "alignments", cl::desc("Each buffer draws one of these: 64,256"),
      cl::CommaSeparated, cl::sub(sub)};
  cl::opt<int64_t> gapPercent{
      "gap-percent", cl::desc("Buffers that are not alive for a while"),
      cl::init(0), cl::sub(sub)};
  cl::opt<int64_t> pinPercent{
      "pin-percent", cl::desc("Buffers that are pinned to their place"),
      cl::init(0), cl::sub(sub)};
  cl::opt<std::string> output{
      "output", cl::desc("Where the problem goes; standard output by default"),
      cl::sub(sub)};
  cl::opt<std::string> plan{"plan", cl::desc("Where a best plan goes"),
                            cl::sub(sub)};
  cl::opt<std::string> problemFormat{
      "format", cl::desc("csv or json; by default as the files' names say"),
      cl::sub(sub)};
  cl::opt<bool> quiet{"quiet", cl::desc("Print errors only"), cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeGenerate() { return std::make_unique<Generate>(); }

} // namespace tpu_mlir::memplan
