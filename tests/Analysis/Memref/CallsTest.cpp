//===- CallsTest.cpp - Which calls free what they are given ---------------===//
//
// The argument %x of a function is freed, or not; a caller asks.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/Calls.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir {
namespace {

constexpr const char *kOthers = R"(
!m = memref<4xf32>
!d = memref<?xf32>
func.func private @external(!m)
func.func @sink(%x: !m) {
  memref.dealloc %x : !m
  return
}
func.func @reader(%x: !m) {
  "test.use"(%x) : (!m) -> ()
  return
}
func.func @second(%y: !m, %x: !m) {
  memref.dealloc %x : !m
  return
}
func.func @recursive(%x: !m, %y: !m, %p: i1) {
  scf.if %p {
    func.call @recursive(%y, %x, %p) : (!m, !m, i1) -> ()
  } else {
    memref.dealloc %x : !m
  }
  return
}
func.func @circle(%x: !m, %p: i1) {
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  call @round(%x, %p) : (!m, i1) -> ()
  cf.br ^bb2
^bb2:
  return
}
func.func @round(%x: !m, %p: i1) {
  call @circle(%x, %p) : (!m, i1) -> ()
  return
}
func.func @id(%x: !m) -> !m {
  return %x : !m
}
func.func @swap(%x: !m, %y: !m) -> (!m, !m) {
  %r = call @id(%x) : (!m) -> !m
  return %y, %r : !m, !m
}
func.func @copy(%x: !m) -> !m {
  %r = memref.alloc() : !m
  memref.copy %x, %r : !m to !m
  return %r : !m
}
func.func @around(%x: !m, %p: i1) -> !m {
  %r = scf.if %p -> !m {
    %s = func.call @around(%x, %p) : (!m, i1) -> !m
    scf.yield %s : !m
  } else {
    scf.yield %x : !m
  }
  return %r : !m
}
func.func @ends(%x: !m) -> !m {
  "test.return"(%x) : (!m) -> ()
}
func.func @take(%t: memref<?x!m>, %i: index) -> !m {
  %r = memref.load %t[%i] : memref<?x!m>
  return %r : !m
}
func.func @make() -> !m {
  %r = memref.alloc() : !m
  return %r : !m
}
)";

struct Case {
  const char *name;
  const char *body;
  bool isFreed;
};

