//===- TopModule.h - The Top module that is made ----------------*- C++ -*-===//
//
// What rules may ask for: layers by name, without a header of MLIR. The one
// place that makes IR is IrModule.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_IMPORT_TOPMODULE_H
#define TPU_MLIR_LIB_IMPORT_TOPMODULE_H

#include "tpu_mlir/Import/Constant.h"

#include <type_traits>

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
  virtual ~TopModule() = default;

  /// Floats are f32 inside and outside, integers of up to 32 bits and bools
  /// come as integers, those of 64 as si32.
  virtual Value input(const std::string &name, const Shape &shape,
                      DataType type) = 0;
  virtual Value weight(const std::string &name, const Shape &shape) = 0;
  /// "top.`op`"; a name and a shape for each result, nullopt: `none`.
  /// Attributes that a family of layers has in common (do_relu, relu_limit)
  /// are added.
  virtual std::vector<Value>
  layer(llvm::StringRef op, const std::vector<std::string> &names,
        const std::vector<Value> &operands,
        const std::vector<std::optional<Shape>> &shapes,
        const LayerAttributes &attributes) = 0;
  virtual std::string nameOf(const Value &value) const = 0;
  /// Another name for the layer of a value.
  virtual void rename(const Value &value, const std::string &name) = 0;
  /// More attributes of the layer of a value.
  virtual void annotate(const Value &value,
                        const LayerAttributes &attributes) = 0;
  /// An attribute of the module: a list of names.
  virtual void note(llvm::StringRef attribute,
                    const std::vector<std::string> &names) = 0;
};

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_TOPMODULE_H
