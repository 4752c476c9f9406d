//===- Validate.cpp - memplan validate ------------------------------------===//

#include "tpu_mlir/Planning/Validate.h"

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"

#include "llvm/Support/raw_ostream.h"

#include <limits>

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

class Validate : public Command {
public:
  Validate()
      : Command("validate", "Check a plan against the numbered invariants") {}

  int run() override {
    if (files.empty() || files.size() > 2)
      return usageError(sub, "a problem and its plan are needed");
    if (!areApart(sub, files, {}))
      return kUsage;
    if (limit < 0)
      return usageError(sub, "--limit must not be negative");
    auto file = readProblem(files[0]);
    if (!file)
      return kBadInput;
    if (files.size() == 1 && !file->recorded)
      return usageError(sub, "a plan is needed: the problem comes without");
    auto plan = files.size() == 1 ? file->recorded : readPlan(*file, files[1]);
    if (!plan)
      return kBadInput;

    // One more than asked for tells whether there are more.
    const size_t most =
        limit ? size_t(limit) : std::numeric_limits<size_t>::max() - 1;
    auto violations = planning::validate(file->problem, *plan, most + 1);
    return violations.empty() ? sayValid(*file, *plan)
                              : sayBroken(violations, most);
  }

  std::string example() const override {
    return "memplan validate problem.csv plan.csv";
  }

private:
  int sayValid(const ProblemFile &file, Plan &plan) const {
    for (size_t pool = 0; pool < plan.pools.size(); ++pool)
      plan.pools[pool].lowerBoundBytes =
          liveBound(file.problem, PoolId(pool)).bytes;
    if (!quiet)
      llvm::errs() << files[files.size() - 1] << ": valid, "
                   << plan.placements.size() << " buffers\n"
                   << describePools(file.problem, plan) << "\n";
    return kOk;
  }

  int sayBroken(const std::vector<Violation> &violations, size_t most) const {
    std::string text;
    for (size_t i = 0; i < violations.size() && i < most; ++i)
      text += violations[i].message + "\n";
    if (!quiet) {
      llvm::errs() << files[files.size() - 1] << ": not valid, "
                   << std::min(violations.size(), most) << " violations";
      llvm::errs() << (violations.size() > most
                           ? " shown, more left out; see --limit\n"
                           : "\n");
    }
    const int written = writeResult("", text);
    return written == kOk ? int(kBadInput) : written;
  }

  cl::list<std::string> files{cl::Positional, cl::desc("<problem> [<plan>]"),
                              cl::sub(sub)};
  cl::opt<int64_t> limit{
      "limit", cl::desc("Violations that are told; 0: all of them (1000)"),
      cl::init(1000), cl::sub(sub)};
  cl::opt<bool> quiet{"quiet", cl::desc("Print errors and violations only"),
                      cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeValidate() { return std::make_unique<Validate>(); }

} // namespace tpu_mlir::memplan
