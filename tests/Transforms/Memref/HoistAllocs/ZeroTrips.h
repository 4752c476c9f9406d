//===- ZeroTrips.h - Loops that do not run ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_MEMREF_HOISTALLOCS_ZEROTRIPS_H
#define TPU_MLIR_TESTS_TRANSFORMS_MEMREF_HOISTALLOCS_ZEROTRIPS_H

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir {

/// Makes the allocations of two modules comparable, the second of which is the
/// first with allocations moved out of loops. `after` allocates at each old
/// place, too, but the first time that control gets there from the new one: no
/// saving makes up for what was allocated in vain. `before` allocates once more
/// for each loop that an allocation left, whenever control comes to the loop
/// and gets after it without an iteration: for a loop of regions an entry of
/// the region with the allocation, for a loop of blocks a way back to its start
/// or one that allocates. `after` then executes at most as many allocations as
/// `before`. Allocations are told by their locations.
void allocateForIdleLoops(mlir::ModuleOp before, mlir::ModuleOp after);

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_TRANSFORMS_MEMREF_HOISTALLOCS_ZEROTRIPS_H
