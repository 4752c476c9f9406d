//===- RewritesTest.cpp - Copies and parts of ops, executed ---------------===//
//
// The proof of tpu-rematerialize, tpu-section and core-parallel: random
// networks are rewritten wherever the passes agree to, and compute the same
// bits as before, in memory where nothing can be overwritten and from planned
// addresses.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/networks/RandomNetwork.h"

#include "lib/Transforms/Tpu/CoreParallel/CoreParallel.h"
#include "lib/Transforms/Tpu/Rematerialize/CopyOps.h"
#include "lib/Transforms/Tpu/Section/CutOps.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Interpreter/Interpreter.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/xxhash.h"
#include "gtest/gtest.h"

#include <fstream>
#include <random>

using namespace mlir;
using namespace tpu_mlir;

namespace {

using Outputs = std::map<std::string, std::vector<uint8_t>>;

/// Random inputs go by what reads them, which parts change: these do not.
std::variant<std::vector<uint8_t>, std::string>
numbers(ArrayRef<std::string> names, const execution::TensorType &type) {
  std::mt19937 random(uint32_t(llvm::xxh3_64bits(names.front())));
  std::vector<uint8_t> bytes(size_t(*type.bytes()));
  const bool isHalf = type.element == execution::ElementType::F16;
  for (size_t i = 0; i < bytes.size(); ++i)
    // Halves of 1/4 to 2, of both signs.
    bytes[i] = isHalf && i % 2 == 1
                   ? uint8_t(0x34 + random() % 12 + 128 * (random() % 2))
                   : uint8_t(random());
  return bytes;
}

class RewritesTest : public testing::TestWithParam<int> {
protected:
  RewritesTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> network(int seed) {
    exec::NetworkOptions options;
    options.layers = 10;
    options.isInteger = seed % 3 == 0;
    return parseSourceString<ModuleOp>(
        exec::randomNetwork(uint32_t(seed), options), &context);
  }

  /// Each byte that is returned, by name.
  static Outputs outputsOf(ModuleOp module, bool inArena = false) {
    RunOptions options;
    options.inArena = inArena;
    options.inputs = numbers;
    FailureOr<RunResult> result = runModule(module, options);
    Outputs outputs;
    if (failed(result)) {
      ADD_FAILURE() << "it does not run";
      return outputs;
    }
    for (RunOutput &output : result->outputs)
      outputs[output.name] = std::move(output.bytes);
    return outputs;
  }

  void expectSame(ModuleOp module, const Outputs &wanted) {
    ASSERT_TRUE(succeeded(verify(module)));
    EXPECT_EQ(outputsOf(module), wanted);
    PassManager manager(&context);
    GlobalMemoryOptions global;
    global.chip = "bm1684x";
    buildGlobalMemoryPipeline(manager, global);
    ASSERT_TRUE(succeeded(manager.run(module)));
    EXPECT_EQ(outputsOf(module, /*inArena=*/true), wanted);
  }

  static std::vector<Operation *> opsOf(ModuleOp module) {
    std::vector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (op->getNumResults() == 1 &&
          isa<RankedTensorType>(op->getResult(0).getType()))
        ops.push_back(op);
    });
    return ops;
  }

  MLIRContext context;
};

} // namespace

TEST_P(RewritesTest, CopiesComputeTheSame) {
  int copied = 0;
  for (int seed = GetParam() * 12; seed < GetParam() * 12 + 12; ++seed) {
    OwningOpRef<ModuleOp> original = network(seed);
    ASSERT_TRUE(original);
    const Outputs wanted = outputsOf(*original);
    const size_t count = opsOf(*original).size();
    for (size_t i = 0; i < count; ++i) {
      OwningOpRef<ModuleOp> changed = original->clone();
      Operation *op = opsOf(*changed)[i];
      if (!computeAgain(op->getResult(0), 1 + seed % 3).empty())
        continue;
      ++copied;
      EXPECT_GT(opsOf(*changed).size(), count);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", op " +
                   std::to_string(i));
      expectSame(*changed, wanted);
    }
  }
  EXPECT_GT(copied, 5);
}

