//===- Session.cpp - Wrap tensors for oneDNN and run primitives -----------===//
//
// Converts shapes to memory descriptors, reorders where a primitive wants
// another layout, and attaches the fused ReLU.
//
//===----------------------------------------------------------------------===//

#include "lib/OneDnn/Session.h"

namespace tpu_mlir::onednn {

memory::dims dimsOf(llvm::ArrayRef<int64_t> shape) {
  // The library knows no tensors without dimensions.
  return shape.empty() ? memory::dims{1}
                       : memory::dims(shape.begin(), shape.end());
}

memory::dims stepsOf(const memory::dims &dims) {
  memory::dims steps(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i)
    steps[i - 1] = steps[i] * dims[i];
  return steps;
}

memory::desc rowMajor(const memory::dims &dims) {
  return {dims, memory::data_type::f32, stepsOf(dims)};
}

memory::desc anyOrder(const memory::dims &dims) {
  return {dims, memory::data_type::f32, memory::format_tag::any};
}

dnnl::primitive_attr attributes(const FusedRelu &relu) {
  dnnl::primitive_attr attributes;
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  if (!relu.isOn)
    return attributes;
  dnnl::post_ops after;
  if (relu.limit >= 0)
    after.append_eltwise(1, dnnl::algorithm::eltwise_clip, 0,
                         static_cast<float>(relu.limit));
  else
    after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  attributes.set_post_ops(after);
  return attributes;
}

memory Session::at(const TensorView &view, const memory::desc &desc) {
  return {desc, engine, const_cast<uint8_t *>(view.bytes.data())};
}

memory Session::at(const TensorSpan &span, const memory::desc &desc) {
  return {desc, engine, span.bytes.data()};
}

memory Session::at(const TensorView &view) {
  return at(view, rowMajor(dimsOf(view.type.shape)));
}

memory Session::at(const TensorSpan &span) {
  return at(span, rowMajor(dimsOf(span.type.shape)));
}

std::optional<memory> Session::spread(const TensorView &view, int64_t count,
                                      const memory::dims &dims) {
  const int64_t elements = view.elements();
  if (elements != 1 && elements != count)
    return std::nullopt;
  if (elements == count)
    return at(view, rowMajor(dims));
  memory repeated(rowMajor(dims), engine);
  std::fill_n(static_cast<float *>(repeated.get_data_handle()), count,
              execution::floatsOf(view)[0]);
  return repeated;
}

memory Session::ordered(const memory &from, const memory::desc &desc) {
  if (from.get_desc() == desc)
    return from;
  memory to(desc, engine);
  copy(from, to);
  return to;
}

void Session::copy(memory from, memory to) {
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
}

/// What 2.6.3 fuses with a function of a tensor of one dimension it computes as
/// zeros, so that it is a function by itself.
void Session::eltwise(dnnl::algorithm algorithm, float alpha, float beta,
                      const FusedRelu &relu, const memory &from,
                      const memory &to) {
  run<dnnl::eltwise_forward>({{dnnl::prop_kind::forward_inference, algorithm,
                               from.get_desc(), alpha, beta},
                              attributes({}),
                              engine},
                             {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
  if (!relu.isOn)
    return;
  if (relu.limit >= 0)
    eltwise(dnnl::algorithm::eltwise_clip, 0, static_cast<float>(relu.limit),
            {}, to, to);
  else
    eltwise(dnnl::algorithm::eltwise_relu, 0, 0, {}, to, to);
}

void Session::binary(dnnl::algorithm algorithm, const memory &left,
                     const memory &right, const FusedRelu &relu,
                     const memory &to) {
  run<dnnl::binary>(
      {{algorithm, left.get_desc(), right.get_desc(), to.get_desc()},
       attributes(relu),
       engine},
      {{DNNL_ARG_SRC_0, left}, {DNNL_ARG_SRC_1, right}, {DNNL_ARG_DST, to}});
}

} // namespace tpu_mlir::onednn
