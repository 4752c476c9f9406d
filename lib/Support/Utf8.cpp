//===- Utf8.cpp - Names of any bytes in texts of UTF-8 --------------------===//

#include "tpu_mlir/Support/Utf8.h"

#include "llvm/Support/JSON.h"

namespace tpu_mlir {

std::string asUtf8(std::string_view text) {
  return llvm::json::isUTF8(text) ? std::string(text)
                                  : llvm::json::fixUTF8(text);
}

} // namespace tpu_mlir
