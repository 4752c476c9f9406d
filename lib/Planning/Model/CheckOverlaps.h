//===- CheckOverlaps.h - Which overlaps make sense --------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_MODEL_CHECKOVERLAPS_H
#define TPU_MLIR_LIB_PLANNING_MODEL_CHECKOVERLAPS_H

#include "tpu_mlir/Planning/Problem.h"

namespace tpu_mlir::planning {

/// The part of check() that is about Problem::overlaps; nothing where `errors`
/// has one already. `classes` has at least those that are pinned.
void checkOverlaps(const Problem &problem,
                   const std::vector<StorageClass> &classes,
                   std::vector<ProblemError> &errors);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_MODEL_CHECKOVERLAPS_H
