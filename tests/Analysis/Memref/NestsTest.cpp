//===- NestsTest.cpp - Facts of nested ops are found once -----------------===//
//
// Compares the innermost op of a kind with a walk up the parents.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/Nests.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir {
namespace {

class MemrefNests : public ::testing::Test {
protected:
  MemrefNests() {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
  }

  /// The function around `body`.
  func::FuncOp parse(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%c: i1, %l: index) {\n" + body + "return\n}", &context);
    return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
  }
  std::vector<Operation *> marks() {
    std::vector<Operation *> found;
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getName().getStringRef() == "test.mark")
        found.push_back(op);
    });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(MemrefNests, InnermostOfAKind) {
  func::FuncOp function = parse(R"(
    "test.mark"() : () -> ()
    scf.for %i = %l to %l step %l {
      "test.mark"() : () -> ()
      scf.if %c {
        "test.mark"() : () -> ()
        scf.for %j = %l to %l step %l {
        }
      } else {
        scf.for %j = %l to %l step %l {
          "test.mark"() : () -> ()
        }
      }
    })");
  ASSERT_TRUE(function);
  InnermostAround loops(function, llvm::IsaPred<scf::ForOp>);
  std::vector<Operation *> at = marks();
  ASSERT_EQ(at.size(), 4u);
  Operation *outer = at[1]->getParentOp(), *inner = at[3]->getParentOp();
  EXPECT_EQ(loops.opAround(at[3]), inner);
  EXPECT_EQ(loops.opAround(at[0]), nullptr);
  EXPECT_EQ(loops.opAround(at[2]), outer);
  EXPECT_EQ(loops.around(at[2]), at[1]->getParentRegion());
  // Of what it is in, not of itself.
  EXPECT_EQ(loops.opAround(inner), outer);
  EXPECT_EQ(loops.opAround(outer), nullptr);
}

TEST_F(MemrefNests, TheRootIsNotAsked) {
  func::FuncOp function = parse("\"test.mark\"() : () -> ()\n");
  ASSERT_TRUE(function);
  InnermostAround any(function, [](Operation *) { return true; });
  EXPECT_EQ(any.opAround(marks().front()), nullptr);
}

TEST_F(MemrefNests, EachRegionIsAskedOnce) {
  constexpr int kLevels = 1000;
  std::string open, close;
  for (int i = 0; i < kLevels; ++i) {
    open += "scf.if %c {\n\"test.mark\"() : () -> ()\n";
    close += "\"test.mark\"() : () -> ()\n}\n";
  }
  func::FuncOp function = parse(open + close);
  ASSERT_TRUE(function);
  int numAsked = 0;
  NestFact<int> depth(function, 0, [&](int around, Region &) {
    ++numAsked;
    return around + 1;
  });
  std::vector<Operation *> at = marks();
  ASSERT_EQ(at.size(), 2u * kLevels);
  EXPECT_EQ(depth.around(at[kLevels - 1]), kLevels);
  for (int i = 0; i < kLevels; ++i) {
    EXPECT_EQ(depth.around(at[i]), i + 1);
    EXPECT_EQ(depth.around(at[2 * kLevels - 1 - i]), i + 1);
  }
  EXPECT_EQ(numAsked, kLevels);
}

} // namespace
} // namespace tpu_mlir
