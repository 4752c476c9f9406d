//===- BuildProblem.cpp - From a module to a planning problem -------------===//

#include "lib/Analysis/Tensor/GlobalBuffers.h"
#include "lib/Analysis/Tensor/Overlaps.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/PlanOptionsOf.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Names.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

using namespace detail;

static constexpr Named<IoMode> kIoModes[] = {
    {IoMode::Basic, "basic"},      {IoMode::InReuse, "in_reuse"},
    {IoMode::IoAlone, "io_alone"}, {IoMode::IoTag, "io_tag"},
    {IoMode::IoReloc, "io_reloc"},
};

std::optional<IoMode> parseIoMode(StringRef name) {
  return valueIn(kIoModes, name);
}

StringRef ioModeName(IoMode mode) { return nameIn(kIoModes, mode); }

static LogicalResult checkMode(GlobalRequest request) {
  const target::ChipSpec &chip = request.chip;
  const IoMode mode = request.options.ioMode;
  bool supported = true;
  switch (mode) {
  case IoMode::Basic:
  case IoMode::InReuse:
    break;
  case IoMode::IoAlone:
    supported = chip.hasIoAlone();
    break;
  case IoMode::IoTag:
    supported = chip.hasIoTags();
    break;
  case IoMode::IoReloc:
    supported = chip.supportsIoReloc;
    break;
  }
  if (supported)
    return success();
  return emitCodedError(request.module.getLoc(), ErrorCode::ModeNotSupported,
                        "chip '" + chip.name + "' has no I/O mode '" +
                            ioModeName(mode) +
                            "'; 'basic' and 'in_reuse' work on every chip");
}

FailureOr<IoMode> ioModeOf(ModuleOp module, StringRef option, bool remarks) {
  const Attribute attribute = findModuleAttr(module, "module.addr_mode");
  if (option.empty() && attribute && !isa<StringAttr>(attribute))
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "attribute 'module.addr_mode' has to be a string");
  const StringRef mode = !option.empty() ? option
                         : attribute ? cast<StringAttr>(attribute).getValue()
                                     : ioModeName(IoMode::Basic);
  if (const auto parsed = parseIoMode(mode))
    return *parsed;
  if (!option.empty())
    return emitCodedError(module.getLoc(), ErrorCode::ModeNotSupported,
                          "unknown I/O mode '" + mode +
                              "'; modes: basic, in_reuse, io_alone, io_tag, "
                              "io_reloc");
  const IoMode planned = mode == "io_tag_fuse" ? IoMode::IoTag : IoMode::Basic;
  if (remarks)
    emitRemark(module.getLoc())
        << "I/O mode '" << mode << "' of the module is planned as '"
        << ioModeName(planned) << "'";
  return planned;
}

static IoClasses collectIo(const GlobalFacts &facts) {
  auto classId = [&](Value value) {
    return facts.aliases.lookup(value)->classId;
  };
  IoClasses io;
  for (Value value : facts.inputs)
    io.inputs.insert(classId(value));
  for (Value value : facts.outputs)
    io.outputs.insert(classId(value));
  llvm::DenseSet<int64_t> seen;
  for (Value value : llvm::concat<const Value>(facts.inputs, facts.outputs)) {
    bool isWeight = bool(facts.aliases.classes()[classId(value)].weight);
    if (!isWeight && seen.insert(classId(value)).second)
      io.order.push_back(classId(value));
  }
  return io;
}

/// The mode that is in force. Tags serve whole networks of one subnet whose
/// inputs and outputs are all separate; anything else is planned as 'basic', as
/// runtimes expect.
static IoMode chooseMode(GlobalRequest request, const IoClasses &io) {
  if (request.options.ioMode != IoMode::IoTag)
    return request.options.ioMode;
  const GlobalFacts &facts = request.facts;
  size_t subnets =
      facts.schedule.functions().size() - facts.schedule.entries().size();
  bool separate = io.order.size() == facts.inputs.size() + facts.outputs.size();
  if (subnets <= 1 && separate)
    return IoMode::IoTag;
  emitRemark(request.module.getLoc())
      << "I/O mode 'io_tag' falls back to 'basic': "
      << (separate ? "the network has several subnets"
                   : "two inputs or outputs share storage");
  return IoMode::Basic;
}

/// Offsets are multiples of the alignment; addresses are so only in a region
/// that begins at one. Regions without a fixed base will.
static LogicalResult checkAlignment(GlobalRequest request,
                                    const GlobalProblem &global) {
  llvm::DenseSet<PoolId> used;
  for (const Buffer &buffer : global.problem.buffers)
    used.insert(buffer.pools.begin(), buffer.pools.end());
  for (PoolId pool = 0; pool < PoolId(global.regions.size()); ++pool) {
    RegionRole role = global.regions[pool].role;
    if (!used.contains(pool) || role == RegionRole::User)
      continue;
    std::optional<int64_t> base = global.regions[pool].base;
    if (role == RegionRole::Neuron)
      base = request.chip.neuronBase;
    else if (role == RegionRole::Io)
      base = request.chip.ioAloneBase;
    if (base && *base % global.alignment != 0)
      return emitCodedError(
          request.module.getLoc(), ErrorCode::BadAttribute,
          "alignment " + Twine(global.alignment) +
              " is not possible: on chip '" + request.chip.name + "' region '" +
              global.problem.pools[pool].name + "' begins at " + Twine(*base) +
              ", which is no multiple of it");
  }
  return success();
}

static LogicalResult checkSharedPlaces(GlobalRequest request) {
  const GlobalFacts &facts = request.facts;
  for (auto [input, output] : request.options.sameAddress)
    if (const auto offset = unalignedInput(
            facts, facts.aliases.lookup(facts.inputs[input])->classId,
            request.alignment()))
      return emitCodedError(
          request.module.getLoc(), ErrorCode::SameAddressConflict,
          "input " + Twine(input) + " and output " + Twine(output) +
              " cannot share an address: '" + valueName(facts.outputs[output]) +
              "' begins " + formatCount(*offset) +
              " bytes into another tensor, which is no multiple of " +
              Twine(request.alignment()));
  return success();
}

FailureOr<GlobalProblem> buildGlobalProblem(ModuleOp module, GlobalFacts &facts,
                                            const target::ChipSpec &chip,
                                            const WeightRegion &weights,
                                            const GlobalPlanOptions &options) {
  const GlobalRequest request{module, facts, chip, options};
  if (failed(checkMode(request)) ||
      failed(shareAddresses(module, facts, options.sameAddress)) ||
      failed(checkSharedPlaces(request)))
    return failure();
  const IoClasses io = collectIo(facts);
  GlobalProblem global;
  global.ioMode = chooseMode(request, io);
  global.alignment = request.alignment();
  FailureOr<PoolRoles> roles = makePools(request, io, weights, global);
  if (failed(roles))
    return failure();
  FailureOr<UserPins> wishes =
      findUserPins(module, facts, io, global, roles->pins);
  if (failed(wishes) ||
      failed(addBuffers(request, io, *roles, *wishes, global)) ||
      failed(checkAlignment(request, global)))
    return failure();
  addOverlaps(facts, chip.batchLayout == target::BatchLayout::FourN, global);
  if (auto name = module.getSymName())
    global.problem.name = name->str();
  return global;
}

} // namespace tpu_mlir
