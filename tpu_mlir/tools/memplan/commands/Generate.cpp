//===- Generate.cpp - memplan generate ------------------------------------===//

#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

class Generate : public Command {
public:
  Generate()
      : Command("generate", "Make a problem, most with a known optimum") {}

  int run() override {
    const std::vector<std::string> families = generateFamilies();
    if (!llvm::is_contained(families, std::string(family)))
      return usageError(sub, "--family has to be one of " +
                                 llvm::join(families, ", "));
    if (!problemFormat.empty() && problemFormat != "csv" &&
        problemFormat != "json")
      return usageError(sub, "--format has to be csv or json");
    if (!plan.empty() && (isStandardOutput(plan) ? isStandardOutput(output)
                                                 : isSameFile(plan, output)))
      return usageError(sub, "--output and --plan are one file");
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
      usageError(sub, "--plan: no best plan of this problem is known");
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
                 << "\n";
  }

  cl::opt<std::string> family{
      "family", cl::desc("guillotine, pinwheel, random or training"),
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
