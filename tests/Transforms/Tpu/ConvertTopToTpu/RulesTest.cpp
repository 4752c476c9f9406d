//===- RulesTest.cpp - The rule table against the dialects ----------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/FloatMode.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/OpRules.h"
#include "tpu_mlir/Dialect/Register.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::lowering;

namespace {

class RulesTest : public ::testing::Test {
protected:
  RulesTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  bool isRegistered(const std::string &name) {
    return RegisteredOperationName::lookup(name, &context).has_value();
  }

  MLIRContext context;
};

TEST_F(RulesTest, EveryEntryNamesOpsOfTheDialects) {
  FailureOr<OpRules> rules = OpRules::create(&context);
  ASSERT_TRUE(succeeded(rules));
  for (const OpRule &rule : rules->all()) {
    EXPECT_TRUE(isRegistered(rule.topName)) << rule.topName;
    EXPECT_EQ(rules->find(rule.topName), &rule) << "a second entry";
    // Windows are named by rank: an adapting function appends 1D, 2D or 3D.
    bool byRank = rule.tpuName == "tpu.AvgPool" ||
                  rule.tpuName == "tpu.MaxPool" || rule.tpuName == "tpu.Conv";
    EXPECT_TRUE(byRank ? rule.adaptFn != nullptr : isRegistered(rule.tpuName))
        << rule.tpuName;
  }
  for (const char *stem : {"tpu.Conv", "tpu.Pool"})
    for (const char *rank : {"1D", "2D", "3D"})
      EXPECT_TRUE(isRegistered(std::string(stem) + rank)) << stem << rank;
}

TEST_F(RulesTest, TypingLettersAreKnown) {
  FailureOr<OpRules> rules = OpRules::create(&context);
  ASSERT_TRUE(succeeded(rules));
  for (const OpRule &rule : rules->all()) {
    EXPECT_EQ(rule.operandTyping.find_first_not_of(".mifkcbwz"),
              StringRef::npos)
        << rule.topName;
    EXPECT_EQ(rule.resultTyping.find_first_not_of(".if"), StringRef::npos)
        << rule.topName;
  }
}

TEST(FloatModeTest, NamesAreReadInAnyCase) {
  auto mode = FloatMode::parse("w4bf16");
  ASSERT_TRUE(mode.has_value());
  EXPECT_EQ(mode->name, "W4BF16");
  EXPECT_EQ(mode->kind, FloatMode::Kind::BF16);
  EXPECT_EQ(FloatMode::parse("F16")->kind, FloatMode::Kind::F16);
  for (const char *bad : {"", "INT8", "F8E4M3", "F16 ", "BF"})
    EXPECT_FALSE(FloatMode::parse(bad).has_value()) << bad;
}

} // namespace
