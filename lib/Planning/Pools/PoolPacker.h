//===- PoolPacker.h - Some storage, one pool --------------------*- C++ -*-===//
//
// What all ways of choosing pools share: given the storage classes that are to
// be in a pool, ask the strategy for offsets; given a packed pool, see what
// else finds a gap there.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_POOLS_POOLPACKER_H
#define TPU_MLIR_LIB_PLANNING_POOLS_POOLPACKER_H

#include "lib/Planning/Kit/Packing.h"

namespace tpu_mlir::planning {

/// Indices into the storage classes of a problem.
using ClassIds = std::vector<size_t>;

/// What lies in one pool.
struct PackedPool {
  ClassIds classes;
  /// In the order of `classes`; empty when there is no packing at all.
  std::vector<int64_t> offsets;
  bool isPacked = false;
  int64_t usedBytes = 0;
  /// Of `classes`; its peak set holds positions in `classes`.
  LiveBound bound;
  Proof proof = Proof::None;
  std::string winner;
  bool isProvedOver = false;
};

/// What solve() is asked. The problem has passed check().
struct PoolQuestion {
  const Problem &problem;
  const Strategy &strategy;
  const SolveOptions &options;
};

class PoolPacker {
public:
  /// Both outlive this object, and so does what is asked about.
  PoolPacker(const PoolQuestion &asked,
             const std::vector<StorageClass> &classes)
      : asked(asked), classes(classes) {}

  /// Packs `ids` by the strategy, whether they then fit or not; not at all when
  /// their bound is over the pool's end. Where a pool has reserved ranges, it
  /// is first packed as if those beyond its bound were not there; as long as
  /// the packing reaches some of them, these are added and it is packed again,
  /// at most kMostRounds times.
  PackedPool pack(PoolId pool, ClassIds ids);

  /// Adds to a packed pool those of `ids`, in this order, that find a gap below
  /// the pool's end; the others are returned. What was there stays where it is.
  /// One pass of first fit over all of them.
  ClassIds fill(PoolId pool, PackedPool &packed, const ClassIds &ids);

  /// True when it is packed and ends within the pool.
  bool fits(PoolId pool, const PackedPool &packed) const {
    return packed.isPacked && packed.usedBytes <= usableEnd(poolOf(pool));
  }
  /// No layout can hold it.
  bool isOver(PoolId pool, const LiveBound &bound) const {
    return bound.leaves63Bits || bound.bytes > usableEnd(poolOf(pool));
  }

  /// The items of `ids`, in that order, and the pairs among them.
  PackingProblem packingProblem(PoolId pool, const ClassIds &ids) const;
  int64_t nodes() const { return nodeCount; }

private:
  static constexpr int kMostRounds = 8;
  const Pool &poolOf(PoolId pool) const {
    return asked.problem.pools[size_t(pool)];
  }
  void packAroundReserved(PoolId pool, PackingProblem &packing,
                          PackedPool &packed);

  const PoolQuestion &asked;
  const std::vector<StorageClass> &classes;
  int64_t nodeCount = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_POOLS_POOLPACKER_H
