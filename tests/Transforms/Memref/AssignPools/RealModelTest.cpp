//===- RealModelTest.cpp - A bufferized model as a tree of calls ----------===//
//
// Stretches of the one function that the model is become functions, with the
// buffers that only they use. It has to give the same bits with all memory in
// one pool, which is no larger than what the one function needs. Skips without
// $TPU_MEMORY_DATA.
//
//===----------------------------------------------------------------------===//

#include "PoolDriver.h"

#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tpu_mlir/Transforms/AssignPools.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/SetVector.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <iostream>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

/// What of a stretch can be a function of its own: all but what gives values
/// to the rest. Nothing, if that touches memory: its place matters.
llvm::SetVector<Operation *> outlinable(ArrayRef<Operation *> stretch) {
  llvm::SetVector<Operation *> inside(stretch.begin(), stretch.end());
  auto isInside = [&](Operation *user) {
    return llvm::any_of(inside,
                        [&](Operation *op) { return op->isAncestor(user); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : llvm::reverse(stretch)) {
      if (!inside.contains(op) || llvm::all_of(op->getUsers(), isInside))
        continue;
      if (!isa<memref::AllocOp>(op) && !isMemoryEffectFree(op))
        return {};
      inside.remove(op);
      changed = true;
    }
  }
  return inside;
}

/// Moves `ops` to a private function, called where the last of them is.
void outline(func::FuncOp main, ArrayRef<Operation *> ops, int number) {
  llvm::SetVector<Value> inputs;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *definer = operand.getParentRegion() == &main.getBody()
                                 ? operand.getDefiningOp()
                                 : op;
        if (!llvm::is_contained(ops, definer))
          inputs.insert(operand);
      }
    });
  OpBuilder builder(main);
  auto function = func::FuncOp::create(
      builder, main.getLoc(), "part" + std::to_string(number),
      builder.getFunctionType(ValueRange(inputs.getArrayRef()).getTypes(), {}));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  builder.setInsertionPoint(ops.back());
  func::CallOp::create(builder, main.getLoc(), function, inputs.getArrayRef());
  for (Operation *op : ops)
    op->moveBefore(body, body->end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value input = inputs[i];
    input.replaceUsesWithIf(body->getArgument(i), [&](OpOperand &use) {
      return function->isAncestor(use.getOwner());
    });
  }
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(builder, main.getLoc());
}

int splitIntoCalls(func::FuncOp main, size_t length) {
  SmallVector<Operation *> all;
  for (Operation &op : main.getBody().front().without_terminator())
    all.push_back(&op);
  int functions = 0;
  for (size_t begin = 0; begin < all.size(); begin += length) {
    ArrayRef<Operation *> stretch =
        ArrayRef(all).slice(begin, std::min(length, all.size() - begin));
    llvm::SetVector<Operation *> ops = outlinable(stretch);
    if (!ops.empty())
      outline(main, ops.getArrayRef(), functions++);
  }
  return functions;
}

int64_t poolBytes(ModuleOp module) {
  auto sizes = module->getAttrOfType<DictionaryAttr>("module.pool_sizes");
  return cast<IntegerAttr>(sizes.get("workspace")).getInt();
}

TEST(RealModel, AttentionAsATreeOfCalls) {
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data)
    GTEST_SKIP() << "TPU_MEMORY_DATA is not set";
  registerAssignPools();
  MLIRContext context;
  registerForJit(context);
  OwningOpRef<ModuleOp> before = parseSourceFile<ModuleOp>(
      std::string(data) + "/memref/multi_head_attention_bufferized.mlir",
      &context);
  ASSERT_TRUE(before);
  constexpr const char *kMain = "multi_head_attention";
  CompileOptions compileOptions;
  compileOptions.optLevel = 1;
  CompileResult old = compile(*before, compileOptions);
  ASSERT_TRUE(old.module) << old.error;
  OwningOpRef<ModuleOp> whole = before->clone();
  ASSERT_EQ(runPasses(*whole, "tpu-assign-pools{in-place=false}"), "");
  for (size_t length : {3, 8, 20}) {
    OwningOpRef<ModuleOp> after = before->clone();
    auto main = after->lookupSymbol<func::FuncOp>(kMain);
    int functions = splitIntoCalls(main, length);
    EXPECT_GT(functions, 4);
    ASSERT_EQ(runPasses(*after, "tpu-assign-pools{in-place=false}"), "");
    EXPECT_FALSE(
        after->walk([](memref::AllocOp) { return WalkResult::interrupt(); })
            .wasInterrupted());
    std::cerr << functions << " functions: " << poolBytes(*after)
              << " bytes; one: " << poolBytes(*whole) << "\n";
    EXPECT_EQ(poolBytes(*after), poolBytes(*whole));
    poisonInternalPool(*after);
    CompileResult pooled = compile(*after, compileOptions);
    ASSERT_TRUE(pooled.module) << pooled.error;
    ComparisonOptions comparison;
    comparison.inputSeeds = {1};
    comparison.timeoutSeconds = 100;
    Comparison compared =
        compareCompiled(*old.module, *pooled.module, {kMain}, comparison);
    EXPECT_EQ(compared.error, "");
    for (const Mismatch &mismatch : compared.mismatches)
      ADD_FAILURE() << mismatch.what;
  }
}

} // namespace
} // namespace tpu_mlir::jit
