//===- ZipWriter.cpp - The records of a zip file --------------------------===//

#include "ZipFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <zlib.h>

#include <algorithm>

namespace tpu_mlir::execution {

uint32_t zipChecksum(uint32_t before, std::string_view data) {
  return static_cast<uint32_t>(crc32_z(
      before, reinterpret_cast<const Bytef *>(data.data()), data.size()));
}

static void put(std::string &to, uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    to += static_cast<char>(value >> 8 * i & 255);
}

static bool isLarge(uint64_t number) { return number >= kZipSmallLimit; }

/// The version that can read it: 2.0, or 4.5 where numbers are large.
static int versionFor(bool hasLarge) { return hasLarge ? 45 : 20; }

/// Readers take a name without the flag for one of code page 437, and refuse
/// the whole file where a name with it is no UTF-8.
static int flagsFor(llvm::StringRef name) {
  return !llvm::isASCII(name) && llvm::json::isUTF8(name) ? kZipUtf8 : 0;
}

/// What the header of an entry and its line of the directory have in common;
/// `extra` bytes follow the name.
static void putFacts(std::string &to, const ZipRecord &entry, size_t extra) {
  const uint64_t size = std::min(entry.size, kZipSmallLimit);
  put(to, versionFor(extra > 0), 2);
  put(to, flagsFor(entry.name), 2);
  put(to, 0, 2);          // Stored.
  put(to, 0, 2);          // Midnight,
  put(to, 1 << 5 | 1, 2); // the first of January 1980.
  put(to, entry.checksum, 4);
  put(to, size, 4);
  put(to, size, 4);
  put(to, entry.name.size(), 2);
  put(to, extra, 2);
}

/// The extra field with numbers that do not fit into 32 bits.
static std::string extraOf(const std::vector<uint64_t> &numbers) {
  std::string extra;
  if (numbers.empty())
    return extra;
  put(extra, 1, 2);
  put(extra, 8 * numbers.size(), 2);
  for (uint64_t number : numbers)
    put(extra, number, 8);
  return extra;
}

std::string zipHeader(const ZipRecord &entry) {
  std::vector<uint64_t> large;
  if (isLarge(entry.size))
    large = {entry.size, entry.size};
  const std::string extra = extraOf(large);
  std::string header;
  put(header, kZipLocal, 4);
  putFacts(header, entry, extra.size());
  return header + entry.name + extra;
}

static void putLine(std::string &to, const ZipRecord &entry) {
  std::vector<uint64_t> large;
  if (isLarge(entry.size))
    large = {entry.size, entry.size};
  if (isLarge(entry.at))
    large.push_back(entry.at);
  const std::string extra = extraOf(large);
  put(to, kZipCentral, 4);
  put(to, versionFor(!extra.empty()), 2);
  putFacts(to, entry, extra.size());
  put(to, 0, 2 + 2 + 2); // No comment, disk or
  put(to, 0, 4);         // attributes.
  put(to, std::min(entry.at, kZipSmallLimit), 4);
  to += entry.name + extra;
}

std::string zipDirectory(const std::vector<ZipRecord> &entries, uint64_t at) {
  std::string file;
  for (const ZipRecord &entry : entries)
    putLine(file, entry);
  const uint64_t size = file.size(), count = entries.size();
  if (count >= 0xffff || isLarge(size) || isLarge(at)) {
    put(file, kZipEnd64, 4);
    put(file, 44, 8); // What follows in this record.
    put(file, 45, 2);
    put(file, 45, 2);
    put(file, 0, 4 + 4); // The first disk of one.
    put(file, count, 8);
    put(file, count, 8);
    put(file, size, 8);
    put(file, at, 8);
    put(file, kZipEnd64Locator, 4);
    put(file, 0, 4);
    put(file, at + size, 8);
    put(file, 1, 4);
  }
  put(file, kZipEnd, 4);
  put(file, 0, 4);
  put(file, std::min<uint64_t>(count, 0xffff), 2);
  put(file, std::min<uint64_t>(count, 0xffff), 2);
  put(file, std::min(size, kZipSmallLimit), 4);
  put(file, std::min(at, kZipSmallLimit), 4);
  put(file, 0, 2);
  return file;
}

std::string writeZip(const std::vector<ZipEntry> &entries) {
  std::string file;
  std::vector<ZipRecord> records;
  for (const ZipEntry &entry : entries) {
    records.push_back({entry.name, zipChecksum(0, entry.data),
                       entry.data.size(), file.size()});
    file += zipHeader(records.back()) + entry.data;
  }
  return file + zipDirectory(records, file.size());
}

} // namespace tpu_mlir::execution
