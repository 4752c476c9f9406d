//===- ConformanceTest.cpp - The models of ONNX's own test suite ----------===//
//
// Every model of the package libonnx-testdata is imported and, where that
// works, run by the interpreter; what it computes is compared with the recorded
// outputs as ONNX's own runner does, as it is and with layers fused.
// exceptions.txt names the models with which
// that does not work yet, and why: it may only become shorter.
//
//===----------------------------------------------------------------------===//

#include "tests/Import/TestSuite.h"

#include "tpu_mlir/tools/OnnxInput/FuseImported.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iostream>

using namespace tpu_mlir;
using namespace tpu_mlir::importer;

static const char *const kList = "tests/Import/exceptions.txt";
static constexpr size_t kModels = 1072;

namespace {

/// How far a model gets.
enum class Stage { Import, Numbers, Right };

struct Verdict {
  Stage stage = Stage::Import;
  std::string reason;
};

class Model : public SuiteModel {
public:
  Model(mlir::MLIRContext &context, const std::string &name)
      : SuiteModel(context, name) {}

  Verdict judge();

private:
  std::string compare(const Imported &imported, const RunResult &result);
  std::string whyWrong(const Imported &imported);
};

} // namespace

/// The numbers of weights as they were imported.
static DataSource weightSource(const Imported &imported) {
  using Data = std::variant<std::vector<uint8_t>, std::string>;
  return [&](llvm::ArrayRef<std::string> names,
             const execution::TensorType &type) -> Data {
    for (const Weight &weight : imported.weights)
      if (weight.name == names.front())
        return bytesOf({DataType::F32, weight.shape, weight.floats()}, type);
    return "no weight '" + names.front() + "'";
  };
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
  RunOptions options;
  options.inArena = false;
  options.inputs = inputSource();
  options.weights = weightSource(imported);
  RunResult result;
  const std::string why = run(*imported.module, options, result);
  return why.empty() ? compare(imported, result) : why;
}

Verdict Model::judge() {
  if (std::string why = readInputs(); !why.empty())
    return {Stage::Import, why};
  ImportOptions options;
  options.name = "net";
  auto made = import(options);
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
    if (const size_t at = reason.find(kSuite); at != std::string::npos)
      reason.erase(at, std::strlen(kSuite) + 1);
    if (verdict.stage != Stage::Right)
      file << name << " " << wordFor(verdict.stage) << " " << reason << "\n";
  }
}

TEST(Conformance, ModelsGetAsFarAsTheListSays) {
  const std::vector<std::string> names = modelsOfSuite();
  if (names.empty())
    GTEST_SKIP() << "the package libonnx-testdata is not installed";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::map<std::string, Verdict> verdicts;
  size_t modules = 0, right = 0;
  for (const std::string &name : names) {
    Verdict verdict = Model(context, name).judge();
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
