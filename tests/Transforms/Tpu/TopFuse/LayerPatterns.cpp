//===- LayerPatterns.cpp - What goes into the layer in front --------------===//

#include "tests/Transforms/Tpu/TopFuse/Net.h"

namespace tpu_mlir::test {

static Value inner(Net &net, Value value, Miss miss) {
  if (miss == Miss::Reader)
    net.alsoReturn(value);
  return value;
}

static const char *reluOf(Miss miss) {
  return miss == Miss::Relu ? ", do_relu = true" : "";
}

/// A kernel of 3 by 3 that keeps the size, or of 1 by 1; with a bias or not.
static Value conv(Net &net, Value x, Miss miss) {
  const Shape shape = Net::shapeOf(x);
  const int64_t channels = shape[1], group = net.draw.chance(50) ? 1 : 2,
                size = net.draw.chance(50) ? 1 : 3;
  const std::string pad = size == 1 ? "0" : "1", kernel = std::to_string(size);
  const Value filter =
                  net.weight({channels, channels / group, size, size}, -.4, .4),
              bias =
                  net.draw.chance(50) ? net.weight({channels}, -1, 1) : Value();
  const bool isTransposed = net.draw.chance(30);
  const std::string attributes =
      "kernel_shape = [" + kernel + ", " + kernel +
      "], strides = [1, 1], pads = [" + pad + ", " + pad + ", " + pad + ", " +
      pad + "], group = " + std::to_string(group) + " : i64" + reluOf(miss);
  auto make = [&](Value operand) {
    return net.layer(isTransposed ? "Deconv" : "Conv", {operand, filter, bias},
                     shape, attributes);
  };
  // A filter that others have, too, stays as it is.
  if (miss == Miss::Operand)
    net.alsoReturn(make(net.unary("Tanh", x)));
  return inner(net, make(x), miss);
}

static std::string reluAtEnd(Net &net) {
  return net.draw.chance(30) ? "do_relu = true, relu_limit = 1.5 : f64" : "";
}

static Value scaleOf(Net &net, Value x, bool mayRelu = true) {
  const int64_t channels = Net::shapeOf(x)[1];
  return net.layer(
      "Scale",
      {x, net.weight({channels}, .5, 1.5),
       net.draw.chance(70) ? net.weight({channels}, -1, 1) : Value()},
      Net::shapeOf(x), mayRelu ? reluAtEnd(net) : "");
}

static Value convScale(Net &net, Value x, Miss miss) {
  return scaleOf(net, conv(net, x, miss));
}

static Value batchNorm(Net &net, Value x) {
  const int64_t channels = Net::shapeOf(x)[1];
  auto list = [&](double low, double high) {
    return net.weight({channels}, low, high);
  };
  const Value mean = list(-1, 1), variance = list(.5, 2),
              gamma = net.draw.chance(80) ? list(.5, 1.5) : Value(),
              beta = net.draw.chance(80) ? list(-1, 1) : Value();
  std::string attributes = reluAtEnd(net);
  if (net.draw.chance(50))
    attributes +=
        std::string(attributes.empty() ? "" : ", ") + "epsilon = 1.0e-03 : f64";
  return net.layer("BatchNorm", {x, mean, variance, gamma, beta},
                   Net::shapeOf(x), attributes);
}

static Value convBatchNorm(Net &net, Value x, Miss miss) {
  return batchNorm(net, conv(net, x, miss));
}

/// Nothing in front can take it: a Scale.
static Value batchNormAlone(Net &net, Value x, Miss) {
  return batchNorm(net, net.unary("Tanh", x));
}

static Value convAdd(Net &net, Value x, Miss miss) {
  const Shape shape = Net::shapeOf(x);
  Shape one =
      net.draw.chance(50) ? Shape{shape[1], 1, 1} : Shape{1, shape[1], 1, 1};
  if (miss == Miss::Axis)
    one = {shape[3]};
  return net.add(conv(net, x, miss), net.weight(one, -1, 1),
                 net.draw.chance(30));
}

/// A factor and an addend after a convolution or a Scale.
static Value channels(Net &net, Value x, Miss miss) {
  const Shape shape = Net::shapeOf(x);
  const Shape one =
      miss == Miss::Axis ? Shape{shape[3]} : Shape{shape[1], 1, 1};
  const Value made = net.draw.chance(50)
                         ? inner(net, scaleOf(net, x, /*mayRelu=*/false), miss)
                         : conv(net, x, miss);
  return net.add(net.mul(made, net.weight(one, .5, 1.5)),
                 net.weight(one, -1, 1), net.draw.chance(30));
}

static Value matMulAdd(Net &net, Value x, Miss miss) {
  const Shape shape = Net::shapeOf(x);
  const int64_t columns = shape[3];
  const Value right = net.weight({columns, columns}, -.5, .5),
              bias =
                  net.draw.chance(40) ? net.weight({columns}, -1, 1) : Value();
  const Value product = inner(
      net,
      net.layer("MatMul", {x, right, bias}, shape,
                std::string("right_transpose = ") +
                    (net.draw.chance(50) ? "true" : "false") + reluOf(miss)),
      miss);
  Shape one = net.draw.chance(50) ? Shape{columns} : Shape{1, 1, columns};
  if (miss == Miss::Axis)
    one = {shape[2], 1};
  return net.add(product, net.weight(one, -1, 1), net.draw.chance(30));
}

/// Columns of a matrix are channels.
static Value matMulScale(Net &net, Value x, Miss miss) {
  const Shape shape = Net::shapeOf(x);
  const int64_t rows = shape[0] * shape[1], columns = shape[2] * shape[3];
  const Value right = net.weight({columns, columns}, -.3, .3);
  const bool isOutputTransposed = miss == Miss::Axis;
  const std::string attributes =
      std::string("right_transpose = ") +
      (net.draw.chance(50) ? "true" : "false") +
      ", output_transpose = " + (isOutputTransposed ? "true" : "false") +
      reluOf(miss);
  auto make = [&](Value operand) {
    return net.layer(
        "MatMul", {net.reshape(operand, {rows, columns}), right, Value()},
        isOutputTransposed ? Shape{columns, rows} : Shape{rows, columns},
        attributes);
  };
  if (miss == Miss::Operand)
    net.alsoReturn(make(net.unary("Tanh", x)));
  return net.reshape(net.unary("Exp", scaleOf(net, inner(net, make(x), miss))),
                     shape);
}

//===----------------------------------------------------------------------===//
// Relus
//===----------------------------------------------------------------------===//

static Value relu(Net &net, Value x, Miss miss) {
  const std::string limit = net.draw.chance(50) ? "1.5" : "-1.0";
  const std::string own =
      miss == Miss::Relu ? "do_relu = true, relu_limit = 0.5 : f64" : "";
  Value made;
  switch (net.draw.between(0, 3)) {
  case 0:
    made = net.layer("Add", {x, net.unary("Tanh", x)}, Net::shapeOf(x), own);
    break;
  case 1:
    made =
        net.layer("MulConst", {x}, Net::shapeOf(x),
                  "const_val = -2.0 : f64" + (own.empty() ? own : ", " + own));
    break;
  case 2:
    made = miss == Miss::Relu ? net.layer("Mul", {x, x}, Net::shapeOf(x), own)
                              : conv(net, x, Miss::No);
    break;
  default:
    made = net.layer("Sub", {x, net.unary("Exp", x)}, Net::shapeOf(x), own);
  }
  made = inner(net, made, miss);
  // Not of all of them is the least 0.
  if (miss == Miss::Constant)
    return net.unary("Clip", made, "min = -0.1 : f64, max = 1.5 : f64");
  return limit != "-1.0" && net.draw.chance(50)
             ? net.unary("Clip", made, "min = 0.0 : f64, max = 1.5 : f64")
             : net.unary("Relu", made, "relu_limit = " + limit + " : f64");
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

static Value shuffle(Net &net, Value x, Miss miss, bool isCrd) {
  const Shape s = Net::shapeOf(x);
  const int64_t c = s[1] / 4;
  Shape six = isCrd ? Shape{s[0], c, 2, 2, s[2], s[3]}
                    : Shape{s[0], 2, 2, c, s[2], s[3]};
  Shape order = isCrd ? Shape{0, 1, 4, 2, 5, 3} : Shape{0, 3, 4, 1, 5, 2};
  if (miss == Miss::Axis)
    std::swap(order[3], order[5]);
  const Value large =
      net.reshape(net.permute(inner(net, net.reshape(x, six), miss), order),
                  {s[0], c, 2 * s[2], 2 * s[3]});
  // And back.
  order = isCrd ? Shape{0, 1, 3, 5, 2, 4} : Shape{0, 3, 5, 1, 2, 4};
  if (miss == Miss::Axis)
    std::swap(order[4], order[5]);
  const Value again = net.permute(
      net.reshape(net.unary("Tanh", large), {s[0], c, s[2], 2, s[3], 2}),
      order);
  return net.reshape(inner(net, again, miss), s);
}

static Value shuffleCrd(Net &net, Value x, Miss miss) {
  return shuffle(net, x, miss, true);
}

static Value shuffleDcr(Net &net, Value x, Miss miss) {
  return shuffle(net, x, miss, false);
}

/// Pixels to channels and back, where channels are last.
static Value lastChannels(Net &net, Value x, Miss miss, bool isCrd) {
  const Shape s = Net::shapeOf(x);
  // With one column left it would be a reshape.
  const int64_t block = s[2] > 2 ? 2 : 1, rows = s[1] / 2,
                columns = s[2] / block;
  Shape order = isCrd ? Shape{0, 1, 3, 5, 2, 4} : Shape{0, 1, 3, 2, 4, 5};
  if (miss == Miss::Axis)
    std::swap(order[3], order[4]);
  const Value small = net.reshape(
      net.permute(inner(net,
                        net.reshape(x, {s[0], rows, 2, columns, block, s[3]}),
                        miss),
                  order),
      {s[0], rows, columns, 2 * block * s[3]});
  order = isCrd ? Shape{0, 1, 4, 2, 5, 3} : Shape{0, 1, 3, 2, 4, 5};
  if (miss == Miss::Axis)
    std::swap(order[3], order[5]);
  const Value six =
      net.reshape(net.unary("Tanh", small),
                  isCrd ? Shape{s[0], rows, columns, s[3], 2, block}
                        : Shape{s[0], rows, columns, 2, block, s[3]});
  return net.reshape(net.permute(inner(net, six, miss), order), s);
}

static Value lastChannelsCrd(Net &net, Value x, Miss miss) {
  return lastChannels(net, x, miss, true);
}

static Value lastChannelsDcr(Net &net, Value x, Miss miss) {
  return lastChannels(net, x, miss, false);
}

static Value permutes(Net &net, Value x, Miss miss) {
  const Value first = inner(net, net.permute(x, {0, 2, 3, 1}), miss);
  const Value back =
      net.permute(net.permute(first, {2, 0, 3, 1}), {1, 2, 3, 0});
  return net.unary("Exp", back);
}

static Value reshapes(Net &net, Value x, Miss miss) {
  const Shape s = Net::shapeOf(x);
  const Value flat = net.unary(
      "Exp",
      net.reshape(inner(net, net.reshape(x, {s[0] * s[1], s[2], s[3]}), miss),
                  {s[0], s[1] * s[2], s[3]}));
  return net.layer("Squeeze", {net.reshape(flat, {s[0], 1, s[1], s[2], s[3]})},
                   s, "axes = [1]");
}

static Value permuteOfOnes(Net &net, Value x, Miss miss) {
  const Shape s = Net::shapeOf(x);
  const Value with =
      net.unary("Tanh", net.reshape(x, {s[0], s[1], 1, s[2] * s[3]}));
  const Value moved = net.permute(with, miss == Miss::Axis ? Shape{0, 3, 2, 1}
                                                           : Shape{0, 2, 1, 3});
  return net.reshape(net.unary("Exp", moved), s);
}

//===----------------------------------------------------------------------===//
// Pads
//===----------------------------------------------------------------------===//

/// [n, c, h, w] with pads before and after h and w; one is cut off again
/// by windows of that size.
static Value padded(Net &net, Value x, Miss miss, const char *value,
                    const char *op, const std::string &attributes) {
  Shape shape = Net::shapeOf(x), large = shape;
  large[2] += 2;
  large[3] += 2;
  std::string pads = "paddings = [0, 0, 1, 1, 0, 0, 1, 1]";
  if (miss == Miss::Axis) {
    // All of a dimension that no window sees.
    pads = "paddings = [0, 1, 1, 1, 0, 0, 1, 1]";
    large[1] += 1;
  }
  Value image =
      net.layer("Pad", {x}, large,
                pads + ", mode = \"constant\", val = " + value + " : f64");
  image = inner(net, image, miss);
  llvm::SmallVector<Value> operands = {image};
  if (op == llvm::StringRef("Conv")) {
    operands.push_back(net.weight({shape[1], large[1], 3, 3}, -.4, .4));
    operands.push_back(Value());
  } else {
    shape[1] = large[1];
  }
  const Value made = net.layer(op, operands, shape,
                               "kernel_shape = [3, 3], strides = [1, 1], pads "
                               "= [0, 0, 0, 0]" +
                                   attributes);
  return shape == Net::shapeOf(x)
             ? made
             : net.slice(made, 1, 0, 1, Net::shapeOf(x)[1]);
}

static Value padConv(Net &net, Value x, Miss miss) {
  return padded(net, x, miss, miss == Miss::Constant ? "0.5" : "0.0", "Conv",
                ", group = 1 : i64");
}

static Value padMaxPool(Net &net, Value x, Miss miss) {
  const bool isLeast = net.draw.chance(50) && miss != Miss::Operand;
  const Value image = miss == Miss::Operand ? net.unary("Tanh", x)
                      : isLeast             ? x
                                            : net.unary("Relu", x);
  return padded(net, image, miss,
                miss == Miss::Constant ? "0.5"
                : isLeast              ? "-3.4028234663852886e+38"
                                       : "0.0",
                "MaxPool", "");
}

static Value padAvgPool(Net &net, Value x, Miss miss) {
  return padded(net, x, miss, miss == Miss::Constant ? "0.5" : "0.0", "AvgPool",
                net.draw.chance(50) ? ", count_include_pad = true" : "");
}

static constexpr Miss kFold[] = {Miss::Reader, Miss::Operand, Miss::Relu};
static constexpr Miss kAdd[] = {Miss::Reader, Miss::Axis, Miss::Relu};
static constexpr Miss kChannels[] = {Miss::Reader, Miss::Axis};
static constexpr Miss kColumns[] = {Miss::Reader, Miss::Operand, Miss::Axis,
                                    Miss::Relu};
static constexpr Miss kRelu[] = {Miss::Reader, Miss::Constant, Miss::Relu};
static constexpr Miss kReader[] = {Miss::Reader};
static constexpr Miss kAxis[] = {Miss::Axis};
static constexpr Miss kShuffle[] = {Miss::Reader, Miss::Axis};
static constexpr Miss kPad[] = {Miss::Reader, Miss::Constant, Miss::Axis};
static constexpr Miss kMaxPad[] = {Miss::Reader, Miss::Constant, Miss::Operand,
                                   Miss::Axis};

std::vector<Pattern> layerPatterns() {
  return {
      {"conv-scale", convScale, kFold, "top.Scale", 0, 1},
      {"conv-batch-norm", convBatchNorm, kFold, "top.Scale", 0, 1},
      {"batch-norm", batchNormAlone, {}, "top.Scale", 1},
      {"channels", channels, kChannels, "top.Mul top.Add", 0, 2},
      {"conv-add", convAdd, kAdd, "top.Add", 0, 1},
      {"matmul-add", matMulAdd, kAdd, "top.Add", 0, 1},
      {"matmul-scale", matMulScale, kColumns, "top.Scale", 0, 1},
      {"relu", relu, kRelu, "top.Relu top.Clip", 0, 1},
      {"pixel-shuffle-crd", shuffleCrd, kShuffle, "top.Depth2Space", 2},
      {"pixel-shuffle-dcr", shuffleDcr, kShuffle, "top.Depth2Space", 2},
      {"last-channels-crd", lastChannelsCrd, kShuffle, "top.Depth2Space", 2},
      {"last-channels-dcr", lastChannelsDcr, kShuffle, "top.Depth2Space", 2},
      {"permutes", permutes, kReader, "top.Permute", 0, 1},
      {"reshapes", reshapes, kReader, "top.Reshape top.Squeeze", 2, 3},
      {"permute-of-ones", permuteOfOnes, kAxis, "top.Permute", 0, 1},
      {"pad-conv", padConv, kPad, "top.Pad", 0, 1},
      {"pad-max-pool", padMaxPool, kMaxPad, "top.Pad", 0, 1},
      {"pad-avg-pool", padAvgPool, kPad, "top.Pad", 0, 1}};
}

} // namespace tpu_mlir::test
