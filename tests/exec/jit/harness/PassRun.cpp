//===- PassRun.cpp - Passes under test ------------------------------------===//

#include "tests/exec/jit/harness/PassRun.h"

#include "tests/exec/jit/harness/JitHarness.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tpu_mlir::jit {

std::string runPasses(ModuleOp module, const std::string &pipeline,
                      std::vector<std::string> *remarks) {
  std::string text;
  llvm::raw_string_ostream out(text);
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          out << diagnostic.getLocation() << ": " << diagnostic << "\n";
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark && remarks)
          remarks->push_back(diagnostic.str());
        return success();
      });
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(pipeline, manager, out)))
    return "no such pipeline: " + text;
  if (failed(manager.run(module)))
    return "the pass failed: " + text;
  if (failed(verify(module)))
    return "does not verify: " + text;
  return "";
}

int64_t staticBytes(ModuleOp module, const std::string &function,
                    int64_t alignment) {
  int64_t total = 0;
  module.lookupSymbol(function)->walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape())
      return;
    int64_t bytes =
        type.getNumElements() * elementBytes(type.getElementType()).value_or(0);
    total += llvm::alignTo(bytes, alignment);
  });
  return total;
}

int64_t allocations(ModuleOp module, const std::string &function) {
  int64_t count = 0;
  module.lookupSymbol(function)->walk([&](memref::AllocOp) { ++count; });
  return count;
}

} // namespace tpu_mlir::jit
