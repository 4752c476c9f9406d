//===- Windows.cpp - Convolution and pooling ------------------------------===//

#include "lib/OneDnn/Session.h"

namespace tpu_mlir::onednn {

using namespace execution;

namespace {

/// The lists of an op as the library wants them, for each spatial dimension.
struct Window {
  memory::dims kernel, strides, dilations, before, after;
};

} // namespace

/// The pads at the ends follow from the sizes: of the window's places there are
/// as many as `many`, and they cover `all`. nullopt: the lists do not fit, or
/// make no sense.
static std::optional<Window> windowOf(const Shape &kernel, const Shape &strides,
                                      const Shape &dilations, const Shape &pads,
                                      llvm::ArrayRef<int64_t> all,
                                      llvm::ArrayRef<int64_t> many) {
  constexpr int64_t kLimit = int64_t(1) << 24;
  const size_t spatial = kernel.size();
  if (spatial < 1 || spatial > 3 || strides.size() != spatial ||
      dilations.size() != spatial || pads.size() != 2 * spatial ||
      all.size() != spatial || many.size() != spatial)
    return std::nullopt;
  Window window;
  for (size_t i = 0; i < spatial; ++i) {
    for (int64_t number : {kernel[i], strides[i], dilations[i]})
      if (number < 1 || number > kLimit)
        return std::nullopt;
    if (pads[i] < 0 || pads[i] > kLimit || many[i] > kLimit)
      return std::nullopt;
    window.kernel.push_back(kernel[i]);
    window.strides.push_back(strides[i]);
    window.dilations.push_back(dilations[i] - 1);
    window.before.push_back(pads[i]);
    window.after.push_back((many[i] - 1) * strides[i] +
                           (kernel[i] - 1) * dilations[i] + 1 - all[i] -
                           pads[i]);
  }
  return window;
}

/// [oc, ic / group, kernel ..] as [group, oc / group, ic / group, kernel ..].
static memory::dims filterDims(const ConvolutionTask &task) {
  memory::dims dims = dimsOf(task.filter.type.shape);
  if (task.how.group == 1)
    return dims;
  dims[0] /= task.how.group;
  dims.insert(dims.begin(), task.how.group);
  return dims;
}

/// Either of the two, in whatever orders it likes best. Directly: other
/// algorithms have other errors.
template <typename Primitive>
static void convolveBy(Session &session, dnnl::algorithm algorithm,
                       const ConvolutionTask &task, const Window &window,
                       const std::optional<memory> &bias,
                       const TensorSpan &result) {
  const memory input = session.at(task.input),
               filter = session.at(task.filter, rowMajor(filterDims(task))),
               output = session.at(result);
  const auto any = [](const memory &one) {
    return anyOrder(one.get_desc().dims());
  };
  const typename Primitive::desc desc(
      dnnl::prop_kind::forward_inference, algorithm, any(input), any(filter),
      bias ? bias->get_desc() : memory::desc(), any(output), window.strides,
      window.dilations, window.before, window.after);
  const typename Primitive::primitive_desc chosen(
      desc, attributes(task.how.relu), session.engine);
  memory made = chosen.dst_desc() == output.get_desc()
                    ? output
                    : memory(chosen.dst_desc(), session.engine);
  Args args = {
      {DNNL_ARG_SRC, session.ordered(input, chosen.src_desc())},
      {DNNL_ARG_WEIGHTS, session.ordered(filter, chosen.weights_desc())},
      {DNNL_ARG_DST, made}};
  if (bias)
    args[DNNL_ARG_BIAS] = *bias;
  session.run<Primitive>(chosen, args);
  if (made != output)
    session.copy(made, output);
}

bool compute(Session &session, const ConvolutionTask &task,
             const TensorSpan &result) {
  const Convolution &how = task.how;
  const int64_t rank = how.kernel.size() + 2;
  if (how.requant || task.input.rank() != rank || result.rank() != rank ||
      task.filter.rank() != rank || how.group < 1 ||
      task.filter.dim(0) % how.group != 0 ||
      task.filter.dim(0) != result.dim(1) ||
      task.filter.dim(1) * how.group != task.input.dim(1) ||
      llvm::ArrayRef(task.filter.type.shape).drop_front(2) !=
          llvm::ArrayRef(how.kernel))
    return false;
  const auto inside = llvm::ArrayRef(task.input.type.shape).drop_front(2),
             outside = llvm::ArrayRef(result.type.shape).drop_front(2);
  const auto window = windowOf(how.kernel, how.strides, how.dilations, how.pads,
                               task.isTransposed ? outside : inside,
                               task.isTransposed ? inside : outside);
  std::optional<memory> bias;
  if (task.bias)
    bias = session.spread(*task.bias, result.dim(1), {result.dim(1)});
  if (!window || bias.has_value() != task.bias.has_value())
    return false;
  if (task.isTransposed)
    convolveBy<dnnl::deconvolution_forward>(
        session, dnnl::algorithm::deconvolution_direct, task, *window, bias,
        result);
  else
    convolveBy<dnnl::convolution_forward>(session,
                                          dnnl::algorithm::convolution_direct,
                                          task, *window, bias, result);
  return true;
}

bool compute(Session &session, const PoolingTask &task,
             const TensorSpan &result) {
  const Pooling &how = task.how;
  const size_t spatial = how.kernel.size();
  if (how.kind == Pooling::Kind::Min || how.isAdaptive || how.requant ||
      how.factor || task.input.rank() != static_cast<int64_t>(spatial) + 2)
    return false;
  Shape shape = result.type.shape;
  if (result.rank() != task.input.rank()) {
    shape = Shape(task.input.rank(), 1);
    shape[0] = task.input.dim(0), shape[1] = task.input.dim(1);
  }
  if (execution::countOf(shape, 0, shape.size()) != result.elements())
    return false;
  const auto window =
      windowOf(how.kernel, how.strides, Shape(spatial, 1), how.pads,
               llvm::ArrayRef(task.input.type.shape).drop_front(2),
               llvm::ArrayRef(shape).drop_front(2));
  if (!window)
    return false;
  // Of a window without elements the library may have no number.
  for (size_t i = 0; i < spatial; ++i)
    if (window->before[i] >= how.kernel[i] || window->after[i] >= how.kernel[i])
      return false;
  const auto algorithm =
      how.kind == Pooling::Kind::Max ? dnnl::algorithm::pooling_max
      : how.countsPads ? dnnl::algorithm::pooling_avg_include_padding
                       : dnnl::algorithm::pooling_avg_exclude_padding;
  const memory input = session.at(task.input),
               output = session.at(result, rowMajor(dimsOf(shape)));
  session.run<dnnl::pooling_v2_forward>(
      {{dnnl::prop_kind::forward_inference, algorithm, input.get_desc(),
        output.get_desc(), window->strides, window->kernel, window->dilations,
        window->before, window->after},
       attributes(how.relu),
       session.engine},
      {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, output}});
  return true;
}

} // namespace tpu_mlir::onednn
