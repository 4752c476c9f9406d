//===- Elementwise.cpp - Arithmetic and functions by element --------------===//
//
// Broadcasts operands by strides; integers without a scale are exact, all else
// is f32.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Elementwise.h"

#include "Epilogue.h"
#include "Spread.h"
#include "tpu_mlir/Support/Bytes.h"

#include <cmath>

namespace tpu_mlir::execution {

std::optional<Shape> spreadSteps(llvm::ArrayRef<int64_t> from,
                                 llvm::ArrayRef<int64_t> to) {
  if (from.size() > to.size())
    return std::nullopt;
  Shape steps(to.size(), 0);
  int64_t step = 1;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t size = from[from.size() - i];
    if (size != 1 && size != to[to.size() - i])
      return std::nullopt;
    steps[to.size() - i] = size == 1 ? 0 : step;
    step *= size;
  }
  return steps;
}

static KernelError unspread(const TensorView &operand,
                            const TensorSpan &result) {
  return {describe(operand.type.shape) + " does not spread over " +
          describe(result.type.shape)};
}

/// into[i] = op(into[i], values of the operand at i) for all of `shape`.
template <typename Number, typename Op>
static void fold(std::vector<Number> &into, const std::vector<Number> &values,
                 llvm::ArrayRef<int64_t> shape, const Shape &steps, Op op) {
  const int64_t length = shape.empty() ? 1 : shape.back();
  const int64_t step = shape.empty() ? 0 : steps.back();
  forEachRow(shape, steps, [&](int64_t from, int64_t to) {
    for (int64_t i = 0; i < length; ++i)
      into[to + i] = op(into[to + i], values[from + i * step]);
  });
}

