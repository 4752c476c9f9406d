//===- InOrderTest.cpp - Results over operands, planned and executed ------===//
//
// Random networks are planned as if all kernels read before they write, and run
// from their addresses, where each such op writes over what it has read. An op
// whose result is one byte too near to its operand is found by the verifier and
// by the run.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/networks/RandomNetwork.h"

#include "lib/Transforms/Tpu/VerifyAddresses/VerifyAddresses.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"
#include "tpu_mlir/Interpreter/Interpreter.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;

namespace {

constexpr int kNetworks = 600;

struct Planned {
  OwningOpRef<ModuleOp> module;
  std::string chip;
  bool fourN = false;
  int64_t alignment = 1;
};

/// An op, an operand that its result lies over, and how far that has to begin
/// above it.
struct Pair {
  Operation *op;
  Value operand;
  int64_t distance;
};

class InOrderTest : public testing::TestWithParam<int> {
protected:
  InOrderTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// What is said of errors, and nothing where all is well.
  std::string errorsOf(llvm::function_ref<LogicalResult()> run) {
    std::string errors;
    llvm::raw_string_ostream stream(errors);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        stream << diagnostic << "\n";
      return success();
    });
    if (failed(run()) && errors.empty())
      stream << "failed\n";
    return errors;
  }

  Planned planned(int seed, bool inOrder) {
    static const char *const kChips[] = {"bm1684x", "cv181x", "bm1684"};
    Planned result;
    result.chip = kChips[seed % 3];
    result.fourN = result.chip == "bm1684";
    result.alignment = seed % 4 == 0 ? 64 : 1;
    exec::NetworkOptions options;
    options.layers = 2 + seed % 5;
    options.maxChannels = 8;
    options.maxExtent = 11;
    options.isInteger = seed % 5 < 2;
    result.module = parseSourceString<ModuleOp>(
        exec::randomNetwork(uint32_t(seed), options), &context);
    plan(result, seed, inOrder);
    return result;
  }

  /// Gives it addresses, whatever it had before.
  void plan(const Planned &network, int seed, bool inOrder) {
    GlobalMemoryOptions global;
    global.chip = network.chip;
    global.alignment = network.alignment;
    global.share = true;
    global.inOrder = inOrder;
    global.ioMode = seed % 2 ? "in_reuse" : "basic";
    global.verify = false;
    EXPECT_EQ(errorsOf([&] {
                PassManager manager(&context);
                buildGlobalMemoryPipeline(manager, global);
                return manager.run(*network.module);
              }),
              "");
  }

  std::string verifyErrors(const Planned &network) {
    return errorsOf([&] {
      VerifyAddressesOptions options;
      options.chip = network.chip;
      options.alignment = 1;
      PassManager manager(&context);
      manager.addPass(createVerifyAddresses(options));
      return manager.run(*network.module);
    });
  }

  std::string runErrors(const Planned &network, bool inValues,
                        RunResult *result = nullptr) {
    return errorsOf([&]() -> LogicalResult {
      RunOptions options;
      options.inValues = inValues;
      FailureOr<RunResult> ran = runModule(*network.module, options);
      if (succeeded(ran) && result)
        *result = *ran;
      return ran;
    });
  }

  static int64_t neuronBytes(const Planned &network) {
    return cast<IntegerAttr>((*network.module)->getAttr("module.neuron_size"))
        .getInt();
  }

  static std::vector<Pair> pairsOf(const Planned &network) {
    std::vector<Pair> pairs;
    network.module.get()->walk([&](Operation *op) {
      if (!op->hasAttr(tpu::kInOrder))
        return;
      const Type made = op->getResult(0).getType();
      const int64_t to = *getAddress(made),
                    bytes = *typeBytes(made, network.fourN);
      for (const tpu::SweepEdge &edge : tpu::sweepEdges(op, network.fourN)) {
        Value operand = op->getOperand(edge.operand);
        const int64_t from = getAddress(operand.getType()).value_or(-1);
        if (from >= to && from < to + bytes)
          pairs.push_back({op, operand, edge.distanceBytes});
      }
    });
    return pairs;
  }

  MLIRContext context;
};

constexpr char kInItsOrder[] = "in the order of its elements";

} // namespace

