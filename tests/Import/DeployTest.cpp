//===- DeployTest.cpp - ONNX's own test suite on chips --------------------===//
//
// Every model of libonnx-testdata that becomes a Top module is lowered to F16
// and to INT8, planned layer by layer and in layer groups, verified, and run
// from the bytes that its addresses name beside memory where nothing can be
// overwritten: every bit has to be the same. In F16 it has to compute about
// what it computes in F32; INT8 has ranges that stand in for measured ones.
// deploy_exceptions.txt names what does not get that far, and why: it may only
// become shorter.
//
//===----------------------------------------------------------------------===//

#include "tests/Import/TestSuite.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "lib/Transforms/Tpu/ImportCalibrationTable/ImportCalibrationTable.h"
#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h"
#include "lib/Transforms/Tpu/WeightFile/WeightFile.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"
#include "tpu_mlir/tools/OnnxInput/OnnxInput.h"
#include "tpu_mlir/tools/model_runner/Arrays.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iostream>

using namespace tpu_mlir;
using namespace tpu_mlir::importer;

namespace {

const char *const kList = "tests/Import/deploy_exceptions.txt";

/// What a model is deployed as.
struct Target {
  const char *chip, *mode;
  bool groups;

  std::string name() const {
    return std::string(mode) + "/" + chip + (groups ? "/groups" : "");
  }
  bool isInteger() const { return llvm::StringRef(mode) == "INT8"; }
};

const Target kTargets[] = {
    {"bm1684x", "F16", false},  {"bm1684x", "F16", true},
    {"bm1684x", "INT8", false}, {"bm1684x", "INT8", true},
    {"cv183x", "INT8", false},  {"cv183x", "INT8", true}};

struct Tally {
  int64_t modules = 0, deployed = 0, groups = 0;
};

/// A model that became a Top module, with its weights in a file.
class Deployed : public SuiteModel {
public:
  Deployed(mlir::MLIRContext &context, const std::string &name)
      : SuiteModel(context, name), context(context) {}

  /// Whether there is a module.
  bool import();
  /// "": it is planned, verified and computes the same bits. Otherwise the step
  /// that failed, and why.
  std::string deploy(const Target &target, Tally &tally);

private:
  void addPasses(mlir::PassManager &manager, const Target &target,
                 std::shared_ptr<quantization::WeightStore> weights) const;
  std::string lower(mlir::ModuleOp module, const Target &target,
                    DataSource &weights);
  std::string runInFloats();
  std::string farFromFloats(const RunResult &result) const;

  mlir::MLIRContext &context;
  OnnxInput top;
  std::string weightFile;
  DataSource inputs;
  std::vector<Border> outputs;
  RunResult floats;
};

/// The first error while `work` goes on, or "".
template <typename Work>
std::string errorOf(mlir::MLIRContext &context, Work work) {
  std::string first;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            first.empty())
          first = diagnostic.str();
        return mlir::success();
      });
  const mlir::LogicalResult done = work();
  return mlir::succeeded(done) ? "" : first.empty() ? "no error" : first;
}

DataSource sourceOf(const std::string &file) {
  auto opened = openArrays(file, /*sameShape=*/false);
  auto *source = std::get_if<ArraySource>(&opened);
  EXPECT_TRUE(source) << file;
  return source ? source->source : DataSource();
}

} // namespace

bool Deployed::import() {
  OnnxRequest request;
  request.options.name = "net";
  if (!readInputs().empty())
    return false;
  auto imported = SuiteModel::import(request.options);
  if (!std::holds_alternative<Imported>(imported))
    return false;
  outputs = std::get<Imported>(imported).outputs;
  weightFile = testing::TempDir() + "net_top_f32_all_weight.npz";
  auto read = readOnnxInput(context, file(), "net", request, weightFile);
  if (mlir::failed(read) || read->weights->putInPlace())
    return false;
  top = std::move(*read);
  inputs = inputSource();
  // Recorded for another type: random numbers do as well.
  if (!runInFloats().empty())
    inputs = nullptr;
  EXPECT_TRUE(inputs || runInFloats().empty()) << file();
  return true;
}

std::string Deployed::runInFloats() {
  RunOptions options;
  options.inArena = false;
  options.inputs = inputs;
  options.weights = sourceOf(weightFile);
  return run(*top.module, options, floats);
}

void Deployed::addPasses(
    mlir::PassManager &manager, const Target &target,
    std::shared_ptr<quantization::WeightStore> weights) const {
  ConvertTopToTpuOptions convert;
  convert.chip = target.chip;
  convert.mode = target.mode;
  ImportCalibrationTableOptions ranges;
  ranges.chip = target.chip;
  if (target.isInteger())
    manager.addPass(createImportCalibrationTable(ranges));
  manager.addPass(createConvertTopToTpu(convert, weights));
  ReorderWeightsOptions reorder;
  reorder.chip = target.chip;
  if (target.isInteger())
    manager.addPass(createReorderWeights(reorder, weights));
  LocalMemoryOptions local;
  local.chip = target.chip;
  local.remarks = false;
  if (target.groups)
    buildLocalMemoryPipeline(manager, local);
  GlobalMemoryOptions global;
  global.chip = target.chip;
  buildGlobalMemoryPipeline(manager, global);
}

