//===- Naming.cpp - Names of modes, types and values ----------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/FloatMode.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tpu_mlir::lowering {

StringRef nameOf(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

StringRef nameOf(Value value) {
  Location location = value.getLoc();
  auto result = dyn_cast<OpResult>(value);
  // An op with several results has a fused location with a part for each.
  if (auto fused = dyn_cast<FusedLoc>(location); fused && result)
    if (fused.getLocations().size() == result.getOwner()->getNumResults())
      return nameOf(fused.getLocations()[result.getResultNumber()]);
  return nameOf(location);
}

std::string typeSuffix(Type element) {
  std::string text = "_";
  // By what is stored: "_si8".
  if (auto ranged = dyn_cast<quant::CalibratedQuantizedType>(element))
    element = ranged.getExpressedType();
  else if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    element = IntegerType::get(
        element.getContext(), quantized.getStorageTypeIntegralWidth(),
        quantized.isSigned() ? IntegerType::Signed : IntegerType::Unsigned);
  llvm::raw_string_ostream(text) << element;
  return text;
}

Location renamed(Location location, const Twine &name) {
  auto old = location->findInstanceOf<NameLoc>();
  auto text = StringAttr::get(location->getContext(), name);
  if (!old || text.getValue().empty())
    return location;
  return NameLoc::get(text, old.getChildLoc());
}

namespace {
struct NamedKind {
  llvm::StringLiteral name;
  FloatMode::Kind kind;
};
} // namespace

static constexpr NamedKind kModes[] = {
    {"F32", FloatMode::Kind::F32},     {"F16", FloatMode::Kind::F16},
    {"BF16", FloatMode::Kind::BF16},   {"W4F16", FloatMode::Kind::F16},
    {"W8F16", FloatMode::Kind::F16},   {"W4BF16", FloatMode::Kind::BF16},
    {"W8BF16", FloatMode::Kind::BF16},
};

FloatType FloatMode::type(MLIRContext *context) const {
  switch (kind) {
  case Kind::F16:
    return Float16Type::get(context);
  case Kind::BF16:
    return BFloat16Type::get(context);
  case Kind::F32:
    break;
  }
  return Float32Type::get(context);
}

std::optional<FloatMode> FloatMode::parse(StringRef text) {
  for (const NamedKind &mode : kModes)
    if (mode.name.equals_insensitive(text))
      return FloatMode{mode.name.str(), mode.kind};
  return std::nullopt;
}

std::string FloatMode::names() {
  return llvm::join(llvm::map_range(kModes, [](auto &m) { return m.name; }),
                    ", ");
}

} // namespace tpu_mlir::lowering
