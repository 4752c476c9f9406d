//===- CheckedHeap.h - The allocator of executed programs -------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_CHECKEDHEAP_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_CHECKEDHEAP_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tpu_mlir::jit {

/// What a program did with its heap. Bytes are those that the program asked
/// for, red zones not counted.
struct HeapStats {
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t requestedBytes = 0;
  int64_t peakLiveBytes = 0;
  int64_t leakedBlocks = 0;
  int64_t leakedBytes = 0;
  int64_t doubleFrees = 0;
  /// Frees of pointers that are not the start of a block.
  int64_t foreignFrees = 0;
  /// Blocks with a changed byte just before or after them.
  int64_t redZoneWrites = 0;
  /// Blocks with a byte changed after they were freed.
  int64_t writesAfterFree = 0;

  /// Number of errors of every kind; a leak is none.
  int64_t errors() const {
    return doubleFrees + foreignFrees + redZoneWrites + writesAfterFree;
  }
  std::string describe() const;
};

/// How a CheckedHeap treats its blocks.
struct HeapOptions {
  /// Fills every new block and the red zones. A program that reads what it did
  /// not write has a result that depends on this byte.
  uint8_t poison = 0xA5;
  /// Fills every freed block.
  uint8_t freedPoison = 0x5E;
  /// Every block gets pages of its own that end at an inaccessible one and
  /// become inaccessible when the block is freed: reads after a free and out of
  /// bounds fault at once. A block costs about ten microseconds.
  bool guardPages = false;
  /// A request beyond this many live and freed bytes, or blocks, returns null.
  /// The kernel has 65530 mappings for a process; two blocks need five.
  int64_t limitBytes = int64_t(4) << 30;
  int64_t limitBlocks = 20000;
};

/// An allocator that finds wrong uses of the heap. Memory of freed blocks is
/// not handed out again before the heap dies, so a late access never meets a
/// younger block. Without guard pages, addresses are aligned to exactly what
/// was asked for and never to twice as much. Not thread-safe. Allocation is
/// O(log blocks) plus filling.
class CheckedHeap {
public:
  explicit CheckedHeap(HeapOptions options = {}) : options(options) {}
  ~CheckedHeap();
  CheckedHeap(const CheckedHeap &) = delete;
  CheckedHeap &operator=(const CheckedHeap &) = delete;

  /// Null if the limit is reached. `alignment` is a power of two.
  void *allocate(uint64_t sizeBytes, uint64_t alignment = kDefaultAlignment);
  /// Memory that is not the program's own: red zones are checked, but it does
  /// not count as allocated, and freeing it is a foreign free.
  void *allocateForeign(uint64_t sizeBytes, uint64_t alignment = 64);
  /// Freeing null is fine.
  void release(void *pointer);

  /// Lines the next allocate() up to `alignment` and takes `slackBytes` off its
  /// size: for callers who ask for more than they use to align by themselves.
  void announce(uint64_t alignment, uint64_t slackBytes);

  enum class Place { Unknown, Live, Freed, RedZone };
  /// Where an address lies; `sizeBytes` bytes from there have to be in the same
  /// place, else it is RedZone.
  Place locate(const void *address, uint64_t sizeBytes = 1) const;
  /// A sentence on an address, for faults.
  std::string describe(const void *address) const;

  /// Checks all red zones and freed blocks. Blocks of the program that are live
  /// and not in `owned` (given out to the caller) count as leaked.
  HeapStats finish(const std::vector<const void *> &owned = {}) const;

  static constexpr uint64_t kDefaultAlignment = 16;

private:
  struct Block {
    char *mapping = nullptr;
    uint64_t mappingBytes = 0;
    char *start = nullptr;
    uint64_t sizeBytes = 0;
    int64_t number = 0;
    bool mapped = false;
    bool foreign = false;
    bool freed = false;
  };

  void *create(uint64_t sizeBytes, uint64_t alignment, bool foreign);
  bool map(Block &block, uint64_t alignment) const;
  const Block *find(const void *address) const;
  bool redZonesIntact(const Block &block) const;

  HeapOptions options;
  /// By address of the mapping.
  std::map<const char *, Block> blocks;
  HeapStats stats;
  int64_t liveBytes = 0;
  int64_t heldBytes = 0;
  uint64_t nextAlignment = kDefaultAlignment;
  uint64_t nextSlackBytes = 0;
};

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_CHECKEDHEAP_H
