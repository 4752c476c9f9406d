//===- TpuAttrs.h - Attributes of the Tpu dialect ---------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_H

#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <array>
#include <utility>

#include "tpu_mlir/Dialect/Tpu/IR/TpuEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h.inc"

namespace tpu_mlir::tpu {

/// The number of the case that is called `word`, in these letters or, when that
/// names one case alone, in capital or small ones. `nameOf` is empty behind the
/// last case: they are numbered from 0 without gaps. O(cases).
std::optional<int64_t>
findCase(llvm::StringRef word,
         llvm::function_ref<llvm::StringRef(uint32_t)> nameOf);

/// The case that an attribute names: the enum as such, its name as a string, or
/// its number. nullopt for null and for what is no case that is known.
template <typename EnumAttr>
auto readEnum(mlir::Attribute attribute)
    -> std::optional<decltype(std::declval<EnumAttr>().getValue())> {
  using Enum = decltype(std::declval<EnumAttr>().getValue());
  if (auto value = mlir::dyn_cast_or_null<EnumAttr>(attribute))
    return value.getValue();
  const auto nameOf = [](uint32_t number) {
    return stringifyEnum(static_cast<Enum>(number));
  };
  std::optional<llvm::StringRef> word = readWord(attribute);
  const std::optional<int64_t> number =
      word ? findCase(*word, nameOf) : readInteger(attribute);
  if (!number || *number < 0 || *number > UINT32_MAX || nameOf(*number).empty())
    return std::nullopt;
  return static_cast<Enum>(*number);
}

} // namespace tpu_mlir::tpu

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_H
