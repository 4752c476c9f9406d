//===- Artefacts.cpp - memplan artefacts ----------------------------------===//
//
// Problems are read, then planned (or their plans read), each on its own or all
// as one, then written as C. What the flags do not matter to stands before the
// command.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Report/ArtefactReport.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

enum class Sharing { Max, Combined };

/// "pool=value" entries of a flag.
bool readPairs(const cl::SubCommand &sub, const std::vector<std::string> &list,
               const char *flag, std::map<std::string, std::string> &pairs) {
  for (llvm::StringRef entry : list) {
    const auto [pool, value] = entry.split('=');
    if (pool.empty() || value.empty()) {
      usageError(sub, std::string(flag) + " has to be pool=value");
      return false;
    }
    if (!pairs.insert({pool.str(), value.str()}).second) {
      usageError(sub, std::string(flag) + " says '" + pool.str() + "' twice");
      return false;
    }
  }
  return true;
}

/// Messages about the combined problem point into the files it came from.
void locate(ProblemFile &combined, const std::vector<ProblemFile> &problems) {
  size_t next = 0;
  for (const ProblemFile &file : problems)
    for (size_t id = 0; id < file.problem.buffers.size(); ++id)
      combined.problem.buffers[next++].location = file.positionOf(BufferId(id));
}

/// All problems as one, whose models run one after the other.
std::optional<ProblemFile> combined(const std::vector<ProblemFile> &problems,
                                    const std::vector<std::string> &names,
                                    const std::string &prefix) {
  std::vector<std::pair<std::string, const Problem *>> parts;
  for (size_t i = 0; i < problems.size(); ++i)
    parts.push_back({names[i], &problems[i].problem});
  auto result = report::combineInSequence(parts);
  if (const auto *error = std::get_if<report::ArtefactError>(&result)) {
    showError(problems[0].path, {error->message});
    return std::nullopt;
  }
  ProblemFile file;
  file.path = prefix;
  file.problem = std::move(std::get<Problem>(result));
  file.problem.name = prefix;
  locate(file, problems);
  return file;
}

Solved sound(const ProblemFile &file, const Plan &plan,
             const std::string &path) {
  const auto broken = planning::validate(file.problem, plan, 1);
  if (broken.empty())
    return {plan, kOk};
  showError(path, {"the plan is not valid: " + broken.front().message});
  return {std::nullopt, kBadInput};
}

std::optional<std::string> firstDifference(const ProblemFile &file,
                                           const Plan &plan) {
  auto place = [&](const Placement &at) {
    return "'" + file.problem.pools[at.pool].name + "' + " +
           std::to_string(at.offsetBytes);
  };
  for (size_t id = 0; id < plan.placements.size(); ++id) {
    const Placement &here = plan.placements[id];
    const Placement &recorded = file.recorded->placements[id];
    if (!(here == recorded))
      return "the plan puts '" + file.problem.buffers[id].name + "' at " +
             place(here) + ", the program of " + file.path + " has it at " +
             place(recorded);
  }
  return std::nullopt;
}

/// Unlike a picture, a program must not be made from a broken plan.
Solved given(const ProblemFile &file, const std::string &planPath) {
  auto plan = readPlan(file, planPath);
  if (!plan)
    return {std::nullopt, kBadInput};
  if (file.recorded)
    if (auto difference = firstDifference(file, *plan)) {
      showError(planPath, {*difference});
      return {std::nullopt, kBadInput};
    }
  return sound(file, *plan, planPath);
}

std::vector<FileToWrite> inFolder(const std::string &folder,
                                  std::vector<report::ArtefactFile> files) {
  std::vector<FileToWrite> result;
  for (report::ArtefactFile &file : files) {
    llvm::SmallString<128> place(folder);
    llvm::sys::path::append(place, file.name);
    result.push_back({place.str().str(), std::move(file.contents)});
  }
  return result;
}

class Artefacts : public Command {
public:
  Artefacts()
      : Command(
            "artefacts",
            "Write a plan as C for embedded programs: header, source, map") {}

  int run() override {
    if (int code = checkUsage())
      return code;
    if (!flags.read() || !isStrategy(sub, strategy) || !readOptions())
      return kUsage;
    std::vector<ProblemFile> problems;
    for (const std::string &path : files) {
      auto file = readProblem(path);
      if (!file || !mayPlan(*file))
        return kBadInput;
      flags.limit(file->problem);
      problems.push_back(std::move(*file));
    }
    if (!readData())
      return kBadInput;
    if (problems.size() > 1 && sharing == Sharing::Combined)
      return runCombined(problems);
    return runApart(problems);
  }

