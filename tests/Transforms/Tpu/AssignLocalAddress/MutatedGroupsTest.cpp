//===- MutatedGroupsTest.cpp - Every number of a group made wrong ---------===//
//
// Whatever stands in a group, the pass gives sound addresses or says what is
// wrong.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Local/Check/Checks.h"
#include "lib/Transforms/Tpu/AssignLocalAddress/AssignLocalAddress.h"
#include "tpu_mlir/Dialect/Register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;

namespace {

constexpr const char *kHead = R"mlir(
module attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x72xf16>
)mlir";

/// A held weight, a halo, scratch, an Add that may lie on its operand.
constexpr const char *kGroup = R"mlir(
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 5], h_slice = [7, 7], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %wl = "tpu.Load"(%w) {ginfo = #tpu.lg<out_addr = 0, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 0, group_type = 0>} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16>
      %c = "tpu.Conv2D"(%x, %wl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x12x8xf16>
      %a = "tpu.Active"(%c) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 256, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %r = "tpu.Add"(%a, %c) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 5, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, group_type = 0 : i64, flow = [-1, 2, 5, -2, 3, -3, 4, 0, 1], self_up_overlap_op = [], other_up_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
)mlir";

constexpr const char *kTail = R"mlir(
    return %y : tensor<1x8x12x8xf16>
  }
}
)mlir";

/// The places of the numbers that are not part of a name or a type.
std::vector<std::pair<size_t, size_t>> numbersIn(StringRef text) {
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t i = 1; i < text.size(); ++i) {
    if (!llvm::isDigit(text[i]) || llvm::isAlnum(text[i - 1]) ||
        text[i - 1] == '<')
      continue;
    size_t end = i;
    while (llvm::isDigit(text[end]))
      ++end;
    if (!llvm::isAlpha(text[end]))
      places.push_back({text[i - 1] == '-' ? i - 1 : i, end});
    i = end;
  }
  return places;
}

struct Outcome {
  bool isParsed = false, isPlaced = false;
  int errors = 0;
};

/// What is wrong with the group's memory when all else may be wrong, too.
void expectSoundMemory(ModuleOp module) {
  const target::ChipSpec *chip = target::findChip("cv184x");
  module.walk([&](tpu::GroupOp group) {
    for (const local::Violation &violation : local::checkGroup(group, *chip))
      if (violation.invariant == local::Invariant::Overlap ||
          violation.invariant == local::Invariant::Engines ||
          violation.invariant == local::Invariant::Held)
        ADD_FAILURE() << violation.message;
  });
}

Outcome run(const std::string &group) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  Outcome outcome;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    outcome.errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  auto module = parseSourceString<ModuleOp>(kHead + group + kTail, &context);
  outcome.isParsed = bool(module);
  if (!module)
    return outcome;
  AssignLocalAddressOptions options;
  options.nodeLimit = 1'000;
  PassManager manager(&context);
  manager.addPass(createAssignLocalAddress(options));
  outcome.isPlaced = succeeded(manager.run(*module));
  if (outcome.isPlaced)
    expectSoundMemory(*module);
  return outcome;
}

TEST(MutatedGroupsTest, TheGroupItselfIsFine) {
  const Outcome outcome = run(kGroup);
  EXPECT_TRUE(outcome.isPlaced);
  EXPECT_EQ(outcome.errors, 0);
}

TEST(MutatedGroupsTest, PlacedOrRefused) {
  int placed = 0, refused = 0;
  for (const auto &[begin, end] : numbersIn(kGroup))
    for (const char *number :
         {"0", "1", "2", "3", "-1", "-2", "40000", "1099511627777",
          "9223372036854775807", "-9223372036854775808"}) {
      std::string group = kGroup;
      group.replace(begin, end - begin, number);
      SCOPED_TRACE(std::string(number) + " at " + std::to_string(begin));
      const Outcome outcome = run(group);
      EXPECT_EQ(outcome.errors == 0, outcome.isPlaced);
      placed += outcome.isPlaced;
      refused += outcome.isParsed && !outcome.isPlaced;
    }
  EXPECT_GT(placed, 500);
  EXPECT_GT(refused, 100);
}

} // namespace
