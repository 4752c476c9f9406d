//===- LeastTraffic.h - What any way to run a network moves -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_LEASTTRAFFIC_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_LEASTTRAFFIC_H

#include "lib/Transforms/Tpu/LocalReport/Wiring.h"
#include "tpu_mlir/Report/LocalReport.h"
#include "tpu_mlir/Target/ChipSpec.h"

namespace tpu_mlir::local_report {

/// What has to move whatever is done: each weight and network input as far as
/// one of those that read it needs it, and each network output. From the
/// outputs back, it is known of each value which of its elements have to be
/// there: all that a layer reads that runs from global memory only, and what
/// their rules say of the others. Groups, views, calls and what cores do side
/// by side are seen through, so that it is the same however a module is
/// grouped; what is not known to be needed counts nothing. O(operands *
/// kMaxRuns).
report::TrafficBound leastTraffic(mlir::ModuleOp module, const Wiring &wiring,
                                  const target::ChipSpec &chip);

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_LEASTTRAFFIC_H
