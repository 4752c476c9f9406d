//===- OnnxBuilder.h - Graphs of ONNX, a node a call ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_IMPORT_WRITE_ONNXBUILDER_H
#define TPU_MLIR_LIB_IMPORT_WRITE_ONNXBUILDER_H

#include "lib/Import/Graph.h"

namespace tpu_mlir::importer {

/// A graph under construction. Values are names; all of them have to differ.
class OnnxBuilder {
public:
  using Name = std::string;
  using Attributes = std::map<std::string, Attribute>;

  Name input(const Name &name, DataType type, const Shape &shape) {
    graph.inputs.push_back({name, type, shape});
    return name;
  }
  void output(const Name &name, DataType type, const Shape &shape) {
    graph.outputs.push_back({name, type, shape});
  }
  /// One number in every place.
  Name weight(const Name &name, const Shape &shape, double number) {
    const int64_t count = elementsOf(shape).value_or(0);
    return constant(name, {DataType::F32, shape, Filled{number, 0, count}});
  }
  Name scalar(const Name &name, double number) {
    return constant(
        name, makeConstant(DataType::F32, {}, llvm::ArrayRef<double>(number)));
  }
  Name reals(const Name &name, llvm::ArrayRef<double> numbers) {
    const auto count = static_cast<int64_t>(numbers.size());
    return constant(name, makeConstant(DataType::F32, {count}, numbers));
  }
  /// int64.
  Name integers(const Name &name, const Shape &shape,
                llvm::ArrayRef<int64_t> numbers) {
    return constant(name, makeConstant(DataType::I64, shape, numbers.vec()));
  }
  Name integers(const Name &name, llvm::ArrayRef<int64_t> numbers) {
    return integers(name, {static_cast<int64_t>(numbers.size())}, numbers);
  }
  /// A node of that name, with a result of that name.
  Name node(const std::string &op, const Name &name,
            const std::vector<Name> &inputs,
            const Attributes &attributes = {}) {
    graph.nodes.push_back({op, name, 0, 0, inputs, {name}, attributes});
    return name;
  }

  Graph graph;

private:
  Name constant(const Name &name, Constant value) {
    graph.constants[name] = std::make_shared<const Constant>(std::move(value));
    return name;
  }
};

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_WRITE_ONNXBUILDER_H
