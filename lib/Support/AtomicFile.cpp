//===- AtomicFile.cpp - Whole files or none -------------------------------===//

#include "tpu_mlir/Support/AtomicFile.h"

#include <cerrno>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <filesystem>
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

/// The file that a path means: links are followed, also to what is not there
/// yet. The path itself where they go in circles.
std::string targetOf(const std::string &path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40; // As Linux.
  std::error_code error;
  fs::path target = path;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!fs::is_symlink(target, error))
      return target.string();
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  return path;
}

/// Contents on their way to their place. Whatever was not put in place is
/// removed.
class StagedFile {
public:
  explicit StagedFile(std::string path) : path(std::move(path)) {}
  StagedFile(const StagedFile &) = delete;
  StagedFile &operator=(const StagedFile &) = delete;
  ~StagedFile() {
    if (!temporary.empty())
      ::unlink(temporary.c_str());
  }

  /// 0 or the error code, as below.
  int write(std::string_view contents) {
    struct stat status;
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
      return EISDIR;
    if (exists && !S_ISREG(status.st_mode)) {
      inPlace = contents;
      return 0;
    }
    target = targetOf(path);
    return writeTemporary(contents, exists ? status.st_mode & 07777
                                           : permissionsOfNewFiles());
  }

  int putInPlace() {
    if (inPlace)
      return writeInPlace(path, *inPlace);
    if (::rename(temporary.c_str(), target.c_str()) != 0)
      return errno;
    temporary.clear();
    return 0;
  }

private:
  int writeTemporary(std::string_view contents, mode_t permissions) {
    std::string name = target + ".tmp-XXXXXX";
    Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
    if (file.fd < 0)
      return errno;
    temporary = name;
    int code = writeAll(file.fd, contents);
    if (!code && ::fchmod(file.fd, permissions) != 0)
      code = errno;
    return code ? code : file.close();
  }

  const std::string path;
  std::string target, temporary;
  /// Set for what cannot be replaced: a terminal, a pipe.
  std::optional<std::string_view> inPlace;
};

} // namespace

std::optional<FileError> writeFileAtomically(const std::string &path,
                                             std::string_view contents) {
  StagedFile file(path);
  int code = file.write(contents);
  if (!code)
    code = file.putInPlace();
  if (code)
    return errorOf("write", path, code);
  return std::nullopt;
}

std::optional<FileError> whyNotWritable(const std::string &path) {
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return errorOf("write", path, EISDIR);
  if (exists && !S_ISREG(status.st_mode))
    return ::access(path.c_str(), W_OK) == 0
               ? std::nullopt
               : std::optional(errorOf("write", path, errno));
  // A file is replaced by a new one beside it.
  const std::string place = targetOf(path);
  const size_t slash = place.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : place.substr(0, slash + 1);
  if (::stat(folder.c_str(), &status) != 0)
    return errorOf("write", path, errno);
  if (!S_ISDIR(status.st_mode))
    return errorOf("write", path, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return errorOf("write", path, errno);
  return std::nullopt;
}

/// By folder and name; "" for what is written in place.
static std::string placeOf(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return "";
  const std::filesystem::path target = targetOf(path);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(
      target.has_parent_path() ? target.parent_path() : ".", error);
  return error ? path : (folder / target.filename()).string();
}

bool isSameFile(const std::string &a, const std::string &b) {
  const std::string place = placeOf(a);
  return !place.empty() && place == placeOf(b);
}

std::optional<FileError>
writeFilesAtomically(const std::vector<FileToWrite> &files) {
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (isSameFile(files[i].first, files[j].first))
        return FileError{"cannot write '" + files[i].first +
                         "': two results go to this file"};
  std::deque<StagedFile> staged;
  for (const auto &[path, contents] : files)
    if (int code = staged.emplace_back(path).write(contents))
      return errorOf("write", path, code);
  for (size_t i = 0; i < files.size(); ++i)
    if (int code = staged[i].putInPlace())
      return errorOf("write", files[i].first, code);
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