std::string Deployed::lower(mlir::ModuleOp module, const Target &target,
                            DataSource &weights) {
  return errorOf(context, [&]() -> mlir::LogicalResult {
    auto store = weight_files::openWeights(module, weightFile);
    if (mlir::failed(store))
      return mlir::failure();
    mlir::PassManager manager(&context);
    addPasses(manager, target, target.isInteger() ? *store : nullptr);
    if (mlir::failed(manager.run(module)))
      return mlir::failure();
    std::string file = weightFile;
    if (target.isInteger()) {
      file = testing::TempDir() + "net_weights.npz";
      if (mlir::failed(weight_files::writeWeights(module, **store, file)))
        return mlir::failure();
    }
    weights = sourceOf(file);
    return mlir::success();
  });
}

/// 1 for equal directions; what is infinite or no number on both sides is
/// left out.
static double cosine(llvm::ArrayRef<float> a, llvm::ArrayRef<float> b) {
  double product = 0, left = 0, right = 0;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    if ((std::isnan(x) && std::isnan(y)) || (std::isinf(x) && x == y))
      continue;
    product += double(x) * y;
    left += double(x) * x;
    right += double(y) * y;
  }
  return left == right && left == 0 ? 1
                                    : product / std::sqrt(left * right + 1e-30);
}

std::string Deployed::farFromFloats(const RunResult &result) const {
  if (result.outputs.size() != floats.outputs.size())
    return "it has another number of outputs";
  for (size_t i = 0; i < outputs.size(); ++i) {
    const RunOutput &one = result.outputs[i], &wanted = floats.outputs[i];
    const double similar =
        cosine(execution::floatsOf({one.type, one.bytes}),
               execution::floatsOf({wanted.type, wanted.bytes}));
    if (!(similar >= 0.999))
      return "output " + std::to_string(i) + " (" +
             nameOf(outputs[i].type).str() + ") has a cosine of " +
             std::to_string(similar);
  }
  return "";
}

std::string Deployed::deploy(const Target &target, Tally &tally) {
  mlir::OwningOpRef<mlir::ModuleOp> module = top.module->clone();
  RunOptions options;
  if (std::string why = lower(*module, target, options.weights); !why.empty())
    return "plan " + why;
  options.inputs = inputs;
  RunResult result;
  if (std::string why = run(*module, options, result); !why.empty())
    return "run " + why;
  tally.groups += result.groups;
  const std::string far = target.isInteger() ? "" : farFromFloats(result);
  return far.empty() ? "" : "numbers " + far;
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// Lines "folder/model mode/chip step reason": by the first two, the third.
static std::map<std::string, std::string> readList() {
  std::map<std::string, std::string> steps;
  std::ifstream file(kList);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#')
      continue;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(line).split(words, ' ', /*MaxSplit=*/3);
    EXPECT_EQ(words.size(), 4u) << line;
    steps[(words[0] + " " + words[1]).str()] = words[2].str();
  }
  return steps;
}

/// What the list would have to say, for whoever shortens it.
static void writeLine(const std::string &entry, const std::string &why) {
  if (const char *path = std::getenv("CONFORMANCE_LIST"))
    std::ofstream(path, std::ios::app) << entry << " " << why << "\n";
}

namespace {

constexpr size_t kShards = 8;

/// Every eighth of the models.
class Deploy : public testing::TestWithParam<size_t> {
protected:
  Deploy() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {}

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerDialects(all);
    return all;
  }

  void check(Deployed &model, const std::string &name);

  mlir::MLIRContext context;
  std::map<std::string, std::string> listed = readList();
  std::map<std::string, Tally> tallies;
};

} // namespace

void Deploy::check(Deployed &model, const std::string &name) {
  for (const Target &target : kTargets) {
    const std::string entry = name + " " + target.mode + "/" + target.chip;
    auto found = listed.find(entry);
    const std::string expected = found == listed.end() ? "" : found->second;
    Tally &tally = tallies[target.name()];
    ++tally.modules;
    const std::string why = model.deploy(target, tally);
    tally.deployed += why.empty();
    if (!why.empty())
      writeLine(entry, why);
    EXPECT_EQ(llvm::StringRef(why).split(' ').first.str(), expected)
        << name << " as " << target.name() << ": "
        << (why.empty() ? "it works, take it off " + std::string(kList) : why);
  }
}

TEST_P(Deploy, ModelsOfTheTestSuite) {
  const std::vector<std::string> names = modelsOfSuite();
  if (names.empty())
    GTEST_SKIP() << "the package libonnx-testdata is not installed";
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  for (size_t i = GetParam(); i < names.size(); i += kShards) {
    Deployed model(context, names[i]);
    if (model.import())
      check(model, names[i]);
  }
  for (const auto &[target, tally] : tallies) {
    EXPECT_GT(tally.modules, 80) << target;
    std::cout << target << ": " << tally.modules << " modules, "
              << tally.deployed << " deployed, " << tally.groups
              << " layer groups\n";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Deploy, testing::Range<size_t>(0, kShards));
