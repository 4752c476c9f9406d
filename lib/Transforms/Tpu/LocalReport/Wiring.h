//===- Wiring.h - Where values of a network come from -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_WIRING_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_WIRING_H

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Support/Interval.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tpu_mlir::local_report {

/// A ranked tensor of a size that is known; null: it is none.
mlir::RankedTensorType typeOf(mlir::Value value);

/// Bytes of a tensor.
struct BytesOf {
  mlir::Value value;
  Interval bytes;
};

/// The values of all functions of a module: which are given, which are
/// returned, and which are one value under two names.
class Wiring {
public:
  /// `entries`: the functions that are called from outside.
  Wiring(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> entries);

  /// A weight, or an input of the network.
  bool isGiven(mlir::Value value) const;
  /// Pairs of one value under two names: of functions that are called once
  /// arguments and operands, and results of calls and what is returned; results
  /// of groups and parallel regions and what they yield.
  llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> handedOn() const {
    return across.getArrayRef();
  }
  /// It is called from one place alone, and its values are handed on there.
  bool isCalledOnce(mlir::func::FuncOp function) const {
    return calledOnce.contains(function);
  }
  /// What the network returns.
  llvm::SmallVector<mlir::Value> outputs() const;
  /// Where the bytes of a value come from, however tensors are placed: through
  /// what is no copy, or need not be one. O(ops on the way).
  llvm::SmallVector<BytesOf> originsOf(mlir::Value value) const;

private:
  void add(mlir::ValueRange names, mlir::ValueRange values);

  llvm::ArrayRef<mlir::func::FuncOp> entries;
  llvm::MapVector<mlir::Value, mlir::Value> across;
  llvm::DenseSet<mlir::Operation *> calledOnce;
};

/// The bytes of results that are bytes of operands, where `op` is no copy, or
/// need not be one: what is updated in place is not among them. O(operands).
llvm::SmallVector<InPlaceEdge> sharedBytes(mlir::Operation *op);

/// Hands its operand on, from one memory to another or under another name.
bool isHandedOn(mlir::Operation *op);

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_WIRING_H
