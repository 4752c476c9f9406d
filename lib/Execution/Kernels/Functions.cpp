//===- Functions.cpp - Functions of one number ----------------------------===//

#include "tpu_mlir/Execution/Elementwise.h"

#include "Epilogue.h"

#include <cmath>
#include <utility>

namespace tpu_mlir::execution {

static float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
static float clamped(float x, float least, float most) {
  x = x < least ? least : x;
  return x > most ? most : x;
}
static float softplus(float x) {
  return x > 20.0f ? x : std::log1p(std::exp(x));
}
/// Without exp(-x) beyond what f32 holds.
static float logSigmoid(float x) {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}
static float gelu(float x) {
  return 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
}
static float geluTanh(float x) {
  return 0.5f * x *
         (1.0f + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}

using Plain = float (*)(float);

/// Functions without coefficients.
static constexpr std::pair<Function, Plain> kPlain[] = {
    {Function::Abs, [](float x) { return std::fabs(x); }},
    {Function::Arccos, [](float x) { return std::acos(x); }},
    {Function::Arccosh, [](float x) { return std::acosh(x); }},
    {Function::Arcsin, [](float x) { return std::asin(x); }},
    {Function::Arcsinh, [](float x) { return std::asinh(x); }},
    {Function::Arctan, [](float x) { return std::atan(x); }},
    {Function::Arctanh, [](float x) { return std::atanh(x); }},
    {Function::Cosh, [](float x) { return std::cosh(x); }},
    {Function::IsFinite,
     [](float x) { return std::isfinite(x) ? 1.0f : 0.0f; }},
    {Function::Log1p, [](float x) { return std::log1p(x); }},
    {Function::Log2, [](float x) { return std::log2(x); }},
    {Function::Sinh, [](float x) { return std::sinh(x); }},
    {Function::Tan, [](float x) { return std::tan(x); }},
    {Function::Ceil, [](float x) { return std::ceil(x); }},
    {Function::Cos, [](float x) { return std::cos(x); }},
    {Function::Erf, [](float x) { return std::erf(x); }},
    {Function::Exp, [](float x) { return std::exp(x); }},
    {Function::Floor, [](float x) { return std::floor(x); }},
    {Function::Gelu, gelu},
    {Function::GeluTanh, geluTanh},
    {Function::GeluSigmoid, [](float x) { return x * sigmoid(1.702f * x); }},
    {Function::HardSwish,
     [](float x) { return x * clamped(x / 6.0f + 0.5f, 0.0f, 1.0f); }},
    {Function::Log, [](float x) { return std::log(x); }},
    {Function::LogSigmoid, logSigmoid},
    {Function::Mish, [](float x) { return x * std::tanh(softplus(x)); }},
    {Function::Negate, [](float x) { return -x; }},
    {Function::Reciprocal, [](float x) { return 1.0f / x; }},
    {Function::Relu6, [](float x) { return clamped(x, 0.0f, 6.0f); }},
    {Function::Round, [](float x) { return std::nearbyint(x); }},
    {Function::Rsqrt, [](float x) { return 1.0f / std::sqrt(x); }},
    {Function::Sigmoid, sigmoid},
    {Function::Sign,
     [](float x) {
       return std::isnan(x) ? x : static_cast<float>((x > 0) - (x < 0));
     }},
    {Function::Silu, [](float x) { return x * sigmoid(x); }},
    {Function::Sin, [](float x) { return std::sin(x); }},
    {Function::Softplus, softplus},
    {Function::Softsign, [](float x) { return x / (1.0f + std::fabs(x)); }},
    {Function::Sqrt, [](float x) { return std::sqrt(x); }},
    {Function::Square, [](float x) { return x * x; }},
    {Function::Tanh, [](float x) { return std::tanh(x); }}};

static Plain plainFunction(Function function) {
  for (const auto &[known, plain] : kPlain)
    if (known == function)
      return plain;
  return nullptr;
}

static size_t coefficientsOf(Function function) {
  if (plainFunction(function))
    return 0;
  return function == Function::HardSigmoid ? 2 : 1;
}

/// With its coefficients, of which `second` is 0 where it has one.
static float applyTo(float x, Function function, float first, float second) {
  switch (function) {
  case Function::Elu:
    return x < 0 ? first * std::expm1(x) : x;
  case Function::Power:
    return std::pow(x, first);
  case Function::PowerOf:
    return std::pow(first, x);
  case Function::Swish:
    return x * sigmoid(first * x);
  default:
    return clamped(second * x + first, 0.0f, 1.0f);
  }
}

Outcome apply(Function function, llvm::ArrayRef<double> coefficients,
              const TensorView &input, const FusedRelu &relu,
              const TensorSpan &result) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  if (coefficients.size() < coefficientsOf(function))
    return KernelError{"the function needs " +
                       std::to_string(coefficientsOf(function)) +
                       " coefficients"};
  std::vector<float> values = numbersOf(input);
  if (Plain plain = plainFunction(function)) {
    for (float &value : values)
      value = plain(value);
  } else {
    const float first = static_cast<float>(coefficients[0]);
    const float second =
        coefficients.size() > 1 ? static_cast<float>(coefficients[1]) : 0.0f;
    for (float &x : values)
      x = applyTo(x, function, first, second);
  }
  if (relu.isOn)
    for (float &value : values)
      value = limited(value, relu);
  store(values, result);
  return std::nullopt;
}

} // namespace tpu_mlir::execution
