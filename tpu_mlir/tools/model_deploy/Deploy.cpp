//===- Deploy.cpp - The stages of model_deploy ----------------------------===//

#include "tpu_mlir/tools/model_deploy/Deploy.h"

#include "lib/Transforms/Tpu/StripIoCast/StripIoCast.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Log/Progress.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"
#include "tpu_mlir/Planning/PlanCache.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/CommandLine/Stopping.h"
#include "tpu_mlir/tools/OnnxInput/OnnxInput.h"
#include "tpu_mlir/tools/SourceLocations/SourceLocations.h"
#include "tpu_mlir/tools/model_deploy/Artefacts.h"
#include "tpu_mlir/tools/model_deploy/Commands.h"
#include "tpu_mlir/tools/model_deploy/Fit.h"
#include "tpu_mlir/tools/model_deploy/GroupOrder.h"
#include "tpu_mlir/tools/model_deploy/Lowering.h"
#include "tpu_mlir/tools/model_deploy/Reports.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <future>

using namespace mlir;

namespace tpu_mlir::deploy {

namespace {

class Deployment {
public:
  explicit Deployment(const Options &given);
  int run();

private:
  OwningOpRef<ModuleOp> read();
  OwningOpRef<ModuleOp> readOnnx();
  LogicalResult lower(ModuleOp module);
  LogicalResult pack(ModuleOp module);
  LogicalResult assignCores(ModuleOp module);
  LogicalResult runStage(const Stage &stage, const char *end, ModuleOp module);
  LogicalResult addWeights(ModuleOp module, const char *end);
  LogicalResult strip(ModuleOp module);
  LogicalResult fit(ModuleOp module);
  LogicalResult rewrite(ModuleOp module);
  LogicalResult group(ModuleOp module);
  LogicalResult reorder(ModuleOp module, const char *end);
  std::string ioMode() const {
    return options.addressMode == "auto" ? "" : options.addressMode;
  }
  LogicalResult assign(ModuleOp module);
  LogicalResult runPasses(ModuleOp module,
                          llvm::function_ref<void(OpPassManager &)> build);
  LogicalResult runTo(const std::string &output, ModuleOp module,
                      llvm::function_ref<void(OpPassManager &)> build);
  LogicalResult render(ModuleOp module);
  LogicalResult writeAll();
  LogicalResult runIfAsked(ModuleOp module);
  int giveUp();
  bool tellWhyEarly(const char *then);
  void show(Diagnostic &diagnostic);
  void showCommand(const char *what, const std::string &stage);
  std::string print(ModuleOp module);
  std::string printAsIs(ModuleOp module);

