//===- model_calibrate.cpp - A calibration table from samples -------------===//

#include "lib/Transforms/Tpu/WeightFile/WeightFile.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/SourceLocations/SourceLocations.h"
#include "tpu_mlir/tools/model_calibrate/Calibrate.h"
#include "tpu_mlir/tools/model_runner/Arrays.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

using namespace llvm;
using namespace tpu_mlir;

static const char *kOverview =
    "Runs a Top module on samples and writes how large the numbers of each "
    "tensor get: the calibration table that model_deploy --quantize=INT8 "
    "reads.\n\n"
    "  model_calibrate --mlir net.mlir --weight net_weights.npz --dataset "
    "samples --cali_method kl -o net_table\n\n"
    "A sample is an .npz with an array for each input; a folder has one sample "
    "a file.\n\n"
    "Exit codes: 0 ok, 1 bad input, 2 usage.\n";

static cl::OptionCategory category("model_calibrate options");
static cl::opt<std::string> mlirFile("mlir", cl::desc("The Top module"),
                                     cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    weightFile("weight",
               cl::desc("Its weights by name, .npz; without it the file that "
                        "the module names, if it is beside it, else random "
                        "ones"),
               cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    dataset("dataset",
            cl::desc("A sample, or a folder of them; without it one of random "
                     "numbers"),
            cl::value_desc("file or folder"), cl::cat(category));
static cl::opt<int64_t>
    inputNum("input_num",
             cl::desc("Of a folder only the first ones, by name; 0: all (0)"),
             cl::cat(category));
static cl::opt<std::string> method(
    "cali_method",
    cl::desc("How a threshold is chosen: kl, max, mse or percentile9999 (kl)"),
    cl::init("kl"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("The table"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<unsigned>
    threads("threads",
            cl::desc("Threads; 0: as many as there are processors (default). "
                     "Results do not depend on them"),
            cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Of random numbers (0)"),
                              cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print errors only"),
                           cl::cat(category));

static int fail(const Twine &message) {
  errs() << "model_calibrate: " << message << '\n';
  return kUsage;
}

static mlir::LogicalResult notReadable(mlir::MLIRContext &context,
                                       const Twine &message) {
  return emitCodedError(mlir::UnknownLoc::get(&context), ErrorCode::NotReadable,
                        message);
}

/// The files of a folder by name, or the one that is given.
static mlir::FailureOr<std::vector<Sample>>
findSamples(mlir::MLIRContext &context) {
  if (dataset.empty() || !sys::fs::is_directory(dataset))
    return std::vector<Sample>{{dataset, seed}};
  std::vector<std::string> files;
  std::error_code error;
  for (sys::fs::directory_iterator each(dataset, error), end;
       !error && each != end; each.increment(error))
    if (sys::path::extension(each->path()) == ".npz")
      files.push_back(each->path());
  if (error)
    return notReadable(context,
                       "cannot read '" + dataset + "': " + error.message());
  llvm::sort(files);
  if (inputNum > 0 && static_cast<int64_t>(files.size()) > inputNum)
    files.resize(inputNum);
  if (files.empty())
    return notReadable(context, "there is no .npz in '" + dataset + "'");
  std::vector<Sample> samples;
  for (const std::string &file : files)
    samples.push_back({file, seed});
  return samples;
}

static int calibrate(quantization::ThresholdMethod how) {
  ModuleReader reader(quiet);
  mlir::MLIRContext &context = reader.context;
  auto module = reader.read(mlirFile);
  if (!module)
    return kBadInput;
  Calibration calibration(
      *module, how,
      threads ? threads : std::max(1u, std::thread::hardware_concurrency()));
  const std::string weights =
      weightFile.empty()
          ? tpu_mlir::weight_files::weightsBeside(*module, mlirFile)
          : weightFile;
  if (!weights.empty()) {
    auto opened = openArrays(weights, /*sameShape=*/false);
    if (auto *error = std::get_if<std::string>(&opened)) {
      (void)notReadable(context, *error);
      return kBadInput;
    }
    calibration.weights = std::get<ArraySource>(opened).source;
  }
  auto samples = findSamples(context);
  if (mlir::failed(samples))
    return kBadInput;
  auto table = calibration.run(*samples);
  if (mlir::failed(table))
    return kBadInput;
  const std::string text = quantization::printCalibrationTable(
      *table, {"quantization threshold calculation method: " + method,
               "sample number: " + std::to_string(samples->size()), "##"});
  if (auto error = writeFileAtomically(output, text)) {
    (void)notReadable(context, error->message);
    return kBadInput;
  }
  if (!quiet)
    outs() << table->entries.size() << " ranges from " << samples->size()
           << (samples->size() == 1 ? " sample" : " samples")
           << (dataset.empty() ? " of random numbers" : "")
           << (weights.empty() ? ", with random weights"
                               : ", with weights of " + weights)
           << "\n";
  return kOk;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  if (auto code = parseCommandLine(argc, argv, category, kOverview))
    return *code;
  if (mlirFile.empty())
    return fail("no module given; --mlir=FILE");
  if (output.empty())
    return fail("no file for the table given; -o FILE");
  auto how = quantization::thresholdMethodOf(method);
  if (!how)
    return fail("--cali_method has to be one of " +
                quantization::thresholdMethods());
  if (inputNum < 0)
    return fail("--input_num must not be negative");
  if (inputNum.getNumOccurrences() && !sys::fs::is_directory(dataset))
    return fail("--input_num is for a --dataset that is a folder");
  if (std::string shared = findOverwritten({{mlirFile, "--mlir"},
                                            {weightFile, "--weight"},
                                            {dataset, "--dataset"}},
                                           {{output, "-o"}});
      !shared.empty())
    return fail(shared);
  return calibrate(*how);
}
