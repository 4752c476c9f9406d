//===- LeastTraffic.h - What any way to run a network moves -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_LEASTTRAFFIC_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_LEASTTRAFFIC_H

#include "lib/Transforms/Tpu/CountGroup/CountGroup.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace tpu_mlir::local_report {

/// Adds up what has to move whatever is done: each weight and network input as
/// far as one of those that read it needs it, and each network output. Views,
/// calls and what cores do side by side are seen through; what is not known to
/// be needed counts nothing.
class LeastTraffic {
public:
  /// `entries`: the functions that are called from outside.
  LeastTraffic(mlir::ModuleOp module,
               llvm::ArrayRef<mlir::func::FuncOp> entries);

  /// `bytes` of the value are read, or written by the layer that makes it.
  void addRead(mlir::Value value, int64_t bytes);
  void addWritten(mlir::Value value, int64_t bytes);
  /// Of all that was added. O(values + views).
  report::TrafficBound bound();

  /// A weight, or an input of the network.
  bool isGiven(mlir::Value value) const;
  /// Pairs of one value under two names: of functions that are called once
  /// arguments and operands, and results of calls and what is returned; results
  /// of parallel regions and what they yield.
  llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> handedOn() const {
    return across.getArrayRef();
  }
  /// What the network returns.
  llvm::SmallVector<mlir::Value> outputs() const;
  /// Where the bytes of a value come from, through views and calls; of several,
  /// such as those of a concat that is no copy, each.
  llvm::SmallVector<mlir::Value> originsOf(mlir::Value value) const;

private:
  /// With how many bytes it has at most.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>>
  originsOf(mlir::Value value, int64_t bytes) const;
  void addPieces();

  llvm::ArrayRef<mlir::func::FuncOp> entries;
  llvm::MapVector<mlir::Value, mlir::Value> across;
  llvm::MapVector<mlir::Value, int64_t> pieces; ///< Read, of cut tensors.
  llvm::MapVector<mlir::Value, int64_t> read, written;
};

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_LEASTTRAFFIC_H
