//===- Explain.cpp - memplan explain --------------------------------------===//

#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"
#include "tpu_mlir/tools/memplan/commands/Explanation.h"

#include "llvm/Support/raw_ostream.h"

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

enum class Format { Text, Json };

class Explain : public Command {
public:
  Explain()
      : Command("explain", "Say what needs the memory and what is in the way") {
  }

  int run() override {
    if (files.empty() || files.size() > 2)
      return usageError(sub, "a problem is needed, and perhaps its plan");
    if (files.size() == 2 && strategy.getNumOccurrences())
      return usageError(sub, "--strategy is for a problem without a plan");
    if (const std::string flag = flags.oneAboutPlanning();
        files.size() == 2 && !flag.empty())
      return usageError(sub, flag + " is for a problem without a plan");
    if (rows.getNumOccurrences() && format == Format::Json)
      return usageError(sub, "--rows is for text; JSON has all buffers");
    if (rows < 1)
      return usageError(sub, "--rows has to be positive");
    if (!areApart(sub, files, {{output, "--output"}}) || !flags.read() ||
        !isStrategy(sub, strategy))
      return kUsage;
    auto file = readProblem(files[0]);
    if (!file)
      return kBadInput;
    flags.limit(file->problem);
    if (files.size() == 2) {
      auto plan = readPlan(*file, files[1]);
      return plan ? explainPlan(*file, *plan, files[1]) : int(kBadInput);
    }
    // Nobody asks for another plan than the program has.
    if (file->recorded && !strategy.getNumOccurrences() && !flags.areGiven())
      return explainPlan(*file, *file->recorded, file->path);
    return explainProblem(*file);
  }

  std::string example() const override {
    return "memplan explain --capacity=1MiB problem.csv";
  }
  bool hasStrategies() const override { return true; }

private:
  int explainPlan(const ProblemFile &file, const Plan &plan,
                  const std::string &path) const {
    if (const auto broken = planning::validate(file.problem, plan, 1);
        !broken.empty()) {
      llvm::errs() << path
                   << ": warning: the plan is not valid; memplan "
                      "validate says why\n";
      // Without an allowed pool for each buffer there is nothing to explain.
      if (broken.front().invariant == 1)
        return kBadInput;
    }
    return write(file, &plan, nullptr);
  }

  /// The message on standard error says whether it fits, the result why.
  int explainProblem(const ProblemFile &file) const {
    flags.remarkUnused(file, {strategy});
    const SolveOptions options = flags.startedOptions(strategy);
    const Solved solved = solveOrExplain(file, options);
    if (!solved.plan && !solved.help)
      return solved.exitCode;
    const int written = write(file, solved.plan ? &*solved.plan : nullptr,
                              solved.help ? &*solved.help : nullptr);
    return written == kOk ? solved.exitCode : written;
  }

  int write(const ProblemFile &file, const Plan *plan,
            const Remedies *help) const {
    ExplainOptions options{plan, flags.options()};
    options.solve.strategy = strategy;
    if (format == Format::Json)
      return writeResult(
          output, printExplanationJson(file.problem,
                                       planning::explain(file.problem, options),
                                       plan, help));
    SolveOptions subset = options.solve;
    if (!flags.hasNodeLimit())
      subset.nodeLimit = kSubsetNodeLimit;
    return writeResult(
        output,
        describeExplanation(file, planning::explain(file.problem, options),
                            help, subset, size_t(rows)));
  }

  cl::list<std::string> files{cl::Positional, cl::desc("<problem|-> [<plan>]"),
                              cl::sub(sub)};
  cl::opt<std::string> strategy{
      "strategy", cl::desc("How to plan when no plan is given (auto)"),
      cl::init("auto"), cl::sub(sub)};
  SolverFlags flags{sub};
  cl::opt<int64_t> rows{"rows", cl::desc("Buffers that a list may have (40)"),
                        cl::init(40), cl::sub(sub)};
  cl::opt<Format> format{
      "format", cl::desc("Of the result (text)"), cl::init(Format::Text),
      cl::sub(sub),
      cl::values(
          clEnumValN(Format::Text, "text", "for people"),
          clEnumValN(Format::Json, "json",
                     "as tpu_mlir/schema/explanation.schema.json has it"))};
  cl::opt<std::string> output{
      "output", cl::desc("Where the text goes; standard output by default"),
      cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeExplain() { return std::make_unique<Explain>(); }

} // namespace tpu_mlir::memplan
