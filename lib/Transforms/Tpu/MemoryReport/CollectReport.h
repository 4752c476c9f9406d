//===- CollectReport.h - From an addressed module to a report ---*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_MEMORYREPORT_COLLECTREPORT_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_MEMORYREPORT_COLLECTREPORT_H

#include "tpu_mlir/Report/MemoryReport.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir::memory_report {

/// What stands in the types and attributes of one module of functions, whoever
/// put it there. Emits an error and fails when the module cannot be analysed
/// (see BuildProblem.h) or has no addresses (E011). `gmemBytes`: the board's
/// memory, for capacities. O(values log values).
mlir::FailureOr<report::MemoryReport>
collectMemoryReport(mlir::ModuleOp module, const target::ChipSpec &chip,
                    std::optional<int64_t> gmemBytes = {});

} // namespace tpu_mlir::memory_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_MEMORYREPORT_COLLECTREPORT_H
