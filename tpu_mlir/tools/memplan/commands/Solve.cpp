//===- Solve.cpp - memplan solve ------------------------------------------===//

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/StopToken.h"
#include "tpu_mlir/Support/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <set>

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

enum class PlanFormat { AsInput, Csv, Json };

/// A row for each problem that was looked at.
class SolvedTable {
public:
  explicit SolvedTable(size_t all) : all(all) {}

  void add(const ProblemFile &file, const Solved &solved) {
    int64_t bound = 0, used = 0;
    for (size_t pool = 0; pool < file.problem.pools.size(); ++pool) {
      bound = saturatedAdd(bound, liveBound(file.problem, PoolId(pool)).bytes);
      if (solved.plan)
        used = saturatedAdd(used, solved.plan->pools[pool].usedBytes);
    }
    const bool isProved = solved.exitCode == kDoesNotFit;
    table.addRow(
        {file.path, formatCount(int64_t(file.problem.buffers.size())),
         solved.plan ? formatCount(used)
         : isProved  ? "does not fit"
                     : "no plan",
         formatCount(bound), solved.plan ? shownGap(used, bound) : "-",
         solved.plan ? std::string(proofName(solved.plan->proof)) : "-",
         solved.plan ? solved.plan->winner : ""});
    planned += solved.plan.has_value();
  }
  /// `tried`: problems until an interrupt, all without one.
  std::string render(size_t tried) const {
    return table.render() + std::to_string(planned) + " of " +
           std::to_string(all) + " planned" +
           (tried < all ? ", interrupted after " + std::to_string(tried)
                        : std::string()) +
           "\n";
  }

private:
  static constexpr auto kRight = TextTable::Align::Right;
  TextTable table{{{"problem"},
                   {"buffers", kRight},
                   {"used", kRight},
                   {"bound", kRight},
                   {"gap %", kRight},
                   {"proof"},
                   {"winner"}}};
  size_t all, planned = 0;
};

class Solve : public Command {
public:
  Solve() : Command("solve", "Give every buffer of a problem its offset") {}

