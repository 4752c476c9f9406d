//===- memplan.cpp - The planner without a compiler -----------------------===//

#include "tpu_mlir/tools/memplan/Memplan.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/memplan/Command.h"

#include "llvm/Support/raw_ostream.h"

using namespace tpu_mlir;
using namespace tpu_mlir::memplan;

static constexpr const char *kOverview =
    "Plans memory: buffers with sizes and lives in, an offset for each out.\n\n"
    "  memplan solve --capacity=1MiB problem.csv > plan.csv\n\n"
    "Problems are minimalloc CSV (id,lower,upper,size) or versioned JSON; the\n"
    "content decides. '-' is standard input. Standard output has the result\n"
    "and nothing else. 'memplan <command> --help' has the details.\n";

static constexpr const char *kExitCodes =
    "\nEXIT CODES:\n"
    "  0 ok, 1 diagnostics: bad input (and for validate: the plan is broken,\n"
    "  for diff: the plans differ), 2 usage, 3 does not fit: no plan can,\n"
    "  4 internal error, 5 no plan found, though one may exist, 6 "
    "interrupted:\n"
    "  what was found so far is written\n";

/// What --help says after the options.
static std::string epilogue(const Command *command) {
  if (!command)
    return kExitCodes;
  std::string text;
  if (command->hasStrategies()) {
    text += "\nSTRATEGIES:\n";
    for (const planning::Strategy *one : planning::StrategyRegistry::all())
      text += "  " + std::string(one->name) + ": " + std::string(one->summary) +
              "\n";
  }
  return text + kExitCodes + "\nEXAMPLE:\n  " + command->example() + "\n";
}

int tpu_mlir::memplan::usageError(const llvm::cl::SubCommand &sub,
                                  const std::string &message) {
  const std::string command = "memplan " + sub.getName().str();
  llvm::errs() << command << ": " << message << "; see " << command
               << " --help\n";
  return kUsage;
}

bool tpu_mlir::memplan::areApart(const llvm::cl::SubCommand &sub,
                                 llvm::ArrayRef<std::string> read,
                                 const std::vector<NamedFile> &written) {
  if (llvm::count(read, "-") > 1) {
    usageError(sub, "only one file can be standard input");
    return false;
  }
  std::vector<NamedFile> inputs;
  for (const std::string &path : read)
    inputs.push_back({path, "the command"});
  const std::string message = findOverwritten(inputs, written);
  if (!message.empty())
    usageError(sub, message);
  return message.empty();
}

static int runCommand(int argc, const char *const *argv) {
  std::unique_ptr<Command> commands[] = {
      makeSolve(), makeValidate(), makeExplain(),  makeCompare(),
      makeDiff(),  makeRender(),   makeGenerate(), makeArtefacts(),
      makeCheck(), makeTable()};
  Command *chosen = nullptr;
  for (const auto &command : commands)
    if (argc > 1 && command->sub.getName() == argv[1])
      chosen = command.get();
  // Only known once the command is: help texts are global in LLVM.
  const std::string help = epilogue(chosen);
  llvm::cl::extrahelp behindOptions(help);
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, kOverview, &llvm::errs()))
    return kUsage;
  if (chosen) {
    const std::string misuse = findMisuse(argc, argv, chosen->sub);
    return misuse.empty() ? chosen->run() : usageError(chosen->sub, misuse);
  }
  llvm::errs() << "memplan: a command is missing: solve, validate, explain, "
                  "compare, diff, render, generate, artefacts, check or table; "
                  "see memplan "
                  "--help\n";
  return kUsage;
}

int tpu_mlir::memplan::runMemplan(int argc, const char *const *argv) {
  beginProgram();
  return runCommand(argc, argv);
}
