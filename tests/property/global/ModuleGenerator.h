//===- ModuleGenerator.h - How random modules are made ----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_PROPERTY_GLOBAL_MODULEGENERATOR_H
#define TPU_MLIR_TESTS_PROPERTY_GLOBAL_MODULEGENERATOR_H

#include "tests/property/global/RandomModules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <memory>

namespace tpu_mlir::test {

/// Makes one module of functions, op by op at one place after the other.
///
/// Whatever is made is usable at once: `scope` holds the tensors that an op at
/// this place may read, newest last.
class ModuleGenerator {
public:
  ModuleGenerator(mlir::ModuleOp module, Draw &draw, const ModuleShape &shape)
      : builder(module.getContext()), module(module), draw(draw), shape(shape) {
  }

  void makeNetwork();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;
  using Tensor = mlir::RankedTensorType;

  /// The bytes behind a value, shared by all values that are sure to be them.
  struct Storage {
    bool isWeight = false;
    /// It lies in the result of a merged concat; no second one can have it.
    bool isMerged = false;
  };
  struct Known {
    std::shared_ptr<Storage> storage;
    /// The value is all of it.
    bool isWhole = true;
  };

  // Ops and values (ModuleGenerator.cpp).
  mlir::Operation *op(llvm::StringRef name, mlir::ValueRange operands,
                      mlir::TypeRange results,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                      unsigned regions = 0);
  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::Location newName();
  Tensor randomType();
  mlir::Type randomElement();
  Value none();
  Value weight(Tensor type, bool hasStoreMode = true);
  Value scratch();
  Value pick();
  std::optional<Value> pickOfType(Tensor type);
  void add(Value value);
  void addView(Value view, Value of, bool isWhole);
  bool isFresh(Value value) const;

  // Leaf ops (RandomOps.cpp).
  void anyOp();
  Value compute(Tensor type);
  Value produce(Tensor type);
  void severalResults();
  void reshapes();
  Value reshape(Value value, Tensor type);
  void slice();
  bool mergedConcat();
  void identity();
  void update();
  void runningStatistics();
  Value weightAsActivation();
  Tensor sameElements(Tensor type);
  Values operandsWithScratch(Values operands);

  // Structure (RandomStructure.cpp).
  void structureOp();
  Values group(llvm::ArrayRef<Tensor> types);
  Values branch(llvm::ArrayRef<Tensor> types);
  Values loop(llvm::ArrayRef<Tensor> types);
  Values call(llvm::ArrayRef<Tensor> types);
  Values partsInParallel(llvm::ArrayRef<Tensor> types);
  void cores();
  void unknownRegions(llvm::ArrayRef<Tensor> types);
  Values bodyResults(llvm::ArrayRef<Tensor> types);
  template <typename Body> void inRegion(mlir::Region &region, Body body);
  llvm::SmallVector<Tensor> randomTypes(int64_t atMost);
  void makeEntry(llvm::StringRef name);

  mlir::OpBuilder builder;
  mlir::ModuleOp module;
  Draw &draw;
  ModuleShape shape;
  std::vector<Value> scope;
  llvm::DenseMap<mlir::Value, Known> known;
  int64_t opsLeft = 0;
  int64_t names = 0;
  int64_t functions = 0;
  int64_t depth = 0;
  int64_t hugeLeft = 2;
};

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_PROPERTY_GLOBAL_MODULEGENERATOR_H
