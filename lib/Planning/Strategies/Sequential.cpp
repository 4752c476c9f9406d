//===- Sequential.cpp - One after the other, no reuse ---------------------===//
//
// Items in buffer order, each after the one before at the next multiple of
// its alignment; addresses only grow, which is what weights need. Nothing
// shares a byte with anything, dead or alive, so lifespans do not matter.
// Ranges of pinned items are stepped over.
//
//     address ->  | b0 | b1   |pad| b2 |//pinned//| b3 |
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/Placing.h"

namespace tpu_mlir::planning {
namespace {

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &) {
  Bump bump(problem);
  Packing packing;
  for (const Item &item : problem.items) {
    std::optional<int64_t> at = item.pinOffset;
    if (!at)
      at = item.sizeBytes == 0 ? 0
                               : bump.allocate(item.sizeBytes, item.alignment);
    if (!at)
      return std::nullopt;
    packing.offsets.push_back(*at);
  }
  return packing;
}

const RegisterStrategy registration({
    "sequential",
    "one after the other in buffer order, no reuse; O(n)",
    pack,
    {},
    std::nullopt,
    /*followsBufferOrder=*/true,
    /*sharesNothing=*/true,
});

} // namespace
} // namespace tpu_mlir::planning
