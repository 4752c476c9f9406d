//===- NetTrace.h - Memory and layer groups as a trace ----------*- C++ -*-===//
//
// Trace Event JSON for Perfetto (ui.perfetto.dev) and chrome://tracing. A step
// is a millisecond there:
//
//     neuron          live bytes   __/--\__/\___      a counter
//       lane 0        | a |   | c      |              what is kept, in lanes
//       lane 1          | b       |
//     steps           |Conv2D|Group 0|Add|
//     layer groups    |group 0     |group 1 |         cycles as microseconds
//       computation   |conv |pool| |conv    |         row by row, round by
//       transfers     |load |load|.|store|            round
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_REPORT_NETTRACE_H
#define TPU_MLIR_REPORT_NETTRACE_H

#include "tpu_mlir/Report/LocalReport.h"
#include "tpu_mlir/Report/MemoryReport.h"

namespace tpu_mlir::report {

struct TraceOptions {
  /// Slices and steps that are told one by one, the largest tensors first;
  /// counters have all.
  size_t maxTensors = 50'000;
  size_t maxSteps = 200'000;
  /// Rows of all groups that are told one by one. A group that has more than
  /// are left is told round by round, and if that is too much, as a whole.
  size_t maxRows = 50'000;
};

/// One report a module; `local` may be empty, else it has one report for each
/// module with groups. Deterministic. O(n log n) for n tensors and steps.
std::string renderTrace(const std::vector<MemoryReport> &memory,
                        const std::vector<LocalReport> &local,
                        const TraceOptions &options = {});

} // namespace tpu_mlir::report

#endif // TPU_MLIR_REPORT_NETTRACE_H
