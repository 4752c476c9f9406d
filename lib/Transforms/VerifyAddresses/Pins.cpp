#include "lib/Transforms/VerifyAddresses/MemoryRegions.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tpu_mlir {

namespace {

/// Where addresses of a pool may be, and where they count from.
struct PinTarget {
  int64_t base = 0;
  std::vector<Interval> bytes;
};

} // namespace

static FailureOr<llvm::StringMap<PinTarget>>
collectTargets(ModuleOp module, const target::ChipSpec &chip,
               const MemoryRegions &regions) {
  FailureOr<std::vector<planning::Pool>> pools = readPools(module, chip);
  if (failed(pools))
    return failure();
  llvm::StringMap<PinTarget> targets;
  auto add = [&](StringRef name, const Interval &bytes) {
    PinTarget &target = targets[name];
    if (target.bytes.empty())
      target.base = bytes.begin;
    target.bytes.push_back(bytes);
  };
  for (const auto *list : {&regions.neurons, &regions.parameters})
    for (const MemoryRegions::Region &region : *list)
      add(region.name, region.bytes);
  // Reserved bytes may stand at the base of a pool, but not of a region.
  for (const planning::Pool &pool : *pools)
    if (!pool.reserved.empty())
      targets[pool.name].base = pool.baseAddress;
  add("coeff", regions.coeff.bytes);
  return targets;
}

LogicalResult checkPins(ModuleOp module, const target::ChipSpec &chip,
                        const MemoryRegions &regions) {
  FailureOr<std::vector<planning::NamedPin>> pins = readPins(module);
  if (failed(pins))
    return failure();
  if (pins->empty())
    return success();
  FailureOr<llvm::StringMap<PinTarget>> targets =
      collectTargets(module, chip, regions);
  if (failed(targets))
    return failure();
  llvm::StringMap<const planning::NamedPin *> byName;
  for (const planning::NamedPin &pin : *pins)
    byName[pin.buffer] = &pin;

  auto check = [&](Value value) -> LogicalResult {
    const planning::NamedPin *pin = byName.lookup(valueName(value));
    std::optional<int64_t> address = getAddress(value.getType());
    if (!pin || !address)
      return success();
    auto target = targets->find(pin->pool);
    bool isThere = target != targets->end();
    if (isThere && pin->offsetBytes)
      isThere = *address - target->second.base == *pin->offsetBytes;
    else if (isThere)
      isThere = llvm::any_of(target->second.bytes, [&](const Interval &bytes) {
        return bytes.contains(*address);
      });
    if (isThere)
      return success();
    std::string place = "'" + pin->pool + "'";
    if (pin->offsetBytes)
      place += " at offset " + std::to_string(*pin->offsetBytes);
    return emitCodedError(value.getLoc(), ErrorCode::BadRange,
                          "'" + pin->buffer + "' is at address " +
                              Twine(*address) + ", but it is pinned to " +
                              place);
  };
  WalkResult walked = module.walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (failed(check(value)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

} // namespace tpu_mlir