  planning::PlanCache cache;
  const Options options;
  Stopping stopping;
  Lowering lowering;
  MLIRContext context;
  SourceLocations sources;
  OwningOpRef<ModuleOp> network;
  int exitCode = kOk;
  Outputs outputs;
  std::string regionTable, fitTable;
  Reports reports;
  /// What did not fit, in words.
  std::string shortage;
  /// Groups and order are made: what is left is addresses.
  bool isLaidOut = false;
  /// What is done from the lowered module on.
  Recipe recipe;
  int rewrites = 0;
  /// The file that the next command reads.
  std::string input;
  /// What every command needs for this module.
  std::string commandEnd;
  Records records;
};

} // namespace

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

static Options withCache(Options options, planning::PlanCache &cache) {
  options.cache = &cache;
  return options;
}

Deployment::Deployment(const Options &given)
    : cache(given.cacheFolder), options(withCache(given, cache)),
      stopping(given.timeLimit, given.fit || given.pareto), lowering(options),
      context(makeRegistry()) {
  context.disableMultithreading();
  // Planned conservatively, like unknown ops of our own dialects.
  context.allowUnregisteredDialects();
  log::setLevel(options.logLevel);
}

void Deployment::show(Diagnostic &diagnostic) {
  const DiagnosticSeverity severity = diagnostic.getSeverity();
  const log::Level level =
      severity == DiagnosticSeverity::Error     ? log::Level::Error
      : severity == DiagnosticSeverity::Warning ? log::Level::Warning
                                                : log::Level::Info;
  // Finding the place in the file is not free.
  if (!log::isShown(level))
    return;
  const std::string text = sources.render(diagnostic);
  log::entry(level, StringRef(text).rtrim());
  if (level != log::Level::Error)
    return;
  const std::optional<ErrorCode> code = errorCodeOf(diagnostic);
  if (code == ErrorCode::DoesNotFit)
    exitCode = kDoesNotFit;
  else if (code == ErrorCode::NoPlanFound)
    exitCode = kNotFound;
  else if (code == ErrorCode::PlanRejected)
    exitCode = kInternal;
  if (code != ErrorCode::DoesNotFit && code != ErrorCode::NoPlanFound)
    return;
  shortage += diagnostic.str() + "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    shortage += note.str() + "\n";
}

/// What stands for the stage, and on a terminal that it goes on.
void Deployment::showCommand(const char *what, const std::string &stage) {
  log::info("tpuc-opt " + stage + commandEnd);
  log::progress(what);
}

LogicalResult
Deployment::runPasses(ModuleOp module,
                      llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(&context);
  // Once, after the last one.
  manager.enableVerifier(false);
  build(manager);
  if (failed(manager.run(module)))
    return failure();
  return verify(module);
}

/// What the passes make is read from `output` by the command after it.
LogicalResult
Deployment::runTo(const std::string &output, ModuleOp module,
                  llvm::function_ref<void(OpPassManager &)> build) {
  input = output;
  if (failed(runPasses(module, build)))
    return failure();
  if (options.debug)
    outputs.add(output, print(module));
  return success();
}

/// With the locations as they are.
std::string Deployment::printAsIs(ModuleOp module) {
  std::string text;
  // Growing would copy it over and over; what stays unused costs no memory.
  uint64_t inputBytes = 0;
  if (!llvm::sys::fs::file_size(options.mlirFile, inputBytes))
    text.reserve(2 * inputBytes);
  llvm::raw_string_ostream out(text);
  // Modules come in millions of bits of text.
  out.SetBufferSize(size_t(1) << 16);
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  // It is, after every pipeline.
  flags.assumeVerified();
  module->print(out, flags);
  out << "\n";
  out.flush();
  return text;
}

std::string Deployment::print(ModuleOp module) {
  const PlainLocations plain(module);
  return printAsIs(module);
}

LogicalResult Deployment::runStage(const Stage &stage, const char *end,
                                   ModuleOp module) {
  const std::string output = options.stem + end + ".mlir";
  showCommand(stage.what,
              input + stage.command + " --mlir-print-debuginfo -o " + output);
  if (failed(runTo(output, module, stage.addPasses)))
    return failure();
  return options.debug ? addWeights(module, end) : success();
}

/// The numbers of its weights, where they are known.
LogicalResult Deployment::addWeights(ModuleOp module, const char *end) {
  auto file = lowering.weightFile(module);
  if (failed(file))
    return failure();
  if (*file)
    outputs.add(lowering.weightPath(end), std::move(**file));
  return success();
}

OwningOpRef<ModuleOp> Deployment::readOnnx() {
  sources.setFile(options.onnxFile);
  const std::string name = llvm::sys::path::filename(options.stem).str();
  input = options.stem + "_top.mlir";
  log::info("model_transform --model_name " + name + " --model_def " +
            options.onnxFile + options.onnx.flags + " --mlir " + input);
  outputs.weightFile = weightFileOf(name, options.stem);
  auto made = readOnnxInput(context, options.onnxFile, name, options.onnx,
                            outputs.weightFile);
  if (failed(made))
    return {};
  log::info(made->summary);
  outputs.weights = std::move(made->weights);
  outputs.dataFiles = std::move(made->dataFiles);
  lowering.readFrom(outputs.weights->currentPath(), outputs.weightFile);
  outputs.add(input, print(*made->module));
  return std::move(made->module);
}

OwningOpRef<ModuleOp> Deployment::read() {
  if (!options.onnxFile.empty())
    return readOnnx();
  input = options.mlirFile;
  return sources.parse(options.mlirFile, context);
}

LogicalResult Deployment::lower(ModuleOp module) {
  if (options.onnxFile.empty() && !needsLowering(module))
    return checkLowered(module, options);
  FailureOr<Stage> stage = lowering.lower(module);
  return failed(stage) ? failure() : runStage(*stage, "_tpu", module);
}

LogicalResult Deployment::pack(ModuleOp module) {
  FailureOr<std::optional<Stage>> stage = lowering.pack(module);
  if (failed(stage))
    return failure();
  return *stage ? runStage(**stage, "_packed", module) : success();
}

LogicalResult Deployment::assignCores(ModuleOp module) {
  const std::optional<Stage> stage = coresOf(options);
  return stage ? runStage(*stage, "_cores", module) : success();
}

LogicalResult Deployment::strip(ModuleOp module) {
  if (!options.stripInputs && !options.stripOutputs)
    return success();
  StripIoCastOptions strip;
  strip.inputs = options.stripInputs;
  strip.outputs = options.stripOutputs;
  strip.inputList = options.inputList;
  strip.outputList = options.outputList;
  const std::string output = options.stem + "_stripped.mlir";
  showCommand("inputs and outputs",
              input + " --tpu-strip-io-cast=\"" + describeStrip(strip) +
                  "\" --mlir-print-debuginfo -o " + output);
  return runTo(output, module, [&](OpPassManager &manager) {
    manager.addPass(createStripIoCast(strip));
  });
}

/// Which recipe it is: the command line's, or one that needs less memory.
LogicalResult Deployment::fit(ModuleOp module) {
  const bool keepsGroups = hasGroups(module) && !options.regroup;
  recipe = recipeOf(options, keepsGroups);
  if (!options.fit && !options.pareto)
    return success();
  FailureOr<FitResult> found =
      findFit(module, options, keepsGroups, [&] { return stopping.isAsked(); });
  if (failed(found))
    return failure();
  fitTable = renderFit(*found);
  outputs.add(options.stem + "_fit.json", renderFitJson(*found));
  if (options.gmemBytes && !found->fits) {
    log::info(StringRef(fitTable).rtrim());
    recipe = found->rows.back().recipe;
    return refuseFit(network->getLoc(), *found, options.gmemBytes);
  }
  recipe = found->rows[found->chosen].recipe;
  return success();
}

/// Copies of ops, and stretches in parts.
LogicalResult Deployment::rewrite(ModuleOp module) {
  for (const Stage &stage : rewritesOf(recipe)) {
    const std::string end = "_small" + std::to_string(++rewrites);
    if (failed(runStage(stage, end.c_str(), module)))
      return failure();
  }
  return success();
}

LogicalResult Deployment::group(ModuleOp module) {
  const bool bringsGroups = hasGroups(module);
  if (!recipe.layerGroups) {
    if (bringsGroups)
      log::info("--disable_layer_group makes no groups; those of the module "
                "stay, unchecked");
    return success();
  }
  LocalMemoryOptions pipeline;
  fillLocal(options, recipe, pipeline);
  // What --fit has measured stays as it was measured.
  const GroupTrial trial{pipeline, reorderOptions(options, recipe), ioMode(),
                         options.cache, recipe.overlaps};
  if (recipe.reorders && !options.fit && !options.pareto &&
      wantsOrderFirst(module, trial) && failed(reorder(module, "_sorted")))
    return failure();
  const std::string output = options.stem + "_local.mlir";
  showCommand("layer groups", input + " --tpu-local-memory=\"" +
                                  describeGroups(pipeline) +
                                  "\" --mlir-print-debuginfo -o " + output);
  const LogicalResult made = runTo(output, module, [&](OpPassManager &manager) {
    buildCachedLocalMemoryPipeline(manager, pipeline, options.cache);
  });
  if (failed(made) && bringsGroups && !options.regroup)
    log::error(options.mlirFile +
               ": note: the module brings layer groups of its own; "
               "--regroup takes them apart and looks for new ones");
  return made;
}

LogicalResult Deployment::reorder(ModuleOp module, const char *end) {
  if (!recipe.reorders)
    return success();
  const ReorderOptions reorder = reorderOptions(options, recipe);
  const std::string output = options.stem + end + ".mlir";
  showCommand("order of ops", input + " --tpu-reorder=\"" +
                                  describeReorder(reorder) +
                                  "\" --mlir-print-debuginfo -o " + output);
  return runTo(output, module, [&](OpPassManager &manager) {
    manager.addPass(createReorder(reorder));
  });
}

LogicalResult Deployment::assign(ModuleOp module) {
  isLaidOut = true;
  GlobalMemoryOptions pipeline;
  fillGlobal(options, recipe, pipeline);
  showCommand("addresses", input + " --tpu-global-memory=\"" +
                               changedOptions(pipeline) +
                               "\" --mlir-print-debuginfo -o " + options.stem +
                               "_final.mlir");
  RecordSink sink;
  if (!options.artefacts.empty())
    sink = [&](ModuleOp inner, const GlobalRecord &record) {
      records[inner] = record;
    };
  const llvm::scope_exit done([&] { stopping.searchesAreDone(); });
  return runPasses(module, [&](OpPassManager &manager) {
    buildRecordedGlobalMemoryPipeline(manager, pipeline, sink, options.cache);
  });
}

/// The module is printed while the reports are made: both only read it. Where
/// there is no second thread to be had, after them.
LogicalResult Deployment::render(ModuleOp module) {
  log::progress("reports");
  const PlainLocations plain(module);
  context.enableMultithreading();
  std::future<std::string> printed =
      std::async(std::launch::async | std::launch::deferred,
                 [&] { return printAsIs(module); });
  const LogicalResult reported = reports.collect(module, options);
  std::vector<FileToWrite> files = reports.render(options);
  regionTable += reports.regionTable();
  outputs.add(options.stem + "_final.mlir", printed.get());
  for (FileToWrite &file : files)
    outputs.add(std::move(file.first), std::move(file.second));
  context.disableMultithreading();
  return reported;
}

LogicalResult Deployment::writeAll() {
  if (std::string message = outputs.findOverwritten(options);
      !message.empty()) {
    log::error("model_deploy: " + message + "; see --help");
    exitCode = kUsage;
    return failure();
  }
  if (std::string message = outputs.write(); !message.empty())
    return emitCodedError(UnknownLoc::get(&context), ErrorCode::NotReadable,
                          message);
  for (const std::string &path : outputs.paths())
    log::info("wrote " + path);
  for (const std::string &path : outputs.removeOld(options))
    log::info("removed " + path + ", which an earlier run wrote");
  return success();
}

LogicalResult Deployment::runIfAsked(ModuleOp module) {
  if (!options.run)
    return success();
  if (stopping.isInterrupted()) {
    log::warning("the network does not run on its plan: interrupted");
    return success();
  }
  FailureOr<std::string> ran = runOnPlan(module, options);
  if (failed(ran))
    return failure();
  regionTable += *ran;
  return success();
}

/// Says what ended the searches before they were done; true for a signal.
bool Deployment::tellWhyEarly(const char *then) {
  if (const std::string why = stopping.why(then); !why.empty())
    log::warning("model_deploy: " + why);
  return stopping.isInterrupted();
}

/// Writes no results but the picture of what does not fit.
int Deployment::giveUp() {
  // Their file, which is not in its place, has to go.
  outputs.weights.reset();
  stopping.searchesAreDone();
  if (exitCode == kNotFound && tellWhyEarly("no plan was found by then"))
    exitCode = kInterrupted;
  if (exitCode != kDoesNotFit && exitCode != kNotFound)
    return exitCode == kOk ? kBadInput : exitCode;
  Recipe rest = recipe;
  if (isLaidOut) {
    rest = Recipe();
    rest.layerGroups = rest.reorders = false;
    rest.shares = recipe.shares;
  }
  const auto page = drawFailure(*network, options, rest, shortage);
  Outputs picture;
  picture.dataFiles = outputs.dataFiles;
  if (page)
    picture.add(page->first, page->second);
  if (page && picture.findOverwritten(options).empty() &&
      picture.write().empty())
    log::error("model_deploy: note: what does not fit is drawn in '" +
               page->first + "'");
  return exitCode;
}

int Deployment::run() {
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { show(diagnostic); });
  network = read();
  if (network && !options.quiet && hasUnknownDialects(*network))
    commandEnd = " --allow-unregistered-dialect";
  if (!network || failed(lower(*network)) || failed(assignCores(*network)) ||
      failed(strip(*network)) || failed(pack(*network)) ||
      failed(fit(*network)) || failed(rewrite(*network)) ||
      failed(group(*network)) || failed(reorder(*network, "_ordered")) ||
      (recipe.overlaps &&
       failed(runStage(overlapOf(options), "_overlapped", *network))) ||
      failed(assign(*network)) || failed(render(*network)) ||
      failed(addWeights(*network, "")) ||
      failed(makeArtefacts(*network, options, records, outputs)) ||
      failed(runIfAsked(*network)) || failed(writeAll())) {
    return giveUp();
  }
  if (!options.quiet)
    llvm::outs() << fitTable << regionTable;
  const bool isEarly = tellWhyEarly("what is written is the best plan so far");
  return isEarly ? kInterrupted : kOk;
}

int deploy(const Options &options) {
  // Left as it is when the program ends: to take 100,000 layers apart op by op
  // is a twentieth of the time that the plan takes.
  static Deployment *last = nullptr;
  last = new Deployment(options);
  return last->run();
}

} // namespace tpu_mlir::deploy
