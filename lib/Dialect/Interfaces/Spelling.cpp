//===- Spelling.cpp - How attributes and ops may be written ---------------===//

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "tpu_mlir/Dialect/Interfaces/Form.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/KeptText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/Threading.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir {

static std::optional<int64_t> fitInto64(const APInt &value, bool isUnsigned) {
  // i0 has one number, and no sign bit to look at.
  if (value.getBitWidth() == 0)
    return 0;
  return isUnsigned && !value.isIntN(63) ? std::nullopt
         : isUnsigned                    ? int64_t(value.getZExtValue())
                                         : value.trySExtValue();
}

/// A flag counts up: `true` is 1, not the -1 of one signed bit.
static bool isReadUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

std::optional<int64_t> readInteger(Attribute attribute) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    return fitInto64(integer.getValue(), isReadUnsigned(integer.getType()));
  auto real = dyn_cast_or_null<FloatAttr>(attribute);
  if (!real)
    return std::nullopt;
  double value = real.getValueAsDouble();
  // Above 2^53 not every integer is a double.
  if (std::trunc(value) != value || std::abs(value) > 9007199254740992.0)
    return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<bool> readFlag(Attribute attribute) {
  if (isa_and_nonnull<UnitAttr>(attribute))
    return true;
  std::optional<int64_t> number = readInteger(attribute);
  if (!number || (*number != 0 && *number != 1))
    return std::nullopt;
  return *number == 1;
}

std::optional<SmallVector<int64_t>> readIntegers(Attribute attribute) {
  SmallVector<int64_t> numbers;
  if (auto list = dyn_cast_or_null<ArrayAttr>(attribute)) {
    for (Attribute element : list) {
      std::optional<int64_t> number = readInteger(element);
      if (!number)
        return std::nullopt;
      numbers.push_back(*number);
    }
    return numbers;
  }
  auto append = [&](auto list) {
    for (auto number : list.asArrayRef())
      numbers.push_back(number);
    return numbers;
  };
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return append(list);
  if (auto list = dyn_cast_or_null<DenseI32ArrayAttr>(attribute))
    return append(list);
  if (auto list = dyn_cast_or_null<DenseI16ArrayAttr>(attribute))
    return append(list);
  if (auto list = dyn_cast_or_null<DenseI8ArrayAttr>(attribute))
    return append(list);
  if (auto list = dyn_cast_or_null<DenseBoolArrayAttr>(attribute))
    return append(list);
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  if (!dense)
    return std::nullopt;
  bool isUnsigned = isReadUnsigned(dense.getElementType());
  for (const APInt &value : dense.getValues<APInt>()) {
    std::optional<int64_t> number = fitInto64(value, isUnsigned);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<StringRef> readWord(Attribute attribute) {
  if (auto text = dyn_cast_or_null<StringAttr>(attribute))
    return text.getValue();
  return std::nullopt;
}

std::string FormOpInterface::whyUnfit() {
  Operation *op = getOperation();
  std::string why;
  // What other threads say meanwhile is not for us.
  ScopedDiagnosticHandler listen(
      op->getContext(),
      [&, self = llvm::get_threadid()](Diagnostic &diagnostic) {
        if (llvm::get_threadid() != self)
          return failure();
        if (why.empty())
          why = diagnostic.str();
        return success();
      });
  if (succeeded(verifyForm()))
    return "";
  // Whoever reports it names the op.
  std::string prefix = ("'" + op->getName().getStringRef() + "' op ").str();
  StringRef rest = why;
  rest.consume_front(prefix);
  return rest.str();
}

std::string whyUnfit(Operation *op) {
  auto form = dyn_cast<FormOpInterface>(op);
  return form ? form.whyUnfit() : "";
}

SmallVector<InPlaceEdge> InPlaceOpInterface::getInPlaceEdges() {
  if (!whyUnfit(getOperation()).empty())
    return {};
  return statedInPlaceEdges();
}

LocalFacts LocalSliceOpInterface::getLocalFacts() {
  std::string why = whyUnfit(getOperation());
  return why.empty() ? statedLocalFacts() : LocalFacts::global(why);
}

Attribute keptAttribute(DialectAsmParser &parser, StringRef dialect,
                        Type type) {
  return OpaqueAttr::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); },
      StringAttr::get(parser.getContext(), dialect), parser.getFullSymbolSpec(),
      type ? type : NoneType::get(parser.getContext()));
}

Type keptType(DialectAsmParser &parser, StringRef dialect) {
  return OpaqueType::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); },
      StringAttr::get(parser.getContext(), dialect),
      parser.getFullSymbolSpec());
}

} // namespace tpu_mlir
