//===- Packing.cpp - Single-pool problems, inside the library -------------===//

#include "lib/Planning/Packing.h"

#include "tpu_mlir/Planning/Validate.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <numeric>

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
