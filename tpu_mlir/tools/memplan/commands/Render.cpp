//===- Render.cpp - memplan render ----------------------------------------===//

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Report/PlanReport.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

enum class PictureFormat { AsName, Svg, Html };

class Render : public Command {
public:
  Render() : Command("render", "Draw a plan as SVG or as an HTML page") {}

  int run() override {
    if (files.empty() || files.size() > 2)
      return usageError(sub, "a problem is needed, and perhaps its plan");
    if (files.size() == 2 && strategy.getNumOccurrences())
      return usageError(sub, "--strategy is for a problem without a plan");
    if (const std::string flag = flags.oneAboutPlanning();
        files.size() == 2 && !flag.empty())
      return usageError(sub, flag + " is for a problem without a plan");
    if (!areApart(sub, files, {{output, "--output"}}) || !flags.read() ||
        !isStrategy(sub, strategy))
      return kUsage;
    if (!canWrite(output))
      return kBadInput;
    auto file = readProblem(files[0]);
    if (!file)
      return kBadInput;
    flags.limit(file->problem);

    Solved solved = files.size() == 2 ? given(*file)
                    : isRecordedMeant(*file)
                        ? looked(*file, *file->recorded, file->path)
                        : planned(*file);
    if (!solved.plan)
      return solved.exitCode;
    const int written = writeResult(output, draw(*file, *solved.plan));
    return written == kOk ? solved.exitCode : written;
  }

  std::string example() const override {
    return "memplan render problem.csv plan.csv --output=plan.html";
  }
  bool hasStrategies() const override { return true; }

private:
  /// Nobody asks for another plan than the program has.
  bool isRecordedMeant(const ProblemFile &file) const {
    return file.recorded && !strategy.getNumOccurrences() && !flags.areGiven();
  }

  Solved given(const ProblemFile &file) const {
    auto plan = readPlan(file, files[1]);
    if (!plan)
      return {std::nullopt, kBadInput};
    return looked(file, *plan, files[1]);
  }

  /// A broken plan is worth looking at; that it is broken has to be said.
  static Solved looked(const ProblemFile &file, const Plan &plan,
                       const std::string &path) {
    if (!planning::validate(file.problem, plan, 1).empty())
      llvm::errs() << path
                   << ": warning: the plan is not valid; memplan "
                      "validate says why\n";
    return {plan, kOk};
  }

  Solved planned(const ProblemFile &file) const {
    if (!quiet)
      flags.remarkUnused(file, {strategy});
    const SolveOptions options = flags.startedOptions(strategy);
    Solved solved = solveOrExplain(file, options);
    if (solved.plan && !quiet)
      llvm::errs() << describePlan(file.problem, *solved.plan);
    return solved;
  }

  std::string draw(const ProblemFile &file, const Plan &plan) const {
    report::PlanPictureOptions options;
    options.title = file.title();
    const llvm::StringRef extension = llvm::sys::path::extension(output);
    const bool isHtml = format == PictureFormat::AsName
                            ? extension.equals_insensitive(".html") ||
                                  extension.equals_insensitive(".htm")
                            : format == PictureFormat::Html;
    return isHtml ? report::renderPlanHtml(file.problem, plan, options)
                  : report::renderPlanSvg(file.problem, plan, options);
  }

  cl::list<std::string> files{cl::Positional, cl::desc("<problem|-> [<plan>]"),
                              cl::sub(sub)};
  cl::opt<std::string> output{
      "output", cl::desc("Where the picture goes; standard output by default"),
      cl::sub(sub)};
  cl::opt<PictureFormat> format{
      "format", cl::desc("By default HTML for files called so, else SVG"),
      cl::init(PictureFormat::AsName), cl::sub(sub),
      cl::values(clEnumValN(PictureFormat::Svg, "svg", "an image"),
                 clEnumValN(PictureFormat::Html, "html",
                            "a page with search and tables"))};
  cl::opt<std::string> strategy{
      "strategy", cl::desc("How to plan when no plan is given (auto)"),
      cl::init("auto"), cl::sub(sub)};
  SolverFlags flags{sub};
  cl::opt<bool> quiet{"quiet", cl::desc("Print errors only"), cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeRender() { return std::make_unique<Render>(); }

} // namespace tpu_mlir::memplan
