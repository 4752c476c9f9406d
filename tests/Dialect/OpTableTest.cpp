//===- OpTableTest.cpp - Every op of the interface is read and written ----===//
//
// Needs $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "TestModules.h"

#include "tpu_mlir/Dialect/Interfaces/Form.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

class OpTableTest : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    forms = opForms(GetParam());
    if (forms.empty())
      GTEST_SKIP() << "no table of ops: TPU_MEMORY_DATA is not set";
    other.loadDialect<func::FuncDialect>();
    other.allowUnregisteredDialects();
  }

  std::vector<OpForm> forms;
  TestContext context;
  /// Takes every top and tpu op as it comes.
  MLIRContext other;
};

TEST_P(OpTableTest, EveryOpIsDefined) {
  std::set<std::string> names;
  for (const OpForm &form : forms) {
    names.insert(form.op);
    EXPECT_TRUE(RegisteredOperationName::lookup(form.op, context.get()))
        << form.op;
  }
  EXPECT_EQ(names.size(), numTableOps(GetParam()));
  EXPECT_GE(names.size(), 185u);
}

TEST_P(OpTableTest, EveryFormIsReadWrittenAndUnderstood) {
  for (const OpForm &form : forms) {
    SCOPED_TRACE(form.op + ", " + form.what);
    OwningOpRef<ModuleOp> module = context.parse(form.text);
    ASSERT_TRUE(module);
    Operation *op = findOp(*module, form.op);
    ASSERT_TRUE(op);
    EXPECT_EQ(whyUnfit(op), "");

    std::string once = print(*module, /*generic=*/false);
    OwningOpRef<ModuleOp> again = context.parse(once);
    ASSERT_TRUE(again);
    EXPECT_EQ(print(*again, false), once);
    auto untouched = parseSourceString<ModuleOp>(form.text, &other);
    ASSERT_TRUE(untouched);
    EXPECT_EQ(print(*module, true), print(*untouched, true));
  }
}

INSTANTIATE_TEST_SUITE_P(Dialects, OpTableTest,
                         ::testing::Values("top", "tpu"));

} // namespace
