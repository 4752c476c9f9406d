//===- Lowering.cpp - Memref programs to the LLVM dialect -----------------===//

#include "tests/exec/jit/harness/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

constexpr const char *kPipeline =
    "builtin.module("
    "func.func(expand-realloc,convert-linalg-to-loops),"
    "lower-affine,convert-scf-to-cf,"
    "memref-expand,expand-strided-metadata,lower-affine,"
    "convert-vector-to-llvm,convert-complex-to-llvm,"
    "convert-math-to-llvm,convert-math-to-libm,"
    "finalize-memref-to-llvm{use-generic-functions=1},"
    "convert-arith-to-llvm,convert-index-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,"
    "reconcile-unrealized-casts)";

/// The bytes that the lowering of memref.alloc adds to a request in order to
/// align it by itself: it does so for elements that are no plain numbers.
int64_t slackBytes(memref::AllocOp alloc) {
  Type element = alloc.getType().getElementType();
  if (element.isSignlessIntOrIndexOrFloat())
    return 0;
  return DataLayout::closest(alloc).getTypeSize(element).getFixedValue();
}

/// Tells the heap about each request, which is otherwise a number of bytes.
void announceAllocations(ModuleOp module) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  Type i64 = builder.getI64Type();
  auto announce =
      func::FuncOp::create(builder, module.getLoc(), "tpu_jit_announce",
                           builder.getFunctionType({i64, i64}, {}));
  announce.setPrivate();
  module.walk([&](memref::AllocOp alloc) {
    builder.setInsertionPoint(alloc);
    int64_t slack = slackBytes(alloc);
    int64_t alignment = alloc.getAlignment().value_or(slack ? slack : 1);
    Value arguments[] = {
        arith::ConstantIntOp::create(builder, alloc.getLoc(), i64, alignment),
        arith::ConstantIntOp::create(builder, alloc.getLoc(), i64, slack)};
    func::CallOp::create(builder, alloc.getLoc(), announce, arguments);
    alloc.removeAlignmentAttr();
  });
}

} // namespace

void registerForJit(MLIRContext &context) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.disableMultithreading();
  static bool once = (registerAllPasses(), true);
  (void)once;
}

bool lowerToLLVM(ModuleOp module, ParallelOrder order) {
  sequentialize(module, order);
  announceAllocations(module);
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  if (failed(parsePassPipeline(llvm::StringRef(kPipeline)
                                   .drop_front(strlen("builtin.module("))
                                   .drop_back(),
                               manager)))
    return false;
  return succeeded(manager.run(module));
}

} // namespace tpu_mlir::jit
