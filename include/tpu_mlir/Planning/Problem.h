//===- Problem.h - What a memory planner is asked ---------------*- C++ -*-===//
//
// A Problem is a value: buffers with sizes and lifespans, the pools they may
// live in, and the buffers that share storage. Every front end (global memory,
// local memory, merged memref.allocs, CSV files) builds one; every strategy
// takes one. Nothing here knows MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_PROBLEM_H
#define TPU_MLIR_PLANNING_PROBLEM_H

#include "tpu_mlir/Support/Interval.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpu_mlir::planning {

/// Index into Problem::buffers. The order of buffers is part of the problem:
/// all ties are broken by it.
using BufferId = int64_t;
/// Index into Problem::pools.
using PoolId = int64_t;

enum class BufferKind { Activation, Weight, Input, Output, Scratch };

/// The one place where a buffer has to be.
struct Pin {
  PoolId pool = 0;
  int64_t offsetBytes = 0;
  bool operator==(const Pin &o) const {
    return pool == o.pool && offsetBytes == o.offsetBytes;
  }
};

/// One piece of storage that needs an address.
struct Buffer {
  /// Shown to people; need not be unique. ProblemIO wants unique names.
  std::string name;
  /// Where it comes from ("model.mlir:31:10"); may be empty.
  std::string location;
  BufferKind kind = BufferKind::Activation;
  /// Bytes that hold data; >= 0. A buffer of 0 bytes gets an offset but
  /// overlaps nothing.
  int64_t sizeBytes = 0;
  /// The offset is a multiple of this; >= 1, not only powers of two.
  int64_t alignment = 1;
  /// When the bytes must not change, in half-open steps: sorted, disjoint,
  /// not empty each; more than one when there are gaps.
  ///
  ///     step      0    1    2    3
  ///     op 1 writes x  [==========)        x = [1, 4): op 3 reads it last
  ///     op 3 writes y            [====     y = [3, ...): x and y both live
  ///                                        while op 3 runs
  std::vector<Interval> lifespans;
  /// The steps at which it is read, ascending, one entry a reader. Optional:
  /// only strategies that follow reference counts look at it; when empty the
  /// last step of the last lifespan counts as the only read.
  std::vector<int64_t> readSteps;
  /// How often it is read or written as a whole in one run, >= 0: what it is
  /// worth to have it in a fast pool. nullopt: as accessesOf() says.
  std::optional<int64_t> accesses = std::nullopt;
  /// Candidate pools, best first; never empty after check(). A read-only one
  /// counts for weights alone: others pass over it.
  std::vector<PoolId> pools = {0};
  std::optional<Pin> pin;

  bool operator==(const Buffer &o) const;
};

/// `member` is stored inside `root`, `offsetBytes` from its start. A root is
/// never a member itself (chains are folded by whoever builds the problem).
struct Alias {
  BufferId member = 0;
  BufferId root = 0;
  int64_t offsetBytes = 0;
  bool operator==(const Alias &o) const {
    return member == o.member && root == o.root && offsetBytes == o.offsetBytes;
  }
};

/// The bytes of `lower` may lie over those of `upper` from below, though both
/// are alive in one step: that step reads `upper` and writes `lower`, and as
/// long as `upper` begins at least `distanceBytes` above `lower`, each byte is
/// read before it is written over.
///
///     lower  [ . . . . . . . . ]
///     upper        [ . . . . . . . . ]
///            |-----| >= distanceBytes
///
/// With a distance of its size or more `lower` is as any other buffer.
struct Overlap {
  BufferId lower = 0;
  BufferId upper = 0;
  int64_t distanceBytes = 0;
  bool operator==(const Overlap &o) const {
    return lower == o.lower && upper == o.upper &&
           distanceBytes == o.distanceBytes;
  }
};

/// What a program may do with a pool while it runs.
enum class PoolAccess {
  ReadWrite,
  /// Flash, a parameter section: what is there has been there from the start,
  /// so only weights are.
  ReadOnly,
};

