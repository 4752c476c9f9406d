//===- Environment.h - Numbers that a caller of a test may set --*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_ENVIRONMENT_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_ENVIRONMENT_H

#include <cstdlib>

namespace tpu_mlir::jit {

/// The number in an environment variable, such as how many random programs to
/// run; `otherwise` if it is not set. What is no number counts as zero.
inline int fromEnvironment(const char *name, int otherwise) {
  const char *wanted = std::getenv(name);
  return wanted ? std::atoi(wanted) : otherwise;
}

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_ENVIRONMENT_H
