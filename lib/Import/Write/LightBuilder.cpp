//===- LightBuilder.cpp - Networks of images, a node a call ---------------===//

#include "lib/Import/Write/LightBuilder.h"

namespace tpu_mlir::importer {

std::string LightBuilder::next(const std::string &op) {
  return op + "_" + std::to_string(++counts[op]);
}

Tensor LightBuilder::input(const std::string &name, const Shape &shape) {
  return {graph.input(name, DataType::F32, shape), shape};
}

Tensor LightBuilder::same(const std::string &op, const Tensor &x) {
  return {graph.node(op, next(op), {x.name}), x.shape};
}

static int64_t countOf(int64_t size, const Window &window) {
  return (size + window.begin + window.end - window.kernel) / window.stride + 1;
}

static OnnxBuilder::Attributes attributesOf(const Window &window) {
  using List = std::vector<int64_t>;
  return {{"kernel_shape", List{window.kernel, window.kernel}},
          {"strides", List{window.stride, window.stride}},
          {"pads", List{window.begin, window.begin, window.end, window.end}}};
}

Tensor LightBuilder::conv(const Tensor &x, int64_t channels,
                          const Window &window, int64_t group, bool hasBias) {
  const std::string name = next("Conv");
  const int64_t in = x.shape[1] / group, size = window.kernel;
  std::vector<std::string> inputs = {
      x.name, graph.weight(name + "_w", {channels, in, size, size},
                           1.0 / static_cast<double>(in * size * size))};
  if (hasBias)
    inputs.push_back(graph.weight(name + "_b", {channels}, 0));
  OnnxBuilder::Attributes attributes = attributesOf(window);
  attributes["group"] = group;
  return {graph.node("Conv", name, inputs, attributes),
          {x.shape[0], channels, countOf(x.shape[2], window),
           countOf(x.shape[3], window)}};
}

Tensor LightBuilder::pool(const std::string &op, const Tensor &x,
                          const Window &window) {
  return {graph.node(op, next(op), {x.name}, attributesOf(window)),
          {x.shape[0], x.shape[1], countOf(x.shape[2], window),
           countOf(x.shape[3], window)}};
}

Tensor LightBuilder::globalAveragePool(const Tensor &x) {
  const std::string op = "GlobalAveragePool";
  return {graph.node(op, next(op), {x.name}), {x.shape[0], x.shape[1], 1, 1}};
}

Tensor LightBuilder::lrn(const Tensor &x) {
  return {graph.node("LRN", next("LRN"), {x.name},
                     {{"size", int64_t(5)},
                      {"alpha", 1e-4f},
                      {"beta", 0.75f},
                      {"bias", 1.0f}}),
          x.shape};
}

Tensor LightBuilder::batchNorm(const Tensor &x, double factor) {
  const std::string op = "BatchNormalization", name = next(op);
  const Shape channels = {x.shape[1]};
  return {graph.node(op, name,
                     {x.name, graph.weight(name + "_s", channels, factor),
                      graph.weight(name + "_b", channels, 0),
                      graph.weight(name + "_m", channels, 0),
                      graph.weight(name + "_v", channels, 1)},
                     {{"epsilon", 1e-5f}}),
          x.shape};
}

Tensor LightBuilder::affine(const Tensor &x) {
  const Shape channels = {x.shape[1]};
  const OnnxBuilder::Attributes axes = {{"axes", std::vector<int64_t>{1, 2}}};
  Tensor result = x;
  for (const auto &[op, number] : {std::pair("Mul", 1.0), {"Add", 0.0}}) {
    const std::string name = next(op);
    const std::string spread =
        graph.node("Unsqueeze", next("Unsqueeze"),
                   {graph.weight(name + "_w", channels, number)}, axes);
    result.name = graph.node(op, name, {result.name, spread});
  }
  return result;
}

Tensor LightBuilder::sum(const Tensor &a, const Tensor &b) {
  return {graph.node("Sum", next("Sum"), {a.name, b.name}), a.shape};
}

Tensor LightBuilder::concat(const std::vector<Tensor> &xs) {
  Tensor result = {next("Concat"), xs.front().shape};
  result.shape[1] = 0;
  std::vector<std::string> inputs;
  for (const Tensor &x : xs) {
    inputs.push_back(x.name);
    result.shape[1] += x.shape[1];
  }
  graph.node("Concat", result.name, inputs, {{"axis", int64_t(1)}});
  return result;
}

Tensor LightBuilder::transpose(const Tensor &x,
                               const std::vector<int64_t> &order) {
  Shape shape;
  for (int64_t dim : order)
    shape.push_back(x.shape[dim]);
  return {
      graph.node("Transpose", next("Transpose"), {x.name}, {{"perm", order}}),
      shape};
}

Tensor LightBuilder::reshape(const Tensor &x, const Shape &shape) {
  const std::string name = next("Reshape");
  return {graph.node("Reshape", name,
                     {x.name, graph.integers(name + "_shape", shape)}),
          shape};
}

Tensor LightBuilder::flatten(const Tensor &x) {
  return reshape(x, {x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]});
}

/// Frameworks keep a row of weights for each feature.
Tensor LightBuilder::gemm(const Tensor &x, int64_t features) {
  const std::string name = next("Gemm");
  return {graph.node("Gemm", name,
                     {x.name,
                      graph.weight(name + "_w", {features, x.shape[1]},
                                   1.0 / static_cast<double>(x.shape[1])),
                      graph.weight(name + "_b", {features}, 0)},
                     {{"transB", int64_t(1)}}),
          {x.shape[0], features}};
}

Graph LightBuilder::finish(const Tensor &output) {
  graph.output(output.name, DataType::F32, output.shape);
  return std::move(graph.graph);
}

} // namespace tpu_mlir::importer
