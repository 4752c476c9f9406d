//===- Arrays.h - Files of arrays for a run ---------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_RUNNER_ARRAYS_H
#define TPU_MLIR_TOOLS_MODEL_RUNNER_ARRAYS_H

#include "tpu_mlir/Execution/Files/Npz.h"
#include "tpu_mlir/Interpreter/Interpreter.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir {

/// The arrays of `file`, by name; an error of one line when it cannot be read.
std::variant<std::map<std::string, execution::NpyArray>, std::string>
readArrays(const std::string &file);
struct ArraySource {
  DataSource source;
  /// The arrays that nobody has asked for, sorted.
  std::function<std::vector<std::string>()> unread;
};
/// The same as a source of weights or inputs. `sameShape`: an array of other
/// dimensions is an error, but for those that are 1; otherwise the number of
/// elements decides.
std::variant<ArraySource, std::string> openArrays(const std::string &file,
                                                  bool sameShape);

/// Collects tensors for a file.
class ArrayWriter {
public:
  explicit ArrayWriter(std::string file);
  ~ArrayWriter();
  /// The last one of a name stays.
  void add(llvm::StringRef name, const execution::TensorView &tensor);
  /// All or nothing: what went wrong, if anything did.
  std::optional<std::string> write() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_MODEL_RUNNER_ARRAYS_H
