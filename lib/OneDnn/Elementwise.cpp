//===- Elementwise.cpp - Arithmetic and functions -------------------------===//

#include "lib/OneDnn/Session.h"

namespace tpu_mlir::onednn {

using namespace execution;
using dnnl::algorithm;

/// undef: the library has no such op.
static algorithm algorithmOf(Binary op) {
  static constexpr std::pair<Binary, algorithm> kOps[] = {
      {Binary::Add, algorithm::binary_add},
      {Binary::Sub, algorithm::binary_sub},
      {Binary::Mul, algorithm::binary_mul},
      {Binary::Div, algorithm::binary_div},
      {Binary::Max, algorithm::binary_max},
      {Binary::Min, algorithm::binary_min}};
  for (auto [binary, how] : kOps)
    if (binary == op)
      return how;
  return algorithm::undef;
}

static bool isCommutative(Binary op) {
  return op != Binary::Sub && op != Binary::Div;
}

/// The operand with dimensions of 1 in front, as many as the result has.
static memory padded(Session &session, const TensorView &view, int64_t rank) {
  memory::dims dims = dimsOf(view.type.shape);
  if (static_cast<int64_t>(dims.size()) < rank)
    dims.insert(dims.begin(), rank - dims.size(), 1);
  return session.at(view, rowMajor(dims));
}

/// Only the right side of the library's is repeated.
bool compute(Session &session, const CombinationTask &task,
             const TensorSpan &result) {
  if (algorithmOf(task.op) == algorithm::undef)
    return false;
  const memory output = session.at(result);
  Views operands = task.operands;
  if (operands.size() == 2 && isCommutative(task.op) &&
      operands[0].type.shape != result.type.shape)
    std::swap(operands[0], operands[1]);
  memory left = padded(session, operands[0], result.rank());
  if (left.get_desc() != output.get_desc())
    return false;
  if (operands.size() == 1) {
    if (!task.relu.isOn)
      return false;
    session.eltwise(algorithm::eltwise_linear, 1, 0, task.relu, left, output);
    return true;
  }
  for (size_t i = 1; i < operands.size(); ++i) {
    session.binary(algorithmOf(task.op), left,
                   padded(session, operands[i], result.rank()),
                   i + 1 == operands.size() ? task.relu : FusedRelu(), output);
    left = output;
  }
  return true;
}

bool compute(Session &session, const ConstantTask &task,
             const TensorSpan &result) {
  if (task.input.elements() != result.elements() ||
      algorithmOf(task.op) == algorithm::undef)
    return false;
  const memory input = session.at(task.input),
               output = session.at(result, input.get_desc());
  const float number = static_cast<float>(task.number);
  if (task.isReversed && !isCommutative(task.op)) {
    if (task.op == Binary::Sub)
      session.eltwise(algorithm::eltwise_linear, -1, number, task.relu, input,
                      output);
    else
      session.eltwise(algorithm::eltwise_pow, number, -1, task.relu, input,
                      output);
    return true;
  }
  memory one(rowMajor(memory::dims(input.get_desc().dims().size(), 1)),
             session.engine);
  *static_cast<float *>(one.get_data_handle()) = number;
  session.binary(algorithmOf(task.op), input, one, task.relu, output);
  return true;
}

namespace {

struct Eltwise {
  algorithm kind;
  float alpha = 0, beta = 0;
};

} // namespace

/// Of the functions that the library has, with coefficient `a`.
static std::optional<Eltwise> eltwiseOf(Function function, float a) {
  const std::pair<Function, Eltwise> kFunctions[] = {
      {Function::Abs, {algorithm::eltwise_abs}},
      {Function::Elu, {algorithm::eltwise_elu, a}},
      {Function::Exp, {algorithm::eltwise_exp}},
      {Function::Gelu, {algorithm::eltwise_gelu_erf}},
      {Function::GeluTanh, {algorithm::eltwise_gelu_tanh}},
      {Function::GeluSigmoid, {algorithm::eltwise_swish, 1.702f}},
      {Function::HardSwish, {algorithm::eltwise_hardswish}},
      {Function::Log, {algorithm::eltwise_log}},
      {Function::LogSigmoid, {algorithm::eltwise_logsigmoid}},
      {Function::Mish, {algorithm::eltwise_mish}},
      {Function::Negate, {algorithm::eltwise_linear, -1}},
      {Function::Power, {algorithm::eltwise_pow, 1, a}},
      {Function::Reciprocal, {algorithm::eltwise_pow, 1, -1}},
      {Function::Relu6, {algorithm::eltwise_clip, 0, 6}},
      {Function::Round, {algorithm::eltwise_round}},
      {Function::Rsqrt, {algorithm::eltwise_pow, 1, -0.5f}},
      {Function::Sigmoid, {algorithm::eltwise_logistic}},
      {Function::Silu, {algorithm::eltwise_swish, 1}},
      {Function::Softplus, {algorithm::eltwise_soft_relu}},
      {Function::Sqrt, {algorithm::eltwise_sqrt}},
      {Function::Square, {algorithm::eltwise_square}},
      {Function::Swish, {algorithm::eltwise_swish, a}},
      {Function::Tanh, {algorithm::eltwise_tanh}}};
  for (const auto &[own, eltwise] : kFunctions)
    if (own == function)
      return eltwise;
  return std::nullopt;
}

static bool needsCoefficient(Function function) {
  return function == Function::Elu || function == Function::Power ||
         function == Function::Swish;
}

/// Element by element, under the shape of the operand.
static bool applyTo(Session &session, const Eltwise &how, const FusedRelu &relu,
                    const TensorView &input, const TensorSpan &result) {
  if (input.elements() != result.elements())
    return false;
  const memory from = session.at(input);
  session.eltwise(how.kind, how.alpha, how.beta, relu, from,
                  session.at(result, from.get_desc()));
  return true;
}

bool compute(Session &session, const FunctionTask &task,
             const TensorSpan &result) {
  const bool isGiven = !task.coefficients.empty();
  if (needsCoefficient(task.function) && !isGiven)
    return false;
  const auto how =
      eltwiseOf(task.function,
                isGiven ? static_cast<float>(task.coefficients.front()) : 0.0f);
  return how && applyTo(session, *how, task.relu, task.input, result);
}

bool compute(Session &session, const ClipTask &task, const TensorSpan &result) {
  return task.least <= task.most &&
         applyTo(session,
                 {algorithm::eltwise_clip, static_cast<float>(task.least),
                  static_cast<float>(task.most)},
                 {}, task.input, result);
}

bool compute(Session &session, const LeakyReluTask &task,
             const TensorSpan &result) {
  return applyTo(session,
                 {algorithm::eltwise_relu, static_cast<float>(task.slope)}, {},
                 task.input, result);
}

/// One slope for all, or one a channel in dimension 1.
bool compute(Session &session, const PReluTask &task,
             const TensorSpan &result) {
  const TensorView &input = task.input;
  if (input.rank() < 2 || input.elements() != result.elements())
    return false;
  const int64_t slopes = task.slope.elements();
  memory::dims dims(input.rank(), 1);
  dims[1] = slopes;
  Shape wanted(dims.begin(), dims.end());
  if (slopes != 1 &&
      (slopes != input.dim(1) || task.slope.type.shape != wanted))
    return false;
  const memory from = session.at(input),
               slope = session.at(task.slope, rowMajor(dims));
  session.run<dnnl::prelu_forward>(
      {{dnnl::prop_kind::forward_inference, from.get_desc(), slope.get_desc()},
       session.engine},
      {{DNNL_ARG_SRC, from},
       {DNNL_ARG_WEIGHTS, slope},
       {DNNL_ARG_DST, session.at(result, from.get_desc())}});
  return true;
}

} // namespace tpu_mlir::onednn
