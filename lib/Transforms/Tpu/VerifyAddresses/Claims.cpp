//===- Claims.cpp - Do attributes and pins agree with addresses? ----------===//

#include "lib/Transforms/Tpu/VerifyAddresses/MemoryRegions.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/NetworkValues.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tpu_mlir::verify_addresses {

namespace {

class ClaimChecker {
public:
  ClaimChecker(ModuleOp module, const target::ChipSpec &chip,
               const MemoryRegions &regions)
      : module(module), chip(chip), regions(regions) {}

  LogicalResult run();

private:
  LogicalResult checkBase(StringRef attribute, std::optional<int64_t> base);
  LogicalResult checkBases();
  LogicalResult checkSizes();
  LogicalResult checkMissing();
  LogicalResult checkMode();
  LogicalResult checkNetworkValues();
  LogicalResult checkL2();

  InFlightDiagnostic fail(const Twine &message) {
    return emitCodedError(module.getLoc(), ErrorCode::BadRange, message);
  }
  const MemoryRegions::Stretch *find(StringRef name) const {
    for (const MemoryRegions::Stretch &region : regions.neurons)
      if (region.name == name)
        return &region;
    return nullptr;
  }

  ModuleOp module;
  const target::ChipSpec &chip;
  const MemoryRegions &regions;
  /// Empty when the module does not say; other modes than ours may be named.
  StringRef mode;
};

} // namespace

/// Nothing begins elsewhere than the chip says; nullopt: the chip leaves it
/// open.
LogicalResult ClaimChecker::checkBase(StringRef attribute,
                                      std::optional<int64_t> base) {
  FailureOr<std::optional<int64_t>> claim = moduleInteger(module, attribute);
  if (failed(claim))
    return failure();
  if (!*claim || !base || **claim == *base)
    return success();
  return fail("'" + attribute + "' is " + Twine(**claim) + ", but on chip '" +
              chip.name + "' that region begins at " + Twine(*base) +
              ": the addresses are those of another chip");
}

LogicalResult ClaimChecker::checkBases() {
  if (failed(checkBase("module.coeff_addr", chip.weightBase)) ||
      failed(checkBase("module.neuron_addr", chip.neuronBase)) ||
      failed(checkBase("module.io_addr", chip.ioAloneBase)))
    return failure();
  if (module->hasAttr("module.private_size") && !chip.privateBase)
    return fail("'module.private_size' is there, but chip '" + chip.name +
                "' has no private region: the addresses are those of another "
                "chip");
  if (module->hasAttr("module.io_addr") != module->hasAttr("module.io_size"))
    return fail("of 'module.io_addr' and 'module.io_size' one is missing");
  return success();
}

LogicalResult ClaimChecker::checkSizes() {
  const MemoryRegions::Stretch *shared = find("shared");
  for (auto [name, region] :
       {std::pair(StringRef("module.coeff_size"), &regions.coeff),
        {"module.neuron_size", shared ? shared : find("neuron")},
        {"module.io_size", find(kIoRegion)},
        {"module.private_size", find("private")}}) {
    FailureOr<std::optional<int64_t>> size = moduleInteger(module, name);
    if (failed(size))
      return failure();
    if (*size && region && !checkedAdd(region->bytes.begin, **size))
      return fail("'" + name + "' is " + Twine(**size) +
                  ", but the region begins at " + Twine(region->bytes.begin) +
                  ": it would end beyond the addresses of 63 bits");
    if (*size && chip.windowBytes && **size > *chip.windowBytes)
      return fail("'" + name + "' is " + Twine(**size) +
                  ", but a region of "
                  "chip '" +
                  chip.name + "' has " + Twine(*chip.windowBytes) +
                  " bytes at most");
  }
  FailureOr<std::optional<int64_t>> offset =
      moduleInteger(module, "module.dynamic_coeff_offset");
  if (failed(offset))
    return failure();
  if (*offset && **offset > regions.coeff.bytes.length())
    return fail("'module.dynamic_coeff_offset' is " + Twine(**offset) +
                ", which is after the weights: they have " +
                Twine(regions.coeff.bytes.length()) + " bytes");
  return success();
}

/// What lies where only an attribute would make a region has that attribute:
/// else the first such tensor were said to be lost.
LogicalResult ClaimChecker::checkMissing() {
  const bool hasWeights = module->hasAttr("module.coeff_size");
  const bool hasPrivate =
      !chip.privateBase || module->hasAttr("module.private_size");
  if (hasWeights && hasPrivate)
    return success();
  Value lost;
  StringRef missing;
  module.walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      const auto address = getAddress(value.getType());
      if (lost || !address)
        continue;
      const Interval first{*address, saturatedAdd(*address, 1)};
      if (regions.findNeuronRegion(first) || regions.findWeightRegion(first))
        continue;
      if (!hasWeights && isa<top::WeightOp>(op))
        missing = "module.coeff_size";
      else if (!hasPrivate && *address >= *chip.privateBase &&
               (!chip.windowBytes ||
                *address - *chip.privateBase < *chip.windowBytes))
        missing = "module.private_size";
      else
        continue;
      lost = value;
    }
  });
  if (!lost)
    return success();
  return emitCodedError(lost.getLoc(), ErrorCode::NoAddress,
                        "'" + valueName(lost) + "' is at address " +
                            Twine(*getAddress(lost.getType())) + ", but '" +
                            missing +
                            "', which says how far such tensors go, is "
                            "missing");
}

