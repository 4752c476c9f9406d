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

constexpr int64_t kBase = int64_t(1) << 32;

std::string typeAt(int slot) {
  return llvm::formatv("tensor<1x16xf16, {0} : i64>", kBase + 4096 * slot);
}

/// `result` = an op on `operand`, at the slots behind them.
std::string activeAt(const std::string &result, int to,
                     const std::string &operand, int from) {
  return active(result, operand, typeAt(from).c_str(), typeAt(to).c_str());
}

constexpr int kDepth = 60;
constexpr int kNumSlots = 5 * kDepth + 10;

/// Where the tensors of function `number` are: in slots of their own, or, but
/// for one, where those of all other functions are.
struct Slots {
  Slots(int number, bool isApart)
      : argument(isApart ? 5 * number - 4 : 1),
        result(isApart ? 5 * number : 2), passed(isApart ? 5 * number + 1 : 1),
        back(isApart ? 5 * number + 5 : 2), last(isApart ? 5 * number + 2 : 3),
        kept(isApart ? 5 * number + 3 : number + 4),
        other(isApart ? 5 * number + 4 : kept) {
    if (number == 0) {
      argument = 0;
      result = kNumSlots - 1;
    }
  }
  int argument, result; ///< As the caller passes them.
  int passed, back;     ///< What it passes on and gets.
  int last, kept, other;
};

/// What the second call is in.
struct Around {
  const char *begin, *end;
  int numOperands;
};
constexpr Around kAlone = {"", "", 0};
constexpr Around kInBranch = {"\"tpu.If\"(%b) ({\n",
                              "\"tpu.Yield\"() : () -> ()\n}, {\n"
                              "\"tpu.Yield\"() : () -> ()\n}) : ",
                              1};
constexpr Around kInLoop = {"\"tpu.Loop\"(%b, %b) ({\n",
                            "\"tpu.Yield\"() : () -> ()\n}) : ", 2};
constexpr Around kInParallel = {"\"tpu.CoreParallel\"(%b) ({\n",
                                "\"tpu.Yield\"() : () -> ()\n}) : ", 1};

/// How that ends, with operands at `slot`.
std::string endOf(Around around, int slot) {
  std::string types = around.numOperands ? typeAt(slot) : "";
  for (int i = 1; i < around.numOperands; ++i)
    types += ", " + typeAt(slot);
  return around.numOperands ? around.end + ("(" + types + ") -> ()\n") : "";
}

/// Each function calls the next one twice; function `lost` reads what the first
/// call returned after the second one.
std::string calls(bool isApart, Around around, int lost) {
  std::string text;
  for (int i = 0; i <= kDepth; ++i) {
    const Slots at(i, isApart);
    text += llvm::formatv("func.func @{0}(%x: {1}) -> {2} {{\n",
                          i == 0 ? "main" : nameOf("f", i), typeAt(at.argument),
                          typeAt(at.result));
    std::string value = "%x";
    int from = at.argument;
    if (i < kDepth) {
      const auto call = [&](const char *passed) -> std::string {
        return llvm::formatv("call {0}({1}) : ({2}) -> {3}\n",
                             nameOf("@f", i + 1), passed, typeAt(at.passed),
                             typeAt(at.back));
      };
      // The callee may overwrite its argument: it is made anew.
      text += activeAt("%k", at.kept, "%x", at.argument) +
              activeAt("%a", at.passed, "%k", at.kept) + "%r = " + call("%a") +
              activeAt("%b", at.other, "%r", at.back) + around.begin +
              activeAt("%c", at.passed, "%b", at.other) + "%s = " + call("%c") +
              endOf(around, at.other);
      value = i == lost ? "%r" : "%b";
      from = i == lost ? at.back : at.other;
    }
    text += activeAt("%t", at.last, value, from) +
            activeAt("%y", at.result, "%t", at.last) +
            "return %y : " + typeAt(at.result) + "\n}\n";
  }
  return text;
}

/// What the verifier says of calls.
std::string verdict(bool isApart, Around around, int lost = -1) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  auto module = parseSourceString<ModuleOp>(
      llvm::formatv("module @net attributes {{module.addr_mode = \"basic\", "
                    "module.neuron_addr = {0} : i64, module.neuron_size = {1} "
                    ": i64} {{\n{2}}\n",
                    kBase, 4096 * kNumSlots, calls(isApart, around, lost))
          .str(),
      &context);
  if (!module)
    return "no module";
  Choice choice;
  choice.chip = "bm1684x";
  return verifyAddresses(*module, choice).errors;
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

/// What runs at the same time has to be apart.
std::vector<std::pair<bool, Around>> kindsOfCalls() {
  std::vector<std::pair<bool, Around>> kinds{{true, kInParallel}};
  for (bool isApart : {false, true})
    for (Around around : {kAlone, kInBranch, kInLoop})
      kinds.push_back({isApart, around});
  return kinds;
}

TEST(DeepNests, CallsCostTheirFunctions) {
  for (const auto &[isApart, around] : kindsOfCalls())
    EXPECT_EQ(verdict(isApart, around), "") << isApart << around.begin;
}

TEST(DeepNests, WhatRepeatedCallsOverwriteIsFound) {
  for (const auto &[isApart, around] : kindsOfCalls())
    for (int lost : {0, 1, kDepth / 2, kDepth - 1})
      EXPECT_NE(verdict(isApart, around, lost)
                    .find("'tpu.Active' reads 'func.call#0'"),
                std::string::npos)
          << isApart << around.begin << lost;
}

} // namespace
} // namespace tpu_mlir::test
