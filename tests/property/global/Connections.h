//===- Connections.h - Which tensors have to be at one place ----*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_PROPERTY_GLOBAL_CONNECTIONS_H
#define TPU_MLIR_TESTS_PROPERTY_GLOBAL_CONNECTIONS_H

#include "tests/property/global/Oracle.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

namespace tpu_mlir::test {

/// Connections between values of one module that hold at their addresses.
class Connections {
public:
  /// Updates in place connect, too, unless `updates` is false.
  Connections(mlir::ModuleOp module, bool fourN, bool updates = true)
      : fourN(fourN), updates(updates) {
    module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      for (mlir::Value value : op->getResults())
        addValue(value);
      for (mlir::Region &region : op->getRegions())
        for (mlir::Block &block : region)
          for (mlir::Value value : block.getArguments())
            addValue(value);
    });
    module.walk<mlir::WalkOrder::PreOrder>(
        [&](mlir::Operation *op) { connect(op); });
  }
  bool same(mlir::Value a, mlir::Value b) const {
    return classes.isEquivalent(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  const std::vector<mlir::Value> &values() const { return order; }
  const void *classOf(mlir::Value value) const {
    return classes.getLeaderValue(value.getAsOpaquePointer());
  }

private:
  void addValue(mlir::Value value) {
    if (!mlir::isa<mlir::TensorType>(value.getType()) ||
        !getAddress(value.getType()))
      return;
    order.push_back(value);
    classes.insert(value.getAsOpaquePointer());
  }
  void unite(mlir::Value a, mlir::Value b) {
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  void uniteAll(mlir::ValueRange from, mlir::ValueRange to) {
    for (auto [a, b] : llvm::zip(from, to))
      if (atSameAddress(a, b))
        unite(a, b);
  }
  void connect(mlir::Operation *op);

  std::vector<mlir::Value> order;
  bool fourN, updates;
  llvm::EquivalenceClasses<const void *> classes;
};

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_PROPERTY_GLOBAL_CONNECTIONS_H
