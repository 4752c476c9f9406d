//===- Rows.cpp - Norms and reductions ------------------------------------===//

#include "lib/OneDnn/Session.h"

#include <tuple>

namespace tpu_mlir::onednn {

using namespace execution;
using dnnl::algorithm;
using dnnl::normalization_flags;

bool compute(Session &session, const SoftmaxTask &task,
             const TensorSpan &result) {
  const auto axis = wholeAxis(task.axis, task.input.rank());
  if (!axis || task.beta != 1 || result.elements() != task.input.elements())
    return false;
  const memory input = session.at(task.input),
               output = session.at(result, input.get_desc());
  session.run<dnnl::softmax_v2_forward>(
      {{dnnl::prop_kind::forward_inference,
        task.log ? algorithm::softmax_log : algorithm::softmax_accurate,
        input.get_desc(), output.get_desc(), static_cast<int>(*axis)},
       session.engine},
      {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, output}});
  return true;
}

/// Rows of `length` elements to mean 0 and variance 1; coefficients are those
/// of an element of the row.
static void normalize(Session &session, const TensorView &input, int64_t length,
                      double eps, const std::optional<memory> &gamma,
                      const std::optional<memory> &beta,
                      const TensorSpan &result) {
  const memory::desc rows = rowMajor({input.elements() / length, length});
  normalization_flags flags = normalization_flags::none;
  Args args = {{DNNL_ARG_SRC, session.at(input, rows)},
               {DNNL_ARG_DST, session.at(result, rows)}};
  if (gamma) {
    flags |= normalization_flags::use_scale;
    args[DNNL_ARG_SCALE] = *gamma;
  }
  if (beta) {
    flags |= normalization_flags::use_shift;
    args[DNNL_ARG_SHIFT] = *beta;
  }
  session.run<dnnl::layer_normalization_forward>(
      {{dnnl::prop_kind::forward_inference, rows, static_cast<float>(eps),
        flags},
       session.engine},
      args);
}

/// The coefficients, if there are any; false when they do not fit.
static bool readCoefficients(Session &session, const OptionalView &view,
                             int64_t count, const memory::dims &dims,
                             std::optional<memory> &to) {
  if (view)
    to = session.spread(*view, count, dims);
  return to.has_value() == view.has_value();
}

bool compute(Session &session, const LayerNormTask &task,
             const TensorSpan &result) {
  const auto axis = wholeAxis(task.axis, task.input.rank());
  if (!axis || result.elements() != task.input.elements())
    return false;
  const int64_t length =
      countOf(task.input.type.shape, *axis, task.input.rank());
  std::optional<memory> gamma, beta;
  if (!readCoefficients(session, task.gamma, length, {length}, gamma) ||
      !readCoefficients(session, task.beta, length, {length}, beta))
    return false;
  normalize(session, task.input, length, task.eps, gamma, beta, result);
  return true;
}

/// relu(x * factor + bias), a coefficient a channel; what is missing is left
/// out, but not both.
static void scaleChannels(Session &session, memory from,
                          const std::optional<memory> &factor,
                          const std::optional<memory> &bias,
                          const FusedRelu &relu, const memory &to) {
  if (factor) {
    session.binary(algorithm::binary_mul, from, *factor,
                   bias ? FusedRelu() : relu, to);
    from = to;
  }
  if (bias)
    session.binary(algorithm::binary_add, from, *bias, relu, to);
}

bool compute(Session &session, const GroupNormTask &task,
             const TensorSpan &result) {
  const TensorView &input = task.input;
  if (input.rank() < 2 || task.groups < 1 || input.dim(1) % task.groups != 0 ||
      result.elements() != input.elements())
    return false;
  const int64_t images = input.dim(0), channels = input.dim(1);
  const memory::dims perChannel = {1, channels, 1};
  std::optional<memory> gamma, beta;
  if (!readCoefficients(session, task.gamma, channels, perChannel, gamma) ||
      !readCoefficients(session, task.beta, channels, perChannel, beta))
    return false;
  normalize(session, input, input.elements() / images / task.groups, task.eps,
            std::nullopt, std::nullopt, result);
  const memory output = session.at(
      result,
      rowMajor({images, channels, input.elements() / images / channels}));
  scaleChannels(session, output, gamma, beta, {}, output);
  return true;
}

bool compute(Session &session, const ScaleTask &task,
             const TensorSpan &result) {
  const TensorView &input = task.input;
  if (input.rank() < 2 || (!task.factor && !task.bias) ||
      result.elements() != input.elements())
    return false;
  const int64_t channels = input.dim(1);
  std::optional<memory> factor, bias;
  if (!readCoefficients(session, task.factor, channels, {1, channels, 1},
                        factor) ||
      !readCoefficients(session, task.bias, channels, {1, channels, 1}, bias))
    return false;
  const memory::desc desc = rowMajor(
      {input.dim(0), channels, input.elements() / input.dim(0) / channels});
  scaleChannels(session, session.at(input, desc), factor, bias, task.relu,
                session.at(result, desc));
  return true;
}

/// What reduces, and the power of norms.
static std::pair<algorithm, float> algorithmOf(Reduction kind) {
  static constexpr std::tuple<Reduction, algorithm, float> kAlgorithms[] = {
      {Reduction::Sum, algorithm::reduction_sum, 0},
      {Reduction::Mean, algorithm::reduction_mean, 0},
      {Reduction::Max, algorithm::reduction_max, 0},
      {Reduction::Min, algorithm::reduction_min, 0},
      {Reduction::Product, algorithm::reduction_mul, 0},
      {Reduction::L1, algorithm::reduction_norm_lp_sum, 1}};
  for (const auto &[known, how, power] : kAlgorithms)
    if (known == kind)
      return {how, power};
  return {algorithm::reduction_norm_lp_sum, 2};
}

bool compute(Session &session, const ReductionTask &task,
             const TensorSpan &result) {
  memory::dims kept = dimsOf(task.input.type.shape);
  for (int64_t axis : task.axes) {
    const auto dim = wholeAxis(axis, task.input.rank());
    if (!dim)
      return false;
    kept[*dim] = 1;
  }
  if (countOf(kept, 0, kept.size()) != result.elements())
    return false;
  const auto [how, power] = algorithmOf(task.kind);
  const memory input = session.at(task.input),
               output = session.at(result, rowMajor(kept));
  session.run<dnnl::reduction>(
      {{how, input.get_desc(), output.get_desc(), power, 0}, session.engine},
      {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, output}});
  return true;
}

} // namespace tpu_mlir::onednn
