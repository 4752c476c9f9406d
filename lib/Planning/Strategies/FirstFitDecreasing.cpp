//===- FirstFitDecreasing.cpp - Big ones first, as low as they go ---------===//
//
// Pinned items first; then the others by size, largest first, ties by the
// longer total life, then by index. Each takes the lowest offset at which it
// shares no byte with an item that is already placed and alive at the same
// time, gaps in lifespans included. Big items meet an empty pool, small ones
// fill the holes between them.
//
// This is the greedy-by-size idea of Pisarchyk and Lee, "Efficient Memory
// Management for Deep Neural Net Inference" (2020), with the lowest instead of
// the tightest hole. Their scan over all placed neighbours is quadratic; the
// TimeTree replaces it. An offset is found by asking its O(log t) sets in turn
// how far to skip, until none objects: O(h log t log r) for an item that meets
// h holes, r the number of ranges in a set. Networks leave few holes, so that
// 100,000 items take about a second.
//
// Items start at multiples of g, the greatest common divisor of all
// alignments, so the bytes from an item's end to the next multiple of g are of
// no use to anybody. They are marked as taken as well, which lets neighbours
// touch and keeps the sets short.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Placing.h"
#include "lib/Planning/Strategies/TimeTree.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

class Packer {
public:
  explicit Packer(const PackingProblem &problem)
      : problem(problem), partners(forbiddenPartners(problem)),
        taken(problem.items), offsets(problem.items.size(), -1) {
    for (const Item &item : problem.items)
      granule = std::gcd(granule, item.alignment);
  }

  std::optional<Packing> run() {
    for (size_t id = 0; id < offsets.size(); ++id)
      if (problem.items[id].pinOffset)
        put(id, *problem.items[id].pinOffset);
    for (size_t id : bySize()) {
      const std::optional<int64_t> at = lowestOffset(id);
      if (!at)
        return std::nullopt;
      put(id, *at);
    }
    Packing packing;
    packing.offsets = std::move(offsets);
    return packing;
  }

private:
  std::vector<size_t> bySize() const {
    std::vector<size_t> order;
    std::vector<int64_t> life;
    for (size_t id = 0; id < offsets.size(); ++id) {
      life.push_back(totalLife(problem.items[id]));
      if (!problem.items[id].pinOffset)
        order.push_back(id);
    }
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tie(problem.items[b].sizeBytes, life[b], a) <
             std::tie(problem.items[a].sizeBytes, life[a], b);
    });
    return order;
  }

  void put(size_t id, int64_t offset) {
    offsets[id] = offset;
    const Item &item = problem.items[id];
    if (item.sizeBytes > 0)
      taken.insert(item, withPadding(bytesAt(offset, item)));
  }
  Interval withPadding(Interval bytes) const {
    return {bytes.begin,
            checkedAlignUp(bytes.end, granule).value_or(bytes.end)};
  }

  std::optional<int64_t> lowestOffset(size_t id) const {
    const Item &item = problem.items[id];
    if (item.sizeBytes == 0)
      return 0;
    ByteSet ofPartners;
    for (int64_t partner : partners[id])
      if (offsets[partner] >= 0)
        ofPartners.insert(bytesAt(offsets[partner], problem.items[partner]));
    std::vector<GapFinder> sets = {GapFinder(ofPartners)};
    for (const ByteSet *set : taken.query(item))
      sets.emplace_back(*set);

    return lowestFree(std::move(sets), item);
  }

  /// The lowest aligned offset that all sets accept. A set that objects moves
  /// to the front: it is likely to be the next to object.
  static std::optional<int64_t> lowestFree(std::vector<GapFinder> sets,
                                           const Item &item) {
    int64_t at = 0;
    for (size_t i = 0; i < sets.size();) {
      if (at > kMaxOffset - item.sizeBytes)
        return std::nullopt;
      const int64_t next = sets[i].firstGap(at, item.sizeBytes);
      if (next == at) {
        ++i;
        continue;
      }
      const auto aligned = checkedAlignUp(next, item.alignment);
      if (!aligned)
        return std::nullopt;
      at = *aligned;
      // Aligning may have moved it out of its gap, so it is asked again too.
      std::swap(sets[0], sets[i]);
      i = 0;
    }
    if (at > kMaxOffset - item.sizeBytes)
      return std::nullopt;
    return at;
  }

  const PackingProblem &problem;
  const std::vector<std::vector<int64_t>> partners;
  TimeTree taken;
  std::vector<int64_t> offsets; ///< -1: not placed yet.
  int64_t granule = 0;
};

class FirstFitDecreasing final : public Strategy {
public:
  std::string_view name() const override { return "first-fit-decreasing"; }
  std::string_view summary() const override {
    return "largest first, each at the lowest free offset; O(n log^2 n) for "
           "networks";
  }
  std::optional<int> autoRank() const override { return 20; }
  std::optional<Packing> pack(const PackingProblem &problem,
                              const SolveOptions &options) const override {
    return Packer(problem).run();
  }
};

const RegisterStrategy<FirstFitDecreasing> registration;

} // namespace
} // namespace tpu_mlir::planning
