//===- SharingKindsTest.cpp - Every kind of sharing on every chip ---------===//
//
// One small module for each way in which ops share bytes, with elements of
// several widths and batches that fill slots of four images and that do not.
// Planner, verifier and oracle each say in their own code where a part may
// begin; here they have to agree: a module is planned and found right, or the
// planner says that the op's copy cannot be left out.
//
//===----------------------------------------------------------------------===//

#include "tests/property/global/Oracle.h"
#include "tests/property/global/PassRunner.h"
#include "tests/property/global/RandomModules.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir::test {
namespace {

/// Ops between %x and %y; N, M and E stand for the images of a part, those of
/// two parts and the element type. The last op before %y has to be kept.
struct Kind {
  const char *name;
  const char *ops;
  const char *result;
};

const Kind kKinds[] = {
    {"view of whole images",
     R"(%y = "tpu.Reshape"(%a) : (tensor<Mx6x5xE>) -> tensor<Mx30xE>)",
     "tensor<Mx30xE>"},
    {"view across images",
     R"(%y = "tpu.Reshape"(%a) : (tensor<Mx6x5xE>) -> tensor<6xMx5xE>)",
     "tensor<6xMx5xE>"},
    {"identity",
     R"(%y = "tpu.Identity"(%a) : (tensor<Mx6x5xE>) -> tensor<Mx6x5xE>)",
     "tensor<Mx6x5xE>"},
    {"increase",
     R"(%y = "tpu.AutoIncrease"(%a) : (tensor<Mx6x5xE>) -> tensor<Mx6x5xE>)",
     "tensor<Mx6x5xE>"},
    {"weight",
     R"(%w = "top.Weight"() : () -> tensor<Mx6x5xE>
        %v = "tpu.Weight2Activation"(%w) : (tensor<Mx6x5xE>) -> tensor<Mx6x5xE>
        %y = "tpu.Add"(%a, %v) : (tensor<Mx6x5xE>, tensor<Mx6x5xE>) -> tensor<Mx6x5xE>)",
     "tensor<Mx6x5xE>"},
    {"slice of images",
     R"(%y = "tpu.Slice"(%a, %none, %none, %none, %none) {axes = [], ends = [M, 6, 5], offset = [N, 0, 0], steps = [1, 1, 1]} : (tensor<Mx6x5xE>, none, none, none, none) -> tensor<Nx6x5xE>)",
     "tensor<Nx6x5xE>"},
    {"slice of one image",
     R"(%o = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<Mx6x5xE>) -> tensor<1x6x5xE>
        %y = "tpu.Slice"(%o, %none, %none, %none, %none) {axes = [], ends = [1, 6, 5], offset = [0, 2, 0], steps = [1, 1, 1]} : (tensor<1x6x5xE>, none, none, none, none) -> tensor<1x4x5xE>)",
     "tensor<1x4x5xE>"},
    {"merge of images",
     R"(%b = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<Mx6x5xE>) -> tensor<Nx6x5xE>
        %c = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<Mx6x5xE>) -> tensor<Nx6x5xE>
        %y = "tpu.Concat"(%b, %c) {axis = 0 : si32, only_merge = true} : (tensor<Nx6x5xE>, tensor<Nx6x5xE>) -> tensor<Mx6x5xE>)",
     "tensor<Mx6x5xE>"},
    {"merge in one image",
     R"(%b = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<Mx6x5xE>) -> tensor<1x3x5xE>
        %c = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<Mx6x5xE>) -> tensor<1x4x5xE>
        %y = "tpu.Concat"(%b, %c) {axis = 1 : si32, only_merge = true} : (tensor<1x3x5xE>, tensor<1x4x5xE>) -> tensor<1x7x5xE>)",
     "tensor<1x7x5xE>"},
    {"cores",
     R"(%y = "tpu.CoreParallel"(%a) ({
          %p:2 = "tpu.CoreSplit"(%a) {axis = 0 : i64, size = 2 : i64} : (tensor<Mx6x5xE>) -> (tensor<Nx6x5xE>, tensor<Nx6x5xE>)
          %b = "tpu.Active"(%p#0) {mode = #tpu<active_mode ABSVAL>} : (tensor<Nx6x5xE>) -> tensor<Nx6x5xE>
          %c = "tpu.Active"(%p#1) {mode = #tpu<active_mode ABSVAL>} : (tensor<Nx6x5xE>) -> tensor<Nx6x5xE>
          %j = "tpu.CoreJoin"(%b, %c) {axis = 0 : i64, size = 2 : i64} : (tensor<Nx6x5xE>, tensor<Nx6x5xE>) -> tensor<Mx6x5xE>
          "tpu.Yield"(%j) : (tensor<Mx6x5xE>) -> ()
        }) : (tensor<Mx6x5xE>) -> tensor<Mx6x5xE>)",
     "tensor<Mx6x5xE>"},
    {"cores, by older names",
     R"(%y = "tpu.CoreParallel"(%a) ({
          %p:2 = "tpu.Split"(%a) {axis = 0 : si32, num = 2 : i64} : (tensor<Mx6x5xE>) -> (tensor<Nx6x5xE>, tensor<Nx6x5xE>)
          %b = "tpu.Active"(%p#0) {mode = #tpu<active_mode ABSVAL>} : (tensor<Nx6x5xE>) -> tensor<Nx6x5xE>
          %c = "tpu.Active"(%p#1) {mode = #tpu<active_mode ABSVAL>} : (tensor<Nx6x5xE>) -> tensor<Nx6x5xE>
          %j = "tpu.Join"(%b, %c) : (tensor<Nx6x5xE>, tensor<Nx6x5xE>) -> tensor<Mx6x5xE>
          "tpu.Yield"(%j) : (tensor<Mx6x5xE>) -> ()
        }) : (tensor<Mx6x5xE>) -> tensor<Mx6x5xE>)",
     "tensor<Mx6x5xE>"},
    {"update",
     R"(%b = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<Mx6x5xE>) -> tensor<1x6x5xE>
        %y = "tpu.Insert"(%a, %b, %none) {axis = 0 : si32, offset = 0 : si32} : (tensor<Mx6x5xE>, tensor<1x6x5xE>, none) -> tensor<Mx6x5xE>)",
     "tensor<Mx6x5xE>"},
    {"update by a slice",
     R"(%b = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<Mx6x5xE>) -> tensor<1x6x5xE>
        %y = "tpu.ConcatSlice"(%a, %b) {axis = 0 : si32} : (tensor<Mx6x5xE>, tensor<1x6x5xE>) -> tensor<Mx6x5xE>)",
     "tensor<Mx6x5xE>"},
};

