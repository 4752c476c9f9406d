//===- Check.cpp - memplan check ------------------------------------------===//
//
// What a build asks of a network: is it within its budgets, and does it take no
// more than it took.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/ReportFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace tpu_mlir::memplan {
namespace {

using namespace report;
namespace cl = llvm::cl;

class Check : public Command {
public:
  Check()
      : Command("check",
                "Judge a memory report by budgets and by what it said before") {
  }

  int run() override {
    if (files.size() != 1)
      return usageError(sub, "one memory report is needed");
    if (golden.empty() && newGolden.empty() && budgets.empty())
      return usageError(
          sub, "nothing to judge by: --golden, --budget or --write-golden");
    if (!std::isfinite(tolerance) || tolerance < 0)
      return usageError(sub, "--tolerance is in percent, 0 or more");
    if (tolerance.getNumOccurrences() && golden.empty())
      return usageError(sub, "--tolerance is of --golden; give both");
    if (!areApart(sub, {files[0], golden, why},
                  {{newGolden, "--write-golden"}}))
      return kUsage;
    std::map<std::string, int64_t> limits;
    if (std::string wrong = readBudgets(limits); !wrong.empty())
      return usageError(sub, wrong);
    auto reports = readReports(files[0]);
    if (!reports)
      return kBadInput;
    if (reports->empty())
      return sayNotFit();
    const MemoryUse use = memoryUse(*reports);
    for (const auto &[region, limit] : limits)
      if (!use.count(region))
        return sayNoRegion(region, use);
    int code = judgeBudgets(use, limits);
    if (!golden.empty())
      code = std::max(code, judgeGolden(use));
    if (!newGolden.empty()) {
      const int written = writeResult(newGolden, printGolden(use));
      return written == kOk ? code : written;
    }
    return code;
  }

  std::string example() const override {
    return "memplan check net_memory.json --golden=net.golden --tolerance=1";
  }

private:
  std::string readBudgets(std::map<std::string, int64_t> &limits) const {
    for (const std::string &budget : budgets) {
      const auto [region, text] = llvm::StringRef(budget).rsplit('=');
      const auto bytes = parseBytes(std::string(text));
      if (region.empty() || !bytes || *bytes < 0)
        return "--budget '" + budget + "' is not <region>=<bytes>";
      if (!limits.insert({region.str(), *bytes}).second)
        return "--budget names '" + region.str() + "' twice";
    }
    return "";
  }

  int sayNoRegion(const std::string &region, const MemoryUse &use) const {
    llvm::errs() << files[0] << ": --budget names '" << region
                 << "', and the network's regions are "
                 << llvm::join(llvm::make_first_range(use), ", ") << "\n";
    return kBadInput;
  }

  int sayNotFit() const {
    llvm::errs() << files[0]
                 << ": the network does not fit, so there is no report\n";
    if (auto text = why.empty() ? std::nullopt : readText(why))
      llvm::errs() << *text;
    return kBadInput;
  }

  int judgeBudgets(const MemoryUse &use,
                   const std::map<std::string, int64_t> &limits) const {
    int code = kOk;
    for (const auto &[region, limit] : limits) {
      auto found = use.find(region);
      const int64_t used = found == use.end() ? 0 : found->second.usedBytes;
      if (used <= limit)
        continue;
      llvm::errs() << files[0] << ": " << region
                   << " is over its budget: " << formatShortage(used, limit)
                   << "\n"
                   << describePeak(found->second, "at the peak");
      code = kBadInput;
    }
    return code;
  }

  int judgeGolden(const MemoryUse &use) const {
    auto text = readText(golden);
    if (!text)
      return kBadInput;
    auto before = parseGolden(*text);
    if (auto *error = std::get_if<JsonError>(&before)) {
      showError(golden, {error->message, error->line, error->column});
      return kBadInput;
    }
    int code = kOk;
    for (const RegionChange &change :
         findChanges(std::get<MemoryUse>(before), use)) {
      const bool isRed = isOver(change, tolerance);
      if (isRed || !quiet)
        llvm::errs() << files[0] << ": " << describe(change);
      if (isRed)
        code = kBadInput;
    }
    if (code != kOk)
      llvm::errs() << "more than " << golden << " allows with a tolerance of "
                   << llvm::format("%g", double(tolerance))
                   << " %; if that is meant, write new figures with "
                      "--write-golden\n";
    return code;
  }

  cl::list<std::string> files{cl::Positional, cl::desc("<report>"),
                              cl::sub(sub)};
  cl::opt<std::string> golden{
      "golden", cl::desc("Figures that were right, see --write-golden"),
      cl::value_desc("file"), cl::sub(sub)};
  cl::opt<std::string> newGolden{
      "write-golden",
      cl::desc("Write this report's figures, to keep under version control"),
      cl::value_desc("file"), cl::sub(sub)};
  cl::opt<double> tolerance{
      "tolerance",
      cl::desc("How much more than --golden says is no error, in percent (0)"),
      cl::init(0), cl::sub(sub)};
  cl::list<std::string> budgets{
      "budget", cl::desc("What a region may take: neuron=2M; again for each"),
      cl::value_desc("region=bytes"), cl::sub(sub)};
  cl::opt<std::string> why{
      "why",
      cl::desc("What to show when the report is empty: the messages of a "
               "deployment that ended because the network does not fit"),
      cl::value_desc("file"), cl::sub(sub)};
  cl::opt<bool> quiet{"quiet", cl::desc("Nothing but what is over"),
                      cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeCheck() { return std::make_unique<Check>(); }

} // namespace tpu_mlir::memplan
