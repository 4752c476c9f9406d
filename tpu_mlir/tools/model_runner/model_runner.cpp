//===- model_runner.cpp - A network on its own addresses ------------------===//

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Interpreter/Interpreter.h"
#include "tpu_mlir/Log/Progress.h"
#include "tpu_mlir/OneDnn/OneDnn.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/SourceLocations/SourceLocations.h"
#include "tpu_mlir/tools/model_runner/Arrays.h"
#include "tpu_mlir/tools/model_runner/Compare.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <optional>
#include <thread>

using namespace llvm;
using namespace tpu_mlir;

static const char *kOverview =
    "Runs an addressed module on numbers, from the bytes that its addresses "
    "name, and says where an op reads what is not its own.\n\n"
    "  model_runner --model net_final.mlir\n\n"
    "  model_runner --model net_final.mlir --weight w.npz --input in.npz "
    "--output out.npz\n\n"
    "  model_runner --compare a.npz b.npz\n\n"
    "Weights and inputs without a file are random numbers, the same for the "
    "same --seed.\n\n"
    "Exit codes: 0 ok, 1 bad input, or wrong bytes were read, 2 usage.\n";

namespace {
enum class MemoryKind { Value, Arena, Both };
enum class ExecutorKind { Own, OneDnn };
} // namespace

static cl::OptionCategory category("model_runner options");
static cl::opt<std::string> model("model", cl::desc("The module to run"),
                                  cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    chipFile("chip-file",
             cl::desc("JSON file of the chip that the module is for, where "
                      "module.chip names none of this build"),
             cl::value_desc("file"), cl::cat(category));
static cl::opt<MemoryKind> memory(
    "memory", cl::desc("Where tensors are"),
    cl::values(clEnumValN(MemoryKind::Value, "value",
                          "each in bytes of its own; addresses are not read"),
               clEnumValN(MemoryKind::Arena, "arena", "at their addresses"),
               clEnumValN(MemoryKind::Both, "both",
                          "in both, and every read is compared (default)")),
    cl::init(MemoryKind::Both), cl::cat(category));
static cl::opt<ExecutorKind> executor(
    "executor", cl::desc("Who computes ops"),
    cl::values(clEnumValN(ExecutorKind::Own, "own",
                          "the project's kernels (default)"),
               clEnumValN(ExecutorKind::OneDnn, "onednn",
                          "oneDNN where it has a primitive, else these; of "
                          "networks in F32, with --memory=value")),
    cl::init(ExecutorKind::Own), cl::cat(category));
static cl::opt<std::string> inputFile("input", cl::desc("Inputs by name, .npz"),
                                      cl::value_desc("file"),
                                      cl::cat(category));
static cl::opt<std::string> weightFile("weight",
                                       cl::desc("Weights by name, .npz"),
                                       cl::value_desc("file"),
                                       cl::cat(category));
static cl::opt<std::string>
    outputFile("output", cl::desc("Where outputs are written, .npz"),
               cl::value_desc("file"), cl::cat(category));
static cl::opt<bool>
    dumpAll("dump_all_tensors",
            cl::desc("Write what every op computes to --output, too"),
            cl::cat(category));
static cl::opt<uint64_t> seed("seed",
                              cl::desc("Of random weights and inputs (0)"),
                              cl::cat(category));
static cl::opt<unsigned>
    threads("threads",
            cl::desc("Threads; 0: as many as there are processors (default). "
                     "Results do not depend on them"),
            cl::cat(category));
static cl::opt<bool>
    mixUnknown("mix_unknown",
               cl::desc("Ops without a kernel give numbers that are mixed out "
                        "of what they read, so that every module runs"),
               cl::cat(category));
static cl::opt<int64_t>
    maxIterations("max_iterations",
                  cl::desc("Of a loop, the most that are run (65536)"),
                  cl::init(RunOptions().maxIterations), cl::cat(category));
static cl::opt<bool> kernels("kernels",
                             cl::desc("Print the ops that can be run"),
                             cl::cat(category));
static cl::opt<bool>
    compare("compare",
            cl::desc("How similar the arrays of two .npz files are, the least "
                     "similar first"),
            cl::cat(category));
static cl::list<std::string>
    files(cl::Positional, cl::desc("[files of --compare]"), cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print errors only"),
                           cl::cat(category));

static int fail(ExitCode code, const Twine &message) {
  errs() << "model_runner: " << message << '\n';
  return code;
}

/// A flag that is given but means nothing beside `mode`; "" for none.
static std::string flagBeside(const cl::Option &mode) {
  std::string first;
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (option->getNumOccurrences() && option != &mode && option != &quiet &&
        llvm::is_contained(option->Categories, &category) &&
        (first.empty() || name < first))
      first = name.str();
  return first;
}

static int runComparison() {
  if (files.size() != 2 || !model.empty())
    return fail(kUsage, "--compare takes two files of arrays and no module");
  auto compared = compareArrays(files[0], files[1]);
  if (auto *error = std::get_if<CompareError>(&compared)) {
    mlir::MLIRContext context;
    emitCodedError(mlir::UnknownLoc::get(&context), ErrorCode::NotReadable,
                   error->message);
    return kBadInput;
  }
  if (!quiet)
    outs() << std::get<std::string>(compared);
  return kOk;
}

/// The first value of floats that are no F32, or of integers that stand for
/// floats; null for none.
static mlir::Value findOtherThanF32(mlir::ModuleOp module) {
  mlir::Value found;
  const auto isOther = [&](mlir::Value value) {
    mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
    if (auto type =
            mlir::dyn_cast<mlir::quant::CalibratedQuantizedType>(element))
      element = type.getExpressedType();
    return mlir::isa<mlir::quant::QuantizedType>(element) ||
           (mlir::isa<mlir::FloatType>(element) && !element.isF32());
  };
  const auto look = [&](mlir::ValueRange values) {
    for (mlir::Value value : values)
      if (!found && isOther(value))
        found = value;
  };
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    for (mlir::Region &region : op->getRegions())
      look(region.getArguments());
    look(op->getResults());
  });
  return found;
}

