//===- CellPlans.h - Cells that were found by search ------------*- C++ -*-===//
//
// Liu, Simonyan, Yang: "DARTS", 2018 (the second order architecture); Zoph et
// al.: "Learning Transferable Architectures", 2017 (NASNet-A); Real et al.:
// "Regularized Evolution", 2018 (AmoebaNet-A); Liu et al.: "Progressive Neural
// Architecture Search", 2017 (PNASNet-5).
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_MODELBUILDER_GRAPHS_CELLPLANS_H
#define TPU_MLIR_LIB_MODELBUILDER_GRAPHS_CELLPLANS_H

#include "llvm/ADT/ArrayRef.h"

namespace tpu_mlir::graphs {

enum class BranchKind {
  Identity,
  Separable3, ///< Depthwise 3x3 and 1x1, twice.
  Separable5,
  Separable7,
  Dilated3, ///< Depthwise 3x3 with gaps, 1x1.
  MaxPool3,
  AveragePool3,
  Row7Column7, ///< 1x7, 7x1.
};

/// What is done to a block: 0 and 1 are what the two cells before have made,
/// the older one first; 2 is the first pair.
struct Branch {
  BranchKind kind;
  int from;
};

/// Both are added.
struct Pair {
  Branch left, right;
};

struct CellPlan {
  llvm::ArrayRef<Pair> pairs;
  /// The blocks whose channels are the cell's.
  llvm::ArrayRef<int> joined;
};

/// One that keeps the size of its inputs, and one that halves it.
struct CellPlans {
  CellPlan normal, reduction;
};

extern const CellPlans kDartsV2, kNasNetA, kAmoebaNetA, kPnasNet5;

} // namespace tpu_mlir::graphs

#endif // TPU_MLIR_LIB_MODELBUILDER_GRAPHS_CELLPLANS_H
