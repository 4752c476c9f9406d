//===- model_transform.cpp - ONNX in, a Top module out --------------------===//

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/ModelBuilder/Models.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/tools/OnnxInput/OnnxInput.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tpu_mlir;

static const char *kOverview =
    "Reads a model of ONNX and writes it as a Top module, with its weights in "
    "an .npz file beside it.\n\n"
    "  model_transform --model_name net --model_def net.onnx --mlir "
    "net.mlir\n\n"
    "  model_transform --model_name net --model_def net.onnx "
    "--input_shapes [[1,3,224,224]] --mlir net.mlir\n\n"
    "  model_transform --model_name net --model_def net.onnx "
    "--bind shape=shape.npz --output_names head1,head2 --mlir net.mlir\n\n"
    "  model_transform --model_name net --model_def net.onnx --mean "
    "123.7,116.3,103.5 --scale 0.0171,0.0175,0.0174 --pixel_format rgb --mlir "
    "net.mlir\n\n"
    "Exit codes: 0 ok, 1 bad input, 2 usage.\n";

static cl::OptionCategory category("model_transform options");
static cl::opt<std::string>
    modelName("model_name",
              cl::desc("What the module is called, and the file "
                       "of weights after it"),
              cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string> modelDef("model_def", cl::desc("The model"),
                                     cl::value_desc("file"), cl::cat(category));
static OnnxFlags onnxFlags(category, "");
static cl::opt<std::string> mlirFile("mlir",
                                     cl::desc("Where the module is written"),
                                     cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print errors only"),
                           cl::cat(category));

/// Flags of tpu-mlir's model_transform.py that this tool does not implement.
static const char *kKnownUnsupported[] = {
    "add_postprocess", "debug",          "dump_final_opt",
    "dynamic",         "excepts",        "dynamic_shape_input_names",
    "model_data",      "model_extern",   "not_inference",
    "onnx_sim",        "patterns_count", "shape_influencing_input_names",
    "test_input",      "test_result",    "tolerance"};

static int fail(ExitCode code, const Twine &message) {
  errs() << "model_transform: " << message << '\n';
  return code;
}

/// Both files or none.
static int write(mlir::MLIRContext &context, OnnxInput &input) {
  std::string text;
  raw_string_ostream os(text);
  printModel(*input.module, os);
  std::string failure;
  if (auto error = writeFilesAtomically({{mlirFile, std::move(text)}}))
    failure = error->message;
  else if (auto late = input.weights->putInPlace())
    failure = late->message;
  if (!failure.empty()) {
    emitCodedError(mlir::UnknownLoc::get(&context), ErrorCode::NotReadable,
                   failure);
    return kBadInput;
  }
  log::info(input.summary);
  return kOk;
}

static std::vector<NamedFile> writtenFiles() {
  return {{mlirFile, "--mlir"},
          {weightFileOf(modelName, mlirFile), "the file of weights"}};
}

static int run(OnnxRequest request) {
  log::setLevel(quiet ? log::Level::Error : log::Level::Info);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &diagnostic) {
        log::error(modelDef + ": error: " + diagnostic.str());
        for (const mlir::Diagnostic &note : diagnostic.getNotes())
          log::error(modelDef + ": note: " + note.str());
      });
  auto input = readOnnxInput(context, modelDef, modelName, std::move(request),
                             weightFileOf(modelName, mlirFile));
  if (mlir::failed(input))
    return kBadInput;
  if (std::string wrong = findOverwritten(input->dataFiles, writtenFiles());
      !wrong.empty())
    return fail(kUsage, wrong);
  return write(context, *input);
}

/// What is wrong with the flags; "" when nothing is.
static std::string findWrongFlag(const OnnxRequest &request) {
  for (const auto &[value, flag] :
       {std::pair<std::string, const char *>(modelName, "--model_name=NAME"),
        {modelDef, "--model_def=FILE"},
        {mlirFile, "--mlir=FILE"}})
    if (value.empty())
      return std::string("it needs ") + flag;
  if (StringRef(modelName).contains('/'))
    return "--model_name '" + modelName + "' is no name of a file";
  if (mlirFile == "-")
    return "--mlir needs a file: weights are written beside it";
  std::vector<NamedFile> read = filesOf(request);
  read.push_back({modelDef, "--model_def"});
  return findOverwritten(read, writtenFiles());
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  if (std::string flag = findUnsupported(argc, argv, kKnownUnsupported);
      !flag.empty()) {
    // What is run is the other tool's matter.
    if (StringRef(flag).starts_with("'--test_"))
      flag += ", and run the module on numbers: model_runner --memory=value "
              "--model=<--mlir> --weight=<its .npz> --input=<.npz> "
              "--output=<.npz>";
    return fail(kUsage, flag);
  }
  if (auto code = parseCommandLine(argc, argv, category, kOverview))
    return *code;
  auto request = onnxFlags.read();
  if (auto *wrong = std::get_if<std::string>(&request))
    return fail(kUsage, *wrong);
  if (std::string wrong = findWrongFlag(std::get<OnnxRequest>(request));
      !wrong.empty())
    return fail(kUsage, wrong);
  return run(std::move(std::get<OnnxRequest>(request)));
}
