//===- RandomNetwork.cpp - Small random networks as text ------------------===//

#include "tests/exec/networks/RandomNetwork.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace tpu_mlir::exec {

namespace {

using Shape = std::vector<int64_t>;

struct Value {
  std::string name;
  Shape shape;
  std::string element;
  bool isRead = false;
};

std::string listOf(const Shape &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string typeOf(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

class NetworkWriter {
public:
  NetworkWriter(uint32_t seed, const NetworkOptions &options)
      : random(seed), options(options) {}

  std::string run();

private:
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  }
  /// True once in `n` times.
  bool chance(int n) { return pick(1, n) == 1; }

  size_t pickValue() {
    const size_t back = chance(3) ? static_cast<size_t>(pick(0, 4)) : size_t{0};
    return values.size() - 1 - std::min(back, values.size() - 1);
  }

  std::string weight(const Shape &shape, const std::string &element);

  /// Appends an op; operands are values, weights or %none.
  void emit(const std::string &op, const std::vector<std::string> &operands,
            const Shape &shape, const std::string &element,
            const std::string &attributes = "");

  static int64_t elements(const Shape &shape);
  bool isTooLarge(const Shape &shape) const {
    return elements(shape) >
           3 * options.maxChannels * options.maxExtent * options.maxExtent;
  }

  void addLayer();

  struct Windows {
    Shape kernel, stride, dilation, pads{0, 0, 0, 0};
    Shape out;
    std::string text(bool isDilated) const {
      return "kernel_shape = " + listOf(kernel) +
             ", strides = " + listOf(stride) + ", pads = " + listOf(pads) +
             (isDilated ? ", dilations = " + listOf(dilation) : "");
    }
  };
  /// Out: extents, or an empty list when the window does not fit.
  Windows pickWindows(const Shape &shape, bool isDilated);

  void addConv(const Value &from);
  void addPool(const Value &from);
  /// Another operand that `from` can be combined with.
  std::string partnerOf(const Value &from);
  void addElementwise(const Value &from);
  void addConcat(const Value &from);
  void addSlice(const Value &from);
  void addUpsample(const Value &from);
  void addDeconv(const Value &from);
  void addReduction(const Value &from);
  void addReshape(const Value &from);
  void add3D(const Value &from);
  void addRare(const Value &from);
  std::string finish(const std::string &arguments);

  std::mt19937 random; ///< Its numbers are the same everywhere.
  const NetworkOptions options;
  std::vector<Value> values;
  std::map<std::string, std::string> types; ///< Of weights.
  std::string body;
  int numLayers = 0, numWeights = 0;
};

std::string NetworkWriter::run() {
  const int numInputs = 1 + chance(3);
  std::string arguments;
  for (int i = 0; i < numInputs; ++i) {
    const Shape shape{chance(4) ? pick(2, 3) : 1, pick(1, options.maxChannels),
                      pick(3, options.maxExtent), pick(3, options.maxExtent)};
    Value value{"%in" + std::to_string(i), shape,
                options.isInteger ? "i8" : "f16"};
    arguments += (i ? ", " : "") + value.name + ": " +
                 typeOf(value.shape, value.element);
    values.push_back(value);
  }
  for (int tries = 0; numLayers < options.layers && tries < 400; ++tries)
    addLayer();
  return finish(arguments);
}

std::string NetworkWriter::weight(const Shape &shape,
                                  const std::string &element) {
  const std::string name = "%w" + std::to_string(numWeights++);
  const std::string type = typeOf(shape, element);
  body += "    " + name + " = \"top.Weight\"() : () -> " + type + " loc(\"" +
          name.substr(1) + "\")\n";
  types[name] = type;
  return name;
}

void NetworkWriter::emit(const std::string &op,
                         const std::vector<std::string> &operands,
                         const Shape &shape, const std::string &element,
                         const std::string &attributes) {
  Value result{"%v" + std::to_string(numLayers++), shape, element};
  std::string names, operandTypes;
  for (const std::string &operand : operands) {
    std::string type = operand == "%none" ? "none" : types[operand];
    for (Value &value : values)
      if (value.name == operand) {
        value.isRead = true;
        type = typeOf(value.shape, value.element);
      }
    names += (names.empty() ? "" : ", ") + operand;
    operandTypes += (operandTypes.empty() ? "" : ", ") + type;
  }
  body += "    " + result.name + " = \"tpu." + op + "\"(" + names + ") {" +
          attributes + "} : (" + operandTypes + ") -> " +
          typeOf(shape, element) + " loc(\"" + result.name.substr(1) + "\")\n";
  values.push_back(result);
}

int64_t NetworkWriter::elements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

void NetworkWriter::addLayer() {
  const Value from = values[pickValue()];
  if (from.shape.size() == 3)
    return chance(2) ? add3D(from) : addElementwise(from);
  switch (pick(0, 13)) {
  case 0:
  case 1:
  case 2:
    return addConv(from);
  case 3:
  case 4:
    return addPool(from);
  case 5:
  case 6:
  case 7:
    return addElementwise(from);
  case 8:
    return addConcat(from);
  case 9:
    return addSlice(from);
  case 10:
    return chance(2) ? addUpsample(from) : addDeconv(from);
  case 11:
    return addReduction(from);
  case 12:
    return addReshape(from);
  default:
    return addRare(from);
  }
}

NetworkWriter::Windows NetworkWriter::pickWindows(const Shape &shape,
                                                  bool isDilated) {
  Windows windows;
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t kernel = pick(1, 4), stride = chance(2) ? 1 : pick(1, 3);
    const int64_t dilation = isDilated && chance(4) ? 2 : 1;
    const int64_t span = (kernel - 1) * dilation + 1;
    windows.kernel.push_back(kernel);
    windows.stride.push_back(stride);
    windows.dilation.push_back(dilation);
    windows.pads[axis] = pick(0, kernel / 2);
    windows.pads[axis + 2] = pick(0, kernel / 2);
    const int64_t room =
        shape[2 + axis] + windows.pads[axis] + windows.pads[axis + 2] - span;
    if (room >= 0)
      windows.out.push_back(room / stride + 1);
  }
  if (windows.out.size() < 2)
    windows.out.clear();
  return windows;
}

void NetworkWriter::addConv(const Value &from) {
  if (from.element != "i8" && from.element != "f16")
    return;
  const Windows windows = pickWindows(from.shape, true);
  if (windows.out.empty())
    return;
  const int64_t in = from.shape[1];
  int64_t group = 1, out = pick(1, options.maxChannels);
  if (chance(4)) {
    group = in;
    out = in;
  } else if (in % 2 == 0 && chance(4)) {
    group = 2;
    out = 2 * pick(1, options.maxChannels / 2);
  }
  const bool isInteger = from.element == "i8";
  const std::string filter = weight(
      {out, in / group, windows.kernel[0], windows.kernel[1]}, from.element);
  std::string bias = "%none";
  if (chance(2))
    bias = weight(chance(2) ? Shape{out} : Shape{1, out, 1, 1},
                  isInteger ? "i32" : "f32");
  std::string attributes =
      windows.text(true) + ", group = " + std::to_string(group) + " : i64";
  if (isInteger && bias != "%none" && chance(2))
    attributes += ", multiplier = [3], rshift = [1]";
  if (chance(3))
    attributes += ", do_relu = true";
  emit("Conv2D", {from.name, filter, bias},
       {from.shape[0], out, windows.out[0], windows.out[1]}, from.element,
       attributes);
}

void NetworkWriter::addPool(const Value &from) {
  if (from.element == "f32")
    return;
  Windows windows = pickWindows(from.shape, false);
  if (chance(8)) { // All of it.
    windows.kernel = {from.shape[2], from.shape[3]};
    windows.stride = {1, 1};
    windows.pads = {0, 0, 0, 0};
    windows.out = {1, 1};
  }
  if (windows.out.empty())
    return;
  emit("Pool2D", {from.name},
       {from.shape[0], from.shape[1], windows.out[0], windows.out[1]},
       from.element,
       windows.text(false) + ", pool_mode = #tpu<pool_mode " +
           (chance(2) ? "Max" : "Avg") + ">");
}

std::string NetworkWriter::partnerOf(const Value &from) {
  std::vector<std::string> found;
  for (const Value &value : values) {
    if (value.element != from.element ||
        value.shape.size() != from.shape.size())
      continue;
    bool isFit = true;
    for (size_t dim = 0; dim < from.shape.size(); ++dim)
      isFit &= value.shape[dim] == from.shape[dim] || value.shape[dim] == 1;
    if (isFit && value.name != from.name)
      found.push_back(value.name);
  }
  if (!found.empty() && !chance(3))
    return found[pick(0, static_cast<int64_t>(found.size()) - 1)];
  if (chance(8))
    return from.name;
  Shape shape = from.shape;
  for (int64_t &extent : shape)
    if (chance(2))
      extent = 1;
  return weight(shape, from.element);
}

void NetworkWriter::addElementwise(const Value &from) {
  switch (pick(0, 7)) {
  case 0:
  case 1:
  case 2: {
    static const char *const kOps[] = {"Add", "Sub", "Mul", "Min", "Max"};
    std::vector<std::string> operands{from.name, partnerOf(from)};
    if (chance(4))
      std::swap(operands[0], operands[1]);
    return emit(kOps[pick(0, 4)], operands, from.shape, from.element);
  }
  case 3:
    return emit("Relu", {from.name}, from.shape, from.element);
  case 4:
    if (from.element == "f16")
      return emit("Active", {from.name}, from.shape, from.element,
                  "mode = #tpu<active_mode SILU>");
    if (from.element == "i8")
      return emit("Lut", {from.name, weight({1, 1, 1, 256}, "i8")}, from.shape,
                  from.element);
    return;
  case 5: {
    const std::string to = from.element == "f32"  ? "f16"
                           : from.element == "i8" ? "f16"
                           : options.isInteger    ? "i8"
                                                  : "f32";
    return emit("Cast", {from.name}, from.shape, to);
  }
  case 6:
    return emit("MulConst", {from.name}, from.shape, from.element,
                "const_val = 2.0 : f64");
  default:
    if (from.element == "f16" && from.shape.size() == 4)
      return emit("PRelu", {from.name, weight({1, from.shape[1], 1, 1}, "f16")},
                  from.shape, from.element);
    return emit("Clip", {from.name}, from.shape, from.element,
                "min = 0.0 : f64, max = 6.0 : f64");
  }
}

void NetworkWriter::addConcat(const Value &from) {
  const size_t axis = static_cast<size_t>(pick(1, 3));
  std::vector<std::string> operands{from.name};
  Shape shape = from.shape;
  for (const Value &value : values) {
    Shape alike = value.shape;
    if (alike.size() == 4)
      alike[axis] = from.shape[axis];
    if (alike != from.shape || value.element != from.element ||
        operands.size() > 3 || value.name == from.name)
      continue;
    operands.push_back(value.name);
    shape[axis] += value.shape[axis];
  }
  if (operands.size() < 2 || isTooLarge(shape))
    return;
  emit("Concat", operands, shape, from.element,
       "axis = " + std::to_string(axis) + " : si32");
}

void NetworkWriter::addSlice(const Value &from) {
  const size_t axis = static_cast<size_t>(pick(1, 3));
  if (from.shape[axis] < 2)
    return;
  Shape offset(4), steps(4, 1), ends = from.shape, shape = from.shape;
  steps[axis] = chance(3) ? 2 : 1;
  offset[axis] = pick(0, from.shape[axis] / 2);
  ends[axis] = pick(offset[axis] + 1, from.shape[axis]);
  shape[axis] = (ends[axis] - offset[axis] + steps[axis] - 1) / steps[axis];
  emit("Slice", {from.name, "%none", "%none", "%none", "%none"}, shape,
       from.element,
       "offset = " + listOf(offset) + ", steps = " + listOf(steps) +
           ", ends = " + listOf(ends));
}

void NetworkWriter::addUpsample(const Value &from) {
  const int64_t up = pick(1, 3), across = pick(1, 3);
  const Shape shape{from.shape[0], from.shape[1], from.shape[2] * up,
                    from.shape[3] * across};
  if (!isTooLarge(shape))
    emit("Upsample", {from.name}, shape, from.element,
         "scale_h = " + std::to_string(up) +
             " : i64, scale_w = " + std::to_string(across) + " : i64");
}

void NetworkWriter::addDeconv(const Value &from) {
  if (from.element != "i8" && from.element != "f16")
    return;
  const Shape kernel{pick(2, 4), pick(2, 4)}, stride{pick(1, 2), pick(1, 2)};
  const Shape pads{pick(0, 1), pick(0, 1), pick(0, 1), pick(0, 1)};
  const int64_t out = pick(1, options.maxChannels);
  Shape shape{from.shape[0], out, 0, 0};
  for (int axis = 0; axis < 2; ++axis)
    shape[2 + axis] = (from.shape[2 + axis] - 1) * stride[axis] + kernel[axis] -
                      pads[axis] - pads[axis + 2];
  if (shape[2] < 1 || shape[3] < 1 || isTooLarge(shape))
    return;
  emit("Deconv",
       {from.name,
        weight({out, from.shape[1], kernel[0], kernel[1]}, from.element),
        "%none"},
       shape, from.element,
       "kernel_shape = " + listOf(kernel) + ", strides = " + listOf(stride) +
           ", pads = " + listOf(pads) + ", group = 1 : i64");
}

void NetworkWriter::addReduction(const Value &from) {
  if (from.element != "f16")
    return;
  switch (pick(0, 3)) {
  case 0:
    return emit("Softmax", {from.name}, from.shape, from.element,
                "axis = " + std::to_string(pick(2, 3)) + " : si32");
  case 1:
    return emit("RMSNorm", {from.name, weight({1, 1, 1, from.shape[3]}, "f16")},
                from.shape, from.element);
  case 2:
    return emit("LayerNorm",
                {from.name, weight({1, 1, 1, from.shape[3]}, "f16"),
                 weight({1, 1, 1, from.shape[3]}, "f16")},
                from.shape, from.element,
                "axis = 3 : si32, normalized_shape = [" +
                    std::to_string(from.shape[3]) + "]");
  default: {
    const size_t axis = static_cast<size_t>(pick(2, 3));
    Shape shape = from.shape;
    shape[axis] = 1;
    return emit("Reduce", {from.name}, shape, from.element,
                "axes = [" + std::to_string(axis) +
                    "], keepdims = true, mode = \"ReduceMax\"");
  }
  }
}

void NetworkWriter::addReshape(const Value &from) {
  const Shape &shape = from.shape;
  Shape to{shape[0], shape[1], shape[2] * shape[3]};
  if (chance(2))
    to = {shape[0], shape[1], shape[3], shape[2]};
  emit("Reshape", {from.name}, to, from.element);
}

void NetworkWriter::add3D(const Value &from) {
  if (from.element == "i8" || from.element == "f16") {
    const int64_t columns = pick(1, 24);
    if (chance(2)) {
      const std::string matrix = weight({from.shape[2], columns}, from.element);
      std::string bias = "%none";
      if (chance(2)) {
        Shape shape(pick(1, 3), 1);
        shape.back() = columns;
        bias = weight(shape, from.element == "i8" ? "i32" : "f32");
      }
      return emit("MatMul", {from.name, matrix, bias},
                  {from.shape[0], from.shape[1], columns}, from.element);
    }
  }
  const int64_t length = from.shape[2];
  int64_t rows = 1;
  for (int64_t divisor = 2; divisor * divisor <= length; ++divisor)
    if (length % divisor == 0)
      rows = divisor;
  emit("Reshape", {from.name},
       {from.shape[0], from.shape[1], rows, length / rows}, from.element);
}

void NetworkWriter::addRare(const Value &from) {
  if (chance(3)) // Never local: it ends a group.
    return emit("Permute", {from.name},
                {from.shape[0], from.shape[1], from.shape[3], from.shape[2]},
                from.element, "order = [0, 1, 3, 2]");
  Shape paddings(8), shape = from.shape;
  for (size_t dim : {size_t{2}, size_t{3}}) {
    // Below 0 elements are taken away.
    const int64_t least = shape[dim] > 3 ? -1 : 0;
    paddings[dim] = pick(least, 2);
    paddings[dim + 4] = pick(least, 2);
    shape[dim] += paddings[dim] + paddings[dim + 4];
  }
  emit("Pad", {from.name}, shape, from.element,
       "paddings = " + listOf(paddings) + ", mode = #tpu<Pad_Mode constant>");
}

std::string NetworkWriter::finish(const std::string &arguments) {
  std::string names, resultTypes;
  for (const Value &value : values)
    if (!value.isRead && value.name[1] == 'v') {
      names += (names.empty() ? "" : ", ") + value.name;
      resultTypes += (resultTypes.empty() ? "" : ", ") +
                     typeOf(value.shape, value.element);
    }
  return "module @net {\n  func.func @main(" + arguments + ") -> (" +
         resultTypes + ") {\n    %none = \"top.None\"() : () -> none\n" + body +
         "    return " + names + " : " + resultTypes + "\n  }\n}\n";
}

} // namespace

std::string randomNetwork(uint32_t seed, const NetworkOptions &options) {
  return NetworkWriter(seed, options).run();
}

} // namespace tpu_mlir::exec
