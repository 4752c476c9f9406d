//===- LmemPlacementProblem.h - The question in the core's words -*- C++
//-*-===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTPROBLEM_H
#define TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTPROBLEM_H

#include "tpu_mlir/LayerPlanning/LmemPlacement.h"
#include "tpu_mlir/Planning/Problem.h"

namespace tpu_mlir::layer {

/// For each buffer the one at the start of its chain of inPlaceOf, itself when
/// it is in nobody's place. The chains have no loop. O(buffers).
std::vector<int64_t> inPlaceRoots(const LmemProblem &problem);

/// The same problem for the planning core: one pool of `limitBytes`, buffers in
/// the same order, chains as aliases of their roots, which live as long and are
/// as large as all of the chain. The problem has passed checkProblem.
planning::Problem planningProblem(const LmemProblem &problem,
                                  int64_t limitBytes);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTPROBLEM_H
