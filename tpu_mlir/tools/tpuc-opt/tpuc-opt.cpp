//===- tpuc-opt.cpp - Passes on Top and Tpu modules -----------------------===//

#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Pipelines/Pipelines.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Properties.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/CommandLine/Stopping.h"
#include "tpu_mlir/tools/tpuc-opt/PassOptions.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace tpu_mlir;

static llvm::cl::opt<std::string> logLevel(
    "log-level",
    llvm::cl::desc("What to say on standard error besides diagnostics: "
                   "debug (why a plan is as it is), info, warning or "
                   "error (warning)"));

static llvm::cl::opt<std::string> timeLimit(
    "time-limit",
    llvm::cl::desc("Seconds for all searches together: layer groups, orders "
                   "and addresses end then with the best they have; another "
                   "run may find another plan"));

/// What is wrong with the options of passes, as they are written.
static std::string findBadOption(int argc, char **argv) {
  std::vector<PassText> passes;
  for (int i = 1; i < argc; ++i) {
    const StringRef argument = StringRef(argv[i]).ltrim('-');
    const auto [name, text] = argument.split('=');
    if (!StringRef(argv[i]).starts_with("-"))
      continue;
    const bool isNext = !argument.contains('=') && i + 1 < argc;
    if (name == "pass-pipeline")
      llvm::append_range(passes, readPipeline(isNext ? argv[i + 1] : text));
    else if (PassInfo::lookup(name) || PassPipelineInfo::lookup(name))
      passes.push_back(readPassOptions(name, text));
  }
  return findRepeatedOption(passes);
}

/// MLIR says that it ignores a plugin that it cannot load, and goes on.
static bool asksForPlugin(int argc, char **argv) {
  return llvm::any_of(llvm::ArrayRef(argv, argc), [](StringRef argument) {
    const StringRef name = argument.split('=').first;
    return name.starts_with("-") && name.ends_with("-plugin") &&
           name.ltrim('-').starts_with("load-");
  });
}

/// The same of the passes that they stand for. Fails after a message of MLIR's
/// when there are none.
static FailureOr<std::string> findBadFile(const MlirOptMainConfig &config,
                                          StringRef input, StringRef output) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  PassManager manager(&context);
  if (failed(config.setupPassPipeline(manager)))
    return failure();
  std::string text;
  llvm::raw_string_ostream out(text);
  manager.printAsTextualPipeline(out);
  return findSharedFile(
      readPipeline(text), {{input.str(), "the command"}},
      {{output.str(), "'-o'"},
       {config.getReproducerFilename().str(), "'--mlir-generate-reproducer'"}},
      !config.inputSplitMarker().empty());
}

static int refuse(const std::string &message) {
  llvm::errs() << "tpuc-opt: error: " << message << " [TPUMEM-E018]\n";
  return EXIT_FAILURE;
}

/// Who waits at a terminal for what somebody types ends at once.
static bool isTyped(StringRef input) {
  return input == "-" && llvm::sys::Process::StandardInIsUserInput();
}

/// As MLIR's own, but a file takes its place at the end: LLVM would remove it
/// when a signal comes.
static LogicalResult readRunWrite(StringRef input, StringRef output,
                                  DialectRegistry &registry,
                                  const MlirOptMainConfig &config) {
  const auto isError = [](const std::optional<FileError> &error) {
    if (error)
      llvm::errs() << "tpuc-opt: error: " << error->message
                   << " [TPUMEM-E017]\n";
    return error.has_value();
  };
  std::string message;
  auto file = openInputFile(input, &message);
  if (!file) {
    llvm::errs() << message << "\n";
    return failure();
  }
  file = propertiesAsAttributes(std::move(file));
  if (output == "-")
    return MlirOptMain(llvm::outs(), std::move(file), registry, config);
  std::string text;
  llvm::raw_string_ostream out(text);
  return failure(isError(whyNotWritable(output.str())) ||
                 failed(MlirOptMain(out, std::move(file), registry, config)) ||
                 isError(writeFileAtomically(output.str(), text)));
}

/// The passes, until they are done or somebody wants their searches to end.
static int runPasses(int argc, char **argv, StringRef input, StringRef output,
                     std::optional<double> seconds, DialectRegistry &registry) {
  const MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (isTyped(input) || config.shouldShowDialects() ||
      config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  Stopping stopping(seconds, /*areSearchesWhole=*/false);
  if (failed(readRunWrite(input, output, registry, config)))
    return EXIT_FAILURE;
  stopping.searchesAreDone();
  if (const std::string why =
          stopping.why("what is written is the best plan so far");
      !why.empty())
    log::warning("tpuc-opt: " + why);
  return stopping.isInterrupted() ? kInterrupted : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  beginProgram();
  if (asksForPlugin(argc, argv))
    return refuse("plugins cannot be loaded: this program has MLIR inside, and "
                  "a plugin brings another; run mlir-opt-22 with it");
  DialectRegistry registry;
  registerDialects(registry);
  registerUpstreamDialects(registry);
  registerAllPassesAndPipelines();
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "Top and Tpu modules\n", registry);
  if (std::string bad = findMisuse(argc, argv); !bad.empty())
    return refuse(bad);
  if (logLevel.getNumOccurrences()) {
    const std::optional<log::Level> level = log::levelOfName(logLevel);
    if (!level)
      return refuse("--log-level has to be one of " + log::levelNames());
    log::setLevel(*level);
  }
  std::optional<double> seconds;
  if (timeLimit.getNumOccurrences())
    if (std::string bad = readTimeLimit(timeLimit, seconds); !bad.empty())
      return refuse(bad);
  if (std::string bad = findBadOption(argc, argv); !bad.empty())
    return refuse(bad);
  FailureOr<std::string> bad =
      findBadFile(MlirOptMainConfig::createFromCLOptions(), input, output);
  if (failed(bad))
    return EXIT_FAILURE;
  if (!bad->empty())
    return refuse(*bad);
  return runPasses(argc, argv, input, output, seconds, registry);
}
