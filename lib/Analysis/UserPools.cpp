//===- UserPools.cpp - Read the pools and pins of a module ----------------===//
//
// Parses the attributes, adds the pools of the chip file, and reports names
// that do not exist.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/UserPools.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

static constexpr StringLiteral kPools = "module.pools";
static constexpr StringLiteral kPins = "module.pins";

static ModuleOp outermost(ModuleOp module) {
  while (auto around = module->getParentOfType<ModuleOp>())
    module = around;
  return module;
}

static InFlightDiagnostic fail(ModuleOp module, StringRef attribute,
                               const Twine &message) {
  return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                        "attribute '" + attribute + "': " + message);
}

/// The strings of an array attribute; none when it is not there.
static FailureOr<SmallVector<StringRef>> readLines(ModuleOp module,
                                                   StringRef name) {
  SmallVector<StringRef> result;
  Attribute attribute = findModuleAttr(module, name);
  if (!attribute)
    return result;
  auto lines = dyn_cast<ArrayAttr>(attribute);
  if (!lines || !llvm::all_of(lines, llvm::IsaPred<StringAttr>))
    return fail(module, name, "has to be an array of strings");
  for (auto line : lines.getAsRange<StringAttr>())
    result.push_back(line.getValue());
  return result;
}

static SmallVector<StringRef> splitLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return lines;
}

void recordUserPools(ModuleOp module, StringRef pools, StringRef pins) {
  ModuleOp outer = outermost(module);
  Builder builder(module.getContext());
  auto record = [&](StringRef name, StringRef text) {
    if (SmallVector<StringRef> lines = splitLines(text); !lines.empty())
      outer->setAttr(name, builder.getStrArrayAttr(lines));
  };
  record(kPools, pools);
  record(kPins, pins);
}

/// What is wrong with a line, or with two of one name; the pools otherwise.
template <typename Line>
static std::variant<std::vector<Pool>, std::string>
parsePools(ArrayRef<Line> lines) {
  std::vector<Pool> result;
  for (StringRef line : lines) {
    auto parsed = parsePoolFlag(line);
    if (auto *error = std::get_if<std::string>(&parsed))
      return ("'" + line + "': " + *error).str();
    Pool &pool = std::get<Pool>(parsed);
    if (llvm::any_of(
            result, [&](const Pool &other) { return other.name == pool.name; }))
      return "two pools are called '" + pool.name + "'";
    result.push_back(std::move(pool));
  }
  return result;
}

LogicalResult checkPoolOption(Location location, StringRef text) {
  SmallVector<StringRef> lines = splitLines(text);
  auto parsed = parsePools(ArrayRef(lines));
  auto *error = std::get_if<std::string>(&parsed);
  if (error || (lines.empty() && !text.empty()))
    return emitCodedError(
        location, ErrorCode::BadAttribute,
        "option 'pools': " +
            (error ? *error : "'" + text.str() + "' has no pool"));
  return success();
}

bool isRegionName(StringRef name) {
  if (llvm::is_contained({"coeff", "neuron", "shared", "private", "l2", "io"},
                         name))
    return true;
  return name.consume_front("io") && llvm::all_of(name, llvm::isDigit);
}

/// What a line with the name of a region says that it cannot; "" when there is
/// none.
static std::string findClaimedRegion(ArrayRef<Pool> pools) {
  for (const Pool &pool : pools) {
    Pool costOnly;
    costOnly.name = pool.name;
    costOnly.accessCost = pool.accessCost;
    if (isRegionName(pool.name) && !(pool == costOnly))
      return "'" + pool.name +
             "' is the name of a region; a line can give it a cost, but "
             "nothing else: 'name=" +
             pool.name +
             ",cost=10'; other pools cannot be called coeff, neuron, shared, "
             "private, l2, io, io0, io1 and so on";
  }
  return "";
}

/// What is wrong with pins, or with two of one tensor; the pins otherwise.
static std::variant<std::vector<NamedPin>, std::string>
parsePins(ArrayRef<StringRef> lines) {
  std::vector<NamedPin> result;
  llvm::StringSet<> seen;
  for (StringRef line : lines) {
    auto parsed = parsePinFlag(line);
    if (auto *error = std::get_if<std::string>(&parsed))
      return *error;
    NamedPin &pin = std::get<NamedPin>(parsed);
    if (!seen.insert(pin.buffer).second)
      return "'" + pin.buffer + "' is pinned twice";
    result.push_back(std::move(pin));
  }
  return result;
}

