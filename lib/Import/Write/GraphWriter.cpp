//===- GraphWriter.cpp - Graphs as files of ONNX --------------------------===//

#include "lib/Import/Write/GraphWriter.h"

#include "onnx/onnx_pb.h"

namespace tpu_mlir::importer {

using onnx::TensorProto;

static TensorProto::DataType onnxType(DataType type) {
  switch (type) {
  case DataType::F64:
    return TensorProto::DOUBLE;
  case DataType::I32:
    return TensorProto::INT32;
  case DataType::I64:
    return TensorProto::INT64;
  case DataType::Bool:
    return TensorProto::BOOL;
  default:
    return TensorProto::FLOAT;
  }
}

template <typename Element, typename Number>
static void append(std::string &bytes, Number number) {
  const Element element = static_cast<Element>(number);
  bytes.append(reinterpret_cast<const char *>(&element), sizeof(element));
}

/// As bytes, little-endian as the machine is.
static void fill(TensorProto &to, const Constant &from) {
  to.set_data_type(onnxType(from.type));
  for (int64_t dim : from.shape)
    to.add_dims(dim);
  std::string bytes;
  for (int64_t i = 0; i < from.size(); ++i)
    switch (to.data_type()) {
    case TensorProto::DOUBLE:
      append<double>(bytes, from.real(i));
      break;
    case TensorProto::INT32:
      append<int32_t>(bytes, from.whole(i));
      break;
    case TensorProto::INT64:
      append<int64_t>(bytes, from.whole(i));
      break;
    case TensorProto::BOOL:
      append<uint8_t>(bytes, from.whole(i));
      break;
    default:
      append<float>(bytes, from.real(i));
    }
  to.set_raw_data(std::move(bytes));
}

static void setAttribute(onnx::AttributeProto &to, const Attribute &from) {
  using onnx::AttributeProto;
  if (auto *number = std::get_if<int64_t>(&from)) {
    to.set_type(AttributeProto::INT);
    to.set_i(*number);
  } else if (auto *real = std::get_if<float>(&from)) {
    to.set_type(AttributeProto::FLOAT);
    to.set_f(*real);
  } else if (auto *text = std::get_if<std::string>(&from)) {
    to.set_type(AttributeProto::STRING);
    to.set_s(*text);
  } else if (auto *list = std::get_if<std::vector<int64_t>>(&from)) {
    to.set_type(AttributeProto::INTS);
    to.mutable_ints()->Add(list->begin(), list->end());
  } else if (auto *tensor =
                 std::get_if<std::shared_ptr<const Constant>>(&from)) {
    to.set_type(AttributeProto::TENSOR);
    fill(*to.mutable_t(), **tensor);
  }
}

static void addNode(onnx::GraphProto &graph, const Node &from) {
  onnx::NodeProto &to = *graph.add_node();
  to.set_op_type(from.op);
  to.set_name(from.name);
  for (const std::string &input : from.inputs)
    to.add_input(input);
  for (const std::string &output : from.outputs)
    to.add_output(output);
  for (const auto &[name, value] : from.attributes) {
    onnx::AttributeProto &attribute = *to.add_attribute();
    attribute.set_name(name);
    setAttribute(attribute, value);
  }
}

static void declare(onnx::ValueInfoProto &to, const Declared &from) {
  to.set_name(from.name);
  auto &type = *to.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnxType(from.type));
  type.mutable_shape();
  for (int64_t dim : from.shape.value_or(Shape()))
    type.mutable_shape()->add_dim()->set_dim_value(dim);
}

static void addInitializer(onnx::GraphProto &graph, const std::string &name,
                           const Constant &constant) {
  TensorProto &tensor = *graph.add_initializer();
  fill(tensor, constant);
  tensor.set_name(name);
}

/// What is large is computed where the network is loaded.
static void addConstant(onnx::GraphProto &graph, const std::string &name,
                        const Constant &constant) {
  constexpr int64_t kSmall = 128;
  if (!constant.isFilled() || constant.size() <= kSmall)
    return addInitializer(graph, name, constant);
  const std::string shape = name + "__SHAPE";
  addInitializer(graph, shape,
                 makeConstant(DataType::I64,
                              {static_cast<int64_t>(constant.shape.size())},
                              std::vector<int64_t>(constant.shape.begin(),
                                                   constant.shape.end())));
  addNode(graph, {"ConstantOfShape",
                  name,
                  0,
                  0,
                  {shape},
                  {name},
                  {{"value", std::make_shared<const Constant>(
                                 makeFilled(constant, 0, {1}))}}});
}

/// The first IR version that knows the opset.
static int64_t irVersion(int64_t opset) {
  return opset <= 9    ? 4
         : opset == 10 ? 5
         : opset == 11 ? 6
         : opset <= 14 ? 7
                       : 8;
}

std::string writeOnnx(const Graph &graph, const OnnxHeader &header) {
  onnx::ModelProto model;
  model.set_ir_version(irVersion(header.opset));
  model.add_opset_import()->set_version(header.opset);
  onnx::GraphProto &to = *model.mutable_graph();
  to.set_name(header.name);
  for (const auto &[name, constant] : graph.constants)
    addConstant(to, name, *constant);
  for (const Node &node : graph.nodes)
    addNode(to, node);
  for (const Declared &input : graph.inputs)
    declare(*to.add_input(), input);
  for (const Declared &output : graph.outputs)
    declare(*to.add_output(), output);
  return model.SerializeAsString();
}

} // namespace tpu_mlir::importer
