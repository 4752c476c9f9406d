//===- InterfacesTest.cpp - Ops that only their interfaces describe -------===//
//
// An op of a dialect that the pass has never heard of runs one of two regions
// and then a third one, which gets what the first two yield. There are two of
// them: one hands on anything, the other only memrefs, so that no flag can go
// beside a buffer.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Transforms/DeallocateBuffers.h"
#include "tpu_mlir/Transforms/VerifyDeallocation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace tpu_mlir {

/// Not anonymous: MLIR knows classes by their names.
namespace interfaces_test {

template <typename Self>
class RegionIfBase
    : public Op<Self, OpTrait::VariadicOperands, OpTrait::VariadicResults,
                OpTrait::NRegions<3>::Impl, OpTrait::HasRecursiveMemoryEffects,
                RegionBranchOpInterface::Trait> {
public:
  using Op<Self, OpTrait::VariadicOperands, OpTrait::VariadicResults,
           OpTrait::NRegions<3>::Impl, OpTrait::HasRecursiveMemoryEffects,
           RegionBranchOpInterface::Trait>::Op;
  using RegionBranchOpInterface::Trait<Self>::getSuccessorRegions;
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  OperandRange getEntrySuccessorOperands(RegionSuccessor) {
    return this->getOperation()->getOperands();
  }
  void getSuccessorRegions(RegionBranchPoint from,
                           SmallVectorImpl<RegionSuccessor> &to) {
    Operation *op = this->getOperation();
    auto add = [&](unsigned index) {
      Region &region = op->getRegion(index);
      to.push_back(RegionSuccessor(&region, region.getArguments()));
    };
    if (from.isParent()) {
      add(0);
      add(1);
    } else if (from.getTerminatorPredecessorOrNull()->getParentRegion() !=
               &op->getRegion(2)) {
      add(2);
    } else {
      to.push_back(RegionSuccessor(op, op->getResults()));
    }
  }
};

class RegionIfOp : public RegionIfBase<RegionIfOp> {
public:
  using RegionIfBase::RegionIfBase;
  static StringRef getOperationName() { return "custom.region_if"; }
};

class MemrefsIfOp : public RegionIfBase<MemrefsIfOp> {
public:
  using RegionIfBase::RegionIfBase;
  static StringRef getOperationName() { return "custom.memrefs_if"; }
  LogicalResult verify() {
    for (Type type : getOperation()->getResultTypes())
      if (!isa<MemRefType>(type))
        return getOperation()->emitOpError("hands on memrefs only");
    return success();
  }
};

class RegionIfYieldOp
    : public Op<RegionIfYieldOp, OpTrait::VariadicOperands,
                OpTrait::ZeroResults, OpTrait::ZeroRegions,
                OpTrait::ZeroSuccessors, OpTrait::IsTerminator,
                OpTrait::ReturnLike, RegionBranchTerminatorOpInterface::Trait,
                MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "custom.region_if_yield"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  MutableOperandRange getMutableSuccessorOperands(RegionSuccessor) {
    return MutableOperandRange(getOperation());
  }
  void getEffects(
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}
};

class CustomDialect : public Dialect {
public:
  explicit CustomDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<CustomDialect>()) {
    addOperations<RegionIfOp, MemrefsIfOp, RegionIfYieldOp>();
  }
  static StringRef getDialectNamespace() { return "custom"; }
};

} // namespace interfaces_test

namespace {

using namespace interfaces_test;

/// The buffer of %0 comes out of one side, a new one out of the other.
std::string divergent(StringRef op) {
  return ("func.func private @fill(memref<4xf32>)\n"
          "func.func @f(%x: memref<4xf32>) {\n"
          "  %1 = \"custom." +
          op + R"("(%x) ({
  ^bb0(%a: memref<4xf32>):
    "custom.region_if_yield"(%a) : (memref<4xf32>) -> ()
  }, {
  ^bb0(%a: memref<4xf32>):
    %2 = memref.alloc() : memref<4xf32>
    func.call @fill(%2) : (memref<4xf32>) -> ()
    "custom.region_if_yield"(%2) : (memref<4xf32>) -> ()
  }, {
  ^bb0(%a: memref<4xf32>):
    func.call @fill(%a) : (memref<4xf32>) -> ()
    "custom.region_if_yield"(%a) : (memref<4xf32>) -> ()
  }) : (memref<4xf32>) -> memref<4xf32>
  func.call @fill(%1) : (memref<4xf32>) -> ()
  return
})")
      .str();
}

