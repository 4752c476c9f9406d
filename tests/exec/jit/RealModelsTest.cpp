//===- RealModelsTest.cpp - Bufferized models, merged and executed --------===//

#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/harness/PassRun.h"

#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

/// A model in $TPU_MEMORY_DATA/memref.
struct Model {
  const char *file;
  const char *function;
  /// One execution takes minutes: run on demand, with JIT_SLOW set.
  bool slow = false;
  /// Its weights do not fit into memory: it is merged, but not executed.
  bool tooLarge = false;
};

/// Weights as arguments of the function: as constants they take a minute to
/// compile.
class Weights {
public:
  explicit Weights(func::FuncOp function);
  /// Fills them in at the end of the inputs, around the value that they have
  /// in the file; many are constant there, some are left out.
  void fill(std::vector<Data> &inputs) const;
  size_t count() const { return centers.size(); }

private:
  std::vector<double> centers;
};

/// The value of a float constant that is the same everywhere.
std::optional<double> splatOf(memref::GlobalOp global) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(
      global.getInitialValue().value_or(Attribute()));
  if (!splat || !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>().convertToDouble();
}

Weights::Weights(func::FuncOp function) {
  constexpr int64_t kSmall = 4096;
  auto module = function->getParentOfType<ModuleOp>();
  SmallVector<memref::GetGlobalOp> uses;
  function.walk([&](memref::GetGlobalOp use) { uses.push_back(use); });
  for (memref::GetGlobalOp use : uses) {
    auto global = module.lookupSymbol<memref::GlobalOp>(use.getName());
    bool elided = isa_and_nonnull<DenseResourceElementsAttr>(
        global.getInitialValue().value_or(Attribute()));
    if (!elided && global.getType().getNumElements() <= kSmall)
      continue;
    centers.push_back(splatOf(global).value_or(0.03125));
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(number, use.getType(), {}, use.getLoc());
    use.replaceAllUsesWith(function.getArgument(number));
    use.erase();
  }
  for (auto global :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
    if (SymbolTable::symbolKnownUseEmpty(global, module))
      global.erase();
}

void Weights::fill(std::vector<Data> &inputs) const {
  for (size_t i = 0; i < centers.size(); ++i) {
    Data &data = inputs[inputs.size() - centers.size() + i];
    if (!cast<MemRefType>(data.type).getElementType().isF32())
      continue;
    // From half the value to one and a half of it, of either sign.
    std::vector<float> values(data.bytes.size() / sizeof(float));
    for (size_t k = 0; k < values.size(); ++k)
      values[k] =
          static_cast<float>(centers[i] * (1 + (k * 7 % 17 - 8.0) / 16) *
                             (k * 5 % 11 < 5 ? -1 : 1));
    std::memcpy(data.bytes.data(), values.data(), data.bytes.size());
  }
}

/// The rest of the module is left out: mains that print.
void keepOnly(ModuleOp module, llvm::StringRef name) {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.getName() != name)
      function.erase();
}

double seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since)
      .count();
}

/// A model that is compiled as it was given.
struct Compiled {
  Model model;
  ModuleOp module;
  const CompiledModule &code;
  const Weights &weights;
  CompileOptions options;
};

/// Merges, runs and compares. Bytes that are left.
int64_t runMerged(const Compiled &before, StringRef options) {
  const char *name = before.model.function;
  ModuleOp module = before.module;
  OwningOpRef<ModuleOp> after = module.clone();
  EXPECT_EQ(runPasses(*after, ("merge-alloc{" + options + "}").str()), "");
  const int64_t old = staticBytes(module, name, 1),
                left = staticBytes(*after, name, 1);
  std::cerr << "{" << options.str() << "}: " << old << " bytes in "
            << allocations(module, name) << " allocations, then " << left
            << " in " << allocations(*after, name) << "\n";
  EXPECT_LT(left, old);
  const auto start = std::chrono::steady_clock::now();
  CompileResult merged = compile(*after, before.options);
  EXPECT_TRUE(merged.module) << merged.error;
  if (!merged.module)
    return left;
  ComparisonOptions comparison;
  comparison.inputSeeds = {1};
  comparison.timeoutSeconds = 600;
  comparison.prepare = [&](std::vector<Data> &inputs) {
    before.weights.fill(inputs);
  };
  Comparison compared =
      compareCompiled(before.code, *merged.module, {name}, comparison);
  EXPECT_EQ(compared.error, "");
  for (const Mismatch &mismatch : compared.mismatches)
    ADD_FAILURE() << "{" << options.str() << "}: " << mismatch.what;
  std::cerr << "  compiled and run in " << seconds(start) << " s\n";
  return left;
}

class RealModels : public ::testing::TestWithParam<Model> {};

TEST_P(RealModels, GiveTheSameBits) {
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data)
    GTEST_SKIP() << "TPU_MEMORY_DATA is not set";
  Model model = GetParam();
  if (model.slow && !std::getenv("JIT_SLOW"))
    GTEST_SKIP() << model.file << " takes minutes: set JIT_SLOW to run it";
  registerMergeAllocPass();
  MLIRContext context;
  registerForJit(context);
  OwningOpRef<ModuleOp> before = parseSourceFile<ModuleOp>(
      std::string(data) + "/memref/" + model.file, &context);
  ASSERT_TRUE(before);
  keepOnly(*before, model.function);
  if (model.tooLarge) {
    int64_t bytes = staticBytes(*before, model.function, 64);
    ASSERT_EQ(runPasses(*before, "merge-alloc"), "");
    EXPECT_LT(staticBytes(*before, model.function, 1), bytes);
    GTEST_SKIP() << model.file << " is merged, but too large to be executed";
  }
  Weights weights(before->lookupSymbol<func::FuncOp>(model.function));
  CompileOptions compileOptions;
  compileOptions.optLevel = 1;
  auto start = std::chrono::steady_clock::now();
  CompileResult old = compile(*before, compileOptions);
  ASSERT_TRUE(old.module) << old.error;
  std::cerr << model.file << ": compiled in " << seconds(start) << " s\n";
  const Compiled compiled{model, *before, *old.module, weights, compileOptions};
  const int64_t left = runMerged(compiled, "");
  if (model.slow)
    return;
  runMerged(compiled, "in-place=false");
  EXPECT_LE(runMerged(compiled, "reorder"), left);
}

INSTANTIATE_TEST_SUITE_P(
    Files, RealModels,
    ::testing::Values(Model{"multi_head_attention_bufferized.mlir",
                            "multi_head_attention"},
                      Model{"bert_bufferized.mlir", "forward"},
                      Model{"mobilenetv3_bufferized.mlir", "predict"},
                      Model{"resnet50_bufferized.mlir", "predict", true},
                      Model{"llama_bufferized.mlir", "forward", false, true}),
    [](const ::testing::TestParamInfo<Model> &info) {
      std::string name = info.param.file;
      return name.substr(0, name.find("_bufferized"));
    });

} // namespace
} // namespace tpu_mlir::jit
