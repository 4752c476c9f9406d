// Frees what a module of standard input allocates: a compiler of few lines.
#include "tpu_mlir/Pipelines/MemrefPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

int main() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::memref::MemRefDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>("-", &context);
  if (!module)
    return 1;
  mlir::PassManager manager(&context);
  tpu_mlir::buildMemrefMemoryPipeline(manager, tpu_mlir::MemrefMemoryOptions());
  if (failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
