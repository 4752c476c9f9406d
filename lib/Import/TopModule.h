//===- TopModule.h - The Top module that is made ----------------*- C++ -*-===//
//
// What rules may ask for: layers by name, without a header of MLIR. The one
// place that makes IR is TopModule.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_IMPORT_TOPMODULE_H
#define TPU_MLIR_LIB_IMPORT_TOPMODULE_H

#include "tpu_mlir/Import/Constant.h"

#include <memory>
#include <type_traits>

namespace mlir {
class MLIRContext;
class ModuleOp;
template <typename OpTy> class OwningOpRef;
} // namespace mlir

namespace tpu_mlir::importer {

/// A value of the module, and its shape as ONNX knows it: where that has no
/// dimensions the tensor has one, of size 1.
struct Value {
  int id = -1; ///< -1: `none`.
  Shape shape;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
};

/// An integer of 32 bits with a sign.
struct Si32 {
  int64_t number;
};

/// An attribute in the type that the dialect declares.
struct LayerAttribute {
  using Data = std::variant<bool, int64_t, Si32, double, Shape,
                            std::vector<double>, std::string>;

  template <typename Number,
            typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  LayerAttribute(llvm::StringRef name, Number number) : name(name) {
    if constexpr (std::is_same_v<Number, bool>)
      data = number;
    else if constexpr (std::is_integral_v<Number>)
      data = static_cast<int64_t>(number);
    else
      data = static_cast<double>(number);
  }
  LayerAttribute(llvm::StringRef name, Si32 number)
      : name(name), data(number) {}
  LayerAttribute(llvm::StringRef name, llvm::ArrayRef<int64_t> list)
      : name(name), data(Shape(list)) {}
  LayerAttribute(llvm::StringRef name, const Shape &list)
      : name(name), data(list) {}
  LayerAttribute(llvm::StringRef name, std::vector<double> list)
      : name(name), data(std::move(list)) {}
  LayerAttribute(llvm::StringRef name, const std::string &text)
      : name(name), data(text) {}
  LayerAttribute(llvm::StringRef name, const char *text)
      : name(name), data(std::string(text)) {}

  llvm::StringRef name;
  Data data;
};
using LayerAttributes = std::vector<LayerAttribute>;

/// A module under construction. Names are made different from each other.
class TopModule {
public:
  TopModule(mlir::MLIRContext &context, llvm::StringRef network);
  ~TopModule();

  /// Floats are f32 inside and outside, integers of up to 32 bits and bools
  /// come as integers, those of 64 as si32.
  Value input(const std::string &name, const Shape &shape, DataType type);
  Value weight(const std::string &name, const Shape &shape);
  /// "top.`op`"; a name and a shape for each result, nullopt: `none`.
  /// Attributes that a family of layers has in common (do_relu, relu_limit)
  /// are added.
  std::vector<Value> layer(llvm::StringRef op,
                           const std::vector<std::string> &names,
                           const std::vector<Value> &operands,
                           const std::vector<std::optional<Shape>> &shapes,
                           const LayerAttributes &attributes);
  std::string nameOf(const Value &value) const;
  /// Another name for the layer of a value.
  void rename(const Value &value, const std::string &name);
  /// More attributes of the layer of a value.
  void annotate(const Value &value, const LayerAttributes &attributes);
  /// An attribute of the module: a list of names.
  void note(llvm::StringRef attribute, const std::vector<std::string> &names);
  /// Closes the function. The module is used up.
  mlir::OwningOpRef<mlir::ModuleOp> finish(const std::vector<Value> &outputs);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_TOPMODULE_H
