//===- ExplainPeak.h - Why memory is as large as it is ----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_MEMORYREPORT_EXPLAINPEAK_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_MEMORYREPORT_EXPLAINPEAK_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"
#include "tpu_mlir/Report/MemoryReport.h"

namespace tpu_mlir::memory_report {

/// A pool of a module's problem.
struct PoolOfModule {
  const GlobalFacts &facts;
  const GlobalProblem &global;
  planning::PoolId pool = 0;
};

/// "'tpu.Add' (conv1)": the op and the name of what it makes; "" of null.
std::string describeOp(mlir::Operation *op);

/// Fills `peakSet` and `changes` of `row`, whose `peakStep` is known. Changes
/// are made to the problem, one by one; that of the order of ops is looked for
/// in functions of up to 2,000 of them. O(n log n) without that.
void explainPeak(const PoolOfModule &where, report::RegionRow &row);

} // namespace tpu_mlir::memory_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_MEMORYREPORT_EXPLAINPEAK_H