LogicalResult checkNetworkOptions(Location location, StringRef pools,
                                  StringRef pins) {
  if (failed(checkPoolOption(location, pools)))
    return failure();
  auto parsed = parsePools(ArrayRef(splitLines(pools)));
  if (std::string claimed =
          findClaimedRegion(std::get<std::vector<Pool>>(parsed));
      !claimed.empty())
    return emitCodedError(location, ErrorCode::BadAttribute,
                          "option 'pools': " + claimed);
  auto named = parsePins(splitLines(pins));
  if (auto *error = std::get_if<std::string>(&named))
    return emitCodedError(location, ErrorCode::BadAttribute,
                          "option 'pins': " + *error);
  return success();
}

static StringRef targetOf(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  const bool isHost =
      isa<tpu::GenericCpuOp>(op) ||
      (function && tpu::readEnum<tpu::RunModeAttr>(function->getAttr("mode")) ==
                       tpu::RunMode::CPU);
  return isHost ? "cpu" : "tpu";
}

bool isReached(const Pool &pool, ValueRange values) {
  if (pool.targets.empty())
    return true;
  // What only hands a tensor on does not access it.
  auto reaches = [&](Operation *op) {
    return isa<top::WeightOp, top::InputOp, func::CallOp, func::ReturnOp>(op) ||
           llvm::is_contained(pool.targets, targetOf(op));
  };
  return llvm::all_of(values, [&](Value value) {
    Operation *from = value.getDefiningOp();
    return (!from || reaches(from)) && llvm::all_of(value.getUsers(), reaches);
  });
}

void remarkIfUnused(ModuleOp module, const Problem &problem, PoolId pool) {
  for (const Buffer &buffer : problem.buffers)
    if (llvm::is_contained(buffer.pools, pool) ||
        (buffer.pin && buffer.pin->pool == pool))
      return;
  const Pool &unused = problem.pools[pool];
  InFlightDiagnostic remark = emitRemark(module.getLoc());
  remark << "pool '" << unused.name << "' has no effect: no "
         << (unused.access == PoolAccess::ReadOnly ? "weight" : "tensor")
         << " can be in it";
  if (!unused.targets.empty())
    remark << "; a network runs on 'tpu', and on 'cpu' what the host does, "
              "and the pool is for '"
           << llvm::join(unused.targets, "', '") << "'";
}

void remarkIfAlone(ModuleOp module, const Problem &problem, PoolId pool) {
  for (const Buffer &buffer : problem.buffers)
    if (buffer.pools.size() > 1 && llvm::is_contained(buffer.pools, pool))
      return;
  emitRemark(module.getLoc())
      << "the line of pool '" << problem.pools[pool].name
      << "' has no effect: nothing can be in it and in another one, so there "
         "is nothing to choose";
}

FailureOr<std::vector<Pool>> readUserPools(ModuleOp module, int64_t alignment,
                                           StringRef option) {
  FailureOr<SmallVector<StringRef>> lines = splitLines(option);
  if (lines->empty())
    lines = readLines(module, kPools);
  if (failed(lines))
    return failure();
  auto parsed = parsePools(ArrayRef(*lines));
  if (auto *error = std::get_if<std::string>(&parsed))
    return fail(module, kPools, *error);
  std::vector<Pool> &pools = std::get<std::vector<Pool>>(parsed);
  for (auto [pool, line] : llvm::zip_equal(pools, *lines))
    if (!givesAlignment(line))
      pool.alignment = alignment;
  return std::move(pools);
}

FailureOr<std::vector<Pool>> readPools(ModuleOp module,
                                       const target::ChipSpec &chip) {
  FailureOr<std::vector<Pool>> users = readUserPools(module);
  if (failed(users))
    return failure();
  auto parsed = parsePools(ArrayRef(chip.pools));
  if (auto *error = std::get_if<std::string>(&parsed))
    return emitCodedError(module.getLoc(), ErrorCode::UnknownChip,
                          "pools of chip '" + chip.name + "': " + *error);
  if (std::string claimed =
          findClaimedRegion(std::get<std::vector<Pool>>(parsed));
      !claimed.empty())
    return emitCodedError(module.getLoc(), ErrorCode::UnknownChip,
                          "pools of chip '" + chip.name + "': " + claimed);
  if (std::string claimed = findClaimedRegion(*users); !claimed.empty())
    return fail(module, kPools, claimed);
  llvm::StringSet<> named;
  for (const Pool &pool : *users)
    named.insert(pool.name);
  std::vector<Pool> &result = std::get<std::vector<Pool>>(parsed);
  llvm::erase_if(result,
                 [&](const Pool &pool) { return named.contains(pool.name); });
  llvm::append_range(result, *users);
  return std::move(result);
}

