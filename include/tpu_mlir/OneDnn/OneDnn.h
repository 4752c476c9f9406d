//===- OneDnn.h - Kernels of oneDNN -----------------------------*- C++ -*-===//
//
// The one place that knows oneDNN. A second opinion on the numbers of kernels,
// never on a plan.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ONEDNN_ONEDNN_H
#define TPU_MLIR_ONEDNN_ONEDNN_H

#include "tpu_mlir/Execution/Task.h"

#include <memory>

namespace tpu_mlir {

/// Computes tasks in F32 with the primitives of oneDNN, where these have the
/// meaning that the kernel's header states. Strictly in F32, on one thread: the
/// same bits in every run on one processor, whose instructions the library
/// chooses by. Declined: other types of elements, tensors without elements, and
/// what no primitive computes in that meaning, such as pads that cut off,
/// nearest elements at ties, and functions that the library does not have.
class OneDnnExecutor : public execution::Executor {
public:
  OneDnnExecutor();
  ~OneDnnExecutor() override;
  bool compute(const execution::Task &task,
               const execution::TensorSpan &result) override;
  /// "2.6.3": of the library that runs.
  static std::string version();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ONEDNN_ONEDNN_H