/// Whether the executor that was chosen can be asked. Prints an error.
static bool checkExecutor(mlir::ModuleOp module) {
  mlir::Value other = executor == ExecutorKind::OneDnn
                          ? findOtherThanF32(module)
                          : mlir::Value();
  if (!other)
    return true;
  std::string type;
  llvm::raw_string_ostream(type) << mlir::getElementTypeOrSelf(other);
  emitCodedError(other.getLoc(), ErrorCode::NoKernel,
                 "'" + valueName(other) + "' is of '" + type +
                     "', and --executor=onednn computes networks in F32 "
                     "only; lower with --quantize=F32, or leave it out");
  return false;
}

static RunOptions runOptions() {
  RunOptions options;
  options.inValues = memory != MemoryKind::Arena;
  options.inArena = memory != MemoryKind::Value;
  options.seed = seed;
  options.mixesUnknown = mixUnknown;
  options.maxIterations = maxIterations;
  options.threads =
      threads ? threads : std::max(1u, std::thread::hardware_concurrency());
  options.progress = [](int64_t done, int64_t all) {
    log::progress("running, ops", done, all);
  };
  return options;
}

/// Opens the file of a flag, if it is given. Prints an error and fails.
static bool openSource(mlir::MLIRContext &context, const std::string &file,
                       ArraySource &source, bool sameShape = false) {
  if (file.empty())
    return true;
  auto opened = openArrays(file, sameShape);
  if (auto *error = std::get_if<std::string>(&opened)) {
    emitCodedError(mlir::UnknownLoc::get(&context), ErrorCode::NotReadable,
                   *error);
    return false;
  }
  source = std::get<ArraySource>(opened);
  return true;
}

/// A name that is spelt another way would leave an input random, were it not
/// for this; a file of weights may be that of several networks.
static void warnOfUnread(mlir::Location where, const ArraySource &inputs) {
  if (inputs.unread)
    for (const std::string &name : inputs.unread())
      mlir::emitWarning(where) << "array '" << name << "' in '" << inputFile
                               << "' is no input of the network: nothing "
                                  "reads it";
}

