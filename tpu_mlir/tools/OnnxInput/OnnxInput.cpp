//===- OnnxInput.cpp - A model of ONNX as a module and its weights --------===//

#include "tpu_mlir/tools/OnnxInput/OnnxInput.h"

#include "tpu_mlir/tools/OnnxInput/FuseImported.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Import/Import.h"
#include "tpu_mlir/Log/Progress.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tpu_mlir {

using execution::NpzWriter;
using importer::ImportError;

static mlir::LogicalResult fail(mlir::MLIRContext &context, ErrorCode code,
                                const Twine &message) {
  return emitCodedError(mlir::UnknownLoc::get(&context), code, message);
}

//===----------------------------------------------------------------------===//
// Values of inputs
//===----------------------------------------------------------------------===//

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

/// Whatever its type has: integers of 64 bits, too.
static std::variant<importer::Constant, ImportError>
constantOf(const execution::NpyArray &array) {
  const std::optional<importer::DataType> type = typeOf(array.dtype);
  if (!type)
    return ImportError{false, "array '" + array.name + "' is no tensor"};
  const auto data = std::make_shared<const std::vector<uint8_t>>(array.data);
  const StringRef bytes(reinterpret_cast<const char *>(data->data()),
                        data->size());
  return importer::Constant{*type, array.shape, importer::Stored{data, bytes}};
}

static std::variant<importer::Constant, ImportError>
readBinding(StringRef name, const std::string &file,
            std::vector<std::string> &beside) {
  if (!StringRef(file).ends_with(".npz"))
    return importer::readTensorFile(file, &beside);
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

static void addData(std::vector<NamedFile> &read,
                    const std::vector<std::string> &files, const char *owner) {
  for (const std::string &file : files)
    read.push_back({file, std::string(owner) + " (external data)"});
}

static mlir::LogicalResult bindInputs(mlir::MLIRContext &context,
                                      OnnxRequest &request,
                                      std::vector<NamedFile> &dataFiles) {
  for (const auto &[name, file] : request.bindings) {
    std::vector<std::string> beside;
    auto read = readBinding(name, file, beside);
    if (auto *error = std::get_if<ImportError>(&read))
      return fail(context, ErrorCode::NotReadable, error->message);
    addData(dataFiles, beside, "--bind");
    request.options.bound[name] = std::move(std::get<0>(read));
  }
  return mlir::success();
}

std::vector<NamedFile> filesOf(const OnnxRequest &request) {
  std::vector<NamedFile> files;
  for (const auto &[name, file] : request.bindings)
    files.push_back({file, "--bind"});
  return files;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

std::string weightFileOf(const std::string &name, const std::string &file) {
  SmallString<128> path(file);
  sys::path::remove_filename(path);
  sys::path::append(path, name + "_top_f32_all_weight.npz");
  return path.str().str();
}

static NpzWriter::Error write(const std::vector<importer::Weight> &weights,
                              NpzWriter &writer) {
  int64_t count = 0;
  for (const importer::Weight &weight : weights) {
    log::progress("writing weights", count++, weights.size());
    NpzWriter::Error error = writer.begin(weight.name, "<f4", weight.shape);
    weight.forEachPart([&](ArrayRef<float> part) {
      if (!error)
        error = writer.append({reinterpret_cast<const char *>(part.data()),
                               part.size() * sizeof(float)});
    });
    if (error)
      return error;
  }
  return writer.finish();
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static std::string describe(const ImportError &error) {
  std::string message = error.message;
  for (const std::string &name : error.wanted)
    message += (&name == &error.wanted.front() ? ": give '" : ", '") + name +
               "'" + (&name == &error.wanted.back() ? " with --bind" : "");
  return message;
}

/// All of them; behind the last one of a node where to look.
static mlir::LogicalResult report(mlir::MLIRContext &context,
                                  const std::vector<ImportError> &errors) {
  for (const ImportError &error : errors) {
    auto diagnostic = emitCodedError(mlir::UnknownLoc::get(&context),
                                     error.isNode ? ErrorCode::NotImported
                                                  : ErrorCode::NotReadable,
                                     describe(error));
    if (error.isNode && &error == &errors.back())
      diagnostic.attachNote()
          << "which ops are covered, and how: tpu_mlir/docs/guide/Import.md";
  }
  return mlir::failure();
}

mlir::FailureOr<OnnxInput> readOnnxInput(mlir::MLIRContext &context,
                                         const std::string &path,
                                         const std::string &name,
                                         OnnxRequest request,
                                         const std::string &weightFile) {
  request.options.name = name;
  OnnxInput result;
  if (failed(bindInputs(context, request, result.dataFiles)))
    return mlir::failure();
  log::progress("reading " + path);
  auto made = importer::importOnnx(context, path, request.options);
  if (auto *errors = std::get_if<std::vector<ImportError>>(&made))
    return report(context, *errors);
  auto &imported = std::get<importer::Imported>(made);
  log::progress("fusing layers");
  fuseImported(imported);
  addData(result.dataFiles, imported.dataFiles, "the model");
  result.module = std::move(imported.module);
  result.weights = std::make_unique<NpzWriter>(weightFile);
  if (NpzWriter::Error error = write(imported.weights, *result.weights))
    return fail(context, ErrorCode::NotReadable, error->message);
  result.summary = formatCount(imported.weights.size()) + " weights, " +
                   formatBytes(result.weights->size()) + ", in '" + weightFile +
                   "'";
  return result;
}

} // namespace tpu_mlir
