//===- LifeBreaks.cpp - Which lives are long ------------------------------===//

#include "lib/Planning/Strategies/LifeBreaks.h"

#include <algorithm>

namespace tpu_mlir::planning {

static constexpr size_t kMostBreaks = 3;

std::vector<int64_t> lifeBreaks(const std::vector<Item> &items, int64_t wide) {
  std::vector<int64_t> lives;
  for (const Item &item : items)
    if (item.sizeBytes > 0 && !item.pinOffset)
      lives.push_back(totalLife(item));
  std::sort(lives.begin(), lives.end());
  lives.erase(std::unique(lives.begin(), lives.end()), lives.end());
  std::vector<std::pair<double, int64_t>> breaks;
  for (size_t i = 1; i < lives.size(); ++i)
    if (lives[i] / wide >= lives[i - 1])
      breaks.emplace_back(-double(lives[i]) / double(lives[i - 1]), lives[i]);
  std::sort(breaks.begin(), breaks.end());
  breaks.resize(std::min(breaks.size(), kMostBreaks));
  std::vector<int64_t> lengths;
  for (const auto &[ratio, life] : breaks)
    lengths.push_back(life);
  return lengths;
}

bool hasLongAndShort(const std::vector<Item> &items) {
  constexpr ptrdiff_t kOneInSoMany = 16;
  const ptrdiff_t all = ptrdiff_t(items.size());
  const std::vector<int64_t> breaks = lifeBreaks(items);
  return std::any_of(breaks.begin(), breaks.end(), [&](int64_t life) {
    const ptrdiff_t longOnes =
        std::count_if(items.begin(), items.end(), [&](const Item &item) {
          return totalLife(item) >= life;
        });
    return std::min(longOnes, all - longOnes) >= all / kOneInSoMany;
  });
}

} // namespace tpu_mlir::planning
