//===- ConformanceTest.cpp - The models of ONNX's own test suite ----------===//
//
// Every model of the package libonnx-testdata is imported and, where that
// works, run by the interpreter; what it computes is compared with the recorded
// outputs as ONNX's own runner does, as it is and with layers fused.
// exceptions.txt names the models with which
// that does not work yet, and why: it may only become shorter.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Import/Import.h"
#include "tpu_mlir/Interpreter/Interpreter.h"
#include "tpu_mlir/tools/OnnxInput/FuseImported.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

using namespace tpu_mlir;
using namespace tpu_mlir::importer;
namespace fs = std::filesystem;

static const char *const kData = "/usr/share/libonnx-testdata/data";
static const char *const kList = "tests/Import/exceptions.txt";
static constexpr size_t kModels = 1072;

namespace {

/// How far a model gets.
enum class Stage { Import, Numbers, Right };

struct Verdict {
  Stage stage = Stage::Import;
  std::string reason;
};

class Model {
public:
  Model(mlir::MLIRContext &context, fs::path folder)
      : context(context), folder(std::move(folder)) {}

  Verdict judge();

private:
  std::optional<Constant> data(const std::string &kind, size_t index);
  std::string readInputs();
  std::variant<Imported, std::vector<ImportError>> import();
  std::string run(const Imported &imported, RunResult &result);
  std::string compare(const Imported &imported, const RunResult &result);
  std::string whyWrong(const Imported &imported);

  mlir::MLIRContext &context;
  fs::path folder;
  std::map<std::string, Constant> inputs;
};

} // namespace

std::optional<Constant> Model::data(const std::string &kind, size_t index) {
  const fs::path file =
      folder / "test_data_set_0" / (kind + "_" + std::to_string(index) + ".pb");
  auto read = readTensorFile(file.string());
  if (auto *constant = std::get_if<Constant>(&read))
    return std::move(*constant);
  return std::nullopt;
}

/// By index: names in the data are others.
std::string Model::readInputs() {
  auto declared = inputsOf((folder / "model.onnx").string());
  if (auto *error = std::get_if<ImportError>(&declared))
    return error->message;
  const auto &borders = std::get<std::vector<Border>>(declared);
  for (size_t i = 0; i < borders.size(); ++i)
    if (std::optional<Constant> value = data("input", i))
      inputs[borders[i].name] = std::move(*value);
  return "";
}

/// Inputs whose numbers the importer asks for are bound, as a user would.
std::variant<Imported, std::vector<ImportError>> Model::import() {
  ImportOptions options;
  options.name = "net";
  for (;;) {
    auto made = importOnnx(context, (folder / "model.onnx").string(), options);
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

static std::vector<uint8_t> bytesOf(const Constant &value,
                                    const execution::TensorType &type) {
  execution::Tensor tensor(type);
  if (execution::isFloat(type.element))
    execution::store(llvm::ArrayRef<float>(value.floats()), tensor.span());
  else
    execution::store(llvm::ArrayRef<int64_t>(value.wholes()), tensor.span());
  return tensor.view().bytes.vec();
}

std::string Model::run(const Imported &imported, RunResult &result) {
  RunOptions options;
  options.inArena = false;
  using Data = std::variant<std::vector<uint8_t>, std::string>;
  options.inputs = [&](llvm::ArrayRef<std::string> names,
                       const execution::TensorType &type) -> Data {
    auto found = inputs.find(names.front());
    if (found == inputs.end() || found->second.size() != type.elements())
      return "no data for input '" + names.front() + "'";
    return bytesOf(found->second, type);
  };
  options.weights = [&](llvm::ArrayRef<std::string> names,
                        const execution::TensorType &type) -> Data {
    for (const Weight &weight : imported.weights)
      if (weight.name == names.front())
        return bytesOf({DataType::F32, weight.shape, weight.floats()}, type);
    return "no weight '" + names.front() + "'";
  };
  std::string message = "it does not run";
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          message = diagnostic.str();
        return mlir::success();
      });
  auto done = runModule(*imported.module, options);
  if (mlir::failed(done))
    return message;
  result = std::move(*done);
  return "";
}

/// |a - b| <= atol + rtol * |b|
static bool isClose(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return std::fabs(a - b) <= 1e-7 + 1e-3 * std::fabs(b);
}

