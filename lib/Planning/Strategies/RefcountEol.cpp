//===- RefcountEol.cpp - Reference counts and end of life -----------------===//
//
// The GMEM allocation that tpu-mlir documents for global neuron tensors, with
// its data structures and its five conditions:
//
//   rec_tbl        one record an address: the tensor that sits there, the
//                  address, the bytes of the slot, ref_cnt
//   hold_edges     the tensors that are still held
//   in_using_addr  the addresses in use
//
// At each step of the schedule, that is for each op in order:
//
//   1. ref_cnt of every tensor that the op reads goes down by one. At 0 the
//      tensor is at its end of life (EOL).
//   2. Each result takes the first record, in table order, of which all holds:
//        (1) its tensor is not in hold_edges
//        (2) its address is not in in_using_addr
//        (3) its tensor is EOL
//        (4) its slot has at least the bytes that are needed
//        (5) no tensor that the op reads has bytes in its slot
//      or opens a new slot after all others.
//   3. Operands with ref_cnt 0 leave hold_edges, their addresses leave
//      in_using_addr.
//
//     step    0     1     2     3     4     5
//     V0   write        read        read               two readers, ref_cnt 2
//     V4                            write              must not use V0's slot:
//     V5                                  write        this one may
//                                                      V0 is read to make V4
//
// Where the document leaves a choice:
//
//   which slot       the first in table order, not the best
//   slot size        the bytes of the tensor that opened it, rounded up to its
//                    alignment; kept when a smaller tensor moves in
//   one record       an address has one record, which changes its tensor
//   ref_cnt          counts readers, as Item::readSteps lists them; a read by
//                    the op that makes the tensor has happened when it is made
//   lifespan         a tensor is held until its last read and to the end of its
//                    last lifespan, whichever is later. Network inputs and
//                    outputs that must stay have lifespans that say so
//   gaps             are ignored: the bytes are kept from first to last
//   no reader        released at the end of its lifespan, which for an unused
//                    result is right after its op
//   release          after all results of the op, not between them, so (5) can
//                    never fail when (1) and (2) hold; it is checked anyway
//   condition (5)    means bytes, not start addresses; slots are disjoint, so
//                    a slot is either an operand's or has none of its bytes
//   no address       is an absent value; 0 is an address like any other
//   aliases          one tensor an alias class, read by all its readers
//   pins             pinned tensors are placed first and open no slot; slots
//                    keep off their bytes
//   forbidden pairs  a slot in which a partner lies or lay is passed over
//   alignment        a slot at a misaligned address is passed over
//   0 bytes          get address 0 and no record
//
// Complexity. The scan of the table is replaced by a tree over it that knows
// the largest free slot of every stretch, so that "the first free slot of at
// least n bytes" takes O(log n) and finds the same slot as the scan. In all
// O((n + r) log n) for n tensors and r reads, plus one O(log n) for each slot
// that is passed over for its alignment or a partner.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/Placing.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

/// One row of rec_tbl.
struct Record {
  size_t item = 0;
  int64_t offset = 0;
  int64_t slotBytes = 0;
  int64_t refCount = 0;
  /// The last step whose op reads the tensor, as far as the sweep has come.
  std::optional<int64_t> lastOperandStep;
};

/// The slots of rec_tbl that are free, in table order: a complete binary tree
/// whose nodes hold the largest free slot below them, 0 when there is none.
class FreeSlots {
public:
  explicit FreeSlots(size_t slots) {
    while (leafCount < slots)
      leafCount *= 2;
    largest.assign(2 * leafCount, 0);
  }
  /// 0: it is taken.
  void set(size_t slot, int64_t freeBytes) {
    size_t node = leafCount + slot;
    largest[node] = freeBytes;
    for (node /= 2; node > 0; node /= 2)
      largest[node] = std::max(largest[2 * node], largest[2 * node + 1]);
  }
  /// The first free slot at or after `from` with at least `bytes` > 0.
  std::optional<size_t> first(int64_t bytes, size_t from) const {
    if (from >= leafCount)
      return std::nullopt;
    size_t node = leafCount + from;
    // Climb until a stretch that begins at or after `from` has one.
    while (largest[node] < bytes) {
      while (node % 2 == 1)
        node /= 2;
      if (node == 0)
        return std::nullopt;
      ++node;
    }
    while (node < leafCount)
      node = largest[2 * node] >= bytes ? 2 * node : 2 * node + 1;
    return node - leafCount;
  }

private:
  size_t leafCount = 1;
  std::vector<int64_t> largest; ///< Children of node k: 2k and 2k+1.
};

struct Event {
  enum Kind { Read, Result, Release }; ///< In the order within one step.
  int64_t step;
  Kind kind;
  size_t item;
  bool operator<(const Event &o) const {
    return std::tie(step, kind, item) < std::tie(o.step, o.kind, o.item);
  }
};

class Allocator {
public:
  explicit Allocator(const PackingProblem &problem)
      : problem(problem), partners(forbiddenPartners(problem)), bump(problem),
        offsets(problem.items.size()), recordOf(problem.items.size(), 0),
        holdEdges(problem.items.size(), false),
        freeSlots(problem.items.size()) {}

