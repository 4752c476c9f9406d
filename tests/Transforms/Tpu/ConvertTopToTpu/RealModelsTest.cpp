//===- RealModelsTest.cpp - Real networks, and what tpu-mlir made of them -===//
//
// Needs the real models in $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>

using namespace mlir;
using namespace tpu_mlir;
namespace fs = std::filesystem;

namespace {

class RealModelsTest : public ::testing::Test {
protected:
  RealModelsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void SetUp() override {
    const char *data = std::getenv("TPU_MEMORY_DATA");
    folder = fs::path(data ? data : "") / "tpu_mlir";
    if (!data || !fs::is_directory(folder))
      GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  }

  OwningOpRef<ModuleOp> parse(const fs::path &file) {
    return parseSourceFile<ModuleOp>(file.string(), &context);
  }

  LogicalResult lower(ModuleOp module, const std::string &mode,
                      bool highPrecision = false) {
    PassManager manager(&context);
    ConvertTopToTpuOptions options;
    options.mode = mode;
    options.chip = "bm1684x";
    options.highPrecision = highPrecision;
    manager.addPass(createConvertTopToTpu(options));
    return manager.run(module);
  }

  LogicalResult assignAddresses(ModuleOp module) {
    PassManager manager(&context);
    GlobalMemoryOptions options;
    buildGlobalMemoryPipeline(manager, options);
    return manager.run(module);
  }

  MLIRContext context;
  fs::path folder;
};

template <typename T> std::string print(T &&thing) {
  std::string text;
  llvm::raw_string_ostream out(text);
  thing.print(out);
  return text;
}

/// One line an op, in order: name, operands by number, attributes, types,
/// location. top.None is left out: how many there are says nothing.
std::vector<std::string> lines(ModuleOp module) {
  std::vector<std::string> result;
  llvm::DenseMap<Value, size_t> numbers;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp, func::FuncOp>(op) ||
        op->getName().getStringRef() == "top.None")
      return;
    std::string line;
    llvm::raw_string_ostream out(line);
    out << op->getName() << "(";
    for (Value operand : op->getOperands()) {
      if (isa<NoneType>(operand.getType()))
        out << "none ";
      else
        out << numbers.try_emplace(operand, numbers.size()).first->second
            << " ";
    }
    out << ") " << op->getAttrDictionary() << " (";
    llvm::interleaveComma(op->getOperandTypes(), out);
    out << ") -> (";
    llvm::interleaveComma(op->getResultTypes(), out);
    out << ") " << op->getLoc();
    for (Value value : op->getResults())
      numbers.try_emplace(value, numbers.size());
    result.push_back(line);
  });
  return result;
}

std::vector<fs::path> topModules(const fs::path &folder) {
  std::vector<fs::path> files;
  for (const char *more : {"", "_more"})
    if (fs::path of = folder.string() + more; fs::is_directory(of))
      for (const auto &entry : fs::directory_iterator(of))
        if (fs::exists(entry.path() / "top.mlir"))
          files.push_back(entry.path() / "top.mlir");
  llvm::sort(files);
  return files;
}

TEST_F(RealModelsTest, EveryNetworkLowersInEveryModeAndGetsAddresses) {
  std::vector<fs::path> files = topModules(folder);
  ASSERT_GE(files.size(), 5u);
  for (const fs::path &file : files)
    for (const char *mode : {"F32", "F16", "BF16"}) {
      SCOPED_TRACE(file.string() + " " + mode);
      OwningOpRef<ModuleOp> module = parse(file);
      ASSERT_TRUE(module);
      std::vector<Type> inputs, inputsAfter;
      module->walk([&](func::FuncOp function) {
        llvm::append_range(inputs, function.getArgumentTypes());
      });
      ASSERT_TRUE(succeeded(lower(*module, mode)));
      module->walk([&](Operation *op) {
        StringRef name = op->getName().getStringRef();
        bool lowered = name == "top.Input" || name == "top.Weight" ||
                       name == "top.None" || !name.starts_with("top.");
        EXPECT_TRUE(lowered) << name.str();
        EXPECT_FALSE(StringRef(mode) == "F32" && name == "tpu.Cast");
      });
      module->walk([&](func::FuncOp function) {
        llvm::append_range(inputsAfter, function.getArgumentTypes());
      });
      EXPECT_EQ(inputs, inputsAfter);
      EXPECT_TRUE(succeeded(assignAddresses(*module)));
    }
}