/// Up to four ops that hang together, from op `i` upwards.
static std::vector<Operation *> stretchOf(Operation *last,
                                          std::mt19937 &random) {
  std::vector<Operation *> ops = {last};
  for (size_t at = 0; at < ops.size() && ops.size() < 4; ++at)
    for (Value operand : ops[at]->getOperands()) {
      Operation *made = operand.getDefiningOp();
      if (made && made->getNumOperands() > 0 && random() % 2 == 0 &&
          std::find(ops.begin(), ops.end(), made) == ops.end())
        ops.push_back(made);
    }
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

TEST_P(RewritesTest, SectionsComputeTheSame) {
  int cut = 0, several = 0;
  for (int seed = GetParam() * 12; seed < GetParam() * 12 + 12; ++seed) {
    OwningOpRef<ModuleOp> original = network(seed);
    ASSERT_TRUE(original);
    const Outputs wanted = outputsOf(*original);
    std::mt19937 random(seed);
    const size_t count = opsOf(*original).size();
    for (size_t i = 0; i < count; ++i)
      for (int64_t dim = 0; dim < 4; ++dim) {
        OwningOpRef<ModuleOp> changed = original->clone();
        const auto ops = stretchOf(opsOf(*changed)[i], random);
        auto plan = section::planCut(ops, dim);
        const auto *found = std::get_if<section::Cut>(&plan);
        if (!found || found->length < 2)
          continue;
        ++cut;
        several += ops.size() > 1;
        SCOPED_TRACE("seed " + std::to_string(seed) + ", op " +
                     std::to_string(i) + ", dim " + std::to_string(dim));
        section::applyCut(*found,
                          std::min<int64_t>(found->length, 2 + seed % 3));
        expectSame(*changed, wanted);
      }
  }
  EXPECT_GT(cut, 50);
  EXPECT_GT(several, 5);
}

/// A chip that computes slowly and moves for nothing: pieces always pay.
static std::string slowChip(int64_t cores) {
  const std::string path =
      testing::TempDir() + "/slow" + std::to_string(cores) + ".json";
  std::ofstream(path)
      << R"({"name": "slow", "lanes": 1, "euBytes": 1, "laneBytes": 4096,
             "banks": 1, "macsPerCycle8": 1, "dmaBytesPerCycle": 4096,
             "dmaSetupCycles": 0, "computeSetupCycles": 0,
             "addressForm": "linear", "batchLayout": "1N",
             "weightAlignment": 64, "neuronAlignment": 64,
             "weightBase": "0x0", "cores": )"
      << cores << "}";
  return path;
}

TEST_P(RewritesTest, PiecesOnCoresComputeTheSame) {
  int divided = 0, pieces = 0;
  for (int seed = GetParam() * 40; seed < GetParam() * 40 + 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    OwningOpRef<ModuleOp> module = network(seed);
    ASSERT_TRUE(module);
    const Outputs wanted = outputsOf(*module);
    const int64_t cores = 2 + seed % 7;
    (*module)->setAttr("module.cores",
                       Builder(&context).getI64IntegerAttr(cores));
    CoreParallelOptions options;
    options.chipFile = slowChip(cores);
    PassManager manager(&context);
    manager.addPass(createCoreParallel(options));
    ASSERT_TRUE(succeeded(manager.run(*module)));
    module->walk([&](tpu::CoreParallelOp op) {
      ++divided;
      pieces += int(op->getAttrOfType<IntegerAttr>("size").getInt());
      EXPECT_LE(op->getAttrOfType<IntegerAttr>("size").getInt(), cores);
    });
    expectSame(*module, wanted);
  }
  EXPECT_GT(divided, 40);
  EXPECT_GT(pieces, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RewritesTest, testing::Range(0, 4));
