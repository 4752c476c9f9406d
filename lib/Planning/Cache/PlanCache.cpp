//===- PlanCache.cpp - Whole keys to values, in memory and in files -------===//

#include "tpu_mlir/Planning/PlanCache.h"

#include "tpu_mlir/Support/AtomicFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// The first bytes of every file; another form has another number.
constexpr std::string_view kMagic = "tpu_memory plan cache 1\n";
constexpr size_t kSumBytes = 16;
/// No answer is that long.
constexpr uint64_t kMostBytes = uint64_t(1) << 30;

std::string hashOf(std::string_view text) {
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  std::string bytes;
  for (uint64_t half : {hash.high64, hash.low64})
    for (int shift = 56; shift >= 0; shift -= 8)
      bytes += char(half >> shift);
  return bytes;
}

std::string hexOfHash(std::string_view key) {
  return llvm::toHex(hashOf(key), /*LowerCase=*/true);
}

std::string entryOf(std::string_view key, std::string_view value) {
  CacheWriter body;
  body.word(key).word(value);
  std::string entry = std::string(kMagic) + body.take();
  return entry + hashOf(entry);
}

/// What an entry is for, and what it says; nullopt: it is none.
struct Entry {
  std::string key, value;
};
std::optional<Entry> parseEntry(std::string_view text) {
  if (text.size() < kMagic.size() + kSumBytes ||
      text.substr(0, kMagic.size()) != kMagic)
    return std::nullopt;
  const std::string_view summed = text.substr(0, text.size() - kSumBytes);
  if (hashOf(summed) != text.substr(summed.size()))
    return std::nullopt;
  CacheReader reader(summed.substr(kMagic.size()));
  Entry entry;
  entry.key = reader.word();
  entry.value = reader.word();
  return reader.isWhole() ? std::optional(std::move(entry)) : std::nullopt;
}

} // namespace

//===----------------------------------------------------------------------===//
// Lists of numbers and words.
//===----------------------------------------------------------------------===//

CacheWriter &CacheWriter::number(int64_t value) {
  // The sign goes into the lowest bit, then seven bits a byte.
  uint64_t bits = (uint64_t(value) << 1) ^ (value < 0 ? ~uint64_t(0) : 0);
  for (; bits >= 0x80; bits >>= 7)
    bytes += char(0x80 | (bits & 0x7f));
  bytes += char(bits);
  return *this;
}

CacheWriter &CacheWriter::numbers(const std::vector<int64_t> &values) {
  number(int64_t(values.size()));
  for (int64_t value : values)
    number(value);
  return *this;
}

CacheWriter &CacheWriter::word(std::string_view text) {
  number(int64_t(text.size()));
  bytes += text;
  return *this;
}

int64_t CacheReader::number() {
  uint64_t bits = 0;
  for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = uint8_t(rest.front());
    rest.remove_prefix(1);
    bits |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return int64_t((bits >> 1) ^ (bits & 1 ? ~uint64_t(0) : 0));
  }
  isRight = false;
  rest = {};
  return 0;
}

int64_t CacheReader::number(int64_t low, int64_t high) {
  const int64_t value = number();
  if (value >= low && value <= high)
    return value;
  isRight = false;
  return low;
}

size_t CacheReader::count(size_t least) {
  const int64_t value = number();
  if (value >= 0 && uint64_t(value) <= rest.size() / std::max<size_t>(1, least))
    return size_t(value);
  isRight = false;
  return 0;
}

std::vector<int64_t> CacheReader::numbers() {
  std::vector<int64_t> values(count());
  for (int64_t &value : values)
    value = number();
  return values;
}

std::string CacheReader::word() {
  const size_t length = count();
  std::string text(rest.substr(0, length));
  rest.remove_prefix(length);
  return text;
}

//===----------------------------------------------------------------------===//
// The cache.
//===----------------------------------------------------------------------===//

PlanCache::PlanCache(std::string folder, FileName fileName)
    : folder(std::move(folder)), fileName(std::move(fileName)) {}

std::string PlanCache::pathOf(std::string_view key) const {
  return folder + "/" + (fileName ? fileName(key) : hexOfHash(key)) + ".plan";
}

void PlanCache::remark(std::string text) {
  if (std::find(remarks.begin(), remarks.end(), text) == remarks.end())
    remarks.push_back(std::move(text));
}

std::vector<std::string> PlanCache::takeRemarks() {
  return std::exchange(remarks, {});
}

std::optional<std::string> PlanCache::read(std::string_view key) {
  const std::string path = pathOf(key);
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return std::nullopt;
  const auto ignore = [&](const std::string &why) {
    remark("'" + path + "' of the plan cache is ignored: " + why);
    return std::nullopt;
  };
  // A pipe would wait for a writer.
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return ignore("it is no file");
  if (status.getSize() > kMostBytes)
    return ignore("it is too large");
  auto text = readWholeFile(path);
  if (const auto *error = std::get_if<FileError>(&text))
    return ignore(error->message);
  std::optional<Entry> entry = parseEntry(std::get<std::string>(text));
  if (!entry)
    return ignore("it is damaged, or of another version");
  // The name is a hash: another question may have it, too.
  if (entry->key != key)
    return std::nullopt;
  return std::move(entry->value);
}

std::optional<std::string> PlanCache::find(std::string_view key) {
  if (const auto known = values.find(key); known != values.end()) {
    ++found;
    return known->second;
  }
  std::optional<std::string> value;
  if (!folder.empty())
    value = read(key);
  ++(value ? found : missed);
  if (value)
    values.emplace(key, *value);
  return value;
}

void PlanCache::add(std::string_view key, std::string value) {
  if (!folder.empty()) {
    std::optional<FileError> error;
    if (const std::error_code code = llvm::sys::fs::create_directories(folder))
      error = FileError{"cannot make '" + folder + "': " + code.message()};
    else
      error = writeFileAtomically(pathOf(key), entryOf(key, value));
    if (error)
      remark("nothing is added to the plan cache: " + error->message);
  }
  values.insert_or_assign(std::string(key), std::move(value));
}

void PlanCache::reject(std::string_view key) {
  if (const auto known = values.find(key); known != values.end())
    values.erase(known);
  --found;
  ++missed;
  if (!folder.empty())
    remark("'" + pathOf(key) +
           "' of the plan cache is ignored: what it says does not hold");
}

} // namespace tpu_mlir::planning
