//===- Effects.h - What one op does with its memrefs ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_EFFECTS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_EFFECTS_H

#include "tpu_mlir/Analysis/Memref/Calls.h"

namespace tpu_mlir::copies {

/// An operand whose bytes an op reads, writes or frees.
struct OperandAccess {
  unsigned operand = 0;
  /// It writes or frees.
  bool writes = false;
};

/// What an op does, without what its regions do.
struct OpEffects {
  llvm::SmallVector<OperandAccess, 4> accesses;
  /// It may touch memory that is none of its operands'.
  bool touchesOthers = false;
};

/// All operands count as written, and everything else as touched, where the op
/// says nothing.
OpEffects effectsOf(mlir::Operation *op);

/// Whoever has the results, the memory or the regions of `op` may have its
/// memref operands; names that BufferViewFlowAnalysis knows of are not meant.
bool leadsElsewhere(mlir::Operation *op, const CallSummaries &calls);

} // namespace tpu_mlir::copies

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_EFFECTS_H
