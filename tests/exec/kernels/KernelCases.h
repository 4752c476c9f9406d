//===- KernelCases.h - Small ops and what they depend on --------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_KERNELS_KERNELCASES_H
#define TPU_MLIR_TESTS_EXEC_KERNELS_KERNELCASES_H

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace tpu_mlir::exec {

/// The index of an element in a tensor's own dimensions.
using TensorIndex = std::vector<int64_t>;

struct KernelCase {
  std::string name;
  /// Types of %0, %1, ...: "1x4x6xi8".
  std::vector<std::string> operands;
  std::string text; ///< The op; may be preceded by a `top.None`.
  /// The definition: element `result` of the result depends on element
  /// `element` of operand number `operand`.
  std::function<bool(const TensorIndex &result, int operand,
                     const TensorIndex &element)>
      reads;
  int64_t groupType = 0;
};
inline void PrintTo(const KernelCase &one, std::ostream *out) {
  *out << one.name;
}

std::vector<KernelCase> kernelCases();

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_KERNELS_KERNELCASES_H
