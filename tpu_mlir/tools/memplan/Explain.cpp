//===- Explain.cpp - memplan explain --------------------------------------===//

#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Explanation.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

class Explain : public Command {
public:
  Explain()
      : Command("explain", "Say what needs the memory and what is in the way") {
  }

  int run() override {
    if (files.empty() || files.size() > 2)
      return usageError(sub, "a problem is needed, and perhaps its plan");
    if (files.size() == 2 && files[0] == "-" && files[1] == "-")
      return usageError(sub, "only one file can be standard input");
    if (files.size() == 2 && strategy.getNumOccurrences())
      return usageError(sub, "--strategy is for a problem without a plan");
    if (rows < 1)
      return usageError(sub, "--rows has to be positive");
    if (!flags.read() || !isStrategy(sub, strategy))
      return kUsage;
    auto file = readProblem(files[0]);
    if (!file)
      return kDiagnostics;
    flags.limit(file->problem);
    return files.size() == 2 ? explainPlan(*file) : explainProblem(*file);
  }

  std::string example() const override {
    return "memplan explain --capacity=1MiB problem.csv";
  }
  bool hasStrategies() const override { return true; }

private:
  int explainPlan(const ProblemFile &file) const {
    auto plan = readPlan(file, files[1]);
    if (!plan)
      return kDiagnostics;
    return writeResult(output, explain(file, &*plan, size_t(rows)));
  }

  /// The message on standard error says whether it fits, the result why.
  int explainProblem(const ProblemFile &file) const {
    SolveOptions options = flags.options();
    options.strategy = strategy;
    const Solved solved = solveOrExplain(file, options);
    if (solved.exitCode != kOk && solved.exitCode != kDoesNotFit)
      return solved.exitCode;
    const int written =
        writeResult(output, explain(file, solved.plan ? &*solved.plan : nullptr,
                                    size_t(rows)));
    return written == kOk ? solved.exitCode : written;
  }

  cl::list<std::string> files{cl::Positional, cl::desc("<problem|-> [<plan>]"),
                              cl::sub(sub)};
  cl::opt<std::string> strategy{
      "strategy", cl::desc("How to plan when no plan is given (auto)"),
      cl::init("auto"), cl::sub(sub)};
  SolverFlags flags{sub};
  cl::opt<int64_t> rows{"rows", cl::desc("Buffers that a list may have (40)"),
                        cl::init(40), cl::sub(sub)};
  cl::opt<std::string> output{
      "output", cl::desc("Where the text goes; standard output by default"),
      cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeExplain() { return std::make_unique<Explain>(); }

} // namespace tpu_mlir::memplan
