//===- Zip.h - Files in a file ----------------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_EXECUTION_FILES_ZIP_H
#define TPU_MLIR_LIB_EXECUTION_FILES_ZIP_H

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tpu_mlir::execution {

struct ZipEntry {
  std::string name;
  std::string data;
};

/// All entries, or what is wrong: no zip file, cut off, damaged, encrypted or
/// compressed in another way than deflate. Sizes beyond 4 GiB are read.
std::variant<std::vector<ZipEntry>, std::string> readZip(std::string_view file);

/// Stored, without times; all of it below 4 GiB, fewer than 65,535 entries.
std::string writeZip(const std::vector<ZipEntry> &entries);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_LIB_EXECUTION_FILES_ZIP_H
