//===- Net.cpp - Build Top networks for tests -----------------------------===//
//
// Ops by name with weights in memory.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/Tpu/TopFuse/Net.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"

#include <cstring>

using namespace mlir;

namespace tpu_mlir::test {

Shape Net::shapeOf(Value value) {
  return Shape(cast<RankedTensorType>(value.getType()).getShape());
}

Value Net::input(const Shape &shape) {
  return builder.input(nextName("in"), shape);
}

Value Net::weight(const Shape &shape, double low, double high) {
  const std::string name = nextName("w");
  std::vector<float> numbers(
      static_cast<size_t>(execution::countOf(shape, 0, shape.size())));
  for (float &number : numbers)
    number = static_cast<float>(real(low, high));
  execution::NpyArray array{name, "<f4", execution::Shape(shape), {}};
  array.data.resize(numbers.size() * sizeof(float));
  std::memcpy(array.data.data(), numbers.data(), array.data.size());
  weights.push_back(std::move(array));
  return builder.weight(name, shape);
}

Value Net::constant(const Shape &shape, double number) {
  return weight(shape, number, number);
}

Value Net::layer(StringRef op, ArrayRef<Value> operands, const Shape &shape,
                 const std::string &attributes) {
  auto parsed =
      cast<DictionaryAttr>(parseAttribute("{" + attributes + "}", &context));
  const Type type =
      RankedTensorType::get(shape, Builder(&context).getF32Type());
  return builder
      .layer(("top." + op).str(), {nextName(op)}, operands, type,
             llvm::to_vector(parsed))
      ->getResult(0);
}

Value Net::commutes(StringRef op, Value a, Value b, bool relu) {
  const Shape shape = shapeOf(a);
  if (draw.chance(50))
    std::swap(a, b);
  return layer(op, {a, b}, shape, relu ? "do_relu = true" : "");
}

Value Net::add(Value a, Value b, bool relu) {
  return commutes("Add", a, b, relu);
}

Value Net::mul(Value a, Value b, bool relu) {
  return commutes("Mul", a, b, relu);
}

static std::string constVal(double number) {
  char text[64];
  std::snprintf(text, sizeof(text), "const_val = %.17e : f64", number);
  return text;
}

Value Net::plus(Value x, double number) {
  switch (draw.between(0, 4)) {
  case 0:
    return unary("SubConst", x, constVal(-number));
  case 1:
    return add(x, constant({1}, number));
  case 2:
    return layer("Sub", {x, constant({1}, -number)}, shapeOf(x));
  default:
    return unary("AddConst", x, constVal(number));
  }
}

Value Net::times(Value x, double number) {
  switch (draw.between(0, 4)) {
  case 0:
    return unary("DivConst", x, constVal(1 / number));
  case 1:
    return mul(x, constant(shapeOf(x), number));
  case 2:
    return div(x, constant({1}, 1 / number));
  default:
    return unary("MulConst", x, constVal(number));
  }
}

Value Net::square(Value x) {
  return draw.chance(50) ? mul(x, x) : unary("Pow", x, "exponent = 2.0 : f64");
}

Value Net::cube(Value x) {
  return draw.chance(50) ? mul(x, square(x))
                         : unary("Pow", x, "exponent = 3.0 : f64");
}

static std::string list(ArrayRef<int64_t> numbers) {
  std::string text = "[";
  for (auto [index, number] : llvm::enumerate(numbers))
    text += (index ? ", " : "") + std::to_string(number);
  return text + "]";
}

Value Net::mean(Value x, const Shape &axes) {
  Shape shape = shapeOf(x);
  for (int64_t axis : axes)
    shape[axis < 0 ? axis + shape.size() : axis] = 1;
  return layer("Reduce", {x}, shape,
               "axes = " + list(axes) +
                   ", keepdims = true, mode = \"ReduceMean\"");
}

Value Net::reshape(Value x, const Shape &shape) {
  return layer("Reshape", {x}, shape, "shape = " + list(shape));
}

Value Net::permute(Value x, const Shape &order) {
  Shape shape;
  for (int64_t dim : order)
    shape.push_back(shapeOf(x)[dim]);
  return layer("Permute", {x}, shape, "order = " + list(order));
}

Value Net::slice(Value x, int64_t axis, int64_t begin, int64_t step,
                 int64_t count) {
  Shape shape = shapeOf(x), offsets(shape.size(), 0), steps(shape.size(), 1),
        ends = shape;
  axis += axis < 0 ? shape.size() : 0;
  offsets[axis] = begin;
  steps[axis] = step;
  shape[axis] = count;
  return layer("Slice", {x, Value(), Value(), Value()}, shape,
               "offset = " + list(offsets) + ", steps = " + list(steps) +
                   ", ends = " + list(ends) + ", axes = []");
}

Value Net::concat(Value a, Value b, int64_t axis) {
  Shape shape = shapeOf(a);
  axis += axis < 0 ? shape.size() : 0;
  shape[axis] += shapeOf(b)[axis];
  return layer("Concat", {a, b}, shape,
               "axis = " + std::to_string(axis) + " : si32");
}

OwningOpRef<ModuleOp> Net::finish(Value result) {
  SmallVector<Value> outputs = {result};
  outputs.append(returned.begin(), returned.end());
  return builder.finish(outputs);
}

} // namespace tpu_mlir::test
