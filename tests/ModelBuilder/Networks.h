//===- Networks.h - Built modules and what is in them -----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_MODELBUILDER_NETWORKS_H
#define TPU_MLIR_TESTS_MODELBUILDER_NETWORKS_H

#include "tpu_mlir/ModelBuilder/Models.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace tpu_mlir {

using Shape = std::vector<int64_t>;

inline Shape shapeOf(mlir::Type type) {
  auto shape = mlir::cast<mlir::RankedTensorType>(type).getShape();
  return {shape.begin(), shape.end()};
}
inline Shape shapeOf(mlir::Value value) { return shapeOf(value.getType()); }

inline int64_t elements(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getNumElements();
}

inline std::string nameOf(mlir::Operation *op) {
  auto name = mlir::dyn_cast<mlir::NameLoc>(op->getLoc());
  return name ? name.getName().str() : "";
}

/// "Conv" for top.Conv.
inline std::string kindOf(mlir::Operation *op) {
  return op->getName().stripDialect().str();
}

/// A module in a context of its own.
class Network {
public:
  explicit Network(const ModelOptions &options) {
    auto built = buildModel(context, options);
    if (auto *error = std::get_if<ModelError>(&built))
      throw std::runtime_error(error->message);
    module = std::move(std::get<0>(built));
  }

  /// The ops of @main in order.
  std::vector<mlir::Operation *> ops() {
    std::vector<mlir::Operation *> result;
    for (mlir::Operation &op : function().getRegion(0).front())
      result.push_back(&op);
    return result;
  }
  std::vector<mlir::Operation *> weights() {
    auto result = ops();
    llvm::erase_if(result, [](auto *op) { return kindOf(op) != "Weight"; });
    return result;
  }
  /// All but inputs, weights, none and return.
  std::vector<mlir::Operation *> layers() {
    auto result = ops();
    llvm::erase_if(result, [](auto *op) {
      std::string kind = kindOf(op);
      return kind == "Weight" || kind == "Input" || kind == "None" ||
             kind == "return";
    });
    return result;
  }
  std::vector<Shape> outputs() {
    std::vector<Shape> result;
    for (mlir::Value value : ops().back()->getOperands())
      result.push_back(shapeOf(value));
    return result;
  }
  mlir::Operation *named(llvm::StringRef name) {
    for (mlir::Operation *op : ops())
      if (nameOf(op) == name)
        return op;
    throw std::runtime_error("no op '" + name.str() + "'");
  }
  int64_t count(llvm::StringRef kind) {
    return llvm::count_if(ops(), [&](auto *op) { return kindOf(op) == kind; });
  }
  std::string text() {
    std::string text;
    llvm::raw_string_ostream os(text);
    printModel(*module, os);
    return text;
  }

  mlir::Operation &function() { return module->getBody()->front(); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

inline ModelOptions options(llvm::StringRef model, Level level = Level::Top) {
  ModelOptions result;
  result.model = model.str();
  result.level = level;
  return result;
}

/// Every model at either level.
class EveryModel
    : public testing::TestWithParam<std::tuple<std::string, Level>> {
protected:
  ModelOptions given() const {
    return options(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
};

inline std::vector<std::string> modelNames() {
  std::vector<std::string> names;
  for (const ModelInfo &info : models())
    names.push_back(info.name.str());
  return names;
}

inline std::string
testName(const testing::TestParamInfo<std::tuple<std::string, Level>> &info) {
  return std::get<0>(info.param) +
         (std::get<1>(info.param) == Level::Top ? "_top" : "_tpu");
}

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_MODELBUILDER_NETWORKS_H