  std::string example() const override {
    return "memplan artefacts net.json --prefix=net --out-dir=generated "
           "--internal=sram --section=sram=.bss.sram";
  }
  bool hasStrategies() const override { return true; }

private:
  int checkUsage() {
    if (files.empty())
      return usageError(sub, "a problem is needed");
    if (!areApart(sub, filesRead(), {}))
      return kUsage;
    if (prefix.empty())
      return usageError(sub, "--prefix is needed: the name of the files");
    if (files.size() > 1 && !planPath.empty())
      return usageError(sub, "--plan is for one problem");
    if (!planPath.empty() && strategy.getNumOccurrences())
      return usageError(sub, "--strategy is for a problem without a plan");
    if (const std::string flag = flags.oneAboutPlanning();
        !planPath.empty() && !flag.empty())
      return usageError(sub, flag + " is for a problem without a plan");
    if (files.size() == 1 && sharing.getNumOccurrences())
      return usageError(sub, "--sharing is for several problems; the models of "
                             "one problem are planned together");
    if (files.size() > 1 && !models.empty() && models.size() != files.size())
      return usageError(sub, "--models has to name each problem");
    return kOk;
  }

  /// Programs that have been given a plan are not given another one after
  /// their backs.
  bool mayPlan(const ProblemFile &file) const {
    if (!file.recorded)
      return true;
    const bool isCombined = files.size() > 1 && sharing == Sharing::Combined;
    const char *what = isCombined                     ? "--sharing=combined"
                       : strategy.getNumOccurrences() ? "--strategy"
                       : flags.areGiven() ? "an option that says how to plan"
                                          : nullptr;
    if (what)
      showError(file.path,
                {"'" + file.title() +
                 "' comes with the plan that its program has, made by '" +
                 file.recorded->strategy + "', and " + what +
                 " would make another one; leave it out" +
                 (isCombined ? " or plan the models together before they are "
                               "given addresses"
                             : "")});
    return !what;
  }

  bool readOptions() {
    options.prefix = prefix;
    options.internalPools = internal;
    options.callerPools = callers;
    return readPairs(sub, sections, "--section", options.sections) &&
           readPairs(sub, data, "--data", dataPaths);
  }

  bool readData() {
    for (const auto &[pool, path] : dataPaths) {
      auto contents = readWholeFile(path);
      if (const auto *error = std::get_if<FileError>(&contents)) {
        showError(path, {error->message});
        return false;
      }
      options.data[pool] = std::move(std::get<std::string>(contents));
    }
    return true;
  }

  std::string modelName(const std::vector<ProblemFile> &problems,
                        size_t i) const {
    if (!models.empty())
      return models[i];
    return problems.size() == 1 ? std::string(prefix) : problems[i].title();
  }

  int runApart(const std::vector<ProblemFile> &problems) {
    std::vector<Plan> plans;
    for (const ProblemFile &file : problems) {
      Solved solved = planned(file);
      if (!solved.plan)
        return solved.exitCode;
      plans.push_back(std::move(*solved.plan));
    }
    if (problems.size() == 1 && !models.empty())
      return writeTogether(problems[0], plans[0], models);
    std::vector<report::ArtefactModel> parts;
    for (size_t i = 0; i < problems.size(); ++i)
      parts.push_back(
          {modelName(problems, i), &problems[i].problem, &plans[i], ""});
    return write(problems[0].path, parts);
  }

  int runCombined(const std::vector<ProblemFile> &problems) {
    std::vector<std::string> names;
    for (size_t i = 0; i < problems.size(); ++i)
      names.push_back(modelName(problems, i));
    const auto file = combined(problems, names, prefix);
    if (!file)
      return kBadInput;
    Solved solved = planned(*file);
    if (!solved.plan)
      return solved.exitCode;
    return writeTogether(*file, *solved.plan, names);
  }

  Solved planned(const ProblemFile &file) {
    if (!planPath.empty())
      return given(file, planPath);
    if (file.recorded)
      return sound(file, *file.recorded, file.path);
    if (!quiet)
      flags.remarkUnused(file, {strategy});
    SolveOptions solveOptions = flags.options();
    solveOptions.strategy = strategy;
    Solved solved = solveOrExplain(file, solveOptions);
    isInterrupted |= solved.exitCode == kInterrupted;
    if (solved.plan && !quiet)
      llvm::errs() << (files.size() > 1 ? file.title() + ": " : "")
                   << describePlan(file.problem, *solved.plan);
    return solved;
  }