  int run() override {
    if (files.empty())
      return usageError(sub, "a problem is needed, or several, or folders of "
                             "them");
    if (!flags.read() || !isStrategy(sub, strategy))
      return kUsage;
    const bool isMany =
        files.size() > 1 || llvm::sys::fs::is_directory(files.front());
    if (!areApart(sub, files,
                  isMany ? std::vector<NamedFile>()
                         : std::vector<NamedFile>{{output, "--output"},
                                                  {why, "--why"}}))
      return kUsage;
    if (isMany)
      return runMany();
    if (!canWrite(output) || !canWrite(why))
      return kBadInput;
    auto file = readProblem(files.front());
    if (!file)
      return kBadInput;
    const SolveOptions options = flags.startedOptions(strategy);
    flags.limit(file->problem);
    if (!quiet)
      flags.remarkUnused(*file, {strategy});
    PlanCache plans(planCache);
    Solved solved = solveOrExplain(*file, options, !quiet, cacheOf(plans));
    if (!solved.plan)
      return tellWhy(*file, options, solved);
    // A measure, which is not worth more time than there is.
    if (strategy == "auto" && !solved.plan->isCutByTime &&
        !solved.plan->isInterrupted)
      addClassicUse(file->problem, *solved.plan);
    dropWhy(*file);
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
  /// "a.plan.csv" beside "a.csv", as this command calls its plans.
  static bool isPlanOfSibling(llvm::StringRef path) {
    const llvm::StringRef extension = llvm::sys::path::extension(path);
    llvm::StringRef problem = path.drop_back(extension.size());
    return problem.consume_back(".plan") &&
           llvm::sys::fs::exists(problem + extension);
  }
  /// Of folders the problems that are directly in them, by name; nullopt after
  /// a message.
  std::optional<std::vector<std::string>> inputs() const {
    std::vector<std::string> paths;
    for (const std::string &path : files) {
      if (!llvm::sys::fs::is_directory(path)) {
        paths.push_back(path);
        continue;
      }
      std::vector<std::string> found;
      std::error_code error;
      for (llvm::sys::fs::directory_iterator it(path, error), end;
           !error && it != end; it.increment(error)) {
        const llvm::StringRef extension =
            llvm::sys::path::extension(it->path());
        if ((extension == ".csv" || extension == ".json") &&
            !isPlanOfSibling(it->path()))
          found.push_back(it->path());
      }
      if (error || found.empty()) {
        showError(path, {error ? "cannot read: " + error.message()
                               : "no file in it ends in .csv or .json"});
        return std::nullopt;
      }
      std::sort(found.begin(), found.end());
      paths.insert(paths.end(), found.begin(), found.end());
    }
    return paths;
  }

  /// "plans/net.plan.csv", of a problem at `problem`.
  std::string planPath(llvm::StringRef problem, bool isJson) const {
    llvm::SmallString<128> path(output);
    llvm::sys::path::append(path, llvm::sys::path::stem(problem) + ".plan" +
                                      (isJson ? ".json" : ".csv"));
    return path.str().str();
  }

  /// Whether no two plans would have one name, and none that of a problem, as
  /// far as names of problems tell that; said before anything is solved.
  bool areApartIn(const std::vector<std::string> &paths) const {
    if (output.empty())
      return true;
    std::map<std::pair<std::string, std::string>, std::string> known;
    std::vector<std::string> calledPlans;
    llvm::copy_if(paths, std::back_inserter(calledPlans),
                  [](const std::string &path) {
                    return llvm::sys::path::stem(path).ends_with(".plan");
                  });
    for (const std::string &path : paths) {
      const std::string stem = llvm::sys::path::stem(path).str();
      // Each plan is written as its problem is, or all of them in one way.
      const std::string kind = format == PlanFormat::AsInput
                                   ? llvm::sys::path::extension(path).str()
                                   : "";
      const auto [other, isNew] = known.try_emplace({stem, kind}, path);
      if (!isNew) {
        usageError(sub, "the plan of '" + path + "' would have the name of " +
                            "that of '" + other->second +
                            "'; rename one, or solve them in two calls");
        return false;
      }
      const bool isJson = format == PlanFormat::Json || kind == ".json";
      if (!areApart(sub, calledPlans,
                    {{planPath(path, isJson), "the plan of '" + path + "'"}}))
        return false;
    }
    return true;
  }

  /// One process and one table; what is wrong with one problem is told, and the
  /// others go on.
  int runMany() {
    if (!why.empty())
      return usageError(sub, "--why is for one problem");
    if (!output.empty() && !llvm::sys::fs::is_directory(output))
      return usageError(sub, "--output has to be a folder, since there are "
                             "several problems");
    const auto paths = inputs();
    if (!paths)
      return kBadInput;
    if (!areApartIn(*paths))
      return kUsage;
    SolvedTable table(paths->size());
    PlanCache plans(planCache);
    int code = kOk;
    size_t tried = 0;
    for (const std::string &path : *paths) {
      ++tried;
      const int one = solveOne(path, table, plans);
      // What is wrong counts more than what does not fit, and that more than
      // what was not found.
      if (one == kInternal || code == kOk || (one == kBadInput) ||
          (one == kDoesNotFit && code == kNotFound))
        code = one == kOk ? code : one;
      if (StopToken::ofProcess().isRequested()) {
        code = kInterrupted;
        break;
      }
    }
    const int written = writeResult("", table.render(tried));
    return written == kOk ? code : written;
  }

  /// Null where no folder is given.
  PlanCache *cacheOf(PlanCache &plans) const {
    return planCache.empty() ? nullptr : &plans;
  }

  int solveOne(const std::string &path, SolvedTable &table, PlanCache &plans) {
    flags.startClock();
    auto file = readProblem(path);
    if (!file)
      return kBadInput;
    flags.limit(file->problem);
    const Solved solved = solveOrExplain(*file, flags.startedOptions(strategy),
                                         !quiet, cacheOf(plans));
    table.add(*file, solved);
    if (!solved.plan || output.empty())
      return solved.exitCode;
    const std::string place = planPath(file->path, isJson(*file));
    if (!writtenPlans.insert(place).second) {
      showError(place, {"cannot write: the plan of another problem is there"});
      return kBadInput;
    }
    const int result = writeResult(place, print(*file, *solved.plan));
    return result == kOk ? solved.exitCode : result;
  }

  /// There is a plan: what an earlier run wrote there would say otherwise.
  void dropWhy(const ProblemFile &file) const {
    if (why.empty())
      return;
    const bool isOld = llvm::sys::fs::is_regular_file(why) &&
                       !llvm::sys::fs::remove(why, /*IgnoreNonExisting=*/false);
    if (!quiet)
      llvm::errs() << file.path
                   << ": remark: --why has no effect: there is a plan"
                   << (isOld ? "; removed '" + why + "', which was there"
                             : std::string())
                   << "\n";
  }

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

  bool isJson(const ProblemFile &file) const {
    return format == PlanFormat::AsInput ? file.format == FileFormat::Json
                                         : format == PlanFormat::Json;
  }
  std::string print(const ProblemFile &file, const Plan &plan) const {
    return isJson(file) ? printPlanJson(file.problem, plan)
                        : printPlanCsv(file.problem, plan);
  }

  std::set<std::string> writtenPlans; ///< Plans of several problems.
  cl::list<std::string> files{cl::Positional, cl::desc("<problem|-|folder>..."),
                              cl::sub(sub)};
  cl::opt<std::string> strategy{"strategy", cl::desc("How to plan (auto)"),
                                cl::init("auto"), cl::sub(sub)};
  SolverFlags flags{sub};
  cl::opt<std::string> output{
      "output",
      cl::desc("Where the plan goes; standard output by default. Of several "
               "problems a folder, where each plan is called "
               "<problem>.plan.csv; standard output has a table of them"),
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
  cl::opt<std::string> planCache{
      "plan-cache",
      cl::desc("Folder of plans that were found before: equal problems are "
               "solved once, whatever their names"),
      cl::value_desc("folder"), cl::sub(sub)};
  cl::opt<bool> quiet{"quiet", cl::desc("Print errors only"), cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeSolve() { return std::make_unique<Solve>(); }

} // namespace tpu_mlir::memplan
