//===- Packing.h - Single-pool problems, inside the library -----*- C++ -*-===//
//
// What solve(), the bound and "auto" share. Not for strategies' users.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_KIT_PACKING_H
#define TPU_MLIR_LIB_PLANNING_KIT_PACKING_H

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::planning {

/// The item that stands for `storage` in `pool`.
Item itemOf(const StorageClass &storage, const Pool &pool);

/// Pairs of indices that must not share bytes.
using IndexPairs = std::vector<std::pair<int64_t, int64_t>>;

/// Which item stands for a buffer, if one does.
class ItemOfBuffer {
public:
  explicit ItemOfBuffer(const Problem &problem)
      : items(problem.buffers.size()) {}

  void add(BufferId id, size_t item) { items[size_t(id)] = int64_t(item); }
  /// The root and its members.
  void add(const StorageClass &storage, size_t item) {
    add(storage.root, item);
    for (BufferId member : storage.members)
      add(member, item);
  }
  std::optional<int64_t> operator[](BufferId id) const {
    return items[size_t(id)];
  }

private:
  std::vector<std::optional<int64_t>> items;
};

/// The forbidden pairs of a problem between items: sorted, each once, a < b.
/// The whole of a class keeps away from the whole of the other: a little more
/// than was asked for when a pair names members. Pairs of pinned items are left
/// out: check() has seen to them.
/// `onlyRoots`: without those that name members, so that no more is asked for;
/// what is to hold for all plans takes these.
IndexPairs forbiddenItems(const Problem &problem,
                          const ItemOfBuffer &itemOfBuffer,
                          const std::vector<Item> &items,
                          bool onlyRoots = false);

/// liveBound() of a list of items; peakSet holds item indices.
LiveBound boundOfItems(const std::vector<Item> &items,
                       const IndexPairs &forbidden = {},
                       const std::vector<ItemOverlap> &overlaps = {});

/// The end of the highest byte that may be used: the capacity, or the begin of
/// reserved bytes that reach it.
int64_t usableEnd(const Pool &pool);

/// Appends reserved ranges [from, to) of the pool to items that live in it.
void appendReserved(std::vector<Item> &items, const Pool &pool, size_t from,
                    size_t to);

/// boundOfItems() for items in a pool with reserved ranges; those that any
/// packing has to reach beyond are appended to `items`, and count for the live
/// sum but are not in the peak set. Where a packing has to end above reserved
/// bytes, it makes no difference whether these count for its high-water mark:
/// so pinned items can stand for them, and nothing but the bound has to know.
/// O(i log i) for each time that more ranges were met; that is hardly ever more
/// than once.
LiveBound boundInPool(std::vector<Item> &items, const IndexPairs &forbidden,
                      const Pool &pool,
                      const std::vector<ItemOverlap> &overlaps = {});

/// Sorts indices into `classes` by content: lifespans, size (larger first),
/// alignment, reads, served bytes, pools, pin, then index. Shuffling the
/// buffers of a problem does not change what stands at each place, except among
/// equal ones. O(n log n).
void sortByContent(std::vector<size_t> &ids,
                   const std::vector<StorageClass> &classes);

/// "best-fit" is one sweep over time: pins and forbidden pairs would cost it
/// its n log n. O(n).
bool isSwept(const PackingProblem &problem);
/// Whether a pass of other ways than such a sweep over so many items may take
/// too long for those who wait: cut short, it leaves hardly a packing. O(n).
bool isForSweep(const PackingProblem &problem);
/// Whether it comes first: the time is limited, too.
bool wantsSweepFirst(const PackingProblem &problem,
                     const SolveOptions &options);

/// True when the validator accepts `offsets`, whatever the capacity.
bool isValidPacking(const PackingProblem &problem,
                    const std::vector<int64_t> &offsets);

/// The same, for those who have another packing to fall back on. Of more than
/// 100,000 items solve() has the only word: a second look would take as much
/// memory as the problem.
bool isTrusted(const PackingProblem &problem,
               const std::vector<int64_t> &offsets);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_KIT_PACKING_H
