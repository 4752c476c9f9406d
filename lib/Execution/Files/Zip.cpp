//===- Zip.cpp - Read and write zip files ---------------------------------===//
//
// As much of the format as numpy uses: stored and deflated entries up to 4
// GiB, every field checked before it is used.
//
//===----------------------------------------------------------------------===//

#include "ZipFormat.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tpu_mlir::execution {

namespace {

/// Numbers of a file, little-endian, at places that may not be there.
class Bytes {
public:
  explicit Bytes(std::string_view file) : file(file) {}
  bool has(uint64_t at, uint64_t length) const {
    return at <= file.size() && length <= file.size() - at;
  }
  /// 0 where there is nothing.
  uint64_t number(uint64_t at, int width) const {
    if (!has(at, width))
      return 0;
    uint64_t value = 0;
    for (int i = width; i > 0; --i)
      value = value << 8 | static_cast<uint8_t>(file[at + i - 1]);
    return value;
  }
  std::string_view part(uint64_t at, uint64_t length) const {
    return has(at, length) ? file.substr(at, length) : std::string_view();
  }
  uint64_t size() const { return file.size(); }

private:
  std::string_view file;
};

struct Directory {
  uint64_t entries = 0, at = 0;
};

/// A line of the directory.
struct Line {
  std::string name;
  uint64_t flags = 0, method = 0, checksum = 0;
  uint64_t packed = 0, unpacked = 0, local = 0;
  uint64_t length = 0; ///< Of the line itself.
};

} // namespace

/// The record at the end of the file, which a comment may follow.
static std::optional<Directory> findDirectory(const Bytes &bytes) {
  const uint64_t earliest = bytes.size() > 65557 ? bytes.size() - 65557 : 0;
  for (uint64_t at = bytes.size(); at-- > earliest;) {
    if (bytes.number(at, 4) != kZipEnd || !bytes.has(at, 22))
      continue;
    Directory found{bytes.number(at + 10, 2), bytes.number(at + 16, 4)};
    if (at >= 20 && bytes.number(at - 20, 4) == kZipEnd64Locator) {
      const uint64_t large = bytes.number(at - 12, 8);
      if (bytes.number(large, 4) == kZipEnd64)
        found = {bytes.number(large + 32, 8), bytes.number(large + 48, 8)};
    }
    return found;
  }
  return std::nullopt;
}

/// Sizes and places that do not fit into 32 bits are in an extra field, in this
/// order, those that fit left out.
static void readLarge(const Bytes &bytes, uint64_t at, uint64_t length,
                      Line &line) {
  const uint64_t end = at + length;
  while (at + 4 <= end) {
    const uint64_t id = bytes.number(at, 2), size = bytes.number(at + 2, 2);
    uint64_t next = at + 4;
    if (id == 1)
      for (uint64_t *field : {&line.unpacked, &line.packed, &line.local})
        if (*field == kZipSmallLimit && next + 8 <= at + 4 + size) {
          *field = bytes.number(next, 8);
          next += 8;
        }
    at += 4 + size;
  }
}

static std::optional<Line> readLine(const Bytes &bytes, uint64_t at) {
  if (bytes.number(at, 4) != kZipCentral || !bytes.has(at, 46))
    return std::nullopt;
  Line line;
  line.flags = bytes.number(at + 8, 2), line.method = bytes.number(at + 10, 2);
  line.checksum = bytes.number(at + 16, 4);
  line.packed = bytes.number(at + 20, 4);
  line.unpacked = bytes.number(at + 24, 4);
  line.local = bytes.number(at + 42, 4);
  const uint64_t name = bytes.number(at + 28, 2);
  const uint64_t extra = bytes.number(at + 30, 2);
  line.length = 46 + name + extra + bytes.number(at + 32, 2);
  if (!bytes.has(at, line.length))
    return std::nullopt;
  line.name = std::string(bytes.part(at + 46, name));
  readLarge(bytes, at + 46 + name, extra, line);
  return line;
}

/// Nothing when it is damaged.
static std::optional<std::string> inflateAll(std::string_view packed,
                                             uint64_t size) {
  // Deflate makes at most 1032 bytes of one: more is no honest size.
  if (size / 1032 > packed.size())
    return std::nullopt;
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return std::nullopt;
  std::string data(size, '\0');
  constexpr uint64_t kStep = uint64_t(1) << 30;
  uint64_t read = 0, written = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const uint64_t in = std::min(kStep, packed.size() - read);
    const uint64_t out = std::min(kStep, size - written);
    // zlib reads through a pointer to what it could write.
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef *>(data.data() + written);
    stream.avail_out = static_cast<uInt>(out);
    state = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
    if (state == Z_OK && in == stream.avail_in && out == stream.avail_out)
      state = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || written != size)
    return std::nullopt;
  return data;
}

static std::variant<ZipEntry, std::string> readEntry(const Bytes &bytes,
                                                     const Line &line) {
  auto fail = [&](const char *what) {
    return "entry '" + line.name + "' " + what;
  };
  if (line.flags & 1)
    return fail("is encrypted");
  if (line.method != 0 && line.method != 8)
    return fail("is compressed in a way that is not read");
  if (bytes.number(line.local, 4) != kZipLocal || !bytes.has(line.local, 30))
    return fail("is cut off");
  const uint64_t begin = line.local + 30 + bytes.number(line.local + 26, 2) +
                         bytes.number(line.local + 28, 2);
  if (!bytes.has(begin, line.packed))
    return fail("is cut off");
  const std::string_view packed = bytes.part(begin, line.packed);
  std::optional<std::string> data;
  if (line.method == 8)
    data = inflateAll(packed, line.unpacked);
  else if (line.packed == line.unpacked)
    data = std::string(packed);
  if (!data || zipChecksum(0, *data) != line.checksum)
    return fail("is damaged");
  return ZipEntry{line.name, std::move(*data)};
}

std::variant<std::vector<ZipEntry>, std::string>
readZip(std::string_view file) {
  const Bytes bytes(file);
  std::optional<Directory> directory = findDirectory(bytes);
  if (!directory)
    return std::string("it is no zip file, or it is cut off");
  std::vector<ZipEntry> entries;
  uint64_t at = directory->at;
  for (uint64_t i = 0; i < directory->entries; ++i) {
    std::optional<Line> line = readLine(bytes, at);
    if (!line)
      return std::string("its directory is damaged");
    at += line->length;
    auto entry = readEntry(bytes, *line);
    if (auto *error = std::get_if<std::string>(&entry))
      return *error;
    entries.push_back(std::move(std::get<ZipEntry>(entry)));
  }
  return entries;
}

} // namespace tpu_mlir::execution
