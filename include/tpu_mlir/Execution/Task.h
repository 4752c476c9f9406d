//===- Task.h - What a kernel is asked for, as a value ----------*- C++ -*-===//
//
// The kernels whose numbers somebody else can compute as well: a task says all
// that the kernel of its name in the other headers gets, but for the result.
// Views are of bytes that outlive the task.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_TASK_H
#define TPU_MLIR_EXECUTION_TASK_H

#include "tpu_mlir/Execution/Convolution.h"
#include "tpu_mlir/Execution/Elementwise.h"
#include "tpu_mlir/Execution/Interpolation.h"
#include "tpu_mlir/Execution/Movement.h"
#include "tpu_mlir/Execution/Normalization.h"
#include "tpu_mlir/Execution/Pooling.h"

#include <variant>

namespace tpu_mlir::execution {

/// An operand that may be missing.
using OptionalView = std::optional<TensorView>;
using Views = llvm::SmallVector<TensorView>;
using Coefficients = llvm::SmallVector<double>;

struct ConvolutionTask {
  bool isTransposed = false; ///< deconvolve(), else convolve().
  Convolution how;
  TensorView input, filter;
  OptionalView bias;
};
struct MatMulTask {
  MatMul how;
  TensorView left, right;
  OptionalView bias;
};
struct PoolingTask {
  Pooling how;
  TensorView input;
};
struct SoftmaxTask {
  TensorView input;
  int64_t axis = -1;
  double beta = 1;
  bool log = false;
};
struct LayerNormTask {
  TensorView input;
  int64_t axis = -1;
  double eps = 0;
  OptionalView gamma, beta;
};
struct GroupNormTask {
  TensorView input;
  int64_t groups = 1;
  double eps = 0;
  OptionalView gamma, beta;
};
struct ScaleTask {
  TensorView input;
  OptionalView factor, bias;
  FusedRelu relu;
};
struct ReductionTask {
  Reduction kind = Reduction::Sum;
  TensorView input;
  Shape axes;
};
struct CombinationTask {
  Binary op = Binary::Add;
  Views operands;
  FusedRelu relu;
};
/// combineConst().
struct ConstantTask {
  Binary op = Binary::Add;
  TensorView input;
  double number = 0;
  bool isReversed = false;
  FusedRelu relu;
};
/// apply().
struct FunctionTask {
  Function function = Function::Abs;
  Coefficients coefficients;
  TensorView input;
  FusedRelu relu;
};
struct ClipTask {
  TensorView input;
  double least = 0, most = 0;
};
struct LeakyReluTask {
  TensorView input;
  double slope = 0;
};
struct PReluTask {
  TensorView input, slope;
};
struct PermuteTask {
  TensorView input;
  Shape order;
};
struct ConcatTask {
  Views operands;
  int64_t axis = 0;
};
struct UpsampleTask {
  TensorView input;
  Shape scales;
};
struct InterpolationTask {
  Interpolation how;
  TensorView input;
};

using Task =
    std::variant<ConvolutionTask, MatMulTask, PoolingTask, SoftmaxTask,
                 LayerNormTask, GroupNormTask, ScaleTask, ReductionTask,
                 CombinationTask, ConstantTask, FunctionTask, ClipTask,
                 LeakyReluTask, PReluTask, PermuteTask, ConcatTask,
                 UpsampleTask, InterpolationTask>;

/// By the kernel of this room; its errors.
Outcome compute(const Task &task, const TensorSpan &result, unsigned threads);

/// Somebody else who computes tasks.
class Executor {
public:
  virtual ~Executor();
  /// Whether `result` has the task's numbers now. False for a task that it does
  /// not compute, one with an error in it, too: kernels say what is wrong. What
  /// the result has then means nothing.
  virtual bool compute(const Task &task, const TensorSpan &result) = 0;
};

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_TASK_H
