#include "tpu_mlir/Execution/Elementwise.h"

#include "Epilogue.h"

#include <cmath>

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
static Plain plainFunction(Function function) {
  switch (function) {
  case Function::Abs:
    return [](float x) { return std::fabs(x); };
  case Function::Arccos:
    return [](float x) { return std::acos(x); };
  case Function::Arccosh:
    return [](float x) { return std::acosh(x); };
  case Function::Arcsin:
    return [](float x) { return std::asin(x); };
  case Function::Arcsinh:
    return [](float x) { return std::asinh(x); };
  case Function::Arctan:
    return [](float x) { return std::atan(x); };
  case Function::Arctanh:
    return [](float x) { return std::atanh(x); };
  case Function::Cosh:
    return [](float x) { return std::cosh(x); };
  case Function::IsFinite:
    return [](float x) { return std::isfinite(x) ? 1.0f : 0.0f; };
  case Function::Log1p:
    return [](float x) { return std::log1p(x); };
  case Function::Log2:
    return [](float x) { return std::log2(x); };
  case Function::Sinh:
    return [](float x) { return std::sinh(x); };
  case Function::Tan:
    return [](float x) { return std::tan(x); };
  case Function::Ceil:
    return [](float x) { return std::ceil(x); };
  case Function::Cos:
    return [](float x) { return std::cos(x); };
  case Function::Erf:
    return [](float x) { return std::erf(x); };
  case Function::Exp:
    return [](float x) { return std::exp(x); };
  case Function::Floor:
    return [](float x) { return std::floor(x); };
  case Function::Gelu:
    return gelu;
  case Function::GeluTanh:
    return geluTanh;
  case Function::GeluSigmoid:
    return [](float x) { return x * sigmoid(1.702f * x); };
  case Function::HardSwish:
    return [](float x) { return x * clamped(x / 6.0f + 0.5f, 0.0f, 1.0f); };
  case Function::Log:
    return [](float x) { return std::log(x); };
  case Function::LogSigmoid:
    return logSigmoid;
  case Function::Mish:
    return [](float x) { return x * std::tanh(softplus(x)); };
  case Function::Negate:
    return [](float x) { return -x; };
  case Function::Reciprocal:
    return [](float x) { return 1.0f / x; };
  case Function::Relu6:
    return [](float x) { return clamped(x, 0.0f, 6.0f); };
  case Function::Round:
    return [](float x) { return std::nearbyint(x); };
  case Function::Rsqrt:
    return [](float x) { return 1.0f / std::sqrt(x); };
  case Function::Sigmoid:
    return sigmoid;
  case Function::Sign:
    return [](float x) { return static_cast<float>((x > 0) - (x < 0)); };
  case Function::Silu:
    return [](float x) { return x * sigmoid(x); };
  case Function::Sin:
    return [](float x) { return std::sin(x); };
  case Function::Softplus:
    return softplus;
  case Function::Softsign:
    return [](float x) { return x / (1.0f + std::fabs(x)); };
  case Function::Sqrt:
    return [](float x) { return std::sqrt(x); };
  case Function::Square:
    return [](float x) { return x * x; };
  case Function::Tanh:
    return [](float x) { return std::tanh(x); };
  case Function::Elu:
  case Function::HardSigmoid:
  case Function::Power:
  case Function::PowerOf:
  case Function::Swish:
    break;
  }
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
