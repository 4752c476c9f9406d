//===- Sequential.cpp - One after the other, no reuse ---------------------===//
//
// Items in buffer order, each behind the one before at the next multiple of
// its alignment; addresses only grow, which is what weights need. Nothing
// shares a byte with anything, dead or alive, so lifespans do not matter.
// Ranges of pinned items are stepped over.
//
//     address ->  | b0 | b1   |pad| b2 |//pinned//| b3 |
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Placing.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// The union of all pinned ranges, in address order.
std::vector<Interval> pinnedBytes(const PackingProblem &problem) {
  std::vector<Interval> ranges;
  for (const Item &item : problem.items)
    if (item.pinOffset)
      ranges.push_back(bytesAt(*item.pinOffset, item));
  return normalize(std::move(ranges));
}

class Sequential final : public Strategy {
public:
  std::string_view name() const override { return "sequential"; }
  std::string_view summary() const override {
    return "one after the other in buffer order, no reuse; O(n)";
  }
  std::optional<int> autoRank() const override { return 40; }

  std::optional<Packing> pack(const PackingProblem &problem,
                              const SolveOptions &options) const override {
    const std::vector<Interval> pinned = pinnedBytes(problem);
    Packing packing;
    int64_t top = 0;
    size_t nextPinned = 0;
    for (const Item &item : problem.items) {
      if (item.pinOffset || item.sizeBytes == 0) {
        packing.offsets.push_back(item.pinOffset.value_or(0));
        continue;
      }
      std::optional<int64_t> at = checkedAlignUp(top, item.alignment);
      while (at && nextPinned < pinned.size()) {
        const auto end = checkedAdd(*at, item.sizeBytes);
        if (!end || *end <= pinned[nextPinned].begin)
          break;
        const int64_t behind = pinned[nextPinned++].end;
        if (behind > *at)
          at = checkedAlignUp(behind, item.alignment);
      }
      if (!at || !checkedAdd(*at, item.sizeBytes))
        return std::nullopt;
      packing.offsets.push_back(*at);
      top = *at + item.sizeBytes;
    }
    return packing;
  }
};

const RegisterStrategy<Sequential> registration;

} // namespace
} // namespace tpu_mlir::planning