LogicalResult ClaimChecker::checkMode() {
  Attribute attribute = findModuleAttr(module, "module.addr_mode");
  if (!attribute)
    return success();
  if (!isa<StringAttr>(attribute))
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "attribute 'module.addr_mode' has to be a string");
  mode = cast<StringAttr>(attribute).getValue();
  const bool isKnown = llvm::StringSwitch<bool>(mode)
                           .Cases({"basic", "in_reuse", "io_alone"}, true)
                           .Cases({"io_tag", "io_reloc"}, true)
                           .Default(false);
  if (!isKnown)
    emitRemark(module.getLoc())
        << "'module.addr_mode' is '" << mode
        << "', which is not known here: where that puts inputs and outputs is "
           "not checked";
  bool isThere = llvm::StringSwitch<bool>(mode)
                     .Case("io_alone", chip.hasIoAlone())
                     .Case("io_tag", chip.hasIoTags())
                     .Case("io_reloc", chip.supportsIoReloc)
                     .Default(true);
  if (!isThere)
    return emitCodedError(module.getLoc(), ErrorCode::ModeNotSupported,
                          "'module.addr_mode' is '" + mode + "', which chip '" +
                              chip.name + "' does not have");
  if ((mode == "basic" || mode == "in_reuse") && find(kIoRegion))
    return fail("'module.addr_mode' is '" + mode +
                "', but the module has a "
                "region for inputs and outputs");
  return success();
}

/// What goes into and out of the network is where the mode puts it. What is
/// (part of) a weight stays one.
LogicalResult ClaimChecker::checkNetworkValues() {
  const bool isAlone = mode == "io_alone" || mode == "io_reloc";
  const MemoryRegions::Stretch *io = find(kIoRegion);
  bool hasValues = false, hasTag = false;
  Value outside;
  visitNetworkValues(module, [&](Value value) {
    std::optional<int64_t> address = getAddress(value.getType());
    if (!address || regions.findWeightRegion({*address, *address + 1}))
      return;
    hasValues = true;
    if (!outside && (!io || !io->bytes.contains(*address)))
      outside = value;
    const MemoryRegions::Stretch *region =
        regions.findNeuronRegion({*address, *address + 1});
    hasTag |= region && llvm::is_contained(chip.ioBases, region->bytes.begin);
  });
  if (isAlone && outside && !io)
    return fail("'module.addr_mode' is '" + mode +
                "', but the module has no "
                "region for inputs and outputs: 'module.io_addr' and "
                "'module.io_size' are missing");
  if (isAlone && outside)
    return emitCodedError(outside.getLoc(), ErrorCode::BadRange,
                          "'" + valueName(outside) + "' at " +
                              Twine(*getAddress(outside.getType())) +
                              " lies outside the region for inputs and "
                              "outputs, where I/O mode '" +
                              mode + "' puts it");
  if (mode == "io_reloc" && io && !io->bytes.empty())
    for (const MemoryRegions::Stretch &region : regions.neurons)
      if (region.name == "neuron" && !region.bytes.empty() &&
          region.bytes.begin > io->bytes.begin)
        return fail("'module.addr_mode' is 'io_reloc', but the region for "
                    "inputs and outputs lies before the neurons, not after "
                    "them");
  if (mode == "io_tag" && hasValues && !hasTag)
    return fail("'module.addr_mode' is 'io_tag', but no input or output has a "
                "memory tag of its own");
  return success();
}

/// What passes from function to function, and what the host reads or writes,
/// is in global memory.
LogicalResult ClaimChecker::checkL2() {
  const MemoryRegions::Stretch *l2 = find(kL2Region);
  Value inside;
  auto visit = [&](Value value) {
    std::optional<int64_t> address = getAddress(value.getType());
    if (l2 && !inside && address && l2->bytes.contains(*address))
      inside = value;
  };
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      llvm::for_each(function.getArguments(), visit);
    if (isa<func::ReturnOp, func::CallOp, top::InputOp, tpu::GenericCpuOp>(
            op)) {
      llvm::for_each(op->getOperands(), visit);
      llvm::for_each(op->getResults(), visit);
    }
  });
  if (!inside)
    return success();
  return emitCodedError(inside.getLoc(), ErrorCode::BadRange,
                        "'" + valueName(inside) + "' at " +
                            Twine(*getAddress(inside.getType())) +
                            " lies in L2, but goes into or out of a function "
                            "or to the host");
}

LogicalResult ClaimChecker::run() {
  if (failed(checkBases()) || failed(checkMissing()) || failed(checkSizes()) ||
      failed(checkMode()) || failed(checkNetworkValues()))
    return failure();
  return checkL2();
}

LogicalResult checkClaims(ModuleOp module, const target::ChipSpec &chip,
                          const MemoryRegions &regions) {
  return ClaimChecker(module, chip, regions).run();
}

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
    for (const MemoryRegions::Stretch &region : *list)
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

} // namespace tpu_mlir::verify_addresses
