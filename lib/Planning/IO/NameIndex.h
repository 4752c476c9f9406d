//===- NameIndex.h - From a name to its index -------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_IO_NAMEINDEX_H
#define TPU_MLIR_LIB_PLANNING_IO_NAMEINDEX_H

#include "llvm/Support/xxhash.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tpu_mlir::planning {

/// Finds names that somebody else keeps: a hash table of 8 bytes an entry, at
/// most half full. It is only asked, never listed, so the order of its entries
/// shows nowhere. `nameOf(id)` gives the name of an id that was added; there
/// are fewer than 2^32 - 1 of them.
template <typename NameOf> class NameIndex {
public:
  explicit NameIndex(NameOf nameOf, size_t expected = 0) : nameOf(nameOf) {
    while (slots.size() < 2 * expected)
      slots.resize(2 * slots.size());
  }

  /// nullopt: nobody is called that.
  std::optional<int64_t> find(std::string_view name) const {
    const Slot &slot = slots[slotOf(name, hashOf(name))];
    return slot.idAndOne == 0 ? std::nullopt
                              : std::optional(int64_t(slot.idAndOne) - 1);
  }
  /// False when the name of `id` is there already; it is not added then.
  bool add(int64_t id) {
    if (2 * (used + 1) > slots.size())
      grow();
    const std::string_view name = nameOf(id);
    const uint32_t hash = hashOf(name);
    Slot &slot = slots[slotOf(name, hash)];
    if (slot.idAndOne != 0)
      return false;
    slot = {hash, uint32_t(id + 1)};
    ++used;
    return true;
  }

private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t idAndOne = 0; ///< 0: free.
  };

  static uint32_t hashOf(std::string_view name) {
    return uint32_t(
        llvm::xxh3_64bits(llvm::StringRef(name.data(), name.size())));
  }
  /// Where the name is, or where it would go.
  size_t slotOf(std::string_view name, uint32_t hash) const {
    size_t at = hash & (slots.size() - 1);
    while (slots[at].idAndOne != 0 &&
           (slots[at].hash != hash ||
            nameOf(int64_t(slots[at].idAndOne) - 1) != name))
      at = (at + 1) & (slots.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Slot> old(2 * slots.size());
    old.swap(slots);
    for (const Slot &slot : old) {
      if (slot.idAndOne == 0)
        continue;
      size_t at = slot.hash & (slots.size() - 1);
      while (slots[at].idAndOne != 0)
        at = (at + 1) & (slots.size() - 1);
      slots[at] = slot;
    }
  }

  NameOf nameOf;
  size_t used = 0;
  std::vector<Slot> slots = std::vector<Slot>(16);
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_IO_NAMEINDEX_H
