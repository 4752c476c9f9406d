//===- ShareStorage.h - Which tensors take the place of others --*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_SHARESTORAGE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_SHARESTORAGE_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"
#include "tpu_mlir/Planning/PlanCache.h"

namespace tpu_mlir::global_addresses {

/// How a module is planned.
struct PlanningCase {
  mlir::ModuleOp module;
  const target::ChipSpec &chip;
  const WeightRegion &weights;
  const GlobalPlanOptions &options;
  std::string strategy;
  /// Of equal problems.
  planning::PlanCache &plans;
  /// Kernels read before they write.
  bool inOrder = false;
};

/// Marks ops whose result may take the place of an operand (`in_place`) and
/// concats whose pieces are to be computed in their place (`only_merge`), where
/// the plan then needs less of the chip's regions, and no more of the neuron
/// region. Without gain no update is marked, and of the concats those that need
/// no more, as they copy nothing then; a concat in place lives whole from its
/// first piece on. Marks of earlier runs on updates go; concats that are
/// merged stay so. Where kernels read before they write, ops are also marked
/// whose result may begin below an operand (`in_order`), all or none: with the
/// other marks or in their place. After a merge all of that is chosen again, up
/// to eight times: what has come to an end by itself is what the next run
/// chooses, too. Plans at most twelve times a round; each concat is looked at
/// up to four times a round by live ranges alone, as long as that stays below 4
/// million values. Marks nothing in a module that has no plan at all.
void shareStorage(const PlanningCase &planning);

} // namespace tpu_mlir::global_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_SHARESTORAGE_H
