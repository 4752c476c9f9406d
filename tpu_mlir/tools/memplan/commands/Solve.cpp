//===- Solve.cpp - memplan solve ------------------------------------------===//

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "llvm/Support/raw_ostream.h"

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

enum class PlanFormat { AsInput, Csv, Json };

class Solve : public Command {
public:
  Solve() : Command("solve", "Give every buffer of a problem its offset") {}

  int run() override {
    if (files.size() != 1)
      return usageError(sub, "exactly one problem is needed");
    if (!flags.read() || !isStrategy(sub, strategy))
      return kUsage;
    if (!areApart(sub, files, {{output, "--output"}, {why, "--why"}}))
      return kUsage;
    if (!canWrite(output) || !canWrite(why))
      return kBadInput;
    auto file = readProblem(files.front());
    if (!file)
      return kBadInput;
    const SolveOptions options = flags.startedOptions(strategy);
    flags.limit(file->problem);
    if (!quiet)
      flags.remarkUnused(*file, {strategy});
    const Solved solved = solveOrExplain(*file, options, !quiet);
    if (!solved.plan)
      return tellWhy(*file, options, solved);
    if (!quiet && !why.empty())
      llvm::errs() << file->path
                   << ": remark: --why has no effect: there is a plan\n";
    if (!quiet)
      llvm::errs() << describePlan(file->problem, *solved.plan);
    const int written = writeResult(output, print(*file, *solved.plan));
    return written == kOk ? solved.exitCode : written;
  }

  std::string example() const override {
    return "memplan solve --capacity=1MiB --output=plan.csv problem.csv";
  }
  bool hasStrategies() const override { return true; }

private:
  /// The message was on standard error; --why is for tools.
  int tellWhy(const ProblemFile &file, const SolveOptions &options,
              const Solved &solved) const {
    if (why.empty() || !solved.help)
      return solved.exitCode;
    const Explanation explanation =
        planning::explain(file.problem, {nullptr, options});
    const int written =
        writeResult(why, printExplanationJson(file.problem, explanation,
                                              nullptr, &*solved.help));
    return written == kOk ? solved.exitCode : written;
  }

  std::string print(const ProblemFile &file, const Plan &plan) const {
    const bool isJson = format == PlanFormat::AsInput
                            ? file.format == FileFormat::Json
                            : format == PlanFormat::Json;
    return isJson ? printPlanJson(file.problem, plan)
                  : printPlanCsv(file.problem, plan);
  }

  cl::list<std::string> files{cl::Positional, cl::desc("<problem|->"),
                              cl::sub(sub)};
  cl::opt<std::string> strategy{"strategy", cl::desc("How to plan (auto)"),
                                cl::init("auto"), cl::sub(sub)};
  SolverFlags flags{sub};
  cl::opt<std::string> output{
      "output", cl::desc("Where the plan goes; standard output by default"),
      cl::sub(sub)};
  cl::opt<std::string> why{
      "why",
      cl::desc("Where to write, as JSON, why there is no plan and what would "
               "help (tpu_mlir/schema/explanation.schema.json)"),
      cl::sub(sub)};
  cl::opt<PlanFormat> format{
      "format", cl::desc("Of the plan; by default that of the problem"),
      cl::init(PlanFormat::AsInput), cl::sub(sub),
      cl::values(clEnumValN(PlanFormat::Csv, "csv",
                            "the columns of the problem, and offset"),
                 clEnumValN(PlanFormat::Json, "json",
                            "as tpu_mlir/schema/plan.schema.json has it"))};
  cl::opt<bool> quiet{"quiet", cl::desc("Print errors only"), cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeSolve() { return std::make_unique<Solve>(); }

} // namespace tpu_mlir::memplan
