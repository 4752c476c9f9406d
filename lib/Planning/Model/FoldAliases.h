//===- FoldAliases.h - Some of the alias classes only -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_MODEL_FOLDALIASES_H
#define TPU_MLIR_LIB_PLANNING_MODEL_FOLDALIASES_H

#include "tpu_mlir/Planning/Problem.h"

namespace tpu_mlir::planning {

/// The alias classes whose roots have an alias or a pin, or an alias that has
/// one, in buffer order: what foldAliases() says of the others can be read off
/// the buffer. Trusts that the aliases make sense, like foldAliases().
std::vector<StorageClass> foldEntangled(const Problem &problem);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_MODEL_FOLDALIASES_H
