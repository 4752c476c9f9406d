//===- RobustnessTest.cpp - An answer to whatever MLIR accepts ------------===//
//
// Every pass has to end in success or in an error with a code, on modules that
// no lowering would make.
//
//===----------------------------------------------------------------------===//

#include "tests/Analysis/Tensor/Net.h"

#include "lib/Transforms/Tpu/MemoryReport/MemoryReport.h"
#include "lib/Transforms/Tpu/VerifyAddresses/VerifyAddresses.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using testing::AnyOf;
using testing::HasSubstr;

namespace tpu_mlir::test {
namespace {

/// Weights, neurons, verification, report; "" when all of them succeed.
std::string runAll(const std::string &text, const std::string &chip = "bm1684x",
                   int64_t alignment = 0) {
  Net net(text);
  if (!net.module)
    return "parse: " + net.errors;
  std::string errors;
  ScopedDiagnosticHandler handler(net.context.get(), [&](Diagnostic &d) {
    if (d.getSeverity() == DiagnosticSeverity::Error)
      errors += d.str() + "\n";
    return success();
  });
  PassManager manager(net.context.get());
  GlobalMemoryOptions options;
  options.chip = chip;
  options.alignment = alignment;
  options.dedup = true;
  buildGlobalMemoryPipeline(manager, options);
  MemoryReportOptions report;
  report.chip = chip;
  report.file = "/dev/null";
  manager.addPass(createMemoryReport(report));
  bool succeeded = mlir::succeeded(manager.run(*net.module));
  EXPECT_EQ(succeeded, errors.empty()) << errors;
  return errors;
}

TEST(Robustness, ModulesWithoutMuchInThem) {
  EXPECT_EQ(runAll(""), "");
  EXPECT_EQ(runAll("module @outer { module @inner { } }"), "");
  EXPECT_EQ(runAll("func.func @main() { return }"), "");
  EXPECT_EQ(runAll("func.func @main() { return }", "cv181x"), "");
  EXPECT_EQ(runAll("func.func private @declared(tensor<4xf32>)"), "");
  EXPECT_EQ(runAll("func.func @a() { return }\n"
                   "func.func @b(%x: tensor<4xf32>) { return }"),
            "");
}

TEST(Robustness, CallsOfDeclarations) {
  EXPECT_EQ(runAll(mainOf(R"(
    %w = "top.Weight"() : () -> !t
    %a = "tpu.Active"(%x) : (!t) -> !t
    %y = func.call @cpu(%a, %w, %none) : (!t, !t, none) -> !t
    return %y : !t)") +
                   "func.func private @cpu(!t, !t, none) -> !t"),
            "");
}

TEST(Robustness, WeightsThatCrossCalls) {
  for (const char *chip : {"bm1684x", "cv181x"})
    EXPECT_EQ(runAll(mainOf(R"(
      %w = "top.Weight"() : () -> !t
      %a:2 = func.call @s(%w, %x) : (!t, !t) -> (!t, !t)
      %y = "tpu.Add"(%a#0, %a#1) : (!t, !t) -> !t
      return %y, %a#0 : !t, !t)",
                            "!t, !t") +
                         R"(
      func.func @s(%p: !t, %q: !t) -> (!t, !t) {
        %0 = func.call @u(%p) : (!t) -> !t
        %1 = "tpu.Add"(%0, %q) : (!t, !t) -> !t
        return %0, %1 : !t, !t
      }
      func.func @u(%p: !t) -> !t {
        return %p : !t
      })",
                     chip),
              "");
}

TEST(Robustness, ValuesWithoutStorage) {
  EXPECT_EQ(runAll(R"(
    func.func @main(%n: none) -> (none, none) {
      %i = "top.Input"(%n) : (none) -> none
      %w = "top.Weight"() {inline_bytes = "AA"} : () -> none
      %v = "top.Weight"() {inline_bytes = "AA"} : () -> none
      %b = "tpu.Buffer"() : () -> none
      %a = "tpu.Active"(%i) : (none) -> none
      %r = "tpu.Reshape"(%a) : (none) -> none
      %c = "tpu.Concat"(%r, %w) {axis = 0 : si32} : (none, none) -> none
      %u = "tpu.Insert"(%c, %b) : (none, none) -> none
      %s = "tpu.Identity"(%u) : (none) -> none
      %l = "tpu.Loop"(%s, %s, %s) ({
      ^bb0(%x: none, %y: none, %z: none):
        "tpu.Yield"(%y, %z) : (none, none) -> ()
      }) : (none, none, none) -> none
      %f = "tpu.If"(%l) ({
        "tpu.Yield"(%l) : (none) -> ()
      }, {
        "tpu.Yield"(%s) : (none) -> ()
      }) : (none) -> none
      %g = "tpu.Group"(%f) ({
        %ld = "tpu.Load"(%f) : (none) -> none
        %st = "tpu.Store"(%ld) : (none) -> none
        "tpu.Yield"(%st) : (none) -> ()
      }) : (none) -> none
      %p = "tpu.CoreParallel"(%g) ({
        %q:2 = "tpu.CoreSplit"(%g) : (none) -> (none, none)
        %j = "tpu.CoreJoin"(%q#0, %q#1) : (none, none) -> none
        "tpu.Yield"(%j) : (none) -> ()
      }) : (none) -> none
      %0:2 = func.call @s(%p) : (none) -> (none, none)
      return %0#0, %0#1 : none, none
    }
    func.func @s(%n: none) -> (none, none) {
      return %n, %n : none, none
    })"),
            "");
}

TEST(Robustness, TensorsOfRankZeroAndOfNoElements) {
  EXPECT_EQ(runAll(R"(
    func.func @main(%a: tensor<f32>, %b: tensor<4x0xi4>) -> (tensor<f32>, tensor<0xi4>) {
      %x = "top.Input"(%a) : (tensor<f32>) -> tensor<f32>
      %e = "top.Input"(%b) : (tensor<4x0xi4>) -> tensor<4x0xi4>
      %w = "top.Weight"() : () -> tensor<0xf32>
      %y = "tpu.Add"(%x, %w) : (tensor<f32>, tensor<0xf32>) -> tensor<f32>
      %none = "top.None"() : () -> none
      %s = "tpu.Slice"(%y, %none, %none, %none, %none) {axes = [], ends = [], offset = [], steps = []} : (tensor<f32>, none, none, none, none) -> tensor<f32>
      %r = "tpu.Reshape"(%e) : (tensor<4x0xi4>) -> tensor<0xi4>
      %u = "tpu.Insert"(%r, %e) : (tensor<0xi4>, tensor<4x0xi4>) -> tensor<0xi4>
      return %s, %u : tensor<f32>, tensor<0xi4>
    })"),
            "");
}

TEST(Robustness, OpsOfWhichNothingIsKnown) {
  EXPECT_EQ(runAll(mainOf(R"(
    "a.statement"() : () -> ()
    %a = "a.op"(%x) ({
    ^bb0(%p: !t, %n: none):
      %b = "a.nested"(%p, %x) : (!t, !t) -> !t
      "a.end"() : () -> ()
    }, {
    }, {
    ^bb1:
    }, {
      "a.branch"()[^bb3] : () -> ()
    ^bb3:
      %c = "tpu.Active"(%x) : (!t) -> !t
      "a.end"(%c) : (!t) -> ()
    }) : (!t) -> !t
    %m = "a.memref"(%a) : (!t) -> memref<4xf32>
    %y = "a.use"(%m, %a) : (memref<4xf32>, !t) -> !t
    return %y : !t)")),
            "");
}

TEST(Robustness, FunctionsThatBranch) {
  EXPECT_THAT(runAll(R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      "a.branch"(%a)[^bb1] : (tensor<4xf32>) -> ()
    ^bb1(%b: tensor<4xf32>):
      %c = "tpu.Active"(%b) : (tensor<4xf32>) -> tensor<4xf32>
      "a.branch"(%c)[^bb1] : (tensor<4xf32>) -> ()
    })"),
              HasSubstr("[TPUMEM-E010]"));
}

TEST(Robustness, RegionsThatFitTogetherBadly) {
  // Too few values, too many, none at all, a region that is not there.
  const char *bodies[] = {
      R"(%r = "tpu.If"(%f) ({ "tpu.Yield"() : () -> () }, { "tpu.Yield"() : () -> () }) : (!c) -> !t)",
      R"(%r = "tpu.If"(%f) ({ "tpu.Yield"(%x, %k) : (!t, !t) -> () }, { "tpu.Yield"(%x, %k) : (!t, !t) -> () }) : (!c) -> !t)",
      R"(%r = "tpu.If"(%f) ({ "tpu.Yield"(%x) : (!t) -> () }, { }) : (!c) -> !t)",
      R"(%r = "tpu.If"(%f) ({ }, { }) : (!c) -> !t)",
      R"(%r = "tpu.If"(%f) ({ "tpu.Yield"(%f) : (!c) -> () }, { "tpu.Yield"(%x) : (!t) -> () }) : (!c) -> !t)",
      R"(%r = "tpu.Loop"(%f, %none, %x) ({ }) : (!c, none, !t) -> !t)",
      R"(%r = "tpu.Loop"(%f, %none) ({ "tpu.Yield"(%x) : (!t) -> () }) : (!c, none) -> !t)",
      R"(%r = "tpu.Loop"(%f, %none, %x) ({
         ^bb0(%i: !c):
           "tpu.Yield"(%none, %x, %x, %x) : (none, !t, !t, !t) -> ()
         }) : (!c, none, !t) -> !t)",
      R"(%r = "tpu.CoreParallel"(%x) ({ }) : (!t) -> !t)",
      R"(%r = "tpu.GroupParallel"(%x) ({ "tpu.Yield"(%x, %x) : (!t, !t) -> () }, { "tpu.Yield"(%x) : (!t) -> () }) : (!t) -> !t)",
      R"(%r = "tpu.GroupParallel"(%x) : (!t) -> !t)",
      R"(%r = "tpu.Group"(%x) ({ "tpu.Yield"(%x) : (!t) -> () }) : (!t) -> !t)",
      R"(%r = "tpu.Group"() ({
           %s = "tpu.Load"(%x) : (!t) -> !t
           func.call @inside() : () -> ()
           "tpu.Yield"(%s) : (!t) -> ()
         }) : () -> !t)",
  };
  for (const char *body : bodies) {
    SCOPED_TRACE(body);
    std::string errors = runAll(mainOf(std::string(body) + R"(
      %y = "tpu.Active"(%r) : (!t) -> !t
      return %y : !t)") + "func.func @inside() { return }");
    if (!errors.empty()) {
      EXPECT_THAT(errors, AnyOf(HasSubstr("[TPUMEM-E0"),
                                HasSubstr("results, but a branch yields")))
          << errors;
    }
  }
}

