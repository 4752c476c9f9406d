//===- InlineBytes.cpp - Numbers that a weight has in the module ----------===//
//
// Small weights stand in the text of a module. Some writers print the bytes,
// some their hexadecimal digits; the size of the tensor tells which.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/WeightFile/InlineBytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir::weight_files {

std::optional<std::string> inlineBytes(Operation *weight, int64_t sizeBytes) {
  auto data = weight->getAttrOfType<StringAttr>("inline_bytes");
  if (!data)
    return std::nullopt;
  const StringRef text = data.getValue();
  const int64_t length = static_cast<int64_t>(text.size());
  std::string bytes;
  if (length == sizeBytes)
    return text.str();
  if (length % 2 == 0 && length / 2 == sizeBytes &&
      llvm::tryGetFromHex(text, bytes))
    return bytes;
  return std::nullopt;
}

} // namespace tpu_mlir::weight_files
