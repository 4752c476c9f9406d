//===- Reads.h - Which elements an op reads, dimension by dimension -------===//
//
// The verifier's own knowledge of ops: each statement here says which element
// of an operand's dimension one element of a result's dimension reads, and the
// interval that a section needs is found by enumerating elements and taps.
// Nothing is shared with the slice rules that planners use.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_READS_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_READS_H

#include "tpu_mlir/Support/Interval.h"

#include "mlir/IR/Operation.h"

#include <functional>
#include <optional>

namespace tpu_mlir::local {

/// Tap `tap` of result element `element` reads this element of the operand;
/// nullopt: none. An index outside the operand is padding.
using TapFunction =
    std::function<std::optional<int64_t>(int64_t element, int64_t tap)>;

/// How one dimension of an operand is read.
struct DimReads {
  /// The dimension of the result that decides; -1: all is read, whatever part
  /// of the result is computed.
  int resultDim = -1;
  int64_t numTaps = 1;
  TapFunction at;
  /// Element i reads element i, and that is all.
  bool isSame = false;
  /// The kernel has both in the same lane.
  bool isInPlace = false;

  static DimReads whole() { return {}; }
  static DimReads same(int resultDim);
  static DimReads taps(int resultDim, int64_t numTaps, TapFunction at);
};

/// What `op` reads of each dimension of a ranked tensor operand, for result 0.
/// An op that is not known reads all: `known` (if given) is false then.
/// Attributes that make no sense (strides below 1, ...) count as not known.
llvm::SmallVector<DimReads> operandReads(mlir::Operation *op, unsigned operand,
                                         bool *known = nullptr);

/// The hull of what is read, and whether padding is read below 0 or beyond the
/// end.
struct ReadHull {
  Interval needed; ///< Empty when only padding is read.
  bool padsBelow = false, padsAbove = false;
};

/// Enumerates `part` of the result's dimension and all taps; the operand's
/// dimension has `extent` elements. More pairs than any local memory holds
/// elements are not enumerated: then all is needed. O(length of part * taps).
ReadHull enumerateReads(const DimReads &reads, Interval part, int64_t extent);

} // namespace tpu_mlir::local

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_READS_H