FailureOr<int64_t> openL2Bytes(ModuleOp module, const target::ChipSpec &chip) {
  if (chip.l2Bytes == 0)
    return 0;
  FailureOr<std::vector<Pool>> pools = readPools(module, chip);
  if (failed(pools))
    return failure();
  const auto line = [&](StringRef name) {
    return llvm::find_if(*pools,
                         [=](const Pool &pool) { return pool.name == name; });
  };
  // A line whose accesses cost more than those of neurons keeps tensors out.
  const auto l2 = line("l2"), neuron = line("neuron");
  const bool isOpen =
      l2 != pools->end() &&
      (neuron == pools->end() || l2->accessCost <= neuron->accessCost);
  return isOpen ? usableL2Bytes(module, chip) : FailureOr<int64_t>(0);
}

/// The names of all tensors of all modules.
static llvm::StringSet<> allNames(ModuleOp outer) {
  llvm::StringSet<> names;
  outer.walk([&](Operation *op) {
    for (Value value : op->getResults())
      names.insert(valueName(value));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          names.insert(valueName(argument));
  });
  return names;
}

FailureOr<std::vector<NamedPin>> readPins(ModuleOp module) {
  FailureOr<SmallVector<StringRef>> lines = readLines(module, kPins);
  if (failed(lines))
    return failure();
  auto parsed = parsePins(*lines);
  if (auto *error = std::get_if<std::string>(&parsed))
    return fail(module, kPins, *error);
  return std::get<std::vector<NamedPin>>(std::move(parsed));
}

LogicalResult checkPinNames(ModuleOp module) {
  FailureOr<std::vector<NamedPin>> pins = readPins(module);
  if (failed(pins))
    return failure();
  if (pins->empty())
    return success();
  llvm::StringSet<> names = allNames(outermost(module));
  for (const NamedPin &pin : *pins)
    if (!names.contains(pin.buffer))
      return fail(module, kPins, "no tensor is called '" + pin.buffer + "'");
  return success();
}

LogicalResult checkPinOffset(Location location, const NamedPin &pin,
                             const Pool &pool, int64_t offset,
                             int64_t sizeBytes) {
  auto fail = [&](const Twine &why) {
    return emitCodedError(location, ErrorCode::BadAttribute,
                          "'" + pin.buffer + "' cannot be pinned to '" +
                              pin.pool + "': " + why);
  };
  if (offset % pool.alignment != 0)
    return fail("offset " + Twine(offset) + " is no multiple of " +
                Twine(pool.alignment) + ", the alignment of pool '" +
                pool.name + "'");
  auto end = checkedAdd(offset, sizeBytes);
  if (!end || (pool.capacityBytes && *end > *pool.capacityBytes))
    return fail("with " + formatCount(sizeBytes) + " bytes at offset " +
                Twine(offset) + " it would end after the pool" +
                (pool.capacityBytes
                     ? Twine(", which has ") + formatCount(*pool.capacityBytes)
                     : Twine()));
  return success();
}

LogicalResult checkPoolBase(Location location, const Pool &pool) {
  if (pool.baseAddress % pool.alignment == 0)
    return success();
  return emitCodedError(location, ErrorCode::BadAttribute,
                        "pool '" + pool.name + "' begins at " +
                            Twine(pool.baseAddress) +
                            ", which is no multiple of " +
                            Twine(pool.alignment) + ", its alignment");
}

FailureOr<PoolId> findPool(Location location, const NamedPin &pin,
                           const std::vector<Pool> &pools,
                           llvm::function_ref<bool(PoolId)> mayHold) {
  std::string names;
  for (auto [id, pool] : llvm::enumerate(pools)) {
    if (pool.name == pin.pool)
      return PoolId(id);
    if (mayHold(id))
      names += (names.empty() ? "" : ", ") + pool.name;
  }
  return emitCodedError(location, ErrorCode::BadAttribute,
                        "'" + pin.buffer + "' is pinned to '" + pin.pool +
                            "'; it can be in: " + names);
}

} // namespace tpu_mlir
