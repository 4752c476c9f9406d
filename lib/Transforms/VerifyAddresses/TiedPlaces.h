//===- TiedPlaces.h - Places that follow from one another -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_VERIFYADDRESSES_TIEDPLACES_H
#define TPU_MLIR_LIB_TRANSFORMS_VERIFYADDRESSES_TIEDPLACES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace tpu_mlir {

/// Groups the values of an addressed module whose addresses follow from one
/// another: a view in its operand, a piece of a merged concat, both ends of a
/// call, what a region yields in place. Only what holds at the addresses that
/// are there ties; one address alone does not.
class TiedPlaces {
public:
  /// With `updates` also operands that an op overwrites in place. `fourN`: the
  /// chip stores four images side by side.
  TiedPlaces(mlir::ModuleOp module, mlir::SymbolTable &symbols, bool fourN,
             bool updates);

  /// A number that all values tied to `value` share; -1 for one without an
  /// address.
  int64_t groupOf(mlir::Value value) const;
  /// The lowest address among the values tied to `value`, which has one.
  int64_t lowestAddress(mlir::Value value) const {
    return lowest[groupOf(value)];
  }

private:
  int64_t idOf(mlir::Value value);
  int64_t find(int64_t id) const;
  void tie(mlir::Value a, mlir::Value b);
  void tieEqual(mlir::ValueRange from, mlir::ValueRange to);
  void tieInPlace(mlir::Operation *op, bool fourN, bool updates);
  void tieStructure(mlir::Operation *op, mlir::SymbolTable &symbols);

  llvm::DenseMap<mlir::Value, int64_t> ids;
  mutable std::vector<int64_t> parent;
  std::vector<int64_t> lowest; ///< Of a group, at its number.
};

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_VERIFYADDRESSES_TIEDPLACES_H
