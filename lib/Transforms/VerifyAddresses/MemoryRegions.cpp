#include "lib/Transforms/VerifyAddresses/MemoryRegions.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir {

const MemoryRegions::Region *
MemoryRegions::findNeuronRegion(Interval bytes) const {
  for (const Region &region : neurons)
    if (region.bytes.contains(bytes))
      return &region;
  return nullptr;
}

bool MemoryRegions::mayHoldWeight(Interval bytes) const {
  return weights.contains(bytes) ||
         llvm::any_of(parameters, [&](const Region &region) {
           return region.bytes.contains(bytes);
         });
}

/// [base, base + size), or the rest of the address space when that is less.
static Interval range(int64_t base, std::optional<int64_t> size) {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  return {base, checkedAdd(base, size.value_or(kEnd)).value_or(kEnd)};
}

static LogicalResult checkDisjoint(ModuleOp module,
                                   const MemoryRegions &regions) {
  std::vector<MemoryRegions::Region> all = regions.neurons;
  llvm::append_range(all, regions.parameters);
  all.push_back({"coeff", regions.weights});
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j)
      if (all[i].bytes.overlaps(all[j].bytes))
        return emitCodedError(
            module.getLoc(), ErrorCode::BadRange,
            llvm::formatv("regions overlap: '{0}' is [{1}, {2}), '{3}' is "
                          "[{4}, {5})",
                          all[i].name, all[i].bytes.begin, all[i].bytes.end,
                          all[j].name, all[j].bytes.begin, all[j].bytes.end)
                .str());
  return success();
}

/// The pools of the user that are no region of the chip: a region for each run
/// of bytes between what is reserved.
static LogicalResult addUserPools(ModuleOp module, MemoryRegions &regions) {
  FailureOr<std::vector<planning::Pool>> pools = readUserPools(module);
  if (failed(pools))
    return failure();
  llvm::StringSet<> known;
  known.insert("coeff");
  std::vector<int64_t> begins = {regions.weights.begin};
  for (const MemoryRegions::Region &region : regions.neurons) {
    known.insert(region.name);
    begins.push_back(region.bytes.begin);
  }
  for (const planning::Pool &pool : *pools)
    if (!known.contains(pool.name))
      begins.push_back(pool.baseAddress);
  for (const planning::Pool &pool : *pools) {
    if (known.contains(pool.name))
      continue;
    auto &list = pool.access == planning::PoolAccess::ReadOnly
                     ? regions.parameters
                     : regions.neurons;
    Interval rest = range(pool.baseAddress, pool.capacityBytes);
    // Without a size it goes on to where something else begins.
    if (!pool.capacityBytes)
      for (int64_t begin : begins)
        if (begin > rest.begin)
          rest.end = std::min(rest.end, begin);
    for (const Interval &taken : pool.reserved) {
      Interval bytes = range(pool.baseAddress, taken.end);
      int64_t begin = range(pool.baseAddress, taken.begin).end;
      if (rest.begin < std::min(begin, rest.end))
        list.push_back({pool.name, {rest.begin, std::min(begin, rest.end)}});
      rest.begin = std::min(std::max(rest.begin, bytes.end), rest.end);
    }
    list.push_back({pool.name, rest});
  }
  return success();
}

/// A runtime without tags tells regions apart by address alone.
static LogicalResult checkOrder(ModuleOp module, const Interval &weights,
                                const Interval &neurons, const Interval &io) {
  auto mode =
      dyn_cast_or_null<StringAttr>(findModuleAttr(module, "module.addr_mode"));
  bool ioIsLast = mode && mode.getValue() == "io_reloc";
  bool inOrder = weights.empty() || weights.end <= neurons.begin;
  if (!io.empty() && !ioIsLast)
    inOrder &= weights.end <= io.begin && io.end <= neurons.begin;
  if (inOrder)
    return success();
  return emitCodedError(
      module.getLoc(), ErrorCode::BadRange,
      llvm::formatv("regions are out of order, weights < inputs and outputs < "
                    "neurons: weights [{0}, {1}), inputs and outputs [{2}, "
                    "{3}), neurons [{4}, {5})",
                    weights.begin, weights.end, io.begin, io.end, neurons.begin,
                    neurons.end)
          .str());
}

FailureOr<MemoryRegions> readRegions(ModuleOp module,
                                     const target::ChipSpec &chip) {
  FailureOr<std::optional<int64_t>> read[7];
  const char *names[] = {"module.coeff_addr",  "module.coeff_size",
                         "module.neuron_addr", "module.neuron_size",
                         "module.io_addr",     "module.io_size",
                         "module.private_size"};
  for (int i = 0; i < 7; ++i) {
    read[i] = moduleInteger(module, names[i]);
    if (failed(read[i]))
      return failure();
  }
  bool isBaseRegister = chip.addressForm == AddressForm::BaseRegister;
  if (!*read[3] || (!isBaseRegister && !*read[2]))
    return emitCodedError(module.getLoc(), ErrorCode::NoAddress,
                          "the module has no addresses: 'module.neuron_addr' "
                          "or 'module.neuron_size' is missing; run "
                          "'tpu-assign-global-address' first");
  MemoryRegions regions;
  regions.weights =
      range(read[0]->value_or(chip.weightBase), read[1]->value_or(0));
  Interval neurons = range(isBaseRegister ? 0 : **read[2], **read[3]);
  Interval io;
  regions.neurons.push_back({"neuron", neurons});
  if (*read[4] && *read[5]) {
    io = range(**read[4], **read[5]);
    regions.neurons.push_back({"io", io});
  }
  if (*read[6])
    regions.neurons.push_back(
        {"private", range(chip.privateBase.value_or(0), **read[6])});
  for (size_t i = 0; i < chip.ioBases.size(); ++i)
    regions.neurons.push_back(
        {"io" + std::to_string(i), range(chip.ioBases[i], chip.windowBytes)});
  if (chip.l2Bytes > 0)
    regions.neurons.push_back({"l2", range(chip.l2Base, chip.l2Bytes)});
  if (failed(addUserPools(module, regions)))
    return failure();
  if (failed(checkDisjoint(module, regions)))
    return failure();
  if (chip.addressForm == AddressForm::Linear &&
      failed(checkOrder(module, regions.weights, neurons, io)))
    return failure();
  return regions;
}

} // namespace tpu_mlir
