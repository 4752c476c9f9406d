#include "lib/Transforms/ConvertTopToTpu/FloatMode.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir {

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

} // namespace tpu_mlir
