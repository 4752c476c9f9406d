//===- RealModels.h - Compiled models with layer groups ---------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_GROUPS_REALMODELS_H
#define TPU_MLIR_TESTS_EXEC_GROUPS_REALMODELS_H

#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <ostream>
#include <string>
#include <vector>

namespace tpu_mlir::exec {

/// A folder of $TPU_MEMORY_DATA/tpu_mlir whose final.mlir has groups.
struct RealModel {
  const char *folder;
  const char *chip;
  int groups;
};
const std::vector<RealModel> &realModels();
/// For GoogleTest.
inline void PrintTo(const RealModel &model, std::ostream *out) {
  *out << model.folder;
}

/// The variable is set.
bool haveRealModels();

/// The parsed file, kept with its context.
class LoadedModel {
public:
  explicit LoadedModel(const RealModel &model);

  mlir::ModuleOp module() { return *parsed; } ///< Null: could not be read.
  const target::ChipSpec &chip() const { return *spec; }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
  const target::ChipSpec *spec;
};

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_GROUPS_REALMODELS_H
