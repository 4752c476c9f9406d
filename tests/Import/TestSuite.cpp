//===- TestSuite.cpp - The models of ONNX's own test suite ----------------===//

#include "tests/Import/TestSuite.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace tpu_mlir {

using namespace importer;

const char *const kSuite = "/usr/share/libonnx-testdata/data";

std::vector<std::string> modelsOfSuite() {
  std::vector<std::string> names;
  for (const char *kind :
       {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    std::error_code missing;
    for (const auto &entry :
         fs::directory_iterator(fs::path(kSuite) / kind, missing))
      if (fs::exists(entry.path() / "model.onnx"))
        names.push_back(std::string(kind) + "/" +
                        entry.path().filename().string());
  }
  llvm::sort(names);
  return names;
}

std::vector<uint8_t> bytesOf(const Constant &value,
                             const execution::TensorType &type) {
  execution::Tensor tensor(type);
  if (execution::isFloat(type.element))
    execution::store(llvm::ArrayRef<float>(value.floats()), tensor.span());
  else
    execution::store(llvm::ArrayRef<int64_t>(value.wholes()), tensor.span());
  return tensor.view().bytes.vec();
}

SuiteModel::SuiteModel(mlir::MLIRContext &context, const std::string &name)
    : context(context), folder(std::string(kSuite) + "/" + name) {}

std::string SuiteModel::file() const { return folder + "/model.onnx"; }

std::optional<Constant> SuiteModel::data(const std::string &kind,
                                         size_t index) const {
  auto read = readTensorFile(folder + "/test_data_set_0/" + kind + "_" +
                             std::to_string(index) + ".pb");
  if (auto *constant = std::get_if<Constant>(&read))
    return std::move(*constant);
  return std::nullopt;
}

/// By index: names in the data are others.
std::string SuiteModel::readInputs() {
  auto declared = inputsOf(file());
  if (auto *error = std::get_if<ImportError>(&declared))
    return error->message;
  const auto &borders = std::get<std::vector<Border>>(declared);
  for (size_t i = 0; i < borders.size(); ++i)
    if (std::optional<Constant> value = data("input", i))
      inputs[borders[i].name] = std::move(*value);
  return "";
}

std::variant<Imported, std::vector<ImportError>>
SuiteModel::import(ImportOptions &options) {
  for (;;) {
    auto made = importOnnx(context, file(), options);
    auto *errors = std::get_if<std::vector<ImportError>>(&made);
    if (!errors)
      return made;
    const size_t before = options.bound.size();
    for (const ImportError &error : *errors)
      for (const std::string &name : error.wanted)
        if (inputs.count(name))
          options.bound.emplace(name, inputs.at(name));
    if (options.bound.size() == before)
      return made;
  }
}

DataSource SuiteModel::inputSource() const {
  using Data = std::variant<std::vector<uint8_t>, std::string>;
  return [this](llvm::ArrayRef<std::string> names,
                const execution::TensorType &type) -> Data {
    auto found = inputs.find(names.front());
    if (found == inputs.end() || found->second.size() != type.elements())
      return "no data for input '" + names.front() + "'";
    return bytesOf(found->second, type);
  };
}

std::string SuiteModel::run(mlir::ModuleOp module, const RunOptions &options,
                            RunResult &result) const {
  std::string message = "it does not run";
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          message = diagnostic.str();
        return mlir::success();
      });
  auto done = runModule(module, options);
  if (mlir::failed(done))
    return message;
  result = std::move(*done);
  return "";
}

} // namespace tpu_mlir