  std::optional<Packing> run() {
    for (const Event &event : eventsInOrder()) {
      switch (event.kind) {
      case Event::Read:
        readOperand(event);
        break;
      case Event::Result:
        if (!placeResult(event))
          return std::nullopt;
        break;
      case Event::Release:
        release(event.item);
        break;
      }
    }
    Packing packing;
    for (const std::optional<int64_t> &offset : offsets)
      packing.offsets.push_back(offset.value());
    return packing;
  }

private:
  std::vector<Event> eventsInOrder() {
    std::vector<Event> events;
    for (size_t id = 0; id < offsets.size(); ++id) {
      const Item &item = problem.items[id];
      if (item.pinOffset || item.sizeBytes == 0) {
        offsets[id].emplace(item.pinOffset.value_or(0));
        continue;
      }
      const Interval hull = hullOf(item);
      events.push_back({hull.begin, Event::Result, id});
      for (int64_t step : laterReads(item))
        events.push_back({step, Event::Read, id});
      const int64_t lastRead =
          item.readSteps.empty() ? hull.begin : item.readSteps.back();
      events.push_back({std::max(lastRead, hull.end - 1), Event::Release, id});
    }
    std::sort(events.begin(), events.end());
    return events;
  }

  /// The reads by ops after the one that makes the item.
  static std::vector<int64_t> laterReads(const Item &item) {
    std::vector<int64_t> reads = item.readSteps;
    if (reads.empty())
      reads.push_back(item.lifespans.back().end - 1);
    reads.erase(reads.begin(), std::upper_bound(reads.begin(), reads.end(),
                                                item.lifespans.front().begin));
    return reads;
  }

  void readOperand(const Event &event) {
    Record &record = recTbl[recordOf[event.item]];
    --record.refCount;
    record.lastOperandStep = event.step;
  }

  bool placeResult(const Event &event) {
    const Item &item = problem.items[event.item];
    std::optional<size_t> slot = findSlot(item, event);
    if (!slot)
      slot = openSlot(item);
    if (!slot)
      return false;
    Record &record = recTbl[*slot];
    record.item = event.item;
    record.refCount = int64_t(laterReads(item).size());
    offsets[event.item].emplace(record.offset);
    recordOf[event.item] = *slot;
    holdEdges[event.item] = true;
    inUsingAddr.insert(record.offset);
    freeSlots.set(*slot, 0);
    return true;
  }

  std::optional<size_t> findSlot(const Item &item, const Event &event) const {
    std::optional<size_t> slot = freeSlots.first(item.sizeBytes, 0);
    while (slot && !canReuse(recTbl[*slot], item, event))
      slot = freeSlots.first(item.sizeBytes, *slot + 1);
    return slot;
  }

  /// The five conditions, then what the problem adds to them.
  bool canReuse(const Record &record, const Item &item,
                const Event &event) const {
    return !holdEdges[record.item] && !inUsingAddr.count(record.offset) &&
           record.refCount == 0 && record.slotBytes >= item.sizeBytes &&
           record.lastOperandStep != event.step &&
           record.offset % item.alignment == 0 &&
           !meetsPartner(event.item, bytesAt(record.offset, item));
  }
  bool meetsPartner(size_t id, const Interval &bytes) const {
    return std::any_of(
        partners[id].begin(), partners[id].end(), [&](int64_t partner) {
          return offsets[partner] &&
                 bytesAt(*offsets[partner], problem.items[partner])
                     .overlaps(bytes);
        });
  }

  std::optional<size_t> openSlot(const Item &item) {
    Record record;
    record.slotBytes =
        checkedAlignUp(item.sizeBytes, item.alignment).value_or(item.sizeBytes);
    std::optional<int64_t> at = bump.allocate(record.slotBytes, item.alignment);
    if (!at) {
      // Just below 2^63 there may be room for the tensor without padding.
      record.slotBytes = item.sizeBytes;
      at = bump.allocate(record.slotBytes, item.alignment);
    }
    if (!at)
      return std::nullopt;
    record.offset = *at;
    recTbl.push_back(record);
    return recTbl.size() - 1;
  }

  void release(size_t id) {
    const size_t slot = recordOf[id];
    holdEdges[id] = false;
    inUsingAddr.erase(recTbl[slot].offset);
    freeSlots.set(slot, recTbl[slot].slotBytes);
  }

  const PackingProblem &problem;
  const std::vector<std::vector<int64_t>> partners;
  Bump bump;
  std::vector<std::optional<int64_t>> offsets; ///< Of those placed so far.
  std::vector<size_t> recordOf; ///< Row of rec_tbl of each placed item.
  std::vector<Record> recTbl;
  std::vector<bool> holdEdges;
  std::set<int64_t> inUsingAddr;
  FreeSlots freeSlots;
};

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &) {
  return Allocator(problem).run();
}

const RegisterStrategy registration({
    "refcount-eol",
    "reference counts, first free slot in table order, no splitting; O((n + "
    "reads) log n)",
    pack,
    {},
    // After all others: it only counts where it beats them.
    AutoPlace{60, 200'000},
    /*followsBufferOrder=*/true,
});

} // namespace
} // namespace tpu_mlir::planning
