//===- Utf8.h - Names of any bytes in texts of UTF-8 ------------*- C++ -*-===//

#ifndef TPU_MLIR_SUPPORT_UTF8_H
#define TPU_MLIR_SUPPORT_UTF8_H

#include <string>
#include <string_view>

namespace tpu_mlir {

/// `text` with U+FFFD for whatever is not UTF-8. Names come from files of
/// others and may be any bytes; JSON, XML, pages and terminals cannot say them.
/// O(bytes).
std::string asUtf8(std::string_view text);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_UTF8_H
