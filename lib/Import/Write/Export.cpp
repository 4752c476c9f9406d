//===- Export.cpp - Top modules as ONNX -----------------------------------===//

#include "tpu_mlir/Import/Export.h"
#include "lib/Import/Write/GraphWriter.h"
#include "lib/Import/Write/OnnxBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tpu_mlir::importer {

namespace {

using Name = OnnxBuilder::Name;
using Attributes = OnnxBuilder::Attributes;

class Exporter {
public:
  std::variant<std::string, ExportError> run(ModuleOp module);

private:
  using Writer = void (Exporter::*)(Operation *);
  static Writer writerOf(StringRef op);

  void writeFilter(Operation *op, const std::string &node, const Shape &filter,
                   double products);
  void writeConv(Operation *op);
  void writeDeconv(Operation *op);
  void writeMatMul(Operation *op);
  void writeScale(Operation *op);
  void writeLayerNorm(Operation *op);
  void writeRmsNorm(Operation *op);
  void writeGather(Operation *op);
  void writePool(Operation *op);
  void writeBinary(Operation *op);
  void writeMulConst(Operation *op);
  void writeSubConst(Operation *op);
  void writeRelu(Operation *op);
  void writeSilu(Operation *op);
  void writeGelu(Operation *op);
  void writeTanh(Operation *op);
  void writeSoftmax(Operation *op);
  void writeConcat(Operation *op);
  void writeSlice(Operation *op);
  void writePermute(Operation *op);
  void writeReshape(Operation *op);
  void writeUpsample(Operation *op);

  void addInput(Operation *op);
  Name in(Operation *op, unsigned index);
  Name weight(Operation *op, unsigned index, double number,
              const Shape *shape = nullptr);
  void give(Operation *op, const std::string &node,
            const std::vector<Name> &inputs, const Attributes &attributes = {});

