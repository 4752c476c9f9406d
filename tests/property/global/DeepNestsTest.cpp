//===- DeepNestsTest.cpp - How deep regions nest --------------------------===//
//
// What a nest costs grows with its levels: planner and verifier do not go
// through inner loops and branches anew for each of those around them, let
// alone twice for each.
//
//===----------------------------------------------------------------------===//

#include "tests/property/global/PassRunner.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir::test {
namespace {

constexpr const char *kSmall = "tensor<1x16xf16>";
constexpr const char *kLarge = "tensor<1x65536xf16>";

std::string active(const std::string &result, const std::string &operand,
                   const char *from = kSmall, const char *to = kSmall) {
  return llvm::formatv("{0} = \"tpu.Active\"({1}) {{mode = #tpu<active_mode "
                       "EXP>} : ({2}) -> {3}\n",
                       result, operand, from, to);
}

std::string function(const std::string &name, const std::string &body) {
  return llvm::formatv("func.func @{0}(%x: {1}) -> {1} {{\n{2}}\n", name,
                       kSmall, body);
}

std::string returned(const std::string &value) {
  return "return " + value + " : " + kSmall + "\n";
}

std::string nameOf(const char *prefix, int number) {
  return prefix + std::to_string(number);
}

/// Before each loop a large tensor is dead, and takes the place of the one
/// before the loop around it: memory at the head of a loop does change.
std::string loops(int depth) {
  std::string before, after, state = "%x", result;
  for (int i = 0; i < depth; ++i) {
    before += active(nameOf("%a", i), state, kSmall, kLarge) +
              active(nameOf("%b", i), nameOf("%a", i), kLarge, kSmall);
    before += llvm::formatv("%r{0} = \"tpu.Loop\"(%x, %x, %b{0}) ({{\n"
                            "^bb0(%i{0}: {1}, %c{0}: {1}, %p{0}: {1}):\n",
                            i, kSmall);
    state = nameOf("%p", i);
  }
  result = state;
  for (int i = depth - 1; i >= 0; --i) {
    after += active(nameOf("%t", i), result);
    after += llvm::formatv("\"tpu.Yield\"(%c{0}, %t{0}) : ({1}, {1}) -> ()\n"
                           "}) : ({1}, {1}, {1}) -> {1}\n",
                           i, kSmall);
    result = nameOf("%r", i);
  }
  return function("main", before + after + returned(result));
}

/// The inner If's result is what the outer one yields.
std::string branches(int depth) {
  std::string before, after;
  for (int i = 0; i < depth; ++i)
    before += nameOf("%r", i) + " = \"tpu.If\"(%x) ({\n";
  before += active("%m", "%x");
  for (int i = depth - 1; i >= 0; --i)
    after += llvm::formatv("\"tpu.Yield\"({0}) : ({1}) -> ()\n}, {{\n"
                           "\"tpu.Yield\"(%x) : ({1}) -> ()\n"
                           "}) : ({1}) -> {1}\n",
                           i + 1 == depth ? "%m" : nameOf("%r", i + 1), kSmall);
  return function("main", before + after + returned("%r0"));
}

void expectRight(const std::string &functions) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  auto module = parseSourceString<ModuleOp>(
      "module @net {\n" + functions + "}\n", &context);
  ASSERT_TRUE(module);
  Choice choice;
  choice.chip = "bm1684x";
  EXPECT_EQ(assignAddresses(*module, choice).errors, "");
  EXPECT_EQ(verifyAddresses(*module, choice).errors, "");
}

TEST(DeepNests, LoopsCostTheirLevels) { expectRight(loops(60)); }

TEST(DeepNests, BranchesCostTheirLevels) { expectRight(branches(300)); }

} // namespace
} // namespace tpu_mlir::test
