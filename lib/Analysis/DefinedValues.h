//===- DefinedValues.h - What an op brings into the world -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_DEFINEDVALUES_H
#define TPU_MLIR_LIB_ANALYSIS_DEFINEDVALUES_H

#include "mlir/IR/Operation.h"

namespace tpu_mlir {

/// Visits the results of `op`, then the arguments of the blocks of its regions,
/// not what is defined inside. Together with a walk: every value once.
template <typename Visit>
void forEachDefined(mlir::Operation *op, Visit visit) {
  for (mlir::Value result : op->getResults())
    visit(result);
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      for (mlir::Value argument : block.getArguments())
        visit(argument);
}

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_ANALYSIS_DEFINEDVALUES_H
