//===- MemoryRegions.cpp - Read the regions that a module claims ----------===//
//
// From its attributes and the chip alone: where weights, neurons, inputs and
// outputs may be.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyAddresses/MemoryRegions.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/NetworkValues.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir::verify_addresses {

const MemoryRegions::Stretch *
MemoryRegions::findNeuronRegion(Interval bytes) const {
  for (const Stretch &region : neurons)
    if (region.bytes.contains(bytes))
      return &region;
  return nullptr;
}

const MemoryRegions::Stretch *
MemoryRegions::findWeightRegion(Interval bytes) const {
  if (coeff.bytes.contains(bytes))
    return &coeff;
  for (const Stretch &region : parameters)
    if (region.bytes.contains(bytes))
      return &region;
  return nullptr;
}

/// [base, base + size), or the rest of the address space when that is less.
static Interval range(int64_t base, std::optional<int64_t> size) {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  return {base, checkedAdd(base, size.value_or(kEnd)).value_or(kEnd)};
}

static LogicalResult checkDisjoint(ModuleOp module,
                                   const MemoryRegions &regions) {
  std::vector<MemoryRegions::Stretch> all = regions.neurons;
  llvm::append_range(all, regions.parameters);
  all.push_back(regions.coeff);
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
static LogicalResult addUserPools(ModuleOp module, const target::ChipSpec &chip,
                                  int64_t alignment, MemoryRegions &regions) {
  const int64_t weightAlignment = regions.coeff.alignment;
  FailureOr<std::vector<planning::Pool>> pools = readPools(module, chip);
  if (failed(pools))
    return failure();
  llvm::StringSet<> known;
  known.insert("coeff");
  std::vector<int64_t> begins = {regions.coeff.bytes.begin};
  for (const MemoryRegions::Stretch &region : regions.neurons) {
    known.insert(region.name);
    begins.push_back(region.bytes.begin);
  }
  for (const planning::Pool &pool : *pools)
    if (!known.contains(pool.name))
      begins.push_back(pool.baseAddress);
  for (const planning::Pool &pool : *pools) {
    if (known.contains(pool.name))
      continue;
    bool isReadOnly = pool.access == planning::PoolAccess::ReadOnly;
    auto &list = isReadOnly ? regions.parameters : regions.neurons;
    // 1: the line leaves it to the chip.
    int64_t unit = pool.alignment != 1 ? pool.alignment
                   : isReadOnly        ? weightAlignment
                                       : alignment;
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
        list.push_back(
            {pool.name, {rest.begin, std::min(begin, rest.end)}, unit});
      rest.begin = std::min(std::max(rest.begin, bytes.end), rest.end);
    }
    list.push_back({pool.name, rest, unit});
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

namespace {

/// What the module's attributes say.
struct ClaimedRanges {
  std::optional<int64_t> coeffAddr, coeffSize, neuronAddr, neuronSize, ioAddr,
      ioSize, privateSize;
};

} // namespace

static FailureOr<ClaimedRanges> readClaims(ModuleOp module) {
  ClaimedRanges claims;
  for (auto [name, field] :
       {std::pair("module.coeff_addr", &ClaimedRanges::coeffAddr),
        {"module.coeff_size", &ClaimedRanges::coeffSize},
        {"module.neuron_addr", &ClaimedRanges::neuronAddr},
        {"module.neuron_size", &ClaimedRanges::neuronSize},
        {"module.io_addr", &ClaimedRanges::ioAddr},
        {"module.io_size", &ClaimedRanges::ioSize},
        {"module.private_size", &ClaimedRanges::privateSize}}) {
    FailureOr<std::optional<int64_t>> value = moduleInteger(module, name);
    if (failed(value))
      return failure();
    claims.*field = *value;
  }
  return claims;
}

/// Of what says where neurons are nothing is missing.
static LogicalResult checkNeuronClaims(ModuleOp module,
                                       const ClaimedRanges &claims,
                                       bool isBaseRegister) {
  const bool hasBase = isBaseRegister || claims.neuronAddr;
  if (hasBase && claims.neuronSize)
    return success();
  std::string missing = "'module.neuron_size' is missing";
  if (!hasBase)
    missing = claims.neuronSize ? "'module.neuron_addr' is missing"
                                : "'module.neuron_addr' and "
                                  "'module.neuron_size' are missing";
  return emitCodedError(module.getLoc(), ErrorCode::NoAddress,
                        "the module does not say where its neurons are: " +
                            missing + "; run 'tpu-assign-global-address'");
}

/// The regions that the chip has besides those of the attributes. Windows for
/// single inputs and outputs are there where the I/O mode may use them.
static LogicalResult addChipRegions(ModuleOp module,
                                    const target::ChipSpec &chip,
                                    int64_t alignment, MemoryRegions &regions) {
  auto mode =
      dyn_cast_or_null<StringAttr>(findModuleAttr(module, "module.addr_mode"));
  bool usesTags = !mode || !llvm::is_contained(
                               {"basic", "in_reuse", "io_alone", "io_reloc"},
                               mode.getValue());
  // One tag for all inputs and one for all outputs: without gaps.
  bool isPacked = mode && mode.getValue() == "io_tag_fuse";
  if (chip.addressForm == AddressForm::BaseRegister || usesTags)
    for (size_t i = 0; i < chip.ioBases.size(); ++i)
      regions.neurons.push_back({"io" + std::to_string(i),
                                 range(chip.ioBases[i], chip.windowBytes),
                                 isPacked ? 1 : alignment});
  FailureOr<int64_t> l2Bytes = usableL2Bytes(module, chip);
  if (failed(l2Bytes))
    return failure();
  if (*l2Bytes > 0)
    regions.neurons.push_back(
        {kL2Region.str(), range(chip.l2Base, *l2Bytes), alignment});
  return success();
}

/// Packed weights are aligned to whole execution units, which is what kernels
/// need; all others as the chip's runtime has them.
static FailureOr<int64_t> readWeightAlignment(ModuleOp module,
                                              const target::ChipSpec &chip) {
  FailureOr<std::optional<int64_t>> packed =
      moduleInteger(module, "module.coeff_align");
  if (failed(packed))
    return failure();
  const int64_t alignment = (*packed).value_or(chip.weightAlignment);
  if (alignment == chip.weightAlignment ||
      (alignment > 0 && alignment % chip.euBytes == 0))
    return alignment;
  return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                        "attribute 'module.coeff_align' is " +
                            Twine(alignment) + ", but weights of chip '" +
                            chip.name + "' have to begin at multiples of " +
                            Twine(chip.euBytes) +
                            " bytes, which an execution unit takes at once");
}

FailureOr<MemoryRegions>
readRegions(ModuleOp module, const target::ChipSpec &chip, int64_t alignment) {
  FailureOr<ClaimedRanges> claims = readClaims(module);
  if (failed(claims))
    return failure();
  FailureOr<int64_t> weightAlignment = readWeightAlignment(module, chip);
  if (failed(weightAlignment))
    return failure();
  bool isBaseRegister = chip.addressForm == AddressForm::BaseRegister;
  if (failed(checkNeuronClaims(module, *claims, isBaseRegister)))
    return failure();
  MemoryRegions regions;
  regions.coeff = {"coeff",
                   range(claims->coeffAddr.value_or(chip.weightBase),
                         claims->coeffSize.value_or(0)),
                   *weightAlignment};
  Interval neurons = range(claims->neuronAddr.value_or(0), *claims->neuronSize);
  regions.neurons.push_back(
      {isBaseRegister ? "shared" : "neuron", neurons, alignment});
  Interval io = relocatedIo(module).value_or(Interval());
  if (claims->ioAddr && claims->ioSize)
    io = range(*claims->ioAddr, *claims->ioSize);
  if (!io.empty() || (claims->ioAddr && claims->ioSize))
    regions.neurons.push_back({kIoRegion.str(), io, alignment});
  if (claims->privateSize && chip.privateBase)
    regions.neurons.push_back(
        {"private", range(*chip.privateBase, *claims->privateSize), alignment});
  if (failed(addChipRegions(module, chip, alignment, regions)) ||
      failed(addUserPools(module, chip, alignment, regions)) ||
      failed(checkDisjoint(module, regions)))
    return failure();
  if (chip.addressForm == AddressForm::Linear &&
      failed(checkOrder(module, regions.coeff.bytes, neurons, io)))
    return failure();
  return regions;
}

} // namespace tpu_mlir::verify_addresses
