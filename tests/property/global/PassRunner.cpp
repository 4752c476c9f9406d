//===- PassRunner.cpp - Run the passes with drawn options -----------------===//
//
// Assigns or verifies addresses and returns the diagnostics with the outcome.
//
//===----------------------------------------------------------------------===//

#include "tests/property/global/PassRunner.h"

#include "lib/Transforms/Tpu/VerifyAddresses/VerifyAddresses.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tpu_mlir::test {

std::string describe(const Choice &choice) {
  return "chip=" + choice.chip + " strategy=" + choice.strategy +
         " io-mode=" + choice.ioMode +
         " alignment=" + std::to_string(choice.alignment) +
         (choice.dedup ? " dedup=true" : "") +
         (choice.sameAddr.empty() ? "" : " same-addr=" + choice.sameAddr) +
         (choice.pools.empty() ? "" : " pools=" + choice.pools) +
         (choice.poolIo ? " pool-io" : "") + (choice.share ? " share" : "") +
         (choice.pack ? " pack" : "") + (choice.inOrder ? " in-order" : "");
}

static Outcome run(PassManager &manager, ModuleOp module) {
  Outcome outcome;
  llvm::raw_string_ostream stream(outcome.errors);
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        stream << diagnostic.getLocation() << ": " << diagnostic << "\n";
        for (Diagnostic &note : diagnostic.getNotes())
          stream << "  " << note.getLocation() << ": " << note << "\n";
        return success();
      });
  outcome.succeeded = succeeded(manager.run(module));
  return outcome;
}

Outcome assignAddresses(ModuleOp module, const Choice &choice) {
  GlobalMemoryOptions options;
  options.chip = choice.chip;
  options.strategy = choice.strategy;
  options.ioMode = choice.ioMode;
  options.alignment = choice.alignment;
  options.dedup = choice.dedup;
  options.sameAddr = choice.sameAddr;
  options.pools = choice.pools;
  options.poolIo = choice.poolIo;
  options.share = choice.share;
  options.pack = choice.pack;
  options.inOrder = choice.inOrder;
  PassManager manager(module.getContext());
  buildGlobalMemoryPipeline(manager, options);
  return run(manager, module);
}

Outcome verifyAddresses(ModuleOp module, const Choice &choice) {
  VerifyAddressesOptions options;
  options.chip = choice.chip;
  options.alignment = choice.alignment;
  PassManager manager(module.getContext());
  manager.addPass(createVerifyAddresses(options));
  return run(manager, module);
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo(true, false));
  return text;
}

} // namespace tpu_mlir::test
