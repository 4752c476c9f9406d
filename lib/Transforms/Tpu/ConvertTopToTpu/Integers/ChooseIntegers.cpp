//===- ChooseIntegers.cpp - How a module becomes integers -----------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/ChooseIntegers.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Quantization/Factors.h"
#include "tpu_mlir/Quantization/QuantizeTable.h"
#include "tpu_mlir/Support/AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace tpu_mlir::lowering {

using quantization::Scheme;

static quant::CalibratedQuantizedType rangeOf(Value value) {
  auto tensor = dyn_cast<TensorType>(value.getType());
  return tensor
             ? dyn_cast<quant::CalibratedQuantizedType>(tensor.getElementType())
             : quant::CalibratedQuantizedType();
}

static SmallVector<Value> valuesWithRanges(ModuleOp module) {
  SmallVector<Value> values;
  module.walk([&](Operation *op) {
    llvm::copy_if(op->getResults(), std::back_inserter(values), rangeOf);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::copy_if(block.getArguments(), std::back_inserter(values),
                      rangeOf);
  });
  return values;
}

static std::string spelled(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

/// The names of all results, for a table that names others.
static llvm::StringSet<> resultNames(ModuleOp module) {
  llvm::StringSet<> names;
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      names.insert(nameOf(result));
  });
  return names;
}

static LogicalResult readFloats(ModuleOp module, const std::string &file,
                                IntegerMode &mode) {
  auto text = readWholeFile(file);
  if (auto *error = std::get_if<FileError>(&text))
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                          error->message);
  const auto fail = [&](int64_t line, const Twine &message) {
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                          "quantize table '" + file + "', line " + Twine(line) +
                              ": " + message);
  };
  auto table = quantization::parseQuantizeTable(std::get<std::string>(text));
  if (auto *error = std::get_if<quantization::TableError>(&table))
    return fail(error->line, error->message);
  const llvm::StringSet<> names = resultNames(module);
  for (const quantization::QuantizeEntry &entry :
       std::get<std::vector<quantization::QuantizeEntry>>(table)) {
    if (!names.contains(entry.name))
      emitWarning(module.getLoc())
          << "'" << entry.name << "' of '" << file
          << "' is no tensor of the network: the line has no effect";
    if (entry.mode == mode.name)
      continue;
    auto floats = FloatMode::parse(entry.mode);
    if (!floats || StringRef(entry.mode).starts_with_insensitive("W"))
      return fail(entry.line, "'" + entry.mode +
                                  "' is no mode of one op here: " + mode.name +
                                  ", F32, F16 or BF16");
    if (mode.scheme == Scheme::Qdm)
      floats = mode.floats;
    mode.chosenFloats[entry.name] = *floats;
  }
  return success();
}

static constexpr std::pair<llvm::StringLiteral, Elements> kModes[] = {
    {"INT8", Elements::Integers},
    {"F8E4M3", Elements::F8E4M3},
    {"F8E5M2", Elements::F8E5M2}};

bool isIntegerMode(StringRef modeName) {
  return llvm::any_of(kModes, [&](const auto &mode) {
    return mode.first.equals_insensitive(modeName);
  });
}

/// Every range has a scale. Of a network that was given ranges no tensor may
/// have one: it has no floats, they are constants, or all of them are zero.
static LogicalResult checkRanges(ModuleOp module, const IntegerMode &mode) {
  if (mode.elements == Elements::F8E5M2)
    return success();
  const SmallVector<Value> values = valuesWithRanges(module);
  for (Value value : values)
    if (auto range = rangeOf(value);
        !quantization::hasScale(range.getMin(), range.getMax()))
      return emitCodedError(
          value.getLoc(), ErrorCode::BadAttribute,
          "the range of '" + nameOf(value).str() + "', " +
              spelled(range.getMin()) + " to " + spelled(range.getMax()) +
              ", has no scale in f32: its larger end has to be from 2^-117 to "
              "the largest f32");
  if (!values.empty())
    return success();
  auto state = readWord(findSharedAttr(module, "module.state"));
  if (state != "TOP_CALIBRATED")
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          mode.name +
                              " needs the ranges of tensors, and there are "
                              "none: give a calibration table to "
                              "--import-calibration-table before");
  emitWarning(module.getLoc())
      << "nothing becomes "
      << (mode.elements == Elements::Integers ? "integers" : mode.name)
      << ": no tensor has a range other than zero";
  return success();
}

FailureOr<IntegerMode> chooseIntegers(ModuleOp module,
                                      const target::ChipSpec &chip,
                                      StringRef modeName,
                                      const std::string &quantizeTable) {
  auto scheme = quantization::schemeOf(chip.requantBytes);
  if (!scheme || chip.batchLayout == target::BatchLayout::FourN)
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          "'" + chip.name +
                              "' has no rules here for integers that stand for "
                              "floats; lower to a float mode, or choose "
                              "another chip");
  IntegerMode mode;
  mode.scheme = *scheme;
  for (const auto &[name, elements] : kModes)
    if (name.equals_insensitive(modeName))
      mode.name = name.str(), mode.elements = elements;
  const bool isFloat8 = mode.elements != Elements::Integers;
  if (isFloat8 && !chip.hasFloat8)
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          "'" + chip.name +
                              "' computes no floats of 8 bits: lower to INT8 "
                              "or a float mode, or choose another chip");
  if (failed(checkRanges(module, mode)))
    return failure();
  mode.asymmetric =
      readFlag(findSharedAttr(module, "module.asymmetric")).value_or(false);
  mode.floats = *FloatMode::parse(
      chip.halfFloat == target::HalfFloat::BF16 ? "BF16" : "F16");
  if (mode.asymmetric && (*scheme == Scheme::Qdm || isFloat8))
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          (isFloat8 ? mode.name : "'" + chip.name + "'") +
                              " has no zero points: ranges have to be "
                              "symmetric");
  if (!quantizeTable.empty() && failed(readFloats(module, quantizeTable, mode)))
    return failure();
  return mode;
}

std::optional<IntegerMode> choosePacking(const FloatMode &floats,
                                         int64_t groupSize, bool isSymmetric,
                                         int64_t lanes) {
  StringRef name = floats.name;
  IntegerMode mode;
  if (!name.consume_front("W") ||
      name.take_while(llvm::isDigit).getAsInteger(10, mode.packedBits))
    return std::nullopt;
  mode.floats = floats;
  mode.groupSize = groupSize;
  mode.isSymmetric = isSymmetric;
  mode.lanes = lanes;
  return mode;
}

/// All rules of a mode, by the names of Top ops.
static IntegerRules rulesOf(const IntegerMode &mode) {
  IntegerRules rules;
  if (mode.packedBits) {
    addPackingRules(rules);
    return rules;
  }
  if (mode.elements != Elements::Integers) {
    if (mode.elements == Elements::F8E4M3)
      addFloat8Rules(rules);
    return rules;
  }
  addWindowRules(rules);
  addMatrixRules(rules);
  addArithmeticRules(rules);
  addTableRules(rules);
  addMoveRules(rules);
  return rules;
}

IntegerLowering integerLowering(const IntegerMode &mode) {
  return [&mode, rules = rulesOf(mode)](Operation *top, const Recipe &recipe,
                                        FunctionLowering &lowering) {
    auto rule = rules.find(top->getName().getStringRef());
    if (rule == rules.end())
      return false;
    IntegerOp op(top, recipe, mode, lowering);
    return rule->second(op);
  };
}

} // namespace tpu_mlir::lowering
