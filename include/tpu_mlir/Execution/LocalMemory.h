//===- LocalMemory.h - Lanes that know whose each byte is -------*- C++ -*-===//
//
// Lanes times bytes. Each byte carries a tag: which buffer it belongs to and
// which section's contents it holds, or nothing. All lanes use one address
// map, so a buffer owns its address range in every lane, channels that are not
// there and padding included: a tag is kept once for all lanes.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_LOCALMEMORY_H
#define TPU_MLIR_EXECUTION_LOCALMEMORY_H

#include "tpu_mlir/Execution/TensorPart.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tpu_mlir::execution {

/// How local memory is divided.
struct Lanes {
  int64_t count = 1;
  int64_t bytes = 0;   ///< Of each lane.
  int64_t euBytes = 1; ///< Of an execution unit.
};

/// How a box lies in the lanes. Written down a second time on purpose: it is
/// compared with the planner's formulas in a test, and then proves their users.
///
///   lane 0     lane 1          channel k: lane k mod lanes, slot k div lanes
///   c0 h0 w..  c1 h0 w..       a slot is h * w elements, padded to whole
///   c0 h1 w..  c1 h1 w..       execution units when `euAlign`
///   cL h0 w..  cL+1 ...        then the next slot, the next n, the next d
struct LaneLayout {
  Index5 size;
  int bits = 8;
  bool euAlign = true;
  int64_t lanes = 1, euBytes = 1;

  LaneLayout(const Lanes &lanes, const Index5 &size, int bits, bool euAlign)
      : size(size), bits(bits), euAlign(euAlign), lanes(lanes.count),
        euBytes(lanes.euBytes) {}

  int64_t slots() const { return (size[C] + lanes - 1) / lanes; }
  /// Bytes from one channel slot to the next.
  int64_t slotBytes() const {
    const int64_t bytes = size[H] * size[W] * (bits / 8);
    return euAlign ? (bytes + euBytes - 1) / euBytes * euBytes : bytes;
  }
  /// Of each lane.
  int64_t bytes() const { return size[D] * size[N] * slots() * slotBytes(); }
  /// Both put their elements, in order, into the same bytes: within a plane
  /// rows and columns do not matter.
  bool isLike(const LaneLayout &o) const {
    return size[N] == o.size[N] && size[C] == o.size[C] &&
           size[D] == o.size[D] && size[H] * size[W] == o.size[H] * o.size[W] &&
           bits == o.bits && euAlign == o.euAlign;
  }
  /// Where the h * w elements of one channel start; c counts from the start of
  /// the box.
  int64_t lane(int64_t c) const { return c % lanes; }
  int64_t planeOffset(int64_t n, int64_t c, int64_t d) const {
    return ((d * size[N] + n) * slots() + c / lanes) * slotBytes();
  }
};

/// Whose a byte is. 0: nobody's, and its contents mean nothing.
using Tag = uint32_t;

/// Buffer `owner` (below 65535) of section `generation` (below 65536).
constexpr Tag tagOf(int64_t owner, int64_t generation) {
  return static_cast<Tag>((owner + 1) << 16 | generation);
}
constexpr int64_t ownerOf(Tag tag) {
  return static_cast<int64_t>(tag >> 16) - 1;
}
constexpr int64_t generationOf(Tag tag) { return tag & 0xffff; }

class LocalMemory {
public:
  /// Nobody has written anything.
  explicit LocalMemory(const Lanes &lanes)
      : lanes(lanes.count), laneBytes(lanes.bytes),
        data(lanes.count * lanes.bytes, kPoison), tags(lanes.bytes, 0) {}

  bool contains(int64_t address, int64_t bytes) const {
    return address >= 0 && bytes >= 0 && address <= laneBytes - bytes;
  }

  /// A byte of the range that has another tag.
  struct Stranger {
    int64_t address = 0;
    Tag tag = 0;
  };
  /// Makes the range `tag`'s, in every lane.
  void claim(int64_t address, int64_t bytes, Tag tag);
  std::optional<Stranger> findStranger(int64_t address, int64_t bytes,
                                       Tag tag) const;
  /// What is still `tag`'s becomes nobody's, and its contents rubbish.
  void release(int64_t address, int64_t bytes, Tag tag);

  /// Writes a part at `address` and makes the range `tag`'s. `toAllLanes`: one
  /// channel, the same in every lane.
  void write(const TensorPart &part, const LaneLayout &layout, int64_t address,
             bool toAllLanes, Tag tag);
  /// Reads `part.box`, which lies at `address` as a whole. Tags are the
  /// caller's business.
  void read(TensorPart &part, const LaneLayout &layout, int64_t address) const;

private:
  static constexpr uint8_t kPoison = 0xa5;

  int64_t lanes, laneBytes;
  std::vector<uint8_t> data;
  std::vector<Tag> tags;
};

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_LOCALMEMORY_H
