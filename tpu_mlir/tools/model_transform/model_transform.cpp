//===- model_transform.cpp - ONNX in, a Top module out --------------------===//

#include "lib/Transforms/Tpu/TopFuse/Fuse.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Import/Import.h"
#include "tpu_mlir/ModelBuilder/Models.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tpu_mlir;
using importer::ImportError;

static const char *kOverview =
    "Reads a model of ONNX and writes it as a Top module, with its weights in "
    "an .npz file beside it.\n\n"
    "  model_transform --model_name net --model_def net.onnx --mlir "
    "net.mlir\n\n"
    "  model_transform --model_name net --model_def net.onnx "
    "--input_shapes [[1,3,224,224]] --mlir net.mlir\n\n"
    "  model_transform --model_name net --model_def net.onnx "
    "--bind shape=shape.npz --output_names head1,head2 --mlir net.mlir\n\n"
    "Exit codes: 0 ok, 1 bad input, 2 usage.\n";

enum ExitCode { kOk = 0, kBadInput = 1, kUsage = 2 };

static cl::OptionCategory category("model_transform options");
static cl::opt<std::string>
    modelName("model_name",
              cl::desc("What the module is called, and the file "
                       "of weights after it"),
              cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string> modelDef("model_def", cl::desc("The model"),
                                     cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> inputShapes(
    "input_shapes",
    cl::desc("A shape for each input, as in [[1,3,224,224],[1,10]]"),
    cl::value_desc("shapes"), cl::cat(category));
static cl::list<std::string>
    outputNames("output_names",
                cl::desc("Values to return instead of the model's outputs"),
                cl::value_desc("names"), cl::CommaSeparated, cl::cat(category));
static cl::list<std::string>
    bindings("bind",
             cl::desc("An input whose numbers are known: its value is in a "
                      ".npz file, under its name, or a .pb file of ONNX"),
             cl::value_desc("name=file"), cl::cat(category));
static cl::opt<std::string> mlirFile("mlir",
                                     cl::desc("Where the module is written"),
                                     cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print errors only"),
                           cl::cat(category));

static int fail(ExitCode code, const Twine &message) {
  errs() << "model_transform: " << message << '\n';
  return code;
}

static void emit(mlir::MLIRContext &context, ErrorCode code,
                 const Twine &message) {
  emitCodedError(mlir::UnknownLoc::get(&context), code, message);
}

//===----------------------------------------------------------------------===//
// What the flags say
//===----------------------------------------------------------------------===//

/// nullopt: no list of lists of numbers above 0.
static std::optional<std::vector<importer::Shape>> parseShapes(StringRef text) {
  auto parsed = json::parse(text);
  if (!parsed) {
    consumeError(parsed.takeError());
    return std::nullopt;
  }
  const json::Array *list = parsed->getAsArray();
  std::vector<importer::Shape> shapes;
  for (const json::Value &entry : list ? *list : json::Array()) {
    const json::Array *dims = entry.getAsArray();
    if (!dims)
      return std::nullopt;
    shapes.emplace_back();
    for (const json::Value &dim : *dims) {
      const std::optional<int64_t> size = dim.getAsInteger();
      if (!size || *size < 1)
        return std::nullopt;
      shapes.back().push_back(*size);
    }
  }
  return list && !shapes.empty() ? std::optional(shapes) : std::nullopt;
}

static std::optional<importer::DataType> typeOf(StringRef dtype) {
  using importer::DataType;
  static const std::pair<StringLiteral, DataType> kTypes[] = {
      {"f4", DataType::F32}, {"f8", DataType::F64}, {"f2", DataType::F16},
      {"i1", DataType::I8},  {"u1", DataType::U8},  {"i2", DataType::I16},
      {"u2", DataType::U16}, {"i4", DataType::I32}, {"u4", DataType::U32},
      {"i8", DataType::I64}, {"u8", DataType::U64}, {"b1", DataType::Bool}};
  for (const auto &[name, type] : kTypes)
    if (dtype.drop_front() == name)
      return type;
  return std::nullopt;
}

static std::variant<importer::Constant, ImportError>
constantOf(const execution::NpyArray &array) {
  const std::optional<importer::DataType> type = typeOf(array.dtype);
  const bool isReal = type && importer::isFloat(*type);
  const execution::TensorType as{isReal ? execution::ElementType::F32
                                        : execution::ElementType::I32,
                                 array.shape, 1, 0};
  auto bytes = execution::bytesFor(as, array);
  if (!type || std::holds_alternative<execution::NpzError>(bytes))
    return ImportError{false, "array '" + array.name + "' is no tensor"};
  const execution::TensorView view{as, std::get<0>(bytes)};
  if (!isReal)
    return importer::makeConstant(*type, array.shape,
                                  execution::integersOf(view));
  const std::vector<float> floats = execution::floatsOf(view);
  return importer::makeConstant(
      *type, array.shape, std::vector<double>(floats.begin(), floats.end()));
}

static std::variant<importer::Constant, ImportError>
readBinding(StringRef name, const std::string &file) {
  if (!StringRef(file).ends_with(".npz"))
    return importer::readTensorFile(file);
  auto text = readWholeFile(file);
  if (auto *error = std::get_if<tpu_mlir::FileError>(&text))
    return ImportError{false, error->message};
  auto arrays = execution::readNpz(std::get<std::string>(text));
  if (auto *error = std::get_if<execution::NpzError>(&arrays))
    return ImportError{false, "cannot read '" + file + "': " + error->message};
  for (const auto &array : std::get<std::vector<execution::NpyArray>>(arrays))
    if (array.name == name)
      return constantOf(array);
  return ImportError{false, "there is no array '" + name.str() + "' in '" +
                                file + "'"};
}

/// Fails after an error was emitted.
static bool bindInputs(mlir::MLIRContext &context,
                       importer::ImportOptions &options) {
  for (StringRef binding : bindings) {
    auto [name, file] = binding.split('=');
    auto read = readBinding(name, file.str());
    if (auto *error = std::get_if<ImportError>(&read)) {
      emit(context, ErrorCode::NotReadable, error->message);
      return false;
    }
    options.bound[name.str()] = std::move(std::get<0>(read));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What is written
//===----------------------------------------------------------------------===//

/// In the folder of the module, as its "module.weight_file" says.
static std::string weightFile() {
  SmallString<128> path(mlirFile);
  sys::path::remove_filename(path);
  sys::path::append(path, modelName + "_top_f32_all_weight.npz");
  return path.str().str();
}

static void report(mlir::MLIRContext &context,
                   const std::vector<ImportError> &errors) {
  for (const ImportError &error : errors) {
    std::string message = error.message;
    for (const std::string &name : error.wanted)
      message += (&name == &error.wanted.front() ? ": give '" : ", '") + name +
                 "'" + (&name == &error.wanted.back() ? " with --bind" : "");
    emit(context,
         error.isNode ? ErrorCode::NotImported : ErrorCode::NotReadable,
         message);
  }
}

/// Both files or none.
static int write(mlir::MLIRContext &context, importer::Imported &imported) {
  std::string text;
  raw_string_ostream os(text);
  printModel(*imported.module, os);
  auto weights = execution::writeNpz(imported.weights);
  if (auto *error = std::get_if<execution::NpzError>(&weights)) {
    emit(context, ErrorCode::NotReadable,
         "cannot write '" + weightFile() + "': " + error->message);
    return kBadInput;
  }
  const int64_t bytes = std::get<std::string>(weights).size();
  if (auto error = writeFilesAtomically(
          {{mlirFile, std::move(text)},
           {weightFile(), std::move(std::get<std::string>(weights))}})) {
    emit(context, ErrorCode::NotReadable, error->message);
    return kBadInput;
  }
  if (!quiet)
    errs() << formatCount(imported.weights.size()) << " weights, "
           << formatBytes(bytes) << ", in '" << weightFile() << "'\n";
  return kOk;
}

static int run(importer::ImportOptions options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &diagnostic) {
        errs() << modelDef << ": error: " << diagnostic.str() << "\n";
      });
  if (!bindInputs(context, options))
    return kBadInput;
  auto made = importer::importOnnx(context, modelDef, options);
  if (auto *errors = std::get_if<std::vector<ImportError>>(&made)) {
    report(context, *errors);
    return kBadInput;
  }
  auto &imported = std::get<importer::Imported>(made);
  fusion::fuseTop(*imported.module, imported.weights);
  return write(context, imported);
}

/// What is wrong with the flags; "" when nothing is.
static std::string findWrongFlag(importer::ImportOptions &options) {
  for (const auto &[value, flag] :
       {std::pair<std::string, const char *>(modelName, "--model_name=NAME"),
        {modelDef, "--model_def=FILE"},
        {mlirFile, "--mlir=FILE"}})
    if (value.empty())
      return std::string("it needs ") + flag;
  if (StringRef(modelName).contains('/'))
    return "--model_name '" + modelName + "' is no name of a file";
  for (StringRef binding : bindings)
    if (!binding.contains('=') || binding.starts_with("=") ||
        binding.ends_with("="))
      return "--bind '" + binding.str() + "' is not as in x=x.npz";
  if (!inputShapes.empty()) {
    auto shapes = parseShapes(inputShapes);
    if (!shapes)
      return "--input_shapes '" + inputShapes +
             "' is not as in [[1,3,224,224]]";
    options.inputShapes = std::move(*shapes);
  }
  options.name = modelName;
  options.outputNames.assign(outputNames.begin(), outputNames.end());
  std::vector<NamedFile> read = {{modelDef, "--model_def"}};
  for (StringRef binding : bindings)
    read.push_back({binding.split('=').second.str(), "--bind"});
  return findOverwritten(
      read, {{mlirFile, "--mlir"}, {weightFile(), "the file of weights"}});
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  enterCallersDirectory();
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &errs()))
    return kUsage;
  if (std::string misuse = findMisuse(argc, argv); !misuse.empty())
    return fail(kUsage, misuse);
  importer::ImportOptions options;
  if (std::string wrong = findWrongFlag(options); !wrong.empty())
    return fail(kUsage, wrong);
  return run(std::move(options));
}
