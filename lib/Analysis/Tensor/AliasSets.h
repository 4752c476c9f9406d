//===- AliasSets.h - Values that are the same bytes -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASSETS_H
#define TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASSETS_H

#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"

namespace tpu_mlir::detail {

/// A union-find whose values have sizes and, in their sets, offsets.
class AliasSets {
public:
  /// A piece of a class that some op writes: the other values are views of it.
  struct Content {
    int64_t offsetBytes;
    int64_t sizeBytes;
    int64_t valueId;
    /// The op that makes the value; for a result of an If into which a branch
    /// copies what it yields, the end of that branch.
    mlir::Operation *writer;
  };

  /// One set of the union-find; offsets are relative to the set's root value
  /// and may be negative until the end.
  struct Set {
    /// Of most values only their own.
    llvm::SmallVector<Content, 1> contents;
    int64_t numValues = 1;
    bool isWeight = false;
    bool isNetworkInput = false;
  };

  explicit AliasSets(const OpSchedule &schedule) : schedule(schedule) {}

  /// A value in a set of its own; its number.
  int64_t add(int64_t sizeBytes, mlir::Operation *writer);
  Set &of(int64_t value) { return sets[find(value).first]; }
  /// Root of the set and the offset of `value` from it. Compresses the path.
  std::pair<int64_t, int64_t> find(int64_t value);
  llvm::ArrayRef<int64_t> membersOf(int64_t value) {
    return members[find(value).first];
  }
  void join(int64_t a, int64_t b, int64_t offset);
  bool tryJoin(int64_t a, int64_t b, int64_t offset);
  /// Takes the value's own content out of its set: all of it, or what `writer`
  /// writes.
  void dropContent(int64_t value, mlir::Operation *writer = nullptr);
  void addContent(int64_t value, mlir::Operation *writer);

  std::vector<int64_t> sizes;

private:
  /// True when no content of the one set would lie on content of the other
  /// with `b` placed `offset` bytes after `a`, exclusive ones apart.
  bool contentsFit(int64_t a, int64_t b, int64_t offset);

  const OpSchedule &schedule;
  std::vector<int64_t> parent;
  std::vector<int64_t> offsetToParent;
  std::vector<Set> sets;
  std::vector<llvm::SmallVector<int64_t, 1>> members; ///< By root.
};

} // namespace tpu_mlir::detail

#endif // TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASSETS_H
