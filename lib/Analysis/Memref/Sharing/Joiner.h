//===- Joiner.h - Buffers of a scope that get the same bytes ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_SHARING_JOINER_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_SHARING_JOINER_H

#include "tpu_mlir/Analysis/Memref/Sharing/SharingFacts.h"
#include "tpu_mlir/Planning/Problem.h"

namespace tpu_mlir::sharing {

/// Which planning buffer each buffer is stored in: with in-place
/// reuse several are stored in one.
struct Storages {
  std::vector<int64_t> of;
  std::vector<planning::Buffer> buffers;
};

enum class Lives {
  Exact,
  Hull, ///< Told of whole loops and branches.
};

/// Nothing joined. O(buffers).
Storages oneEach(const SharingFacts &facts, Lives lives);

/// Joins pairs one after the other, as long as nothing that is stored together
/// is in use together, but for an op that reads the one and writes the other.
/// The facts have to stay. O(pairs), times the square of what is stored
/// together, which is compared one by one up to 32 buffers and not joined above
/// that.
class Joiner {
public:
  explicit Joiner(const SharingFacts &facts);

  /// What nothing accesses conflicts with nothing.
  void joinNeverAccessed();
  void join(const std::vector<SharingPair> &pairs);

  /// What there is after all that was joined so far.
  Storages storages();
  /// Of these the ones with several buffers, each largest buffer first, then in
  /// the order of the facts.
  std::vector<std::vector<int64_t>> groups() const;

private:
  int64_t root(int64_t id);
  bool mayShare(int64_t a, int64_t b, const SharingPair &pair) const;
  bool unite(int64_t a, int64_t b, const SharingPair &pair);
  void store(int64_t a, int64_t b);

  const SharingFacts &facts;
  Storages result;
  std::vector<int64_t> into;
  std::vector<std::vector<int64_t>> members;
  std::vector<std::optional<SharingPair>> heirOf;
  std::vector<bool> isHeir;
};

} // namespace tpu_mlir::sharing

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_SHARING_JOINER_H
