//===- Zip.h - Files in a file ----------------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_EXECUTION_FILES_ZIP_H
#define TPU_MLIR_LIB_EXECUTION_FILES_ZIP_H

#include <cstdint>
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

/// Stored, without times.
std::string writeZip(const std::vector<ZipEntry> &entries);

// The parts of such a file, for who writes it piece by piece.

struct ZipRecord {
  std::string name;
  uint32_t checksum = 0; ///< Of all data, see zipChecksum().
  uint64_t size = 0;     ///< Bytes of data.
  uint64_t at = 0;       ///< Where its header begins.
};

/// Where in a header the checksum stands: 4 bytes, little-endian.
inline constexpr uint64_t kZipChecksumAt = 14;

/// Of data that follows other data; 0 before the first.
uint32_t zipChecksum(uint32_t before, std::string_view data);
/// What stands in front of an entry's data.
std::string zipHeader(const ZipRecord &entry);
/// What ends a file, at byte `at`.
std::string zipDirectory(const std::vector<ZipRecord> &entries, uint64_t at);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_LIB_EXECUTION_FILES_ZIP_H
