//===- Functions.cpp - Layers that are a function of one number -----------===//

#include "tpu_mlir/Quantization/Functions.h"

#include "tpu_mlir/Execution/Elementwise.h"

#include <cmath>

using llvm::StringRef;

namespace tpu_mlir::quantization {

using execution::ElementType;
using execution::Function;

namespace {

/// With the names of its coefficients, and what these are where they are
/// missing.
struct NamedFunction {
  StringRef layer;
  Function function;
  StringRef names[2] = {};
  double absent[2] = {};
};

} // namespace

static const NamedFunction kFunctions[] = {
    {"Abs", Function::Abs},
    {"Arccos", Function::Arccos},
    {"Arcsin", Function::Arcsin},
    {"Arctan", Function::Arctan},
    {"Arctanh", Function::Arctanh},
    {"Ceil", Function::Ceil},
    {"Cos", Function::Cos},
    {"Cosh", Function::Cosh},
    {"Elu", Function::Elu, {"alpha"}, {1}},
    {"Erf", Function::Erf},
    {"Exp", Function::Exp},
    {"Floor", Function::Floor},
    {"GELU", Function::Gelu},
    {"HardSigmoid", Function::HardSigmoid, {"beta", "alpha"}, {0.5, 0.2}},
    {"HardSwish", Function::HardSwish},
    {"Log", Function::Log},
    {"LogSigmoid", Function::LogSigmoid},
    {"Mish", Function::Mish},
    {"Pow", Function::Power, {"exponent"}, {1}},
    {"QGELU", Function::GeluSigmoid},
    {"Relu6", Function::Relu6},
    {"Round", Function::Round},
    {"Rsqrt", Function::Rsqrt},
    {"SiLU", Function::Silu},
    {"Sign", Function::Sign},
    {"Sin", Function::Sin},
    {"Sinh", Function::Sinh},
    {"Softplus", Function::Softplus},
    {"Softsign", Function::Softsign},
    {"Sqrt", Function::Sqrt},
    {"Swish", Function::Swish, {"beta"}, {1}},
    {"TGELU", Function::GeluTanh},
    {"Tan", Function::Tan},
    {"Tanh", Function::Tanh},
};

/// Of one number, as the kernels compute it.
static double valueOf(Function function, llvm::ArrayRef<double> coefficients,
                      double x) {
  execution::Tensor from({ElementType::F32, {1}, 1, 0}), to(from.view().type);
  execution::store(llvm::ArrayRef<float>(static_cast<float>(x)), from.span());
  if (execution::apply(function, coefficients, from.view(), {}, to.span()))
    return NAN;
  return execution::floatsOf(to.view()).front();
}

/// A number and a constant.
static std::function<double(double)> withConstant(StringRef layer,
                                                  const LayerNumber &number) {
  const double c = number("const_val", NAN);
  const bool reversed = number("is_reverse", 0) != 0;
  if (std::isnan(c))
    return nullptr;
  if (layer == "AddConst")
    return [c](double x) { return x + c; };
  if (layer == "SubConst")
    return [c, reversed](double x) { return reversed ? c - x : x - c; };
  if (layer == "MulConst")
    return [c](double x) { return x * c; };
  if (layer == "DivConst")
    return [c, reversed](double x) { return reversed ? c / x : x / c; };
  if (layer == "MaxConst")
    return [c](double x) { return std::max(x, c); };
  if (layer == "MinConst")
    return [c](double x) { return std::min(x, c); };
  if (layer == "Reciprocal")
    return [c](double x) { return c / x; };
  return nullptr;
}

/// Those with parameters of their own.
static std::function<double(double)> special(StringRef layer,
                                             const LayerNumber &number) {
  if (layer == "Sigmoid") {
    const double scale = number("scale", 1), bias = number("bias", 0);
    return
        [scale, bias](double x) { return scale / (1 + std::exp(-x)) + bias; };
  }
  if (layer == "Clip") {
    const double least = number("min", -INFINITY),
                 most = number("max", INFINITY);
    return [=](double x) { return std::min(std::max(x, least), most); };
  }
  if (layer == "LeakyRelu") {
    const double slope = number("alpha", 0);
    return [slope](double x) { return x < 0 ? slope * x : x; };
  }
  if (layer == "Relu") {
    const double limit = number("relu_limit", -1);
    return [most = limit > 0 ? limit : INFINITY](double x) {
      return std::min(std::max(x, 0.), most);
    };
  }
  return nullptr;
}

std::optional<std::function<double(double)>>
functionOf(StringRef layer, const LayerNumber &number) {
  for (const NamedFunction &named : kFunctions) {
    if (named.layer != layer)
      continue;
    std::vector<double> coefficients;
    for (int i = 0; i < 2 && !named.names[i].empty(); ++i)
      coefficients.push_back(number(named.names[i], named.absent[i]));
    return [function = named.function, coefficients](double x) {
      return valueOf(function, coefficients, x);
    };
  }
  if (std::function<double(double)> function = special(layer, number))
    return function;
  if (std::function<double(double)> function = withConstant(layer, number))
    return function;
  return std::nullopt;
}

static std::vector<uint8_t> bfloats(const std::function<double(int)> &entry) {
  std::vector<float> numbers;
  for (int i = 0; i < 256; ++i)
    numbers.push_back(static_cast<float>(entry(i)));
  std::vector<uint8_t> bytes(2 * numbers.size());
  execution::writeFloats(ElementType::BF16, bytes.data(), 0,
                         static_cast<int64_t>(numbers.size()), numbers.data());
  return bytes;
}

SoftmaxTables softmaxTables() {
  const auto exponential = [](int i) {
    return std::exp(static_cast<int8_t>(i) / 16. - 7);
  };
  // A bfloat16 is 2^(e - 127) * (1 + m / 128); entries for e, and for m with
  // one more bit.
  return {bfloats(exponential), bfloats([&](int i) {
            return exponential(i) * (std::exp(1 / 16.) - 1);
          }),
          bfloats([](int i) { return std::ldexp(1., 127 - i); }),
          bfloats([](int i) { return 1 / (1 + i / 256.); })};
}

} // namespace tpu_mlir::quantization
