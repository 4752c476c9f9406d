//===- RewritesTest.cpp - Copies and sections of ops, executed ------------===//
//
// The proof of tpu-rematerialize and tpu-section: random networks are
// rewritten wherever the passes agree to, and compute the same bits as before,
// in memory where nothing can be overwritten and from planned addresses.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/networks/RandomNetwork.h"

#include "lib/Transforms/Tpu/Rematerialize/CopyOps.h"
#include "lib/Transforms/Tpu/Section/CutOps.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Interpreter/Interpreter.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/xxhash.h"
#include "gtest/gtest.h"

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

INSTANTIATE_TEST_SUITE_P(Seeds, RewritesTest, testing::Range(0, 4));
