//===- Reports.h - What a run says about memory -----------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_REPORTS_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_REPORTS_H

#include "tpu_mlir/Report/LocalReport.h"
#include "tpu_mlir/Report/MemoryReport.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Target/ChipSpec.h"
#include "tpu_mlir/tools/model_deploy/Recipe.h"

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir::deploy {

/// Of all modules of functions.
class Reports {
public:
  /// Emits and fails as the two collectors do.
  mlir::LogicalResult collect(mlir::ModuleOp module, const Options &options);
  /// In the order in which they are written.
  std::vector<FileToWrite> render(const Options &options) const;
  std::string regionTable() const;

private:
  mlir::LogicalResult collectLocal(mlir::ModuleOp module,
                                   const target::ChipSpec &chip);
  /// Maps of some hundred groups are a file that nobody opens.
  bool hasLocalPage() const;

  std::vector<report::MemoryReport> memory;
  std::vector<report::LocalReport> local;
};

/// The map of a module for which there was too little memory, planned by
/// `recipe` as if there were enough; `failure` is what the page says at the
/// top. None where even that leads nowhere. Changes the module, emits nothing.
std::optional<FileToWrite> drawFailure(mlir::ModuleOp module,
                                       const Options &options,
                                       const Recipe &recipe,
                                       const std::string &failure);

/// Runs the module as it is written, on random numbers, for the chip of the
/// options, and returns what is to be said about it. Emits and fails as
/// resolveChip() and runModule() do.
mlir::FailureOr<std::string> runOnPlan(mlir::ModuleOp module,
                                       const Options &options);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_REPORTS_H
