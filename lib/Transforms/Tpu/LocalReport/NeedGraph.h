//===- NeedGraph.h - What depends on what, for certain ----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_NEEDGRAPH_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_NEEDGRAPH_H

#include "lib/Transforms/Tpu/LocalReport/BarrierTraffic.h"
#include "lib/Transforms/Tpu/LocalReport/Wiring.h"

namespace tpu_mlir::local_report {

/// The network of all functions of `module`, groups and calls seen through.
/// What an op depends on is known of elementwise ops, matrix products,
/// convolutions and poolings that keep the size or pool all of it, norms,
/// softmax, reductions, permutations and views, as far as they state how they
/// run from local memory; of all others nothing is. O(operands).
NeedGraph needGraphOf(mlir::ModuleOp module, const Wiring &wiring);

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_NEEDGRAPH_H
