//===- Compare.h - Two files of arrays side by side -------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_RUNNER_COMPARE_H
#define TPU_MLIR_TOOLS_MODEL_RUNNER_COMPARE_H

#include <string>
#include <variant>

namespace tpu_mlir {

/// What a comparison has to say, or an error of one line.
struct CompareError {
  std::string message;
};

/// Cosine and Euclidean similarity of the arrays that both files have, the
/// least similar first; then how many each has for itself. Errors: a file that
/// cannot be read, arrays of other sizes, nothing in common.
std::variant<std::string, CompareError>
compareArrays(const std::string &first, const std::string &second);

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_MODEL_RUNNER_COMPARE_H
