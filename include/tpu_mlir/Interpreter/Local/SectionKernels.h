//===- SectionKernels.h - Ops computed in parts -----------------*- C++ -*-===//
//
// What the simulator of local memory has to know about ops. Networks are run
// with the kernels of the room Execution; a proof of a plan may bring others.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_INTERPRETER_LOCAL_SECTIONKERNELS_H
#define TPU_MLIR_INTERPRETER_LOCAL_SECTIONKERNELS_H

#include "tpu_mlir/Execution/TensorPart.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::execution {

/// One call: the op, a part for each operand (null for `none`), and the part
/// of result 0 that is wanted.
struct KernelCall {
  mlir::Operation *op = nullptr;
  std::vector<const TensorPart *> operands;
  TensorPart *result = nullptr;
};

class SectionKernels {
public:
  virtual ~SectionKernels() = default;

  /// Whether there is a kernel for ops of this name ("tpu.Conv2D"); attributes
  /// may still be refused.
  virtual bool has(llvm::StringRef opName) const = 0;
  /// The result's element comes from the operands' elements at its place only,
  /// and elements are read before anything is written there: the result may
  /// lie over an operand.
  virtual bool isElementwise(mlir::Operation *op) const = 0;
  /// Fills `call.result`, the same bits as the whole result has there. An error
  /// says what was read that is not in an operand's part, or why there is no
  /// kernel for this op.
  virtual std::optional<std::string> run(const KernelCall &call) const = 0;
};

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_INTERPRETER_LOCAL_SECTIONKERNELS_H
