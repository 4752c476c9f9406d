//===- SharingFacts.h - Buffers that may have the same bytes ----*- C++ -*-===//
//
// What is known of the buffers of one function before they get bytes: when each
// is alive, and which pairs may share bytes although their lives meet. Whoever
// merges or pools allocations begins with it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_SHARING_SHARINGFACTS_H
#define TPU_MLIR_ANALYSIS_MEMREF_SHARING_SHARINGFACTS_H

#include "tpu_mlir/Support/Interval.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <vector>

namespace tpu_mlir {

/// An allocated buffer, and when it is alive: ticks count the ops of a function
/// in the order of the text.
struct TickBuffer {
  mlir::memref::AllocOp alloc;
  int64_t sizeBytes = 0;
  int64_t alignment = 1;
  /// Ticks at which its bytes matter: sorted, disjoint, not empty. [0,1), which
  /// is before the first tick, when nobody accesses it: such buffers may have
  /// the same bytes as each other, too.
  std::vector<Interval> life;
  bool isNeverAccessed() const { return life.front().begin == 0; }
  /// From the first to the last tick, widened to the ends of the loops and
  /// branches on the way: sound by itself.
  Interval hull;
};

/// Two buffers that may have the same bytes although their lives meet. Indices
/// into SharingFacts::buffers.
struct SharingPair {
  int64_t first = 0;
  int64_t second = 0;
  /// In place: the ticks of the op that reads the first, which dies there, and
  /// writes the second, which is born; their lives have nothing else in common.
  /// Empty: they are allocated in branches that exclude each other, and the op
  /// with the branches makes one name of both.
  Interval at;
  bool operator==(const SharingPair &o) const {
    return first == o.first && second == o.second && at == o.at;
  }
};

struct SharingFacts {
  std::vector<TickBuffer> buffers;         ///< In the order of the text.
  std::vector<SharingPair> inPlacePairs;   ///< In the order of the ops.
  std::vector<SharingPair> exclusivePairs; ///< In the order of the buffers.
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_SHARING_SHARINGFACTS_H
