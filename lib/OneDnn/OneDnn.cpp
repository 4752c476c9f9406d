//===- OneDnn.cpp - Run tasks by oneDNN -----------------------------------===//
//
// Decides whether the library computes a task as the kernels do, and sets the
// number of threads for this one only.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/OneDnn/OneDnn.h"

#include "lib/OneDnn/Session.h"

/// Of libgomp, which oneDNN runs its loops with; counts for this thread only.
extern "C" void omp_set_num_threads(int threads);

namespace tpu_mlir {

using namespace execution;

struct OneDnnExecutor::State {
  onednn::Session session;
};

OneDnnExecutor::OneDnnExecutor() : state(new State) {}
OneDnnExecutor::~OneDnnExecutor() = default;

std::string OneDnnExecutor::version() {
  const dnnl_version_t *version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) +
         "." + std::to_string(version->patch);
}

namespace {

/// The tensors that a task reads, by which of its members are any.
struct Operands {
  Views views;

  void add(const TensorView &view) { views.push_back(view); }
  void add(const OptionalView &view) {
    if (view)
      views.push_back(*view);
  }
  void operator()(const ConvolutionTask &task) {
    add(task.input), add(task.filter), add(task.bias);
  }
  void operator()(const MatMulTask &task) {
    add(task.left), add(task.right), add(task.bias);
  }
  void operator()(const LayerNormTask &task) {
    add(task.input), add(task.gamma), add(task.beta);
  }
  void operator()(const GroupNormTask &task) {
    add(task.input), add(task.gamma), add(task.beta);
  }
  void operator()(const ScaleTask &task) {
    add(task.input), add(task.factor), add(task.bias);
  }
  void operator()(const PReluTask &task) { add(task.input), add(task.slope); }
  void operator()(const CombinationTask &task) { views = task.operands; }
  void operator()(const ConcatTask &task) { views = task.operands; }
  template <typename Other> void operator()(const Other &task) {
    add(task.input);
  }
};

/// Some kernels (resampling of large images) write past the caches, which the
/// processor refuses at places between these.
constexpr uintptr_t kAlignment = 64;

bool isAligned(const TensorSpan &span) {
  return reinterpret_cast<uintptr_t>(span.bytes.data()) % kAlignment == 0;
}

bool computeBy(onednn::Session &session, const Task &task,
               const TensorSpan &result) {
  return std::visit(
      [&](const auto &one) { return onednn::compute(session, one, result); },
      task);
}

/// In memory of the library's own, which is where it likes it.
bool computeAside(onednn::Session &session, const Task &task,
                  const TensorSpan &result) {
  const onednn::memory aside(onednn::rowMajor({result.elements()}),
                             session.engine);
  const TensorSpan made = {
      result.type,
      {static_cast<uint8_t *>(aside.get_data_handle()), result.bytes.size()}};
  if (!computeBy(session, task, made))
    return false;
  llvm::copy(made.bytes, result.bytes.begin());
  return true;
}

template <typename Tensor> bool isKnown(const Tensor &tensor) {
  return tensor.type.element == ElementType::F32 && tensor.elements() > 0 &&
         reinterpret_cast<uintptr_t>(tensor.bytes.data()) % alignof(float) == 0;
}

} // namespace

bool OneDnnExecutor::compute(const Task &task, const TensorSpan &result) {
  Operands operands;
  std::visit(operands, task);
  if (operands.views.empty() || check(operands.views, {result}) ||
      !isKnown(result) || !llvm::all_of(operands.views, isKnown<TensorView>))
    return false;
  omp_set_num_threads(1);
  try {
    return isAligned(result) ? computeBy(state->session, task, result)
                             : computeAside(state->session, task, result);
  } catch (const dnnl::error &) {
    return false;
  }
}

} // namespace tpu_mlir
