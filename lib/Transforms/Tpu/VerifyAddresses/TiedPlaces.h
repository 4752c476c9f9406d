//===- TiedPlaces.h - Places that follow from one another -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_TIEDPLACES_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_TIEDPLACES_H

#include "tpu_mlir/Support/Interval.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace tpu_mlir::verify_addresses {

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

  /// Whether `bytes` of `value` may be what an op has written as `written`: it
  /// is that tensor, a view of it, or a merge of which it is a piece, each
  /// where it says. Pieces of one merge are not made of each other.
  /// O(values on the way).
  bool isMadeOf(mlir::Value value, mlir::Value written, Interval bytes) const;

private:
  int64_t idOf(mlir::Value value);
  static int64_t find(std::vector<int64_t> &parent, int64_t id);
  void tie(mlir::Value a, mlir::Value b);
  void tieEqual(mlir::ValueRange from, mlir::ValueRange to);
  void tieInPlace(mlir::Operation *op, bool updates);
  void tieStructure(mlir::Operation *op, mlir::SymbolTable &symbols);

  const bool fourN;
  llvm::DenseMap<mlir::Value, int64_t> ids;
  mutable std::vector<int64_t> parent;
  std::vector<int64_t> lowest; ///< Of a group, at its number.
  /// Groups of those that are one tensor, which control flow hands on.
  mutable std::vector<int64_t> sameAs;
  /// Of such a group, at its number: what views and merges in it are made of.
  std::vector<llvm::SmallVector<int64_t, 1>> madeOf;
  std::vector<Interval> bytesOf; ///< Empty: not known.
};

} // namespace tpu_mlir::verify_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_TIEDPLACES_H
