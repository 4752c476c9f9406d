//===- GroupOrder.h - Whether groups want another order ---------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_GROUPORDER_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_GROUPORDER_H

#include "lib/Transforms/Tpu/Reorder/Reorder.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"

namespace tpu_mlir::deploy {

/// How groups are made, and what follows.
struct GroupTrial {
  const LocalMemoryOptions &groups;
  const ReorderOptions &reorder;
  /// "": the module's.
  std::string ioMode;
  /// Of plans, or nullptr.
  planning::PlanCache *cache = nullptr;
  /// Groups run transfers of their neighbours.
  bool overlaps = true;
};

/// Layer groups are stretches of the text, so that they depend on the order in
/// which ops stand there. True where, with the ops put in order before the
/// groups are made, what groups minimise gets less, or as much and memory less,
/// and neurons take no more: both are tried to the end, on copies. O(what the
/// tries cost), and no more than the order where that is the text's. False
/// where somebody asks to stop.
bool wantsOrderFirst(mlir::ModuleOp module, const GroupTrial &trial);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_GROUPORDER_H
