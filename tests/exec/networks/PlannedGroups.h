//===- PlannedGroups.h - Checks what tpu-layer-group made -------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_NETWORKS_PLANNEDGROUPS_H
#define TPU_MLIR_TESTS_EXEC_NETWORKS_PLANNEDGROUPS_H

#include "lib/Transforms/Tpu/LayerGroup/LayerGroup.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace tpu_mlir::exec {

/// What there was in groups, so that a test cannot pass without it.
struct PlanCounts {
  int groups = 0;
  int loops = 0;       ///< Groups of several sections; the rest is about these.
  int onCores = 0;     ///< Several cores have sections.
  int loadedTwice = 0; ///< An input has two loads.
  int images = 0, channels = 0, rows = 0, columns = 0; ///< Cut dimensions.
  int halos = 0;       ///< Loads whose neighbouring parts overlap.
  int held = 0;        ///< Loads.
  int reloaded = 0;    ///< Loads of the same part for every section.
  int wrapped = 0;     ///< Lives that cross from one loop to the next.
  int inPlace = 0;     ///< Results written over an operand.
  int scratch = 0;     ///< Ops with scratch.
  int lines = 0;       ///< Line buffers.
  int arranged = 0;    ///< Weights loaded as another shape.
  int manyOutputs = 0; ///< Groups with several results.
  /// Transfers that run in the rows of the group before, and after.
  int hoisted = 0, sunk = 0;
  std::map<std::string, int> opsInLoops;

  void add(mlir::ModuleOp module, const target::ChipSpec &chip);
};

/// Runs tpu-layer-group, core-parallel and tpu-group-overlap. The first thing
/// that is wrong: the pass fails, is not the same twice, its text does not
/// survive parsing, tpu-verify-local rejects it, a count of its bytes or of
/// what it computes disagrees with the search, or overlap costs cycles.
/// "": all is right.
std::string planAndVerify(mlir::ModuleOp module, const LayerGroupOptions &plan,
                          const target::ChipSpec &chip);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_NETWORKS_PLANNEDGROUPS_H
