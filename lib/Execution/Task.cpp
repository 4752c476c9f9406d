//===- Task.cpp - Run tasks by the built-in kernels -----------------------===//
//
// Maps each task value to the kernel function of its name.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Task.h"

namespace tpu_mlir::execution {

Executor::~Executor() = default;

namespace {

/// The kernel of each task.
struct OwnKernels {
  const TensorSpan &result;
  unsigned threads;

  static const TensorView *in(const OptionalView &view) {
    return view ? &*view : nullptr;
  }

  Outcome operator()(const ConvolutionTask &task) const {
    auto *kernel = task.isTransposed ? deconvolve : convolve;
    return kernel(task.how, task.input, task.filter, in(task.bias), result,
                  threads);
  }
  Outcome operator()(const MatMulTask &task) const {
    return matMul(task.how, task.left, task.right, in(task.bias), result,
                  threads);
  }
  Outcome operator()(const PoolingTask &task) const {
    return pool(task.how, task.input, result, threads);
  }
  Outcome operator()(const SoftmaxTask &task) const {
    return softmax(task.input, task.axis, task.beta, task.log, result, threads);
  }
  Outcome operator()(const LayerNormTask &task) const {
    return layerNorm(task.input, task.axis, task.eps, in(task.gamma),
                     in(task.beta), result, threads);
  }
  Outcome operator()(const GroupNormTask &task) const {
    return groupNorm(task.input, task.groups, task.eps, in(task.gamma),
                     in(task.beta), result, threads);
  }
  Outcome operator()(const ScaleTask &task) const {
    return scale(task.input, in(task.factor), in(task.bias), task.relu, result);
  }
  Outcome operator()(const ReductionTask &task) const {
    return reduce(task.kind, task.input, task.axes, result);
  }
  Outcome operator()(const CombinationTask &task) const {
    return combine(task.op, task.operands, task.relu, result);
  }
  Outcome operator()(const ConstantTask &task) const {
    return combineConst(task.op, task.input, task.number, task.isReversed,
                        task.relu, result);
  }
  Outcome operator()(const FunctionTask &task) const {
    return apply(task.function, task.coefficients, task.input, task.relu,
                 result);
  }
  Outcome operator()(const ClipTask &task) const {
    return clip(task.input, task.least, task.most, result);
  }
  Outcome operator()(const LeakyReluTask &task) const {
    return leakyRelu(task.input, task.slope, result);
  }
  Outcome operator()(const PReluTask &task) const {
    return prelu(task.input, task.slope, result);
  }
  Outcome operator()(const PermuteTask &task) const {
    return permute(task.input, task.order, result);
  }
  Outcome operator()(const ConcatTask &task) const {
    return concat(task.operands, task.axis, result);
  }
  Outcome operator()(const UpsampleTask &task) const {
    return upsample(task.input, task.scales, result);
  }
  Outcome operator()(const InterpolationTask &task) const {
    return interpolate(task.how, task.input, result, threads);
  }
};

} // namespace

Outcome compute(const Task &task, const TensorSpan &result, unsigned threads) {
  return std::visit(OwnKernels{result, threads}, task);
}

} // namespace tpu_mlir::execution
