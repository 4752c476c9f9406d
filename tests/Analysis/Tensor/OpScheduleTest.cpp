//===- OpScheduleTest.cpp - The time axis ---------------------------------===//

#include "tests/Analysis/Tensor/Net.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/Builders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using testing::HasSubstr;

namespace tpu_mlir::test {
namespace {

const std::string kNested = mainOf(R"(
  %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
  %r = func.call @inner(%a) : (!t) -> !t loc("call")
  %i = "tpu.If"(%f) ({
    %p = "tpu.Active"(%r) : (!t) -> !t loc("p")
    %q = "tpu.If"(%f) ({
      %pp = func.call @deep(%p) : (!t) -> !t loc("pp")
      "tpu.Yield"(%pp) : (!t) -> () loc("yield_pp")
    }, {
      %pq = "tpu.Active"(%p) : (!t) -> !t loc("pq")
      "tpu.Yield"(%pq) : (!t) -> ()
    }) : (!c) -> !t loc("q")
    "tpu.Yield"(%q) : (!t) -> ()
  }, {
    %e = "tpu.Active"(%r) : (!t) -> !t loc("e")
    "tpu.Yield"(%e) : (!t) -> ()
  }) : (!c) -> !t loc("if")
  %l = "tpu.Loop"(%f, %none, %i) ({
  ^bb0(%n: !c, %c: none, %s: !t):
    %u = "tpu.Active"(%s) : (!t) -> !t loc("u")
    %par = "tpu.GroupParallel"(%u) ({
      %v = "tpu.Active"(%u) : (!t) -> !t loc("v")
      "tpu.Yield"(%v) : (!t) -> ()
    }) : (!t) -> !t loc("par")
    "tpu.Yield"(%c, %par) : (none, !t) -> ()
  }) : (!c, none, !t) -> !t loc("loop")
  %w = "top.Weight"() : () -> !t loc("w")
  %b = "tpu.Buffer"() : () -> !t loc("b")
  %g = "tpu.Group"(%l) ({
    %ld = "tpu.Load"(%l) : (!t) -> !t loc("load")
    %st = "tpu.Store"(%ld, %b) : (!t, !t) -> !t
    "tpu.Yield"(%st) : (!t) -> ()
  }) : (!t) -> !t loc("group")
  return %g : !t
)") + R"(
func.func @deep(%x: !t) -> !t {
  %0 = "tpu.Active"(%x) : (!t) -> !t loc("deep")
  return %0 : !t
}
func.func @inner(%x: !t) -> !t attributes {mode = #tpu<run_mode TPU_DYNAMIC>} {
  %0 = "tpu.Active"(%x) : (!t) -> !t loc("inner")
  return %0 : !t loc("inner_return")
}
func.func @other() attributes {mode = #tpu<run_mode TPU_STATIC>} {
  "tpu.Custom"() : () -> () loc("other")
  return
}
)";

TEST(OpSchedule, NumbersOpsAsTheMachineRunsThem) {
  Net net(kNested);
  ASSERT_EQ(net.errors, "");
  EXPECT_EQ(net.steps("a"), (Interval{0, 1}));
  // Into the call, although its body stands after.
  EXPECT_EQ(net.steps("call"), (Interval{1, 4}));
  EXPECT_EQ(net.steps("inner"), (Interval{2, 3}));
  EXPECT_EQ(net.steps("if"), (Interval{4, 16}));
  EXPECT_EQ(net.steps("p"), (Interval{5, 6}));
  EXPECT_EQ(net.steps("q"), (Interval{6, 13}));
  EXPECT_EQ(net.steps("pp"), (Interval{7, 10}));
  EXPECT_EQ(net.steps("deep"), (Interval{8, 9}));
  EXPECT_EQ(net.steps("e"), (Interval{14, 15}));
  EXPECT_EQ(net.steps("loop"), (Interval{16, 22}));
  // What emits nothing takes no step, what runs from local memory one.
  EXPECT_EQ(net.steps("w"), (Interval{22, 22}));
  EXPECT_EQ(net.steps("b"), (Interval{22, 22}));
  EXPECT_EQ(net.steps("group"), (Interval{22, 23}));
  EXPECT_FALSE(net.facts->schedule.contains(net.op("load")));
  // Another entry runs after main.
  EXPECT_EQ(net.steps("other"), (Interval{24, 25}));
  EXPECT_EQ(net.facts->schedule.numSteps(), 26);
}

TEST(OpSchedule, ListsFunctionsInOrderOfExecution) {
  Net net(kNested);
  std::vector<std::string> functions, entries;
  for (auto function : net.facts->schedule.functions())
    functions.push_back(function.getSymName().str());
  for (auto function : net.facts->schedule.entries())
    entries.push_back(function.getSymName().str());
  EXPECT_EQ(functions,
            (std::vector<std::string>{"main", "inner", "deep", "other"}));
  EXPECT_EQ(entries, (std::vector<std::string>{"main", "other"}));
  EXPECT_TRUE(isDynamicFunction(net.facts->schedule.functions()[1]));
  EXPECT_FALSE(isDynamicFunction(net.facts->schedule.functions()[0]));
  EXPECT_FALSE(isDynamicFunction(net.facts->schedule.functions()[3]));
}

TEST(OpSchedule, FindsWhatIsAroundAnOp) {
  Net net(kNested);
  const OpSchedule &schedule = net.facts->schedule;
  EXPECT_EQ(schedule.enclosing(net.op("deep")), net.op("pp"));
  EXPECT_EQ(schedule.enclosing(net.op("pp")), net.op("q"));
  EXPECT_EQ(schedule.enclosing(net.op("q")), net.op("if"));
  EXPECT_EQ(schedule.enclosing(net.op("if")), nullptr);
  EXPECT_EQ(schedule.repeating(net.op("v")), net.op("par"));
  EXPECT_EQ(schedule.repeating(net.op("par")), net.op("loop"));
  EXPECT_EQ(schedule.repeating(net.op("loop")), nullptr);
  EXPECT_EQ(schedule.repeating(net.op("deep")), nullptr);
}

TEST(OpSchedule, KnowsWhatNeverRunsTogether) {
  Net net(kNested);
  auto exclusive = [&](const char *a, const char *b) {
    bool forward =
        net.facts->schedule.branchesAround(net.op(a)).exclude(net.op(b));
    EXPECT_EQ(net.facts->schedule.branchesAround(net.op(b)).exclude(net.op(a)),
              forward);
    return forward;
  };
  EXPECT_TRUE(exclusive("p", "e"));
  EXPECT_TRUE(exclusive("deep", "e")); // Through calls and nested Ifs.
  EXPECT_TRUE(exclusive("deep", "pq"));
  EXPECT_FALSE(exclusive("deep", "p"));
  EXPECT_FALSE(exclusive("deep", "q"));
  EXPECT_FALSE(exclusive("p", "if"));
  EXPECT_FALSE(exclusive("p", "a"));
  EXPECT_FALSE(exclusive("u", "v"));
  EXPECT_FALSE(exclusive("p", "p"));
}

TEST(OpSchedule, RefusesWhatHasNoOrderOrPlace) {
  EXPECT_THAT(Net("func.func @a() { func.call @b() : () -> () return }\n"
                  "func.func @b() { func.call @a() : () -> () return }")
                  .errors,
              HasSubstr("TPUMEM-E004"));
  EXPECT_THAT(Net("func.func @a() { func.call @b() : () -> ()\n"
                  "  func.call @b() : () -> () return }\n"
                  "func.func @b() { return }")
                  .errors,
              HasSubstr("TPUMEM-E006"));
  // A declaration's arguments have one place each, too.
  EXPECT_THAT(Net("func.func @a() { func.call @b() : () -> ()\n"
                  "  func.call @b() : () -> () return }\n"
                  "func.func private @b()")
                  .errors,
              HasSubstr("TPUMEM-E006"));
  EXPECT_THAT(Net("func.func @a() { \"cf.br\"() [^bb1] : () -> ()\n"
                  "^bb1:\n return }")
                  .errors,
              HasSubstr("'a' branches between blocks; planning follows 'If' "
                        "and 'Loop' ops only [TPUMEM-E010]"));
}

TEST(OpSchedule, FindsTheModulesThatHoldFunctions) {
  auto names = [](const std::string &text) {
    Net net(text);
    std::vector<std::string> result;
    for (ModuleOp module : functionModules(*net.module))
      result.push_back(module.getSymName().value_or("").str());
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("module @flat { func.func @main() { return } }"),
            (Names{"flat"}));
  EXPECT_EQ(names("module @o { module @a { func.func @main() { return } }\n"
                  "module @b { func.func @main() { return } } }"),
            (Names{"a", "b"}));
  EXPECT_EQ(names("module @o { func.func @f() { return } module @a { } }"),
            (Names{"o", "a"}));
  EXPECT_EQ(names("module @empty { }"), (Names{"empty"}));
}

/// f0 calls f1 calls f2 ...; each computes one tensor. Built, not parsed: the
/// text would be of no interest.
OwningOpRef<ModuleOp> chainOfCalls(MLIRContext *context, int64_t length) {
  OpBuilder builder(context);
  Location location = builder.getUnknownLoc();
  auto module = ModuleOp::create(builder, location);
  Type type = RankedTensorType::get({16}, builder.getI8Type());
  auto functionType = builder.getFunctionType(type, type);
  for (int64_t i = 0; i < length; ++i) {
    builder.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(builder, location,
                                         "f" + std::to_string(i), functionType);
    Block *body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    OperationState state(location, "tpu.Active");
    state.addOperands(body->getArgument(0));
    state.addTypes(type);
    Value value = builder.create(state)->getResult(0);
    if (i + 1 < length)
      value = func::CallOp::create(builder, location,
                                   "f" + std::to_string(i + 1), type, value)
                  .getResult(0);
    func::ReturnOp::create(builder, location, value);
  }
  return module;
}

TEST(OpSchedule, IsNotDeep) {
  Net net("");
  constexpr int64_t kLength = 100'000;
  auto module = chainOfCalls(net.context.get(), kLength);
  auto facts = analyzeModule(*module, false);
  ASSERT_TRUE(succeeded(facts));
  EXPECT_EQ(facts->schedule.numSteps(), 3 * kLength - 1);
  EXPECT_EQ(facts->schedule.functions().size(), size_t(kLength));
  EXPECT_EQ(facts->schedule.entries().size(), 1u);
  // All returned values are one tensor, written by the innermost function.
  func::FuncOp innermost = facts->schedule.functions().back();
  Operation *last = &innermost.getBody().front().front();
  Interval life =
      facts->lives[facts->aliases.lookup(last->getResult(0))->classId].steps;
  EXPECT_EQ(life.begin, 2 * kLength - 2);
  EXPECT_EQ(life.end, 3 * kLength - 1);
}

} // namespace
} // namespace tpu_mlir::test
