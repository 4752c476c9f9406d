//===- Chip.cpp - The chip of a module, and what follows from it ----------===//
//
// A name given as an option or by the innermost module that has one, or a chip
// file; also the cores and L2 that are used, and remarks on ops that planning
// knows nothing of.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Chip.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Form.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir {

static constexpr StringLiteral kChip = "module.chip";

/// What all modules directly inside `module` say, or those inside them.
static Attribute findInnerAttr(ModuleOp module, StringRef name) {
  Attribute common;
  for (ModuleOp inner : module.getOps<ModuleOp>()) {
    Attribute own = inner->getAttr(name);
    if (!own)
      own = findInnerAttr(inner, name);
    if (!own || (common && common != own))
      return {};
    common = own;
  }
  return common;
}

static bool hasInnerAttr(ModuleOp module, StringRef name) {
  return llvm::any_of(module.getOps<ModuleOp>(), [&](ModuleOp inner) {
    return inner->hasAttr(name) || hasInnerAttr(inner, name);
  });
}

Attribute findModuleAttr(ModuleOp module, StringRef name) {
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (Attribute attribute = module->getAttr(name))
      return attribute;
  return {};
}

Attribute findSharedAttr(ModuleOp module, StringRef name) {
  const Attribute attribute = findModuleAttr(module, name);
  return attribute ? attribute : findInnerAttr(module, name);
}

/// Replaces what modules inside `module` say.
static void replaceInnerAttr(ModuleOp module, StringRef name, Attribute value) {
  for (ModuleOp inner : module.getOps<ModuleOp>()) {
    if (inner->hasAttr(name))
      inner->setAttr(name, value);
    replaceInnerAttr(inner, name, value);
  }
}

void setModuleAttr(ModuleOp module, StringRef name, Attribute value) {
  replaceInnerAttr(module, name, value);
  ModuleOp outermost = module;
  for (ModuleOp around = module; around;
       around = around->getParentOfType<ModuleOp>()) {
    if (around->hasAttr(name))
      around->setAttr(name, value);
    outermost = around;
  }
  if (findSharedAttr(module, name) != value)
    outermost->setAttr(name, value);
}

FailureOr<std::optional<int64_t>> moduleInteger(ModuleOp module,
                                                StringRef name) {
  Attribute attribute = module->getAttr(name);
  if (!attribute)
    return std::optional<int64_t>();
  if (auto value = readInteger(attribute); value && *value >= 0)
    return value;
  return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                        "attribute '" + name +
                            "' of the module has to be an integer that is "
                            "not negative");
}

FailureOr<int64_t> usedCores(ModuleOp module) {
  Attribute attribute = findModuleAttr(module, "module.cores");
  if (!attribute)
    return 1;
  std::optional<int64_t> count = readInteger(attribute);
  if (count && *count >= 1)
    return *count;
  return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                        "attribute 'module.cores' of the module has to be a "
                        "positive integer");
}

FailureOr<int64_t> usableL2Bytes(ModuleOp module,
                                 const target::ChipSpec &chip) {
  FailureOr<int64_t> cores = usedCores(module);
  if (failed(cores))
    return failure();
  return chip.l2Bytes / chip.cores * std::min(*cores, chip.cores);
}

bool isInL2(Value value, const target::ChipSpec &chip) {
  const auto address = getAddress(value.getType());
  return address && *address >= chip.l2Base &&
         *address - chip.l2Base < chip.l2Bytes;
}

bool areKernelsInOrder(ModuleOp module, const target::ChipSpec *chip) {
  return (chip && chip->kernelsInOrder) ||
         module->hasAttr(tpu::kKernelsInOrder);
}

