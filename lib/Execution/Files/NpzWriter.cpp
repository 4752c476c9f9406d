//===- NpzWriter.cpp - Large files of arrays, part by part ----------------===//

#include "tpu_mlir/Execution/Files/NpzWriter.h"

#include "Npy.h"
#include "Zip.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tpu_mlir::execution {

std::string npyHeader(std::string_view dtype, llvm::ArrayRef<int64_t> shape) {
  std::string dims;
  for (int64_t dim : shape)
    dims += std::to_string(dim) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1)
    dims.resize(dims.size() - 2);
  std::string text = "{'descr': '" + std::string(dtype) +
                     "', 'fortran_order': False, 'shape': (" + dims + "), }";
  // The data begins at a multiple of 64.
  text.append(63 - (kNpyMagic.size() + 4 + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kNpyMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

std::optional<NpzError> checkName(llvm::StringRef name) {
  constexpr size_t kMost = 0xffff - 4;
  if (name.size() <= kMost)
    return std::nullopt;
  return NpzError{"the name of an array, '" + name.take_front(20).str() +
                  "..', has " + std::to_string(name.size()) +
                  " bytes: " + std::to_string(kMost) + " are the most"};
}

struct NpzWriter::State {
  static constexpr size_t kBuffer = 1 << 20;

  std::string path;      ///< As the caller calls it.
  std::string target;    ///< Behind links.
  std::string temporary; ///< "": not there any more.
  int fd = -1;
  Error error;
  std::string buffer; ///< What follows what is written.
  uint64_t written = 0;
  std::vector<ZipRecord> entries;
  uint64_t missing = 0; ///< Bytes of the last entry.

  void fail(int code) {
    if (!error)
      error = NpzError{
          "cannot write '" + path + "': " +
          llvm::StringRef(std::generic_category().message(code)).lower()};
  }
  void open();
  void flush();
  void put(std::string_view bytes);
  void writeAll(std::string_view bytes);
  void close();
  void endEntry();
};

void NpzWriter::State::open() {
  char *resolved = ::realpath(path.c_str(), nullptr);
  target = resolved ? resolved : path;
  std::free(resolved);
  struct stat status;
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    return fail(S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  std::string name = target + ".tmp-XXXXXX";
  fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0)
    return fail(errno);
  temporary = name;
  llvm::sys::RemoveFileOnSignal(temporary);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(fd, exists ? status.st_mode & 07777 : 0666 & ~mask) != 0)
    fail(errno);
}

void NpzWriter::State::writeAll(std::string_view bytes) {
  while (!bytes.empty() && !error) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(errno);
    bytes.remove_prefix(static_cast<size_t>(count));
    written += static_cast<uint64_t>(count);
  }
}

void NpzWriter::State::flush() {
  writeAll(buffer);
  buffer.clear();
}

/// Large parts go past the buffer.
void NpzWriter::State::put(std::string_view bytes) {
  if (buffer.size() + bytes.size() > kBuffer)
    flush();
  if (bytes.size() > kBuffer)
    return writeAll(bytes);
  buffer += bytes;
}

/// The checksum goes to its place in the header.
void NpzWriter::State::endEntry() {
  if (error || entries.empty())
    return;
  if (missing > 0) {
    error = NpzError{"array '" + entries.back().name +
                     "' has fewer elements than its shape says"};
    return;
  }
  char bytes[4];
  for (int i = 0; i < 4; ++i)
    bytes[i] = static_cast<char>(entries.back().checksum >> 8 * i & 255);
  const uint64_t at = entries.back().at + kZipChecksumAt;
  if (at >= written)
    buffer.replace(at - written, 4, bytes, 4);
  else if (at + 4 > written)
    flush();
  if (at < written && ::pwrite(fd, bytes, 4, static_cast<off_t>(at)) != 4)
    fail(errno);
}

void NpzWriter::State::close() {
  if (fd >= 0 && ::close(fd) != 0)
    fail(errno);
  fd = -1;
}

NpzWriter::NpzWriter(std::string path) : state(new State) {
  state->path = std::move(path);
  state->open();
}

NpzWriter::~NpzWriter() {
  state->close();
  if (state->temporary.empty())
    return;
  ::unlink(state->temporary.c_str());
  llvm::sys::DontRemoveFileOnSignal(state->temporary);
}

const std::string &NpzWriter::currentPath() const {
  return state->temporary.empty() ? state->path : state->temporary;
}

int64_t NpzWriter::size() const {
  return static_cast<int64_t>(state->written + state->buffer.size());
}

NpzWriter::Error NpzWriter::begin(llvm::StringRef name, llvm::StringRef dtype,
                                  llvm::ArrayRef<int64_t> shape) {
  state->endEntry();
  if (!state->error)
    state->error = checkName(name);
  if (state->error)
    return state->error;
  const std::string header = npyHeader(dtype.str(), shape);
  const TensorType counted{ElementType::U8, Shape(shape.begin(), shape.end())};
  const uint64_t width = dtype.back() - '0';
  state->missing =
      static_cast<uint64_t>(counted.elements().value_or(0)) * width;
  ZipRecord entry{name.str() + ".npy", zipChecksum(0, header),
                  header.size() + state->missing,
                  static_cast<uint64_t>(size())};
  state->put(zipHeader(entry));
  state->put(header);
  state->entries.push_back(std::move(entry));
  return state->error;
}

NpzWriter::Error NpzWriter::append(llvm::StringRef bytes) {
  if (!state->error && bytes.size() > state->missing)
    state->error = NpzError{"array '" + state->entries.back().name +
                            "' has more elements than its shape says"};
  if (state->error)
    return state->error;
  uint32_t &checksum = state->entries.back().checksum;
  checksum = zipChecksum(checksum, bytes);
  state->put(bytes);
  state->missing -= bytes.size();
  return state->error;
}

NpzWriter::Error NpzWriter::finish() {
  state->endEntry();
  state->put(zipDirectory(state->entries, static_cast<uint64_t>(size())));
  state->flush();
  state->close();
  return state->error;
}

NpzWriter::Error NpzWriter::putInPlace() {
  if (!state->error &&
      ::rename(state->temporary.c_str(), state->target.c_str()) != 0)
    state->fail(errno);
  if (state->error)
    return state->error;
  llvm::sys::DontRemoveFileOnSignal(state->temporary);
  state->temporary.clear();
  return std::nullopt;
}

} // namespace tpu_mlir::execution
