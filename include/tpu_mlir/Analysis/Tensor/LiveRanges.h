//===- LiveRanges.h - When storage must not change --------------*- C++ -*-===//
//
// One half-open interval of steps for each storage class: from the first step
// of an op that may write it to after the last step of an op that may read
// it.
//
//   * The result and the operands of one op are alive together (G1).
//   * An op with regions may read its operands and write its results at any
//     of its steps; an If reads its condition first and writes its results
//     from the first yield on.
//   * What a loop's body reads from outside lives to the end of the loop.
//   * Whatever is written or read inside a parallel op lives through all of it.
//   * Scratch (tpu.Buffer) lives from its first reader on, not from its place
//     in the text.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_TENSOR_LIVERANGES_H
#define TPU_MLIR_ANALYSIS_TENSOR_LIVERANGES_H

#include "tpu_mlir/Analysis/Tensor/BufferAliases.h"

namespace tpu_mlir {

struct ClassLife {
  Interval steps;
  /// First step of every op that reads a value of the class, ascending.
  std::vector<int64_t> readSteps;
};

/// One entry a class. Network inputs live from step 0, network outputs to the
/// last step. O(uses * depth).
std::vector<ClassLife> computeLiveRanges(const OpSchedule &schedule,
                                         const BufferAliases &aliases);

/// Same for a single value: from its op to after its last reader.
Interval valueLife(const OpSchedule &schedule, mlir::Value value);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_TENSOR_LIVERANGES_H
