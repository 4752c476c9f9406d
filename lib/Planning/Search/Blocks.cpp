//===- Blocks.cpp - Items that form rectangles together -------------------===//

#include "lib/Planning/Search/NearGluer.h"

#include <algorithm>

namespace tpu_mlir::planning {

std::vector<int64_t>
BlockedProblem::expand(const std::vector<int64_t> &offsets) const {
  std::vector<int64_t> at(itemCount + firstPart.size() - 1, 0);
  for (size_t i = 0; i < nodeOf.size(); ++i)
    at[size_t(nodeOf[i])] = offsets[i];
  // Blocks that were taken apart again are among the nodes.
  std::vector<bool> isUsed(at.size(), false);
  for (int32_t node : nodeOf)
    isUsed[size_t(node)] = true;
  for (size_t node = at.size(); node > itemCount; --node) {
    if (!isUsed[node - 1])
      continue;
    for (size_t p = firstPart[node - 1 - itemCount];
         p < firstPart[node - itemCount]; ++p) {
      at[size_t(parts[p].node)] = at[node - 1] + parts[p].offsetBytes;
      isUsed[size_t(parts[p].node)] = true;
    }
  }
  at.resize(itemCount);
  return at;
}

BlockBuilder::BlockBuilder(const PackingProblem &problem, uint64_t seed,
                           const Nearness &nearness)
    : gluer(nearness.isExact()
                ? std::make_unique<Gluer>(problem, seed)
                : std::make_unique<NearGluer>(problem, seed, nearness)) {
  gluer->start();
}
BlockBuilder::~BlockBuilder() = default;
size_t BlockBuilder::blockCount() const { return gluer->blockCount(); }
void BlockBuilder::improve(int64_t rounds) { gluer->improve(rounds); }
BlockedProblem BlockBuilder::blocked() const { return gluer->blocked(); }

} // namespace tpu_mlir::planning
