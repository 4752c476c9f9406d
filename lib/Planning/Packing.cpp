//===- Packing.cpp - Single-pool problems, inside the library -------------===//

#include "lib/Planning/Packing.h"

#include "tpu_mlir/Planning/Validate.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace tpu_mlir::planning {

Item itemOf(const StorageClass &storage, const Pool &pool) {
  Item item;
  item.sizeBytes = storage.sizeBytes;
  item.alignment = std::lcm(storage.alignment, pool.alignment);
  item.lifespans = storage.lifespans;
  item.readSteps = storage.readSteps;
  if (storage.pin)
    item.pinOffset = storage.pin->offsetBytes;
  return item;
}

int64_t PackingProblem::highWater(const std::vector<int64_t> &offsets) const {
  int64_t top = 0;
  for (size_t i = 0; i < items.size(); ++i)
    top = std::max(top, checkedAdd(offsets[i], items[i].sizeBytes)
                            .value_or(std::numeric_limits<int64_t>::max()));
  return top;
}

std::vector<size_t> canonicalOrder(const PackingProblem &problem) {
  std::vector<size_t> order(problem.items.size());
  std::iota(order.begin(), order.end(), 0);
  auto isBefore = [&](size_t a, size_t b) {
    const Item &x = problem.items[a], &y = problem.items[b];
    return std::tie(x.lifespans, y.sizeBytes, x.alignment, x.pinOffset,
                    x.readSteps, a) < std::tie(y.lifespans, x.sizeBytes,
                                               y.alignment, y.pinOffset,
                                               y.readSteps, b);
  };
  std::sort(order.begin(), order.end(), isBefore);
  return order;
}

PackingProblem reordered(const PackingProblem &problem,
                         const std::vector<size_t> &order) {
  PackingProblem result = problem;
  std::vector<int64_t> placeOf(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    result.items[i] = problem.items[order[i]];
    placeOf[order[i]] = int64_t(i);
  }
  for (auto &[a, b] : result.forbiddenSharing) {
    a = placeOf[a];
    b = placeOf[b];
    if (a > b)
      std::swap(a, b);
  }
  std::sort(result.forbiddenSharing.begin(), result.forbiddenSharing.end());
  return result;
}

bool isValidPacking(const PackingProblem &problem,
                    const std::vector<int64_t> &offsets) {
  if (offsets.size() != problem.items.size())
    return false;
  Problem whole;
  whole.pools.resize(1);
  whole.forbiddenSharing = problem.forbiddenSharing;
  whole.period = problem.period;
  Plan plan;
  for (size_t i = 0; i < problem.items.size(); ++i) {
    const Item &item = problem.items[i];
    Buffer buffer;
    buffer.sizeBytes = item.sizeBytes;
    buffer.alignment = item.alignment;
    buffer.lifespans = item.lifespans;
    if (item.pinOffset)
      buffer.pin = Pin{0, *item.pinOffset};
    whole.buffers.push_back(std::move(buffer));
    plan.placements.push_back({0, offsets[i]});
  }
  plan.pools.push_back({problem.highWater(offsets), 0});
  return validate(whole, plan, 1).empty();
}

} // namespace tpu_mlir::planning
