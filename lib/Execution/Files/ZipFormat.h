//===- ZipFormat.h - Numbers that zip files are known by --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_EXECUTION_FILES_ZIPFORMAT_H
#define TPU_MLIR_LIB_EXECUTION_FILES_ZIPFORMAT_H

#include "Zip.h"

namespace tpu_mlir::execution {

/// The first four bytes of each record.
inline constexpr uint32_t kZipLocal = 0x04034b50, kZipCentral = 0x02014b50,
                          kZipEnd = 0x06054b50, kZipEnd64 = 0x06064b50,
                          kZipEnd64Locator = 0x07064b50;
/// Among the flags of an entry: its name is UTF-8.
inline constexpr int kZipUtf8 = 1 << 11;
/// In a field of 32 bits: the number is in an extra field.
inline constexpr uint64_t kZipSmallLimit = 0xffffffff;

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_LIB_EXECUTION_FILES_ZIPFORMAT_H