  OnnxBuilder graph;
  llvm::DenseMap<mlir::Value, Name> names;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is in a module
//===----------------------------------------------------------------------===//

static std::string nameOf(Operation *op) {
  auto name = dyn_cast<NameLoc>(op->getLoc());
  return name ? name.getName().str() : "";
}

static Shape shapeOf(mlir::Value value) {
  return Shape(cast<RankedTensorType>(value.getType()).getShape());
}

static bool isThere(Operation *op, unsigned index) {
  return index < op->getNumOperands() &&
         !isa<NoneType>(op->getOperand(index).getType());
}

static int64_t integer(Operation *op, StringRef name) {
  return op->getAttrOfType<IntegerAttr>(name).getValue().getSExtValue();
}

static double real(Operation *op, StringRef name) {
  return op->getAttrOfType<FloatAttr>(name).getValueAsDouble();
}

static std::vector<int64_t> integers(Operation *op, StringRef name) {
  std::vector<int64_t> list;
  for (mlir::Attribute each : op->getAttrOfType<ArrayAttr>(name))
    list.push_back(cast<IntegerAttr>(each).getInt());
  return list;
}

static bool flag(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<BoolAttr>(name);
  return attribute && attribute.getValue();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Exporter::addInput(Operation *op) {
  const Type outside =
      cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  const DataType type = outside.isF32() ? DataType::F32 : DataType::I32;
  names[op->getResult(0)] =
      graph.input(nameOf(op), type, shapeOf(op->getResult(0)));
}

/// A value that a layer computes, an input, or a weight that was named before.
Name Exporter::in(Operation *op, unsigned index) {
  return names.lookup(op->getOperand(index));
}

Name Exporter::weight(Operation *op, unsigned index, double number,
                      const Shape *shape) {
  const mlir::Value value = op->getOperand(index);
  Name &name = names[value];
  if (name.empty())
    name = graph.weight(nameOf(value.getDefiningOp()),
                        shape ? *shape : shapeOf(value), number);
  return name;
}

/// The node whose result is the layer's, behind an activation that is part of
/// it.
void Exporter::give(Operation *op, const std::string &node,
                    const std::vector<Name> &inputs,
                    const Attributes &attributes) {
  const Name name = nameOf(op);
  names[op->getResult(0)] = name;
  if (!flag(op, "do_relu")) {
    graph.node(node, name, inputs, attributes);
    return;
  }
  const Name linear = graph.node(node, name + ".linear", inputs, attributes);
  const double limit = real(op, "relu_limit");
  if (limit > 0)
    graph.node("Clip", name,
               {linear, graph.scalar(name + ".min", 0),
                graph.scalar(name + ".max", limit)});
  else
    graph.node("Relu", name, {linear});
}

//===----------------------------------------------------------------------===//
// Layers with weights
//===----------------------------------------------------------------------===//

/// How many products are summed for one element.
static double productsOf(const Shape &filter) {
  double count = 1;
  for (int64_t dim : llvm::drop_begin(filter))
    count *= static_cast<double>(dim);
  return count;
}

static Attributes windowAttributes(Operation *op) {
  Attributes attributes;
  for (const char *name : {"kernel_shape", "strides", "pads"})
    attributes[name] = integers(op, name);
  return attributes;
}

/// A filter of that shape, and what is around it.
void Exporter::writeFilter(Operation *op, const std::string &node,
                           const Shape &filter, double products) {
  std::vector<Name> inputs = {in(op, 0), weight(op, 1, 1 / products, &filter)};
  if (isThere(op, 2))
    inputs.push_back(weight(op, 2, 0));
  Attributes attributes = windowAttributes(op);
  attributes["dilations"] = integers(op, "dilations");
  attributes["group"] = integer(op, "group");
  give(op, node, inputs, attributes);
}

void Exporter::writeConv(Operation *op) {
  const Shape filter = shapeOf(op->getOperand(1));
  writeFilter(op, "Conv", filter, productsOf(filter));
}

/// ONNX has the channels that go in in front.
void Exporter::writeDeconv(Operation *op) {
  Shape filter = shapeOf(op->getOperand(1));
  std::swap(filter[0], filter[1]);
  writeFilter(op, "ConvTranspose", filter, static_cast<double>(filter[0]));
}

/// A bias is a row, whatever dimensions of one are in front of it.
void Exporter::writeMatMul(Operation *op) {
  const mlir::Value right = op->getOperand(1);
  const bool isWeight =
      right.getDefiningOp()->getName().getStringRef() == "top.Weight";
  const double number = 1 / static_cast<double>(shapeOf(right).front());
  const std::vector<Name> product = {in(op, 0), isWeight ? weight(op, 1, number)
                                                         : in(op, 1)};
  if (!isThere(op, 2))
    return give(op, "MatMul", product);
  const Shape row = {shapeOf(op->getOperand(2)).back()};
  const Name bias = weight(op, 2, 0, &row);
  if (shapeOf(op->getOperand(0)).size() == 2)
    return give(op, "Gemm", {product[0], product[1], bias});
  give(op, "Add",
       {graph.node("MatMul", nameOf(op) + ".product", product), bias});
}

/// A normalisation whose mean is 0 and whose deviation is 1.
void Exporter::writeScale(Operation *op) {
  const Shape channels = shapeOf(op->getOperand(1));
  const Name name = nameOf(op);
  give(op, "BatchNormalization",
       {in(op, 0), weight(op, 1, 1), weight(op, 2, 0),
        graph.weight(name + ".mean", channels, 0),
        graph.weight(name + ".variance", channels, 1)},
       {{"epsilon", 0.0f}});
}

void Exporter::writeLayerNorm(Operation *op) {
  give(op, "LayerNormalization",
       {in(op, 0), weight(op, 1, 1), weight(op, 2, 0)},
       {{"axis", integer(op, "axis")},
        {"epsilon", static_cast<float>(real(op, "eps"))}});
}

/// x / sqrt(mean of the squares + eps) * gamma
void Exporter::writeRmsNorm(Operation *op) {
  const Name name = nameOf(op), x = in(op, 0);
  const Name squares = graph.node("Mul", name + ".squares", {x, x});
  const Name mean = graph.node(
      "ReduceMean", name + ".mean", {squares},
      {{"axes", std::vector<int64_t>{-1}}, {"keepdims", int64_t(1)}});
  const Name sum =
      graph.node("Add", name + ".sum",
                 {mean, graph.scalar(name + ".eps", real(op, "eps"))});
  const Name root = graph.node("Sqrt", name + ".root", {sum});
  const Name whole = graph.node("Div", name + ".normal", {x, root});
  const Shape row = {shapeOf(op->getOperand(1)).back()};
  give(op, "Mul", {whole, weight(op, 1, 1, &row)});
}

/// Constant indices are 0, 1, 2 and so on.
void Exporter::writeGather(Operation *op) {
  const mlir::Value indices = op->getOperand(1);
  if (in(op, 1).empty()) {
    const int64_t rows = shapeOf(op->getOperand(0)).front();
    std::vector<int64_t> numbers(*elementsOf(shapeOf(indices)));
    for (auto [index, number] : llvm::enumerate(numbers))
      number = static_cast<int64_t>(index) % rows;
    names[indices] = graph.integers(nameOf(indices.getDefiningOp()),
                                    shapeOf(indices), numbers);
  }
  give(op, "Gather", {weight(op, 0, 0.02), in(op, 1)},
       {{"axis", integer(op, "axis")}});
}

//===----------------------------------------------------------------------===//
// Layers without
//===----------------------------------------------------------------------===//

void Exporter::writePool(Operation *op) {
  const bool isMax = op->getName().stripDialect() == "MaxPool";
  const Shape image = shapeOf(op->getOperand(0));
  const std::vector<int64_t> kernel = integers(op, "kernel_shape");
  const bool isWhole =
      kernel == std::vector<int64_t>(image.begin() + 2, image.end()) &&
      llvm::all_of(integers(op, "pads"), [](int64_t pad) { return pad == 0; });
  if (isWhole)
    return give(op, isMax ? "GlobalMaxPool" : "GlobalAveragePool", {in(op, 0)});
  give(op, isMax ? "MaxPool" : "AveragePool", {in(op, 0)},
       windowAttributes(op));
}

void Exporter::writeBinary(Operation *op) {
  give(op, op->getName().stripDialect().str(), {in(op, 0), in(op, 1)});
}

void Exporter::writeMulConst(Operation *op) {
  give(
      op, "Mul",
      {in(op, 0), graph.scalar(nameOf(op) + ".factor", real(op, "const_val"))});
}

void Exporter::writeSubConst(Operation *op) {
  const Name number =
      graph.scalar(nameOf(op) + ".number", real(op, "const_val"));
  flag(op, "is_reverse") ? give(op, "Sub", {number, in(op, 0)})
                         : give(op, "Sub", {in(op, 0), number});
}

void Exporter::writeRelu(Operation *op) { give(op, "Relu", {in(op, 0)}); }

void Exporter::writeSilu(Operation *op) {
  const Name x = in(op, 0);
  give(op, "Mul", {x, graph.node("Sigmoid", nameOf(op) + ".sigmoid", {x})});
}

/// x / 2 * (1 + erf(x / sqrt(2)))
void Exporter::writeGelu(Operation *op) {
  const Name name = nameOf(op), x = in(op, 0);
  const Name scaled =
      graph.node("Div", name + ".scaled",
                 {x, graph.scalar(name + ".root", 1.41421356237)});
  const Name erf = graph.node("Erf", name + ".erf", {scaled});
  const Name above =
      graph.node("Add", name + ".above", {erf, graph.scalar(name + ".one", 1)});
  const Name twice = graph.node("Mul", name + ".twice", {x, above});
  give(op, "Mul", {twice, graph.scalar(name + ".half", 0.5)});
}

void Exporter::writeTanh(Operation *op) { give(op, "Tanh", {in(op, 0)}); }

void Exporter::writeSoftmax(Operation *op) {
  give(op, "Softmax", {in(op, 0)}, {{"axis", integer(op, "axis")}});
}

void Exporter::writeConcat(Operation *op) {
  std::vector<Name> inputs;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    inputs.push_back(in(op, i));
  give(op, "Concat", inputs, {{"axis", integer(op, "axis")}});
}

void Exporter::writeSlice(Operation *op) {
  const Name name = nameOf(op);
  const std::vector<int64_t> begins = integers(op, "offset");
  std::vector<int64_t> axes;
  for (size_t dim = 0; dim < begins.size(); ++dim)
    axes.push_back(static_cast<int64_t>(dim));
  give(op, "Slice",
       {in(op, 0), graph.integers(name + ".starts", begins),
        graph.integers(name + ".ends", integers(op, "ends")),
        graph.integers(name + ".axes", axes),
        graph.integers(name + ".steps", integers(op, "steps"))});
}

void Exporter::writePermute(Operation *op) {
  give(op, "Transpose", {in(op, 0)}, {{"perm", integers(op, "order")}});
}

void Exporter::writeReshape(Operation *op) {
  give(op, "Reshape",
       {in(op, 0),
        graph.integers(nameOf(op) + ".shape", shapeOf(op->getResult(0)))});
}

void Exporter::writeUpsample(Operation *op) {
  const double rows = static_cast<double>(integer(op, "scale_h")),
               columns = static_cast<double>(integer(op, "scale_w"));
  give(op, "Resize",
       {in(op, 0), "",
        graph.reals(nameOf(op) + ".scales", {1, 1, rows, columns})},
       {{"mode", std::string("nearest")},
        {"coordinate_transformation_mode", std::string("asymmetric")},
        {"nearest_mode", std::string("floor")}});
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

Exporter::Writer Exporter::writerOf(StringRef op) {
  static const llvm::StringMap<Writer> kWriters = {
      {"top.Add", &Exporter::writeBinary},
      {"top.AvgPool", &Exporter::writePool},
      {"top.Concat", &Exporter::writeConcat},
      {"top.Conv", &Exporter::writeConv},
      {"top.Deconv", &Exporter::writeDeconv},
      {"top.GELU", &Exporter::writeGelu},
      {"top.Gather", &Exporter::writeGather},
      {"top.LayerNorm", &Exporter::writeLayerNorm},
      {"top.MatMul", &Exporter::writeMatMul},
      {"top.MaxPool", &Exporter::writePool},
      {"top.Mul", &Exporter::writeBinary},
      {"top.MulConst", &Exporter::writeMulConst},
      {"top.Permute", &Exporter::writePermute},
      {"top.RMSNorm", &Exporter::writeRmsNorm},
      {"top.Relu", &Exporter::writeRelu},
      {"top.Reshape", &Exporter::writeReshape},
      {"top.Scale", &Exporter::writeScale},
      {"top.SiLU", &Exporter::writeSilu},
      {"top.Slice", &Exporter::writeSlice},
      {"top.Softmax", &Exporter::writeSoftmax},
      {"top.SubConst", &Exporter::writeSubConst},
      {"top.Tanh", &Exporter::writeTanh},
      {"top.Upsample", &Exporter::writeUpsample}};
  return kWriters.lookup(op);
}

std::variant<std::string, ExportError> Exporter::run(ModuleOp module) {
  auto function = *module.getOps<func::FuncOp>().begin();
  for (Operation &op : function.getBody().front()) {
    const StringRef kind = op.getName().getStringRef();
    if (kind == "top.None" || kind == "top.Weight")
      continue;
    if (kind == "top.Input") {
      addInput(&op);
    } else if (isa<func::ReturnOp>(op)) {
      for (mlir::Value result : op.getOperands())
        graph.output(names.lookup(result), DataType::F32, shapeOf(result));
    } else if (Writer writer = writerOf(kind)) {
      (this->*writer)(&op);
    } else {
      return ExportError{"layer '" + nameOf(&op) +
                         "': there is no way to write " + kind.str()};
    }
  }
  return writeOnnx(graph.graph, {module.getName().value_or("net").str(), 17});
}

std::variant<std::string, ExportError> exportOnnx(ModuleOp module) {
  return Exporter().run(module);
}

} // namespace tpu_mlir::importer
