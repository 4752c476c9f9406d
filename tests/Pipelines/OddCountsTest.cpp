//===- OddCountsTest.cpp - Any number of operands and results -------------===//
//
// A module may hold an op with operands and results that no compiler gives it.
// Whatever the passes make of it, a plan or an error, they say which.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "lib/Transforms/Tpu/ImportCalibrationTable/ImportCalibrationTable.h"
#include "tests/Dialect/TestModules.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <optional>
#include <vector>

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

/// How Top ops are lowered.
struct Lowering {
  std::string mode, chip;
};

class OddCountsTest : public ::testing::Test {
protected:
  /// True when the passes plan it, or say why not.
  bool isAnswered(const std::string &text,
                  const std::optional<Lowering> &wanted) {
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
    LocalMemoryOptions local;
    GlobalMemoryOptions global;
    if (wanted) {
      ImportCalibrationTableOptions ranges;
      ConvertTopToTpuOptions lowering;
      ranges.chip = lowering.chip = wanted->chip;
      lowering.mode = wanted->mode;
      if (wanted->mode != "F16")
        manager.addPass(createImportCalibrationTable(ranges));
      manager.addPass(createConvertTopToTpu(lowering));
      local.chip = global.chip = wanted->chip;
    }
    buildLocalMemoryPipeline(manager, local);
    buildGlobalMemoryPipeline(manager, global);
    const bool isPlanned = succeeded(manager.run(*module));
    planned += isPlanned;
    return isPlanned != hasError;
  }

  TestContext context;
  int planned = 0;
};

TEST_F(OddCountsTest, EveryOpIsPlannedOrRefusedInWords) {
  int tried = 0;
  // Rules of integers, and of floats of 8 bits, go by the chip.
  const std::vector<std::optional<Lowering>> top = {
      Lowering{"F16", "bm1684x"}, Lowering{"INT8", "bm1684x"},
      Lowering{"INT8", "cv181x"}, Lowering{"F8E4M3", "bm1690"}};
  const std::vector<std::optional<Lowering>> none = {std::nullopt};
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
          for (const auto &lowering : dialect == "top" ? top : none) {
            SCOPED_TRACE(lowering ? lowering->mode + " " + lowering->chip : "");
            EXPECT_TRUE(isAnswered(text, lowering));
            ++tried;
          }
        }
  }
  // Layers are lenient: most forms are planned.
  EXPECT_GT(tried, 16000);
  EXPECT_GT(planned, tried / 2);
}

} // namespace