TEST_P(InOrderTest, PlansRunWithTheSameBits) {
  int64_t overlaps = 0, inOrder = 0, smaller = 0;
  for (int seed = GetParam() * kNetworks; seed < (GetParam() + 1) * kNetworks;
       ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Planned network = planned(seed, /*inOrder=*/true);
    const Planned apart = planned(seed, /*inOrder=*/false);
    ASSERT_LE(neuronBytes(network), neuronBytes(apart));
    smaller += neuronBytes(network) < neuronBytes(apart);
    overlaps += pairsOf(network).size();
    ASSERT_EQ(verifyErrors(network), "");
    RunResult both, alone, wanted;
    ASSERT_EQ(runErrors(network, /*inValues=*/true, &both), "");
    ASSERT_EQ(runErrors(network, /*inValues=*/false, &alone), "");
    ASSERT_EQ(runErrors(apart, /*inValues=*/true, &wanted), "");
    ASSERT_EQ(alone.outputs.size(), wanted.outputs.size());
    for (size_t i = 0; i < wanted.outputs.size(); ++i) {
      EXPECT_EQ(both.outputs[i].bytes, wanted.outputs[i].bytes);
      EXPECT_EQ(alone.outputs[i].bytes, wanted.outputs[i].bytes);
    }
    inOrder += alone.inOrder;
    if (HasFailure())
      return;
  }
  EXPECT_GT(smaller, kNetworks / 60);
  EXPECT_GT(overlaps, kNetworks / 40);
  EXPECT_GT(inOrder, kNetworks / 40);
}

/// A kernel that divides itself among cores keeps no order, in whatever words
/// it is said to.
TEST_P(InOrderTest, NoneOnSeveralCores) {
  Builder builder(&context);
  const Attribute words[] = {builder.getBoolAttr(true), builder.getUnitAttr(),
                             builder.getI64IntegerAttr(1)};
  int64_t refused = 0;
  for (int seed = GetParam() * kNetworks; seed < (GetParam() + 1) * kNetworks;
       ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Planned network = planned(seed, /*inOrder=*/true);
    // At no distance the result is in place, whoever computes it.
    const std::vector<Pair> pairs = pairsOf(network);
    if (llvm::all_of(pairs,
                     [](const Pair &pair) { return pair.distance == 0; }))
      continue;
    ++refused;
    network.module->walk([&](Operation *op) {
      if (op->hasAttr(tpu::kInOrder))
        op->setAttr("multicore", words[seed % 3]);
    });
    // On one core the word means nothing.
    ASSERT_EQ(verifyErrors(network), "");
    (*network.module)->setAttr("module.cores", builder.getI64IntegerAttr(2));
    ASSERT_NE(verifyErrors(network).find("several cores work on it"),
              std::string::npos);
    ASSERT_NE(runErrors(network, /*inValues=*/false).find("it uses itself"),
              std::string::npos);
    plan(network, seed, /*inOrder=*/true);
    network.module->walk([&](Operation *op) {
      EXPECT_FALSE(op->hasAttr(tpu::kInOrder) && op->hasAttr("multicore"));
    });
    ASSERT_EQ(verifyErrors(network), "");
    ASSERT_EQ(runErrors(network, /*inValues=*/false), "");
  }
  EXPECT_GT(refused, kNetworks / 60);
}

/// Moves the result, and looks at nothing else that is in its way now.
TEST_P(InOrderTest, OneByteTooNearIsFound) {
  int64_t moved = 0, isFound = 0;
  for (int seed = GetParam() * kNetworks; seed < (GetParam() + 1) * kNetworks;
       ++seed) {
    const Planned network = planned(seed, /*inOrder=*/true);
    for (const Pair &pair : pairsOf(network)) {
      Value made = pair.op->getResult(0);
      const Type before = made.getType();
      const int64_t from = *getAddress(pair.operand.getType());
      for (int64_t less = 0; less < 2; ++less) {
        if (pair.distance < less)
          continue;
        SCOPED_TRACE("seed " + std::to_string(seed) + ", distance " +
                     std::to_string(pair.distance) + " - " +
                     std::to_string(less));
        made.setType(withAddress(before, from - pair.distance + less));
        // With several operands another one may be too near.
        const bool isOne = tpu::sweepEdges(pair.op, network.fourN).size() == 1;
        const bool isVerified =
            StringRef(verifyErrors(network)).contains(kInItsOrder);
        const std::string said = runErrors(network, true);
        const bool isRun = StringRef(said).contains(kInItsOrder);
        if (less) {
          EXPECT_TRUE(isVerified);
          // What a pad adds reads nothing, but counts as reading at the border
          // of the operand: its distance may be more than a run can tell.
          const bool readsAll = pair.op->getName().getStringRef() != "tpu.Pad";
          EXPECT_TRUE(isRun || !readsAll) << said;
          isFound += isRun;
          moved += readsAll;
        } else if (isOne) {
          EXPECT_FALSE(isVerified);
          EXPECT_FALSE(isRun) << said;
        }
        made.setType(before);
      }
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(moved, kNetworks / 120);
  EXPECT_GE(isFound, moved);
}

INSTANTIATE_TEST_SUITE_P(Seeds, InOrderTest, testing::Range(0, 4));