TEST(Robustness, NumbersThatLeave63Bits) {
  const std::string half = "tensor<4611686018427387904xi8>";
  auto net = [&](const std::string &type) {
    return "func.func @main(%a: " + type + ", %b: " + type + ", %c: " + type +
           ") {\n %x = \"top.Input\"(%a) : (" + type + ") -> " + type +
           "\n %y = \"top.Input\"(%b) : (" + type + ") -> " + type +
           "\n %z = \"top.Input\"(%c) : (" + type + ") -> " + type +
           "\n return }";
  };
  for (const char *chip : {"bm1684", "bm1684x", "bm1688", "cv181x"})
    EXPECT_THAT(runAll(net(half), chip), HasSubstr("[TPUMEM-E00")) << chip;
  EXPECT_THAT(runAll("module attributes {module.addr_mode = \"io_alone\"} {" +
                     net(half) + "}"),
              HasSubstr("[TPUMEM-E00"));
  for (int64_t alignment : {int64_t(1) << 62, int64_t(3) << 60})
    EXPECT_THAT(runAll(net("tensor<4xi8>"), "bm1684x", alignment),
                HasSubstr("[TPUMEM-E00"));
}

//===----------------------------------------------------------------------===//
// Depth
//===----------------------------------------------------------------------===//

/// An addressed chain of calls; every function has one tensor at one place.
OwningOpRef<ModuleOp> chainOfCalls(MLIRContext *context, int64_t length) {
  OpBuilder builder(context);
  Location location = builder.getUnknownLoc();
  auto module = ModuleOp::create(builder, location);
  module->setAttr("module.neuron_addr",
                  builder.getI64IntegerAttr(int64_t(2) << 40));
  module->setAttr("module.neuron_size", builder.getI64IntegerAttr(1 << 20));
  Type type = RankedTensorType::get(
      {16}, builder.getI8Type(), builder.getI64IntegerAttr(int64_t(2) << 40));
  for (int64_t i = 0; i < length; ++i) {
    builder.setInsertionPointToEnd(module.getBody());
    auto function =
        func::FuncOp::create(builder, location, "f" + std::to_string(i),
                             builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    OperationState state(location, "tpu.Custom");
    state.addTypes(type);
    builder.create(state);
    if (i + 1 < length)
      func::CallOp::create(builder, location, "f" + std::to_string(i + 1),
                           TypeRange());
    func::ReturnOp::create(builder, location);
  }
  return module;
}

std::string verifyChain(int64_t length) {
  Net net("");
  auto module = chainOfCalls(net.context.get(), length);
  std::string errors;
  ScopedDiagnosticHandler handler(net.context.get(), [&](Diagnostic &d) {
    errors += d.str() + "\n";
    return success();
  });
  VerifyAddressesOptions options;
  options.chip = "bm1690"; // Tags: any place will do.
  PassManager manager(net.context.get());
  manager.addPass(createVerifyAddresses(options));
  bool isSound = succeeded(manager.run(*module));
  EXPECT_EQ(isSound, errors.empty());
  return errors;
}

TEST(Robustness, DeepCalls) { EXPECT_EQ(verifyChain(100'000), ""); }

TEST(Robustness, DeepCallsThroughThePipeline) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text +=
        "func.func @f" + std::to_string(i) + "(%x: !t) -> !t {\n" +
        (i + 1 < 3000 ? "%0 = func.call @f" + std::to_string(i + 1) +
                            "(%x) : (!t) -> !t\n"
                      : std::string("%0 = \"tpu.Active\"(%x) : (!t) -> !t\n")) +
        "return %0 : !t }\n";
  EXPECT_EQ(runAll(text), "");
}

/// Each loop runs until nothing changes, and so do those inside it.
TEST(Robustness, NestedRegions) {
  for (const char *name : {"tpu.If", "tpu.Loop"}) {
    bool isLoop = std::string(name) == "tpu.Loop";
    std::string text;
    constexpr int kDepth = 8;
    for (int i = 0; i < kDepth; ++i)
      text += "%r" + std::to_string(i) + " = \"" + name + "\"(" +
              (isLoop ? "%f, %none, %x) ({\n^bb0(%i" + std::to_string(i) +
                            ": !c, %c" + std::to_string(i) + ": none, %s" +
                            std::to_string(i) + ": !t):\n"
                      : std::string("%f) ({\n"));
    for (int i = kDepth - 1; i >= 0; --i) {
      std::string yielded =
          i == kDepth - 1 ? "%x" : "%r" + std::to_string(i + 1);
      text += isLoop ? "\"tpu.Yield\"(%none, " + yielded +
                           ") : (none, !t) -> ()\n}) : (!c, none, !t) -> !t\n"
                     : "\"tpu.Yield\"(" + yielded +
                           ") : (!t) -> ()\n}, {\n\"tpu.Yield\"(%k) : (!t) "
                           "-> ()\n}) : (!c) -> !t\n";
    }
    EXPECT_EQ(runAll(mainOf(text + "return %r0 : !t")), "") << name;
  }
}

} // namespace
} // namespace tpu_mlir::test
