//===- NpzWriter.h - Large files of arrays, part by part --------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_FILES_NPZWRITER_H
#define TPU_MLIR_EXECUTION_FILES_NPZWRITER_H

#include "tpu_mlir/Execution/Files/Npz.h"

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace tpu_mlir::execution {

/// Writes an .npz of any size whose arrays are never in memory as a whole.
/// Until putInPlace() it is a file beside its place, which goes away with the
/// writer: a reader sees the old file or the new one, never a part. What cannot
/// be written (no such folder, a full disk) is said by each call from then on.
/// The same arrays give the same bytes.
class NpzWriter {
public:
  using Error = std::optional<NpzError>;

  explicit NpzWriter(std::string path);
  ~NpzWriter();
  NpzWriter(const NpzWriter &) = delete;
  NpzWriter &operator=(const NpzWriter &) = delete;

  /// Begins an array: its elements come with the calls of append() that follow,
  /// in as many parts as one likes.
  Error begin(llvm::StringRef name, llvm::StringRef dtype,
              llvm::ArrayRef<int64_t> shape);
  Error append(llvm::StringRef bytes);
  /// Ends the file, of whose last array nothing may be missing.
  Error finish();
  /// After finish(). A file that is there keeps its permissions.
  Error putInPlace();
  /// Where the bytes are: beside the place, or there.
  const std::string &currentPath() const;
  /// Written so far.
  int64_t size() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_FILES_NPZWRITER_H