TEST_F(RealModelsTest, TheSameBytesEachTime) {
  for (const fs::path &file : topModules(folder)) {
    OwningOpRef<ModuleOp> first = parse(file), second = parse(file);
    ASSERT_TRUE(first && second);
    ASSERT_TRUE(succeeded(lower(*first, "F16", /*highPrecision=*/true)));
    ASSERT_TRUE(succeeded(lower(*second, "F16", /*highPrecision=*/true)));
    EXPECT_EQ(print(**first), print(**second)) << file;
  }
}

struct LlmPart {
  const char *name;
  const char *mode;
  bool highPrecision;
};

constexpr LlmPart kLlmParts[] = {{"qwen_block_0_bm1684x", "W4BF16", true},
                                 {"qwen_block_cache_0_bm1684x", "W4BF16", true},
                                 {"qwen_embedding_bm1684x", "BF16", false},
                                 {"qwen_lm_head_bm1684x", "BF16", false}};

// What tpu-mlir 1.26 made of the same Top modules: the same ops in the same
// order with the same operands, attributes, types and names. Of the module's
// own attributes three differ: FLOPs are not counted, no weight file is
// written, and the I/O mode is chosen later.
TEST_F(RealModelsTest, LlmBlocksAreLoweredAsByTpuMlir) {
  for (const LlmPart &one : kLlmParts) {
    SCOPED_TRACE(one.name);
    OwningOpRef<ModuleOp> ours = parse(folder / one.name / "top.mlir");
    OwningOpRef<ModuleOp> theirs = parse(folder / one.name / "tpu.mlir");
    ASSERT_TRUE(ours && theirs);
    ASSERT_TRUE(succeeded(lower(*ours, one.mode, one.highPrecision)));
    // Where the numbers of a weight are from is said in this lowering only.
    ours->walk([](top::WeightOp weight) { weight->removeAttr("origin"); });
    EXPECT_EQ(lines(*ours), lines(*theirs));
    for (const char *differs :
         {"module.FLOPs", "module.weight_file", "module.addr_mode"}) {
      (*ours)->removeAttr(differs);
      (*theirs)->removeAttr(differs);
    }
    EXPECT_EQ((*ours)->getAttrDictionary(), (*theirs)->getAttrDictionary());
    std::vector<Type> types[2];
    ours->walk(
        [&](func::FuncOp f) { types[0].push_back(f.getFunctionType()); });
    theirs->walk(
        [&](func::FuncOp f) { types[1].push_back(f.getFunctionType()); });
    EXPECT_EQ(types[0], types[1]);
  }
}

// From Top to addresses: the weights take as many bytes as in tpu-mlir's own
// result.
TEST_F(RealModelsTest, WeightsTakeTheBytesOfTpuMlir) {
  for (const LlmPart &one : kLlmParts) {
    SCOPED_TRACE(one.name);
    OwningOpRef<ModuleOp> ours = parse(folder / one.name / "top.mlir");
    OwningOpRef<ModuleOp> theirs = parse(folder / one.name / "final.mlir");
    ASSERT_TRUE(ours && theirs);
    ASSERT_TRUE(succeeded(lower(*ours, one.mode, one.highPrecision)));
    ASSERT_TRUE(succeeded(assignAddresses(*ours)));
    Attribute expected;
    theirs->walk([&](ModuleOp module) {
      if (Attribute bytes = module->getAttr("module.coeff_size"))
        expected = bytes;
    });
    ASSERT_TRUE(expected);
    EXPECT_EQ((*ours)->getAttr("module.coeff_size"), expected);
  }
}

} // namespace