class Interfaces : public ::testing::Test {
protected:
  Interfaces() {
    DialectRegistry registry;
    registry.insert<CustomDialect, arith::ArithDialect, func::FuncDialect,
                    memref::MemRefDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Deallocates, and checks that nothing leaks or is used too late.
  LogicalResult run(const std::string &text, bool mayLeak = false) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    ScopedDiagnosticHandler keep(&context, [&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return success();
    });
    PassManager manager(&context);
    manager.addPass(createDeallocateBuffers());
    VerifyDeallocationOptions options;
    options.leaks = mayLeak ? "ignore" : "error";
    options.strict = true;
    manager.addPass(createVerifyDeallocation(options));
    return manager.run(*module);
  }
  template <typename T> int count() {
    int found = 0;
    module->walk([&](T) { ++found; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string messages;
};

/// All three regions and the result are one buffer: no copy, one free.
TEST_F(Interfaces, AllNamesOfOneBuffer) {
  ASSERT_TRUE(succeeded(run(R"(
func.func private @fill(memref<?x?xf32>)
func.func @f(%n: index) {
  %0 = memref.alloc(%n, %n) : memref<?x?xf32>
  %1 = "custom.region_if"(%0) ({
  ^bb0(%a: memref<?x?xf32>):
    "custom.region_if_yield"(%a) : (memref<?x?xf32>) -> ()
  }, {
  ^bb0(%a: memref<?x?xf32>):
    "custom.region_if_yield"(%a) : (memref<?x?xf32>) -> ()
  }, {
  ^bb0(%a: memref<?x?xf32>):
    "custom.region_if_yield"(%a) : (memref<?x?xf32>) -> ()
  }) : (memref<?x?xf32>) -> memref<?x?xf32>
  func.call @fill(%1) : (memref<?x?xf32>) -> ()
  return
})"))) << messages;
  EXPECT_EQ(count<memref::CopyOp>(), 0);
  EXPECT_EQ(count<memref::DeallocOp>(), 1);
}

/// Ownership moves: what the side does not hand on is freed there.
TEST_F(Interfaces, OneSideHandsOnItsOwn) {
  ASSERT_TRUE(succeeded(run(R"(
func.func private @fill(memref<4xf32>)
func.func @f() {
  %0 = memref.alloc() : memref<4xf32>
  %1 = "custom.region_if"(%0) ({
  ^bb0(%a: memref<4xf32>):
    "custom.region_if_yield"(%a) : (memref<4xf32>) -> ()
  }, {
  ^bb0(%a: memref<4xf32>):
    %2 = memref.alloc() : memref<4xf32>
    func.call @fill(%2) : (memref<4xf32>) -> ()
    "custom.region_if_yield"(%2) : (memref<4xf32>) -> ()
  }, {
  ^bb0(%a: memref<4xf32>):
    "custom.region_if_yield"(%a) : (memref<4xf32>) -> ()
  }) : (memref<4xf32>) -> memref<4xf32>
  func.call @fill(%1) : (memref<4xf32>) -> ()
  return
})"))) << messages;
  EXPECT_EQ(count<memref::CopyOp>(), 0);
  EXPECT_EQ(count<memref::DeallocOp>(), 2);
}

/// The argument is written, so that it cannot be copied: a flag says whose the
/// buffer is, in the third region and in the result.
TEST_F(Interfaces, AFlagGoesBesideTheBuffer) {
  ASSERT_TRUE(succeeded(run(divergent("region_if")))) << messages;
  EXPECT_EQ(count<memref::CopyOp>(), 0);
  EXPECT_EQ(count<memref::DeallocOp>(), 1);
  module->walk([&](RegionIfOp found) {
    EXPECT_EQ(found->getNumResults(), 2u);
    EXPECT_EQ(found->getRegion(2).getNumArguments(), 2u);
    EXPECT_EQ(found->getRegion(0).front().back().getNumOperands(), 2u);
  });
}

/// Where no flag can go the buffer is left, with a remark and valid IR.
TEST_F(Interfaces, AnOpThatTakesNoFlagIsLeft) {
  ASSERT_TRUE(succeeded(run(divergent("memrefs_if"), /*mayLeak=*/true)))
      << messages;
  EXPECT_EQ(count<memref::DeallocOp>(), 0);
  EXPECT_NE(messages.find("is not freed by memref-deallocate"),
            std::string::npos);
  EXPECT_EQ(messages.find("hands on memrefs only"), std::string::npos);
  module->walk([&](MemrefsIfOp found) {
    EXPECT_EQ(found->getNumResults(), 1u);
    EXPECT_EQ(found->getRegion(2).getNumArguments(), 1u);
  });
}

} // namespace
} // namespace tpu_mlir