  int writeTogether(const ProblemFile &file, const Plan &plan,
                    const std::vector<std::string> &names) {
    std::vector<report::ArtefactModel> parts;
    for (const std::string &name : names)
      parts.push_back({name, &file.problem, &plan, name + "/"});
    return write(file.path, parts);
  }

  std::vector<std::string> filesRead() const {
    std::vector<std::string> read(files.begin(), files.end());
    read.push_back(planPath);
    for (const auto &[pool, path] : dataPaths)
      read.push_back(path);
    return read;
  }

  int write(const std::string &path,
            const std::vector<report::ArtefactModel> &parts) {
    auto rendered = report::renderArtefacts(parts, options);
    if (const auto *error = std::get_if<report::ArtefactError>(&rendered)) {
      showError(path, {error->message});
      return kBadInput;
    }
    const std::vector<FileToWrite> toWrite = inFolder(
        outDir,
        std::move(std::get<std::vector<report::ArtefactFile>>(rendered)));
    std::vector<NamedFile> written;
    for (const FileToWrite &file : toWrite)
      written.push_back({file.first, "--prefix"});
    if (!areApart(sub, filesRead(), written))
      return kUsage;
    if (auto error = writeFilesAtomically(toWrite)) {
      showError(outDir, {error->message});
      return kBadInput;
    }
    for (const FileToWrite &file : toWrite)
      if (!quiet)
        llvm::errs() << "wrote " << file.first << "\n";
    return isInterrupted ? kInterrupted : kOk;
  }

  bool isInterrupted = false; ///< While one of them was planned.
  cl::list<std::string> files{cl::Positional, cl::desc("<problem|->..."),
                              cl::sub(sub)};
  cl::opt<std::string> prefix{
      "prefix",
      cl::desc("Name of the files, and of the model when there is one"),
      cl::sub(sub)};
  cl::opt<std::string> outDir{
      "out-dir", cl::desc("The folder for the files (the current one)"),
      cl::init("."), cl::sub(sub)};
  cl::opt<std::string> planPath{
      "plan",
      cl::desc("A plan of the problem; by default the one that is recorded "
               "with it, else it is solved"),
      cl::sub(sub)};
  cl::list<std::string> models{
      "models",
      cl::desc("Names of the models: of the problems in their order, or of one "
               "problem's with buffers called model/tensor"),
      cl::CommaSeparated, cl::sub(sub)};
  cl::opt<Sharing> sharing{
      "sharing", cl::desc("How several problems use one workspace (max)"),
      cl::init(Sharing::Max), cl::sub(sub),
      cl::values(
          clEnumValN(Sharing::Max, "max",
                     "each is planned alone; the largest counts"),
          clEnumValN(Sharing::Combined, "combined",
                     "planned as one, which runs them one after the other"))};
  cl::list<std::string> internal{
      "internal",
      cl::desc("Pools whose memory the source defines; the others are the "
               "application's"),
      cl::CommaSeparated, cl::sub(sub)};
  cl::list<std::string> callers{
      "caller",
      cl::desc("Pools of inputs and outputs that come by one pointer each"),
      cl::CommaSeparated, cl::sub(sub)};
  cl::list<std::string> sections{
      "section", cl::desc("pool=name: linker sections of internal pools"),
      cl::CommaSeparated, cl::sub(sub)};
  cl::list<std::string> data{
      "data",
      cl::desc("pool=file or model/pool=file: contents of internal read-only "
               "pools"),
      cl::CommaSeparated, cl::sub(sub)};
  cl::opt<std::string> strategy{
      "strategy",
      cl::desc("How to plan when no plan is given or recorded (auto)"),
      cl::init("auto"), cl::sub(sub)};
  SolverFlags flags{sub};
  cl::opt<bool> quiet{"quiet", cl::desc("Print errors only"), cl::sub(sub)};

  report::ArtefactOptions options;
  std::map<std::string, std::string> dataPaths;
};

} // namespace

std::unique_ptr<Command> makeArtefacts() {
  return std::make_unique<Artefacts>();
}

} // namespace tpu_mlir::memplan
