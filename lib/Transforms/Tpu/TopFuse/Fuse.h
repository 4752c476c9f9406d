//===- Fuse.h - Layers of a network that are one ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_FUSE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_FUSE_H

#include "tpu_mlir/Execution/Files/Npz.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace tpu_mlir::fusion {

class WeightValues;

/// Puts one layer of Top for several that compute the same, up to the rounding
/// of floats, everywhere in the module; what is not Top stays. Layers that
/// nobody reads go, and weights that nobody reads any more. Near linear in the
/// ops, and in the elements of weights that are looked at.
void fuseTop(mlir::ModuleOp module, WeightValues &weights);

/// The same with the arrays of all weights, which become those of the module's
/// weights afterwards, in its order.
void fuseTop(mlir::ModuleOp module, std::vector<execution::NpyArray> &weights);

} // namespace tpu_mlir::fusion

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_FUSE_H
