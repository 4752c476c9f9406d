//===- OddCountsTest.cpp - Any number of operands and results -------------===//
//
// A module may hold an op with operands and results that no compiler gives it.
// Whatever the passes make of it, a plan or an error, they say which.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "tests/Dialect/TestModules.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

constexpr char kType[] = "tensor<4x8xf32>";

/// `count` times `what`, with commas.
std::string list(unsigned count, const std::string &what) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + what;
  return text;
}

std::string moduleOf(const std::string &op, unsigned operands, unsigned results,
                     bool isNone) {
  const std::string value = isNone ? "%none" : "%x";
  const std::string type = isNone ? "none" : kType;
  std::string state = op.compare(0, 4, "top.") == 0 ? "TOP_F32" : "TPU_LOWERED";
  return "module attributes {module.chip = \"bm1684x\", module.state = \"" +
         state +
         "\", module.mode = \"F16\"} {\n  func.func @main(%arg0: " + kType +
         ") -> " + kType +
         " {\n    %none = \"top.None\"() : () -> none\n    %x = \"top.Input\""
         "(%arg0) : (" +
         kType + ") -> " + kType + " loc(\"x\")\n    " +
         (results ? "%r:" + std::to_string(results) + " = " : "") + "\"" + op +
         "\"(" + list(operands, value) + ") : (" + list(operands, type) +
         ") -> (" + list(results, kType) + ") loc(\"r\")\n    return " +
         (results ? "%r#0" : "%x") + " : " + kType + "\n  }\n}\n";
}

class OddCountsTest : public ::testing::Test {
protected:
  /// True when the passes plan it, or say why not.
  bool isAnswered(const std::string &text) {
    bool hasError = false;
    ScopedDiagnosticHandler listen(context.get(), [&](Diagnostic &diagnostic) {
      hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return success();
    });
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, context.get());
    if (!module)
      return hasError;
    PassManager manager(context.get());
    if (text.find("TOP_F32") != std::string::npos) {
      ConvertTopToTpuOptions lowering;
      lowering.mode = "F16";
      manager.addPass(createConvertTopToTpu(lowering));
    }
    buildLocalMemoryPipeline(manager, LocalMemoryOptions());
    buildGlobalMemoryPipeline(manager, GlobalMemoryOptions());
    const bool isPlanned = succeeded(manager.run(*module));
    planned += isPlanned;
    return isPlanned != hasError;
  }

  TestContext context;
  int planned = 0;
};

TEST_F(OddCountsTest, EveryOpIsPlannedOrRefusedInWords) {
  int tried = 0;
  for (RegisteredOperationName name :
       context.get()->getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect != "top" && dialect != "tpu")
      continue;
    for (unsigned operands : {0, 1, 2, 9})
      for (unsigned results : {0, 1, 3})
        for (bool isNone : {false, true}) {
          const std::string text =
              moduleOf(name.getStringRef().str(), operands, results, isNone);
          SCOPED_TRACE(text);
          EXPECT_TRUE(isAnswered(text));
          ++tried;
        }
  }
  // Layers are lenient: most forms are planned.
  EXPECT_GT(tried, 8000);
  EXPECT_GT(planned, tried / 2);
}

} // namespace
