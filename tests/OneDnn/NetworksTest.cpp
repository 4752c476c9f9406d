//===- NetworksTest.cpp - The bundled networks against oneDNN -------------===//
//
// Each op that oneDNN has a primitive for is computed twice from the same
// bytes. The numbers of ops are all that there are of these: a network that
// changes, or an op that is declined from now on, has to be looked at.
//
//===----------------------------------------------------------------------===//

#include "tests/OneDnn/Oracle.h"

#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Interpreter/Interpreter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <iostream>

using namespace mlir;

namespace tpu_mlir::test {
namespace {

struct Network {
  const char *name;
  int64_t ops; ///< That both compute.
};

class NetworksTest : public testing::TestWithParam<Network> {};

TEST_P(NetworksTest, EachOpAgrees) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  const std::string file =
      "tpu_mlir/examples/" + std::string(GetParam().name) + ".mlir";
  auto module = parseSourceFile<ModuleOp>(file, &context);
  ASSERT_TRUE(module);
  Oracle oracle;
  RunOptions options;
  options.inArena = false;
  options.executor = &oracle;
  int64_t ops = 0;
  for (ModuleOp inner : functionModules(*module)) {
    FailureOr<RunResult> result = runModule(inner, options);
    ASSERT_TRUE(succeeded(result));
    ops += result->byExecutor;
  }
  oracle.expectWithinTolerance();
  EXPECT_EQ(ops, GetParam().ops);
  std::cout << GetParam().name << ", oneDNN " << OneDnnExecutor::version()
            << "\n"
            << oracle.table();
}

INSTANTIATE_TEST_SUITE_P(
    Examples, NetworksTest,
    testing::Values(Network{"mobilenet_v2", 64}, Network{"resnet50", 72},
                    Network{"densenet121", 246}, Network{"yolo_fpn", 142},
                    Network{"unet", 31}, Network{"bert_base", 247},
                    Network{"llama_block", 32}, Network{"chain", 98}),
    [](const auto &network) { return std::string(network.param.name); });

} // namespace
} // namespace tpu_mlir::test
