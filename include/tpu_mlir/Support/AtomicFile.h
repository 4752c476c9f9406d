//===- AtomicFile.h - Whole files or none -----------------------*- C++ -*-===//

#ifndef TPU_MLIR_SUPPORT_ATOMICFILE_H
#define TPU_MLIR_SUPPORT_ATOMICFILE_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tpu_mlir {

/// "cannot write 'out/plan.json': no such file or directory".
struct FileError {
  std::string message;
};

/// Writes `contents` to a temporary file in the same folder and renames it: a
/// reader sees the old file or the new one, never a part, and a failure leaves
/// the old one as it was. Permissions of an existing file are kept and links
/// are followed. What cannot be replaced (a terminal, a pipe, /dev/null) is
/// written in place. Nothing is forced to the disk: this guards against errors
/// and interruptions of the program, not of the machine.
std::optional<FileError> writeFileAtomically(const std::string &path,
                                             std::string_view contents);

/// What would keep writeFileAtomically() from writing there, as far as it can
/// be told without writing: no folder, no permission, a folder of that name.
/// O(1).
std::optional<FileError> whyNotWritable(const std::string &path);

/// Path and contents.
using FileToWrite = std::pair<std::string, std::string>;

/// The same for several files: all of them are written beside their places
/// before the first one takes its place, so that a full disk or a missing
/// folder changes nothing. Only a failure of the last step, the renaming, can
/// leave some files new and some old. Two results for one file are an error
/// before anything is written.
std::optional<FileError>
writeFilesAtomically(const std::vector<FileToWrite> &files);

/// Would one of them take the other's place? Files that are no regular ones,
/// such as terminals, have no place to take.
bool isSameFile(const std::string &a, const std::string &b);

/// The whole file, or the reason of the system.
std::variant<std::string, FileError> readWholeFile(const std::string &path);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_ATOMICFILE_H
