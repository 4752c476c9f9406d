//===- MemoryMap.h - Who owns which byte ------------------------*- C++ -*-===//
//
// Memory as a verifier sees it: every byte belongs to one byte of one owner,
// or to nobody. Bytes next to each other that belong together are one segment.
//
//   address  4096          8192     10240
//            [ owner 3 from 0 )[ owner 7 from 512 )
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MEMORYMAP_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MEMORYMAP_H

#include "tpu_mlir/Support/Interval.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace tpu_mlir::verify_addresses {

/// `length` bytes of `owner`, from its byte `ownerOffset` on.
struct Piece {
  int64_t owner = 0, ownerOffset = 0;
  int64_t length = 0;
  bool operator==(const Piece &o) const {
    return owner == o.owner && ownerOffset == o.ownerOffset &&
           length == o.length;
  }
};

class MemoryMap {
public:
  /// The holder of a byte that nobody wrote, or that differs between the ways
  /// to get here.
  static constexpr int64_t kNobody = -1;
  /// The holder of every byte of a map that says what was done to another one,
  /// as long as nothing was: byte b is byte b of what was there before.
  static constexpr int64_t kAsBefore = -2;

  struct Mismatch {
    int64_t address = 0;
    int64_t holder = kNobody;
  };

  /// A map that says of the whole of memory that nothing was done to it.
  static MemoryMap untouched();

  /// Gives [address, address + piece.length) to `piece`.
  /// O((1 + segments that end there) log n).
  void write(int64_t address, const Piece &piece);
  /// The first byte of [address, address + piece.length) that is not the
  /// expected one. O(log n + segments looked at).
  std::optional<Mismatch> findForeign(int64_t address,
                                      const Piece &piece) const;
  /// Takes [begin, end) from whoever has it. O((1 + segments there) log n).
  void forget(int64_t begin, int64_t end);
  /// Keeps what both maps agree on; the rest belongs to nobody. Returns what
  /// this map lost, ascending. O(n + m).
  std::vector<Interval> keepCommon(const MemoryMap &other);

  /// What of [begin, end) is as before, ascending.
  /// O(log n + segments looked at).
  std::vector<Interval> findUntouched(int64_t begin, int64_t end) const;
  /// Does what `change` says, which was untouched() once, for owners who are
  /// called `nameOf` here. O(its segments times log n).
  void apply(const MemoryMap &change,
             const std::function<int64_t(int64_t)> &nameOf);

private:
  struct Segment {
    int64_t end;
    int64_t owner;
    int64_t ownerOffset;
  };
  void cutAt(int64_t address);

  std::map<int64_t, Segment> segments; ///< By first address.
};

/// Memory, and beside it what was done to it since it is watched.
class WatchedMemory {
public:
  void write(int64_t address, const Piece &piece) {
    now.write(address, piece);
    if (change)
      change->write(address, piece);
  }
  void forget(int64_t begin, int64_t end) {
    now.forget(begin, end);
    if (change)
      change->forget(begin, end);
  }
  /// Both have been watched since the same moment, if they are.
  std::vector<Interval> keepCommon(const WatchedMemory &other) {
    if (change)
      change->keepCommon(*other.change);
    return now.keepCommon(other.now);
  }
  void apply(const MemoryMap &done,
             const std::function<int64_t(int64_t)> &nameOf) {
    now.apply(done, nameOf);
    if (change)
      change->apply(done, nameOf);
  }

  MemoryMap now;
  std::optional<MemoryMap> change; ///< Unset: not watched.
};

} // namespace tpu_mlir::verify_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MEMORYMAP_H