std::string Model::compare(const Imported &imported, const RunResult &result) {
  if (result.outputs.size() != imported.outputs.size())
    return "it has another number of outputs";
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const std::optional<Constant> wanted = data("output", i);
    const Border &border = imported.outputs[i];
    if (!wanted)
      return "there is no recorded output " + std::to_string(i);
    if (wanted->type != border.type || wanted->shape != border.shape)
      return "output " + std::to_string(i) + " is " +
             nameOf(border.type).str() + describe(border.shape) + ", not " +
             nameOf(wanted->type).str() + describe(wanted->shape);
    const std::vector<float> numbers =
        execution::floatsOf({result.outputs[i].type, result.outputs[i].bytes});
    if (static_cast<int64_t>(numbers.size()) != wanted->size())
      return "output " + std::to_string(i) + " has another size";
    for (size_t at = 0; at < numbers.size(); ++at)
      if (!isClose(numbers[at], wanted->real(at)))
        return "output " + std::to_string(i) + " has " +
               std::to_string(numbers[at]) + " for " +
               std::to_string(wanted->real(at));
  }
  return "";
}

/// "" when it computes what was recorded.
std::string Model::whyWrong(const Imported &imported) {
  RunResult result;
  const std::string why = run(imported, result);
  return why.empty() ? compare(imported, result) : why;
}

Verdict Model::judge() {
  if (std::string why = readInputs(); !why.empty())
    return {Stage::Import, why};
  auto made = import();
  if (auto *errors = std::get_if<std::vector<ImportError>>(&made)) {
    EXPECT_FALSE(errors->empty());
    return {Stage::Import, errors->front().message};
  }
  Imported &imported = std::get<Imported>(made);
  std::string why = whyWrong(imported);
  if (why.empty()) {
    fuseImported(imported);
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*imported.module)));
    why = whyWrong(imported);
    why = why.empty() ? "" : "fused: " + why;
  }
  return {why.empty() ? Stage::Right : Stage::Numbers, why};
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

static const char *wordFor(Stage stage) {
  return stage == Stage::Import ? "import" : "numbers";
}

/// Lines "folder/model stage reason".
static std::map<std::string, std::string> readList() {
  std::map<std::string, std::string> stages;
  std::ifstream file(kList);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#')
      continue;
    auto [model, rest] = llvm::StringRef(line).split(' ');
    stages[model.str()] = rest.split(' ').first.str();
  }
  return stages;
}

static std::vector<std::string> allModels() {
  std::vector<std::string> names;
  for (const char *kind :
       {"node", "pytorch-converted", "pytorch-operator", "simple"})
    for (const auto &entry : fs::directory_iterator(fs::path(kData) / kind))
      if (fs::exists(entry.path() / "model.onnx"))
        names.push_back(std::string(kind) + "/" +
                        entry.path().filename().string());
  llvm::sort(names);
  return names;
}

/// What exceptions.txt would have to say, for whoever shortens it.
static void writeList(const std::map<std::string, Verdict> &verdicts) {
  const char *path = std::getenv("CONFORMANCE_LIST");
  if (!path)
    return;
  std::ofstream file(path);
  for (const auto &[name, verdict] : verdicts) {
    std::string reason = verdict.reason;
    if (const size_t end = reason.find('\n'); end != std::string::npos)
      reason.resize(end);
    if (const size_t at = reason.find(kData); at != std::string::npos)
      reason.erase(at, std::strlen(kData) + 1);
    if (verdict.stage != Stage::Right)
      file << name << " " << wordFor(verdict.stage) << " " << reason << "\n";
  }
}

TEST(Conformance, ModelsGetAsFarAsTheListSays) {
  if (!fs::exists(kData))
    GTEST_SKIP() << "the package libonnx-testdata is not installed";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::map<std::string, Verdict> verdicts;
  size_t modules = 0, right = 0;
  for (const std::string &name : allModels()) {
    Verdict verdict = Model(context, fs::path(kData) / name).judge();
    modules += verdict.stage != Stage::Import;
    right += verdict.stage == Stage::Right;
    verdicts[name] = std::move(verdict);
  }
  writeList(verdicts);
  EXPECT_EQ(verdicts.size(), kModels);
  std::cout << verdicts.size() << " models, " << modules << " modules, "
            << right << " with the recorded numbers\n";
  std::map<std::string, std::string> listed = readList();
  for (const auto &[name, verdict] : verdicts) {
    auto entry = listed.find(name);
    const std::string expected = entry == listed.end() ? "" : entry->second;
    if (verdict.stage == Stage::Right)
      EXPECT_EQ(expected, "") << name << " works: take it off " << kList;
    else
      EXPECT_EQ(expected, wordFor(verdict.stage))
          << name << ": " << verdict.reason;
    listed.erase(name);
  }
  for (const auto &[name, stage] : listed)
    ADD_FAILURE() << name << " in " << kList << " is no model";
}
