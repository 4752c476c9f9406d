//===- Similarity.h - How near two tensors are ------------------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_SIMILARITY_H
#define TPU_MLIR_EXECUTION_SIMILARITY_H

#include "llvm/ADT/ArrayRef.h"

namespace tpu_mlir::execution {

struct Similarity {
  /// a b / (|a| |b|): 1 for numbers that differ by a factor only.
  double cosine = 1;
  /// 1 - |a - b| / (|a + b| / 2 + 1e-7), as the toolchain has it; may be
  /// negative.
  double euclidean = 1;
};

/// Of as many numbers, summed up in f64. Where both are zero everything is 1,
/// where one is the cosine is 0. An element that is no finite number makes
/// both -1e300, unless it is the same on the other side, where it does not
/// count. O(n).
Similarity similarityOf(llvm::ArrayRef<float> a, llvm::ArrayRef<float> b);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_SIMILARITY_H