/// One address space. Offsets are relative to baseAddress.
///
///     0      r.begin   r.end         capacityBytes
///     |  free   |reserved|    free     |
struct Pool {
  std::string name;
  int64_t baseAddress = 0;
  /// nullopt: as much as 63 bits can say.
  std::optional<int64_t> capacityBytes;
  /// Every offset in this pool is a multiple of it, on top of the buffer's.
  /// Members of an alias class sit where their root puts them and are exempt.
  int64_t alignment = 1;
  /// Relative cost of one byte of one access, for choosing among pools. Where
  /// no pool has one, the order of the candidates counts; among others 0 means
  /// free of cost.
  int64_t accessCost = 0;
  PoolAccess access = PoolAccess::ReadWrite;
  /// Offsets that nobody may use (a boot loader, a mailbox): half-open, sorted,
  /// disjoint, not empty each. What lies beyond the capacity means nothing.
  std::vector<Interval> reserved = {};
  /// Who can reach it ("c", "accel"); empty: everybody. Whoever builds the
  /// candidates of a buffer minds it; planning itself does not.
  std::vector<std::string> targets = {};
  /// No block of memory: whoever runs the program hands over each of its
  /// buffers by a pointer, so offsets in it say nothing.
  bool isCallers = false;
  bool operator==(const Pool &o) const;
};

/// See the file comment. Build it, check() it, then leave it alone.
struct Problem {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<Alias> aliases;
  std::vector<Pool> pools;
  /// Pairs that must not share bytes even when never alive together.
  std::vector<std::pair<BufferId, BufferId>> forbiddenSharing;
  /// Steps of a schedule that repeats; lifespans then lie in [0, period) and
  /// may be given as two intervals that meet at the wrap. nullopt: runs once.
  std::optional<int64_t> period;
  /// Pairs that may share bytes although they are alive together. A plan need
  /// not make use of them; a forbidden pair still must not share any.
  std::vector<Overlap> overlaps = {};

  bool operator==(const Problem &o) const;
};

/// One way in which a problem makes no sense. `buffer` or `pool` says where,
/// unless it is about neither.
struct ProblemError {
  std::string message;
  std::optional<BufferId> buffer = {};
  std::optional<PoolId> pool = {};
};

/// All ways in which `problem` makes no sense: negative sizes, alignment < 1,
/// missing, unsorted, negative or empty lifespans, reads that are unsorted or
/// outside the lifespans, ids out of range, no pool or a pool twice, something
/// else than a weight in read-only pools alone or pinned to one, reserved
/// ranges that are unsorted, overlap, are empty or negative, a pin that is
/// misaligned, outside its pool or on reserved bytes, two pins that cannot both
/// hold, an alias
/// that sticks out of its root, is misaligned in it or shares no pool with it,
/// chains of aliases, a member aliased twice, a root that dies before an alias
/// (P7), overlaps with a negative distance, of one pair twice, of aliases'
/// members, of pinned storage, or of buffers that are not alive together in
/// exactly one step, in which the lower one begins and the upper one ends,
/// arithmetic that leaves 63 bits. Empty: fine. O(n log n) plus the forbidden
/// pairs.
std::vector<ProblemError> check(const Problem &problem);

/// Buffer::accesses; where that is not given, one access for each read (one
/// when the reads are not known either) and, unless it is a weight, which
/// nobody writes, one for writing it.
int64_t accessesOf(const Buffer &buffer);
/// Bytes that go to or come from the buffer in one run: its size times
/// accessesOf(), at most INT64_MAX.
int64_t servedBytes(const Buffer &buffer);
/// False for what is written, in a read-only pool.
bool mayHold(const Pool &pool, const Buffer &buffer);

/// The storage of one alias class: the root's index, the union of all
/// lifespans, and all reads of the class in order.
struct StorageClass {
  BufferId root = 0;
  std::vector<BufferId> members; ///< Without the root, ascending.
  std::vector<Interval> lifespans;
  /// Empty when the class has none: see Buffer::readSteps.
  std::vector<int64_t> readSteps;
  /// The least common multiple of the root's and the members' alignments:
  /// check() has made sure that every member's offset is a multiple of its
  /// own, so a root aligned like this serves them all.
  int64_t alignment = 1;
  int64_t sizeBytes = 0;
  /// Sum of servedBytes() of the root and the members, at most INT64_MAX.
  int64_t servedBytes = 0;
  /// The root's candidates that all members allow, in the root's order; without
  /// read-only ones unless all of them are weights.
  std::vector<PoolId> pools;
  /// Where the root has to be, be it by its own pin or by a member's.
  std::optional<Pin> pin;
};

/// Folds aliases: one entry for each buffer that is not a member, in buffer
/// order. The problem has passed check(). O(n log n).
std::vector<StorageClass> foldAliases(const Problem &problem);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_PROBLEM_H