static FailureOr<target::ChipSpec> readChipFile(Location location,
                                                StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return emitCodedError(location, ErrorCode::UnknownChip,
                          "cannot read chip file '" + path +
                              "': " + buffer.getError().message());
  auto parsed = target::parseChipJson((*buffer)->getBuffer());
  if (auto *error = std::get_if<target::ChipError>(&parsed))
    return emitCodedError(location, ErrorCode::UnknownChip,
                          "chip file '" + path + "': " + error->message);
  return std::get<target::ChipSpec>(std::move(parsed));
}

static FailureOr<target::ChipSpec> findChipOf(ModuleOp module, StringRef chip,
                                              StringRef chipFile) {
  if (!chipFile.empty())
    return readChipFile(module.getLoc(), chipFile);
  std::string name = chip.str();
  if (name.empty()) {
    Attribute attribute = findSharedAttr(module, kChip);
    if (attribute && !isa<StringAttr>(attribute))
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            "attribute 'module.chip' has to be a string");
    if (attribute)
      name = cast<StringAttr>(attribute).getValue();
  }
  const bool isClash = name.empty() && hasInnerAttr(module, kChip);
  // Front ends write "ALL" before a chip has been chosen.
  if (name.empty() || StringRef(name).equals_insensitive("all"))
    return emitCodedError(
        module.getLoc(), ErrorCode::UnknownChip,
        Twine(isClash ? "the modules inside are not all for one chip"
                      : "no chip is given") +
            ": set the attribute 'module.chip' or the option "
            "'chip'; known chips: " +
            target::chipNames());
  if (const target::ChipSpec *spec = target::findChip(name))
    return *spec;
  return emitCodedError(module.getLoc(), ErrorCode::UnknownChip,
                        "unknown chip '" + name +
                            "'; known chips: " + target::chipNames() +
                            "; another one can be given as a chip file");
}

FailureOr<target::ChipSpec> resolveChip(ModuleOp module, StringRef chip,
                                        StringRef chipFile) {
  FailureOr<target::ChipSpec> spec = findChipOf(module, chip, chipFile);
  FailureOr<int64_t> cores = usedCores(module);
  if (failed(spec) || failed(cores))
    return failure();
  spec->usedCores = std::min(*cores, spec->cores);
  return spec;
}

LogicalResult checkChipOptions(ModuleOp module, StringRef chip,
                               StringRef chipFile) {
  if (chip.empty() && chipFile.empty())
    return success();
  return resolveChip(module, chip, chipFile);
}

bool isChipName(StringRef text, StringRef name) {
  const target::ChipSpec *known = target::findChip(text);
  return (known ? StringRef(known->name) : text).equals_insensitive(name);
}

void recordChip(ModuleOp module, const target::ChipSpec &chip) {
  auto name = dyn_cast_or_null<StringAttr>(findSharedAttr(module, kChip));
  if (name && isChipName(name.getValue(), chip.name))
    return;
  setModuleAttr(module, kChip, StringAttr::get(module.getContext(), chip.name));
}

/// Why planning cannot go by what it knows of an op; empty when it can.
static std::string whyUnknown(Operation *op) {
  if (!op->isRegistered())
    return "is not defined";
  std::string why = whyUnfit(op);
  return why.empty() ? why : "is not used as it is defined (" + why + ")";
}

LogicalResult checkKnownOps(ModuleOp module, bool strict) {
  // One remark for all ops of a name that have one thing in common.
  llvm::StringSet<> seen;
  LogicalResult result = success();
  module.walk([&](Operation *op) {
    std::string why = whyUnknown(op);
    StringRef name = op->getName().getStringRef();
    if (why.empty() || !seen.insert((name + " " + why).str()).second)
      return;
    if (strict) {
      (void)emitCodedError(op->getLoc(), ErrorCode::UnknownOp,
                           "'" + name + "' " + why +
                               ", and strict mode accepts defined ops only");
      result = failure();
      return;
    }
    emitRemark(op->getLoc())
        << "'" << name << "' " << why
        << ": it is taken to read all its operands and to write every result "
           "to fresh memory";
  });
  return result;
}

} // namespace tpu_mlir