static float remainderOf(float a, float b) {
  const float rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int64_t remainderOf(int64_t a, int64_t b) {
  const int64_t rest = b == -1 ? 0 : a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Through f64, cut towards zero.
static int64_t powerOf(int64_t a, int64_t b) {
  const double power = std::pow(static_cast<double>(a), static_cast<double>(b));
  if (power >= 0x1p63)
    return INT64_MAX;
  return power < -0x1p63 ? INT64_MIN : static_cast<int64_t>(power);
}

template <typename Use> static void withFloatOp(Binary op, Use use) {
  switch (op) {
  case Binary::Add:
    return use([](float a, float b) { return a + b; });
  case Binary::Sub:
    return use([](float a, float b) { return a - b; });
  case Binary::Mul:
    return use([](float a, float b) { return a * b; });
  case Binary::Div:
    return use([](float a, float b) { return a / b; });
  case Binary::Max:
    return use([](float a, float b) { return largerOf(a, b); });
  case Binary::Min:
    return use([](float a, float b) { return smallerOf(a, b); });
  case Binary::Modulo:
    return use([](float a, float b) { return std::fmod(a, b); });
  case Binary::Remainder:
    return use([](float a, float b) { return remainderOf(a, b); });
  case Binary::Power:
    return use([](float a, float b) { return std::pow(a, b); });
  }
}

template <typename Use> static void withIntegerOp(Binary op, Use use) {
  switch (op) {
  case Binary::Add:
    return use(saturatedSum);
  case Binary::Sub:
    return use([](int64_t a, int64_t b) { return saturatedSub(a, b); });
  case Binary::Mul:
    return use(saturatedProduct);
  case Binary::Div:
    return use([](int64_t a, int64_t b) {
      return b == -1 ? saturatedSub(0, a) : a / b;
    });
  case Binary::Max:
    return use([](int64_t a, int64_t b) { return std::max(a, b); });
  case Binary::Min:
    return use([](int64_t a, int64_t b) { return std::min(a, b); });
  case Binary::Modulo:
    return use([](int64_t a, int64_t b) { return b == -1 ? 0 : a % b; });
  case Binary::Remainder:
    return use([](int64_t a, int64_t b) { return remainderOf(a, b); });
  case Binary::Power:
    return use(powerOf);
  }
}

/// The first operand spread over the result, then the others folded in.
template <typename Number, typename Read, typename WithOp>
static Outcome foldAll(llvm::ArrayRef<TensorView> operands,
                       const TensorSpan &result, std::vector<Number> &values,
                       Read read, WithOp withOp) {
  values.resize(result.elements());
  for (size_t i = 0; i < operands.size(); ++i) {
    auto steps = spreadSteps(operands[i].type.shape, result.type.shape);
    if (!steps)
      return unspread(operands[i], result);
    const std::vector<Number> own = read(operands[i]);
    if (i == 0)
      fold(values, own, result.type.shape, *steps,
           [](Number, Number value) { return value; });
    else
      withOp(
          [&](auto op) { fold(values, own, result.type.shape, *steps, op); });
  }
  return std::nullopt;
}

static void storeLimited(std::vector<float> &values, const FusedRelu &relu,
                         const TensorSpan &result) {
  if (relu.isOn)
    for (float &value : values)
      value = limited(value, relu);
  store(values, result);
}

static bool hasZero(const TensorView &view) {
  for (int64_t value : integersOf(view))
    if (value == 0)
      return true;
  return false;
}

static Outcome combineIntegers(Binary op, llvm::ArrayRef<TensorView> operands,
                               const FusedRelu &relu,
                               const TensorSpan &result) {
  if (op == Binary::Div || op == Binary::Modulo || op == Binary::Remainder)
    for (const TensorView &divisor : operands.drop_front())
      if (hasZero(divisor))
        return KernelError{"an integer is divided by zero"};
  std::vector<int64_t> values;
  if (Outcome error = foldAll(operands, result, values, integersOf,
                              [&](auto use) { withIntegerOp(op, use); }))
    return error;
  if (relu.isOn)
    for (int64_t &value : values) {
      value = std::max<int64_t>(value, 0);
      if (relu.limit >= 0 && static_cast<double>(value) > relu.limit)
        value = static_cast<int64_t>(relu.limit);
    }
  store(values, result);
  return std::nullopt;
}

Outcome combine(Binary op, llvm::ArrayRef<TensorView> operands,
                const FusedRelu &relu, const TensorSpan &result) {
  if (Outcome error = check(operands, {result}))
    return error;
  if (operands.empty())
    return KernelError{"there are no operands"};
  bool integers = !isFloat(result.type.element);
  for (const TensorView &operand : operands)
    integers &= !isFloat(operand.type.element);
  if (integers)
    return combineIntegers(op, operands, relu, result);
  std::vector<float> values;
  if (Outcome error = foldAll(operands, result, values, numbersOf,
                              [&](auto use) { withFloatOp(op, use); }))
    return error;
  storeLimited(values, relu, result);
  return std::nullopt;
}

template <typename Op>
static Outcome forEach(const TensorView &input, const FusedRelu &relu,
                       const TensorSpan &result, Op op) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  std::vector<float> values = numbersOf(input);
  for (float &value : values)
    value = op(value);
  storeLimited(values, relu, result);
  return std::nullopt;
}

Outcome combineConst(Binary op, const TensorView &input, double number,
                     bool reversed, const FusedRelu &relu,
                     const TensorSpan &result) {
  const float constant = static_cast<float>(number);
  Outcome outcome;
  withFloatOp(op, [&](auto apply) {
    outcome = forEach(input, relu, result, [&](float value) {
      return reversed ? apply(constant, value) : apply(value, constant);
    });
  });
  return outcome;
}

Outcome clip(const TensorView &input, double least, double most,
             const TensorSpan &result) {
  return forEach(input, {}, result, [&](float value) {
    value = value < least ? static_cast<float>(least) : value;
    return value > most ? static_cast<float>(most) : value;
  });
}

Outcome leakyRelu(const TensorView &input, double slope,
                  const TensorSpan &result) {
  const float factor = static_cast<float>(slope);
  return forEach(input, {}, result, [&](float value) {
    return value < 0 ? factor * value : value;
  });
}

/// One element of `input` for each of the result, and what goes with them.
static Outcome checkBeside(const TensorView &input, const TensorView &beside,
                           const TensorSpan &result) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  return check({beside}, {});
}

