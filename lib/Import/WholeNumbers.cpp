//===- WholeNumbers.cpp - Integers in a module of floats ------------------===//

#include "lib/Import/Rule.h"

#include "llvm/ADT/STLExtras.h"

namespace tpu_mlir::importer {

static bool isWhole(DataType type) {
  return !isFloat(type) && type != DataType::Bool && hasNumbers(type);
}

void NodeContext::markWholeNumbers() {
  const auto isOfIntegers = [&](const std::vector<std::string> &names) {
    auto first = names.empty() ? values.end() : values.find(names.front());
    return first != values.end() && isWhole(first->second.type);
  };
  if (isOfIntegers(node.inputs) || isOfIntegers(node.outputs))
    for (const Value &value : made)
      module.annotate(value, {kWholeNumbers});
}

/// Whether the type has integers that one of 32 bits with a sign does not hold.
static bool isWide(DataType type) {
  return type == DataType::I64 || type == DataType::U64 ||
         type == DataType::U32;
}

/// Those that a chip's integers might cut off stay floats: what is left of a
/// division by one is the fraction, exactly, and the rest is whole.
Value NodeContext::truncate(const Value &x, DataType type) {
  if (isWide(type))
    return binary("Sub", x, binary("Mod", x, weight("one", {}, {1.0f})));
  return unary("Cast", x, {{"to", "INT32"}, {"round_mode", "TowardsZero"}});
}

} // namespace tpu_mlir::importer
