//===- IrModule.cpp - The Top module that is made -------------------------===//

#include "lib/Import/IrModule.h"

#include "tpu_mlir/ModelBuilder/GraphBuilder.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpu_mlir::importer {

struct IrModule::Impl {
  Impl(MLIRContext &context, StringRef network)
      : attributes(&context), builder(context, network) {}

  std::string unique(const std::string &name);
  Value keep(mlir::Value value, const Shape &shape);
  mlir::Value find(const Value &value) const {
    return value.id < 0 ? mlir::Value() : values[value.id];
  }
  Type tensor(const Shape &shape);
  Attribute convert(const LayerAttribute::Data &data);
  NamedAttrList convert(StringRef op, const LayerAttributes &given);

  Builder attributes;
  GraphBuilder builder;
  std::vector<mlir::Value> values;
  llvm::StringSet<> names;
  NamedAttrList notes; ///< Attributes of the module.
};

IrModule::IrModule(MLIRContext &context, StringRef network)
    : impl(new Impl(context, network)) {}

IrModule::~IrModule() = default;

std::string IrModule::Impl::unique(const std::string &name) {
  std::string candidate = name;
  for (int count = 1; !names.insert(candidate).second; ++count)
    candidate = name + "_" + std::to_string(count);
  return candidate;
}

Value IrModule::Impl::keep(mlir::Value value, const Shape &shape) {
  values.push_back(value);
  return {static_cast<int>(values.size()) - 1, shape};
}

/// A tensor has at least one dimension.
static Shape tensorShape(const Shape &shape) {
  return shape.empty() ? Shape{1} : shape;
}

Type IrModule::Impl::tensor(const Shape &shape) {
  return RankedTensorType::get(tensorShape(shape), attributes.getF32Type());
}

/// What a caller of the network passes.
static Type outsideType(Builder &builder, DataType type) {
  auto integer = [&](unsigned bits, bool isSigned) {
    return builder.getIntegerType(bits, isSigned);
  };
  switch (type) {
  case DataType::I8:
    return integer(8, true);
  case DataType::U8:
  case DataType::Bool:
    return integer(8, false);
  case DataType::I16:
    return integer(16, true);
  case DataType::U16:
    return integer(16, false);
  case DataType::I32:
  case DataType::I64:
    return integer(32, true);
  case DataType::U32:
  case DataType::U64:
    return integer(32, false);
  default:
    return builder.getF32Type();
  }
}

Value IrModule::input(const std::string &name, const Shape &shape,
                      DataType type) {
  return impl->keep(impl->builder.input(impl->unique(name), tensorShape(shape),
                                        outsideType(impl->attributes, type)),
                    shape);
}

Value IrModule::weight(const std::string &name, const Shape &shape) {
  return impl->keep(
      impl->builder.weight(impl->unique(name), tensorShape(shape)), shape);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Attribute IrModule::Impl::convert(const LayerAttribute::Data &data) {
  if (auto *flag = std::get_if<bool>(&data))
    return attributes.getBoolAttr(*flag);
  if (auto *number = std::get_if<int64_t>(&data))
    return attributes.getI64IntegerAttr(*number);
  if (auto *number = std::get_if<Si32>(&data))
    return attributes.getSI32IntegerAttr(static_cast<int32_t>(number->number));
  if (auto *number = std::get_if<double>(&data))
    return attributes.getF64FloatAttr(*number);
  if (auto *list = std::get_if<Shape>(&data))
    return attributes.getI64ArrayAttr(*list);
  if (auto *list = std::get_if<std::vector<double>>(&data))
    return attributes.getF64ArrayAttr(*list);
  return attributes.getStringAttr(std::get<std::string>(data));
}

NamedAttrList IrModule::Impl::convert(StringRef op,
                                      const LayerAttributes &given) {
  static const llvm::StringSet<> kWithRelu = {
      "Add",     "Sub",     "Mul",      "Div",       "AddConst", "SubConst",
      "AvgPool", "MaxPool", "MulConst", "Conv",      "Deconv",   "MatMul",
      "Concat",  "Scale",   "Upsample", "Reciprocal"};
  static const llvm::StringSet<> kWithScalar = {
      "Add", "Sub", "Mul", "Div", "AddConst", "SubConst", "MulConst"};
  NamedAttrList list;
  if (kWithRelu.contains(op)) {
    list.set("do_relu", attributes.getBoolAttr(false));
    list.set("relu_limit", attributes.getF64FloatAttr(-1));
  }
  if (kWithScalar.contains(op))
    list.set("is_scalar", attributes.getBoolAttr(false));
  for (const LayerAttribute &attribute : given)
    list.set(attribute.name, convert(attribute.data));
  return list;
}

std::vector<Value>
IrModule::layer(StringRef op, const std::vector<std::string> &names,
                const std::vector<Value> &operands,
                const std::vector<std::optional<Shape>> &shapes,
                const LayerAttributes &attributes) {
  std::vector<std::string> unique;
  SmallVector<mlir::Value> inputs;
  SmallVector<Type> types;
  for (const std::string &name : names)
    unique.push_back(impl->unique(name));
  for (const Value &operand : operands)
    inputs.push_back(impl->find(operand));
  for (const std::optional<Shape> &shape : shapes)
    types.push_back(shape ? impl->tensor(*shape)
                          : impl->attributes.getNoneType());
  Operation *made = impl->builder.layer(("top." + op).str(), unique, inputs,
                                        types, impl->convert(op, attributes));
  std::vector<Value> results;
  for (auto [shape, result] : llvm::zip_equal(shapes, made->getResults()))
    results.push_back(shape ? impl->keep(result, *shape) : Value());
  return results;
}

std::string IrModule::nameOf(const Value &value) const {
  return cast<NameLoc>(impl->find(value).getLoc()).getName().str();
}

void IrModule::rename(const Value &value, const std::string &name) {
  mlir::Value result = impl->find(value);
  Operation *op = result.getDefiningOp();
  const unsigned index = cast<OpResult>(result).getResultNumber();
  Location location =
      NameLoc::get(impl->attributes.getStringAttr(impl->unique(name)));
  if (auto fused = dyn_cast<FusedLoc>(op->getLoc())) {
    SmallVector<Location> all(fused.getLocations());
    all[index] = location;
    location = FusedLoc::get(op->getContext(), all);
  }
  op->setLoc(location);
}

void IrModule::annotate(const Value &value, const LayerAttributes &attributes) {
  Operation *op = impl->find(value).getDefiningOp();
  for (const LayerAttribute &attribute : attributes)
    op->setAttr(attribute.name, impl->convert(attribute.data));
}

void IrModule::note(StringRef attribute,
                    const std::vector<std::string> &names) {
  impl->notes.set(attribute,
                  impl->attributes.getStrArrayAttr(
                      SmallVector<StringRef>(names.begin(), names.end())));
}

OwningOpRef<ModuleOp> IrModule::finish(const std::vector<Value> &outputs) {
  SmallVector<mlir::Value> values;
  for (const Value &output : outputs)
    values.push_back(impl->find(output));
  OwningOpRef<ModuleOp> module = impl->builder.finish(values);
  for (NamedAttribute note : impl->notes)
    (*module)->setAttr(note.getName(), note.getValue());
  return module;
}

} // namespace tpu_mlir::importer