Outcome prelu(const TensorView &input, const TensorView &slope,
              const TensorSpan &result) {
  if (Outcome error = checkBeside(input, slope, result))
    return error;
  // Channels are dimension 1, wherever the slopes' own shape has them.
  const Shape &shape = result.type.shape;
  Shape slopes(shape.size(), 1);
  if (shape.size() > 1)
    slopes[1] = slope.elements();
  auto steps = spreadSteps(slopes, shape);
  if (!steps || (shape.size() < 2 && slope.elements() != 1))
    return unspread(slope, result);
  std::vector<float> values = numbersOf(input);
  fold(values, numbersOf(slope), result.type.shape, *steps,
       [](float value, float factor) {
         return value < 0 ? factor * value : value;
       });
  store(values, result);
  return std::nullopt;
}

static bool isScaled(const TensorType &type) {
  return type.scale != 1 || type.zeroPoint != 0;
}

Outcome rotate(const TensorView &input, const TensorView &sine,
               const TensorView &cosine, Pairing pairing,
               const TensorSpan &result) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  if (Outcome error = check({sine, cosine}, {}))
    return error;
  const int64_t size = input.rank() == 0 ? 1 : input.type.shape.back();
  if (size % 2 != 0)
    return KernelError{"the last dimension of " + describe(input.type.shape) +
                       " has no pairs"};
  std::vector<float> tables[2];
  for (auto [table, operand] :
       {std::pair(&tables[0], &sine), std::pair(&tables[1], &cosine)}) {
    auto steps = spreadSteps(operand->type.shape, input.type.shape);
    if (!steps)
      return KernelError{describe(operand->type.shape) +
                         " does not spread over " + describe(input.type.shape)};
    table->resize(input.elements());
    fold(*table, numbersOf(*operand), input.type.shape, *steps,
         [](float, float value) { return value; });
  }
  const std::vector<float> values = numbersOf(input);
  std::vector<float> turned(values.size());
  for (int64_t i = 0, e = input.elements(); i < e; ++i) {
    const int64_t at = i % size;
    const bool isFirst =
        pairing == Pairing::Halves ? at < size / 2 : at % 2 == 0;
    const int64_t away = pairing == Pairing::Halves ? size / 2 : 1;
    const float other = values[isFirst ? i + away : i - away] * tables[0][i];
    const float own = values[i] * tables[1][i];
    turned[i] = isFirst ? own - other : own + other;
  }
  store(turned, result);
  return std::nullopt;
}

Outcome convert(const TensorView &input, const TensorSpan &result,
                Rounding rounding) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  const bool scaled = isScaled(input.type) || isScaled(result.type);
  if (!scaled && !isFloat(input.type.element) &&
      !isFloat(result.type.element)) {
    store(integersOf(input), result);
    return std::nullopt;
  }
  std::vector<float> values = numbersOf(input);
  if (!isFloat(result.type.element))
    for (float &value : values)
      value = static_cast<float>(rounded(value / result.type.scale, rounding) +
                                 result.type.zeroPoint);
  store(values, result);
  return std::nullopt;
}

Outcome lookUp(const TensorView &input, const TensorView &table,
               const TensorSpan &result) {
  if (Outcome error = checkBeside(input, table, result))
    return error;
  const int width = bitsOf(table.type.element) / 8;
  if (bitsOf(input.type.element) != 8 || width == 0 ||
      width != bitsOf(result.type.element) / 8 || table.elements() != 256)
    return KernelError{"a table of 256 elements of the result's size, and "
                       "elements of 8 bits, are needed"};
  for (size_t i = 0; i < input.bytes.size(); ++i)
    std::copy_n(table.bytes.data() + size_t(input.bytes[i]) * width, width,
                result.bytes.data() + i * width);
  return std::nullopt;
}

} // namespace tpu_mlir::execution
