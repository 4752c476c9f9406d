//===- Session.h - One processor, and its primitives at work ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ONEDNN_SESSION_H
#define TPU_MLIR_LIB_ONEDNN_SESSION_H

#include "tpu_mlir/Execution/Task.h"

#include "oneapi/dnnl/dnnl.hpp"

#include <unordered_map>

namespace tpu_mlir::onednn {

using dnnl::memory;
using execution::FusedRelu;
using execution::OptionalView;
using execution::Shape;
using execution::TensorSpan;
using execution::TensorView;

using Args = std::unordered_map<int, memory>;

memory::dims dimsOf(llvm::ArrayRef<int64_t> shape);
/// From one element to the next along each dimension, the last one fastest.
memory::dims stepsOf(const memory::dims &dims);
/// F32, elements one after the other.
memory::desc rowMajor(const memory::dims &dims);
/// F32, in whatever order a primitive likes best.
memory::desc anyOrder(const memory::dims &dims);
/// F32 strictly, and what happens to an element last.
dnnl::primitive_attr attributes(const FusedRelu &relu);

/// The engine. Whatever the library refuses is a dnnl::error.
class Session {
public:
  /// The bytes of a tensor, as `desc` or else under its own shape.
  memory at(const TensorView &view, const memory::desc &desc);
  memory at(const TensorSpan &span, const memory::desc &desc);
  memory at(const TensorView &view);
  memory at(const TensorSpan &span);
  /// One number for all or one for each of `count`, as `dims`, which have as
  /// many elements; nullopt when it has another number of elements.
  std::optional<memory> spread(const TensorView &view, int64_t count,
                               const memory::dims &dims);

  /// Runs a primitive to its end.
  template <typename Primitive>
  void run(const typename Primitive::primitive_desc &desc, const Args &args) {
    Primitive(desc).execute(stream, args);
    stream.wait();
  }
  /// The same elements in the order of `desc`: `from` itself where that is its.
  memory ordered(const memory &from, const memory::desc &desc);
  /// The other way, for what was computed in an order of its own.
  void copy(memory from, memory to);
  void eltwise(dnnl::algorithm algorithm, float alpha, float beta,
               const FusedRelu &relu, const memory &from, const memory &to);
  void binary(dnnl::algorithm algorithm, const memory &left,
              const memory &right, const FusedRelu &relu, const memory &to);

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};

private:
  dnnl::stream stream{engine};
};

// Of each task whether it is computed; false, too, where operands do not fit.
// Tensors are F32 with elements, and as long as their types say.
bool compute(Session &session, const execution::ConvolutionTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::PoolingTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::MatMulTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::SoftmaxTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::LayerNormTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::GroupNormTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::ScaleTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::ReductionTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::CombinationTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::ConstantTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::FunctionTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::ClipTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::LeakyReluTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::PReluTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::PermuteTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::ConcatTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::UpsampleTask &task,
             const TensorSpan &result);
bool compute(Session &session, const execution::InterpolationTask &task,
             const TensorSpan &result);

} // namespace tpu_mlir::onednn

#endif // TPU_MLIR_LIB_ONEDNN_SESSION_H