const Case kCases[] = {
    {"dealloc", "memref.dealloc %x : !m", true},
    {"nothing", "", false},
    {"another_one", "memref.dealloc %y : !m", false},
    {"its_own",
     R"(%a = memref.alloc() : !m
        memref.copy %x, %a : !m to !m
        memref.dealloc %a : !m)",
     false},
    {"on_one_path", "scf.if %p { memref.dealloc %x : !m }", true},
    {"view",
     R"(%v = memref.cast %x : !m to !d
        memref.dealloc %v : !d)",
     true},
    {"select",
     R"(%s = arith.select %p, %y, %x : !m
        memref.dealloc %s : !m)",
     true},
    {"select_of_others",
     R"(%a = memref.alloc() : !m
        %s = arith.select %p, %y, %a : !m
        memref.dealloc %s : !m)",
     false},
    {"result_of_a_branch",
     R"(%s = scf.if %p -> !m {
          scf.yield %x : !m
        } else {
          scf.yield %y : !m
        }
        memref.dealloc %s : !m)",
     true},
    {"carried_by_a_loop",
     R"(%r:2 = scf.for %i = %n to %n step %n iter_args(%a = %y, %b = %x)
            -> (!m, !m) {
          scf.yield %b, %a : !m, !m
        }
        memref.dealloc %r#0 : !m)",
     true},
    {"argument_of_a_block",
     R"(cf.br ^bb1(%x : !m)
      ^bb1(%b: !m):
        memref.dealloc %b : !m)",
     true},
    {"of_another_block",
     R"(cf.br ^bb1(%y : !m)
      ^bb1(%b: !m):
        memref.dealloc %b : !m)",
     false},
    {"realloc",
     R"(%v = memref.cast %x : !m to !d
        %r = memref.realloc %v : !d to memref<8xf32>)",
     true},
    {"under_a_condition", "bufferization.dealloc (%x : !m) if (%p)", true},
    {"by_its_effect",
     "%t = gpu.wait async\n%u = gpu.dealloc async [%t] %x : !m", true},
    {"unknown_op", "\"test.use\"(%x) : (!m) -> ()", false},
    {"handed_on", "func.call @sink(%x) : (!m) -> ()", true},
    {"handed_to_a_reader", "func.call @reader(%x) : (!m) -> ()", false},
    {"external", "func.call @external(%x) : (!m) -> ()", false},
    {"the_second", "func.call @second(%y, %x) : (!m, !m) -> ()", true},
    {"not_the_first", "func.call @second(%x, %y) : (!m, !m) -> ()", false},
    {"recursive", "func.call @recursive(%y, %x, %p) : (!m, !m, i1) -> ()",
     true},
    {"circle", "func.call @circle(%x, %p) : (!m, i1) -> ()", false},
    {"by_a_value",
     R"(%f = func.constant @reader : (!m) -> ()
        %g = func.constant @external : (!m) -> ()
        %h = arith.select %p, %f, %g : (!m) -> ()
        func.call_indirect %h(%x) : (!m) -> ())",
     true},
    {"by_a_constant",
     R"(%f = func.constant @reader : (!m) -> ()
        func.call_indirect %f(%x) : (!m) -> ())",
     false},
    {"by_a_constant_that_frees",
     R"(%f = func.constant @sink : (!m) -> ()
        func.call_indirect %f(%x) : (!m) -> ())",
     true},
    {"returned_and_freed",
     R"(%r = func.call @id(%x) : (!m) -> !m
        memref.dealloc %r : !m)",
     true},
    {"another_one_returned",
     R"(%r:2 = func.call @swap(%x, %y) : (!m, !m) -> (!m, !m)
        memref.dealloc %r#0 : !m)",
     false},
    {"the_other_one_returned",
     R"(%r:2 = func.call @swap(%x, %y) : (!m, !m) -> (!m, !m)
        memref.dealloc %r#1 : !m)",
     true},
    {"not_returned_by_a_copy",
     R"(%r = func.call @copy(%x) : (!m) -> !m
        memref.dealloc %r : !m)",
     false},
    {"round_a_circle",
     R"(%r = func.call @around(%x, %p) : (!m, i1) -> !m
        memref.dealloc %r : !m)",
     true},
    {"unknown_end",
     R"(%r = func.call @ends(%x) : (!m) -> !m
        memref.dealloc %r : !m)",
     true},
    {"unknown_regions",
     R"(%r = "test.region"() ({
          "test.yield"(%x) : (!m) -> ()
        }) : () -> !m
        memref.dealloc %r : !m)",
     true},
    {"unknown_result",
     R"(%r = "test.op"(%x) : (!m) -> !m
        memref.dealloc %r : !m)",
     true},
    {"from_a_table",
     R"(memref.store %x, %table[%n] : memref<?x!m>
        %r = memref.load %table[%n] : memref<?x!m>
        memref.dealloc %r : !m)",
     true},
    {"from_a_table_by_a_call",
     R"(memref.store %x, %table[%n] : memref<?x!m>
        %r = func.call @take(%table, %n) : (memref<?x!m>, index) -> !m
        memref.dealloc %r : !m)",
     true},
    {"made_by_a_call",
     R"(%r = func.call @make() : () -> !m
        memref.dealloc %r : !m)",
     false},
    {"through_its_address",
     R"(%b, %o, %size, %stride = memref.extract_strided_metadata %x
            : !m -> memref<f32>, index, index, index
        memref.dealloc %b : memref<f32>)",
     true},
};

class TwoFunctions : public ::testing::Test {
protected:
  /// A function with `body`, and one that calls it.
  void read(const std::string &body) {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    registerBufferFlowModels(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
    std::string arguments =
        "(%x: !m, %y: !m, %table: memref<?x!m>, %p: i1, %n: index) {\n";
    std::string call = "call @callee(%x, %y, %table, %p, %n) : "
                       "(!m, !m, memref<?x!m>, i1, index) -> ()";
    module = parseSourceString<ModuleOp>(
        kOthers + ("func.func @callee" + arguments) + body +
            "\nreturn\n}\nfunc.func @caller" + arguments + call +
            "\nreturn\n}\n",
        &context);
    ASSERT_TRUE(module);
    caller = module->lookupSymbol<func::FuncOp>("caller");
    theCall = *caller.getOps<func::CallOp>().begin();
  }
  bool mayFree(Operation *root) {
    return CallSummaries(root).mayFree(theCall, caller.getArgument(0));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp caller;
  func::CallOp theCall;
};

class Calls : public TwoFunctions,
              public ::testing::WithParamInterface<Case> {};

TEST_P(Calls, AreFollowed) {
  read(GetParam().body);
  EXPECT_EQ(mayFree(*module), GetParam().isFreed);
}

INSTANTIATE_TEST_SUITE_P(Bodies, Calls, ::testing::ValuesIn(kCases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST_F(TwoFunctions, AreLookedAtTogetherOnly) {
  read("");
  EXPECT_FALSE(mayFree(*module));
  EXPECT_TRUE(mayFree(caller));
  EXPECT_TRUE(CallSummaries().mayFree(theCall, caller.getArgument(0)));
}

TEST_F(TwoFunctions, HaveNoNewCalls) {
  read("");
  CallSummaries calls(*module);
  func::CallOp copy = theCall.clone();
  theCall->getBlock()->push_front(copy);
  EXPECT_TRUE(calls.mayFree(copy, caller.getArgument(0)));
}

} // namespace
} // namespace tpu_mlir
