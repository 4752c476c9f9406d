//===- AtomicFile.cpp - Whole files or none -------------------------------===//

#include "tpu_mlir/Support/AtomicFile.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tpu_mlir {
namespace {

FileError errorOf(const char *verb, const std::string &path, int code) {
  // "No such file or directory" in the middle of a message reads better small.
  std::string reason = std::generic_category().message(code);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z')
    reason[0] = char(reason[0] - 'A' + 'a');
  return {"cannot " + std::string(verb) + " '" + path + "': " + reason};
}

/// Closes on every way out.
struct Descriptor {
  int fd;
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
  /// Network file systems report a full disk only here.
  int close() {
    const int result = ::close(fd);
    fd = -1;
    return result == 0 ? 0 : errno;
  }
};

/// 0 or the error code.
int writeAll(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    contents.remove_prefix(size_t(written));
  }
  return 0;
}

/// What a new file may be used for: everything but what umask takes away.
mode_t permissionsOfNewFiles() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

int writeInPlace(const std::string &path, std::string_view contents) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.fd < 0)
    return errno;
  const int code = writeAll(file.fd, contents);
  return code ? code : file.close();
}

int writeAndRename(const std::string &path, std::string_view contents,
                   mode_t permissions) {
  std::string temporary = path + ".tmp-XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.fd < 0)
    return errno;
  int code = writeAll(file.fd, contents);
  if (!code && ::fchmod(file.fd, permissions) != 0)
    code = errno;
  if (!code)
    code = file.close();
  if (!code && ::rename(temporary.c_str(), path.c_str()) != 0)
    code = errno;
  if (code)
    ::unlink(temporary.c_str());
  return code;
}

} // namespace

std::optional<FileError> writeFileAtomically(const std::string &path,
                                             std::string_view contents) {
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  int code = 0;
  if (exists && S_ISDIR(status.st_mode)) {
    code = EISDIR;
  } else if (exists && !S_ISREG(status.st_mode)) {
    code = writeInPlace(path, contents);
  } else if (exists) {
    char *resolved = ::realpath(path.c_str(), nullptr);
    const std::string target = resolved ? resolved : path;
    std::free(resolved);
    code = writeAndRename(target, contents, status.st_mode & 07777);
  } else {
    code = writeAndRename(path, contents, permissionsOfNewFiles());
  }
  if (code)
    return errorOf("write", path, code);
  return std::nullopt;
}

std::variant<std::string, FileError> readWholeFile(const std::string &path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0)
    return errorOf("read", path, errno);
  std::string contents;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errorOf("read", path, errno);
    if (count == 0)
      return contents;
    contents.append(buffer, size_t(count));
  }
}

} // namespace tpu_mlir
