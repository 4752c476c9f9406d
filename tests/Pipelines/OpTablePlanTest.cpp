//===- OpTablePlanTest.cpp - Every op of the interface is planned ---------===//
//
// Needs $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "tests/Dialect/OpTable.h"
#include "tests/Dialect/TestModules.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

class OpTablePlanTest : public ::testing::Test {
protected:
  /// Plans every form of the dialect's ops, after what `before` adds; the
  /// pipeline ends in the referee, as always.
  void planAll(const char *dialect,
               llvm::function_ref<void(PassManager &)> before,
               llvm::function_ref<void(ModuleOp)> check) {
    std::vector<OpForm> forms = opForms(dialect);
    if (forms.empty())
      GTEST_SKIP() << "no table of ops: TPU_MEMORY_DATA is not set";
    for (const OpForm &form : forms) {
      SCOPED_TRACE(form.op + ", " + form.what + "\n" + form.text);
      OwningOpRef<ModuleOp> module = context.parse(form.text);
      ASSERT_TRUE(module);
      PassManager manager(context.get());
      before(manager);
      buildGlobalMemoryPipeline(manager, GlobalMemoryOptions());
      ASSERT_TRUE(succeeded(manager.run(*module)));
      check(*module);
    }
  }

  TestContext context;
};

TEST_F(OpTablePlanTest, EveryTpuOpIsPlanned) {
  planAll("tpu", [](PassManager &) {}, [](ModuleOp) {});
}

TEST_F(OpTablePlanTest, EveryTopOpIsLoweredAndPlanned) {
  auto lower = [](PassManager &manager) {
    ConvertTopToTpuOptions options;
    options.mode = "F16";
    manager.addPass(createConvertTopToTpu(options));
  };
  planAll("top", lower, [](ModuleOp module) {
    module.walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      EXPECT_TRUE(!name.starts_with("top.") || name == "top.Input" ||
                  name == "top.Weight" || name == "top.None")
          << name.str();
    });
  });
}

} // namespace