std::string moduleOf(const Kind &kind, int64_t images,
                     const std::string &element) {
  std::string text = R"(module @net {
  func.func @main(%x: tensor<Mx6x5xE>) -> RESULT {
    %none = "top.None"() : () -> none
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<Mx6x5xE>) -> tensor<Mx6x5xE>
    OPS
    %z = "tpu.Active"(%y) {mode = #tpu<active_mode ABSVAL>} : (RESULT) -> RESULT
    return %z : RESULT
  }
})";
  const auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  };
  const std::string one = std::to_string(images),
                    two = std::to_string(2 * images);
  replace("OPS", kind.ops);
  replace("RESULT", kind.result);
  replace("xE>", "x" + element + ">");
  for (const char *before : {"<", "6x", "[", "= ["}) {
    replace(before + std::string("Mx"), before + two + "x");
    replace(before + std::string("Nx"), before + one + "x");
    replace(before + std::string("M,"), before + two + ",");
    replace(before + std::string("N,"), before + one + ",");
  }
  return text;
}

class SharingKindsTest : public ::testing::TestWithParam<std::string> {
protected:
  SharingKindsTest() : context(registry()) { context.disableMultithreading(); }
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }
  /// 1: planned and right. 0: refused in words of the planner.
  int plan(const target::ChipSpec &chip, const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "does not parse";
      return 0;
    }
    Choice choice;
    choice.chip = chip.name;
    const Outcome planned = assignAddresses(*module, choice);
    if (!planned.succeeded) {
      EXPECT_NE(planned.errors.find("no run of bytes of"), std::string::npos)
          << planned.errors;
      return 0;
    }
    EXPECT_EQ(verifyAddresses(*module, choice).errors, "");
    OracleOptions options;
    options.alignment = chip.neuronAlignment;
    EXPECT_EQ(findFault(*module, chip, options), "");
    return 1;
  }
  MLIRContext context;
};

TEST_P(SharingKindsTest, PlannerAndVerifierMeanTheSame) {
  const target::ChipSpec &chip = *target::findChip(GetParam());
  const bool fourN = chip.batchLayout == target::BatchLayout::FourN;
  int refused = 0;
  for (const Kind &kind : kKinds)
    for (std::string element : {"i8", "f16", "bf16", "f32", "i32"})
      for (int64_t images : {1, 2, 3, 4, 8}) {
        SCOPED_TRACE(std::string(kind.name) + ", " + element + ", " +
                     std::to_string(images) + " images");
        refused += !plan(chip, moduleOf(kind, images, element));
      }
  // Three kinds that leave out a copy, with images that fill no slot: one, two
  // and three of 8 bits, one and three of 16 bits in two types.
  EXPECT_EQ(refused, fourN ? 3 * (3 + 2 * 2) : 0);
}

std::vector<std::string> allChips() {
  llvm::SmallVector<llvm::StringRef> names;
  const std::string text = target::chipNames();
  llvm::StringRef(text).split(names, ", ");
  std::vector<std::string> chips;
  for (llvm::StringRef name : names)
    chips.push_back(name.str());
  return chips;
}

INSTANTIATE_TEST_SUITE_P(Chips, SharingKindsTest,
                         ::testing::ValuesIn(allChips()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace tpu_mlir::test
