#include "tpu_mlir/Support/AtomicFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace tpu_mlir {

std::optional<std::string> writeFileAtomically(const std::string &path,
                                               std::string_view content) {
  namespace fs = llvm::sys::fs;
  // A device or a pipe cannot be replaced: write into it.
  if (fs::exists(path) && !fs::is_regular_file(path)) {
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error);
    if (error)
      return error.message();
    stream << llvm::StringRef(content.data(), content.size());
    stream.close();
    if (!stream.has_error())
      return std::nullopt;
    error = stream.error();
    stream.clear_error();
    return error.message();
  }
  llvm::SmallString<128> temporary;
  int descriptor = 0;
  if (std::error_code error =
          fs::createUniqueFile(path + ".tmp-%%%%%%", descriptor, temporary,
                               fs::OF_None, fs::all_read | fs::owner_write))
    return error.message();
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << llvm::StringRef(content.data(), content.size());
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (!error)
    error = fs::rename(temporary, path);
  if (!error)
    return std::nullopt;
  fs::remove(temporary);
  return error.message();
}

} // namespace tpu_mlir