/// Outputs with a digest of their bytes: equal runs have equal ones.
static void printResult(const RunResult &result) {
  TextTable table({TextTable::Column("output"), TextTable::Column("type"),
                   TextTable::Column("digest")});
  for (const RunOutput &output : result.outputs)
    table.addRow({output.name,
                  execution::describe(output.type.shape) + "x" +
                      execution::nameOf(output.type.element),
                  formatv("{0:x-16}", xxh3_64bits(output.bytes)).str()});
  outs() << table.render();
  const bool weights = !weightFile.empty(), inputs = !inputFile.empty();
  if (!weights || !inputs)
    outs() << (weights  ? "inputs"
               : inputs ? "weights"
                        : "weights and inputs")
           << ": random, seed " << seed << "\n";
  outs() << formatCount(result.ops) << " ops";
  if (memory == MemoryKind::Value)
    outs() << ", each tensor in bytes of its own\n";
  else
    outs() << ", " << formatBytes(result.checkedBytes)
           << " read at planned addresses, every byte from the write that was "
              "meant\n";
  if (executor == ExecutorKind::OneDnn)
    outs() << formatCount(result.byExecutor) << " of them computed by oneDNN "
           << OneDnnExecutor::version() << "\n";
  if (result.mixed > 0)
    outs() << formatCount(result.mixed) << " op"
           << (result.mixed == 1 ? "" : "s")
           << " that no kernel computes: numbers mixed out of what they read\n";
  if (result.inOrder > 0)
    outs() << formatCount(result.inOrder) << " result"
           << (result.inOrder == 1 ? "" : "s")
           << " written over operands, element by element in order: the same "
              "bits\n";
  if (result.groups > 0)
    outs() << formatCount(result.groups) << " layer group"
           << (result.groups == 1 ? "" : "s")
           << " in local memory, in three orders of the engines: the same "
              "bits\n";
}

/// Every module of functions; the outputs go to the file at the end.
static int runAll(mlir::ModuleOp module, const RunOptions &options,
                  ArrayWriter &writer) {
  std::vector<RunResult> results;
  for (mlir::ModuleOp inner : functionModules(module)) {
    mlir::FailureOr<RunResult> result = runModule(inner, options);
    if (mlir::failed(result))
      return kBadInput;
    for (const RunOutput &output : result->outputs)
      writer.add(output.name, {output.type, output.bytes});
    results.push_back(std::move(*result));
  }
  if (!outputFile.empty())
    if (auto error = writer.write()) {
      emitCodedError(module.getLoc(), ErrorCode::NotReadable, *error);
      return kBadInput;
    }
  if (!quiet)
    for (const RunResult &result : results)
      printResult(result);
  return kOk;
}

static int run() {
  ModuleReader reader(quiet);
  mlir::MLIRContext &context = reader.context;
  auto module = reader.read(model);
  if (!module)
    return kBadInput;
  if (!checkExecutor(*module))
    return kBadInput;
  RunOptions options = runOptions();
  if (!chipFile.empty()) {
    auto chip = resolveChip(*module, /*chip=*/"", chipFile);
    if (mlir::failed(chip))
      return kBadInput;
    options.chip = *chip;
  }
  std::optional<OneDnnExecutor> oneDnn;
  if (executor == ExecutorKind::OneDnn)
    options.executor = &oneDnn.emplace();
  ArraySource weights, inputs;
  if (!openSource(context, weightFile, weights) ||
      !openSource(context, inputFile, inputs, /*sameShape=*/true))
    return kBadInput;
  options.weights = weights.source;
  options.inputs = inputs.source;
  ArrayWriter writer(outputFile);
  if (dumpAll)
    options.onTensor = [&](StringRef name, const execution::TensorView &view) {
      writer.add(name, view);
    };
  const int code = runAll(*module, options, writer);
  if (code == kOk)
    warnOfUnread(module->getLoc(), inputs);
  return code;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  if (auto code = parseCommandLine(argc, argv, category, kOverview))
    return *code;
  for (const cl::opt<bool> *mode : {&kernels, &compare})
    if (std::string flag = *mode ? flagBeside(*mode) : ""; !flag.empty())
      return fail(kUsage, "--" + flag + " has no effect with --" +
                              mode->ArgStr.str() + "; leave it out");
  if (kernels && !files.empty())
    return fail(kUsage, "--kernels takes no file");
  if (kernels) {
    for (const std::string &name : runnableOps())
      outs() << name << "\n";
    return kOk;
  }
  if (compare)
    return runComparison();
  if (!files.empty())
    return fail(kUsage, "'" + files.front() +
                            "' is no flag; a module is given as --model=FILE");
  if (model.empty())
    return fail(kUsage, "no module given; --model=FILE");
  if (dumpAll && outputFile.empty())
    return fail(kUsage, "--dump_all_tensors needs --output");
  if (executor == ExecutorKind::OneDnn && memory != MemoryKind::Value)
    return fail(kUsage, "--executor=onednn needs --memory=value: no plan is "
                        "judged by its numbers");
  if (maxIterations < 1)
    return fail(kUsage, "--max_iterations=" + Twine(maxIterations) +
                            " is not at least 1");
  if (std::string shared = findOverwritten({{model, "--model"},
                                            {inputFile, "--input"},
                                            {weightFile, "--weight"}},
                                           {{outputFile, "--output"}});
      !shared.empty())
    return fail(kUsage, shared);
  return run();
}
