//===- SliceRule.h - Which part of an operand a part of a result needs -*- C++
//-*-===//
//
// An op states, for each operand and each of its dimensions, one rule: a value
// without code, so that planners can evaluate it millions of times and print
// it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_SLICERULE_H
#define TPU_MLIR_SUPPORT_SLICERULE_H

#include "tpu_mlir/Support/Interval.h"

namespace tpu_mlir {

/// How one dimension of an operand is read while an interval of one dimension
/// of the result is computed.
///
///   whole   all of it, whatever part of the result is computed
///   window  result element o reads [o * stride - before,
///           o * stride - before + extent): convolution and pooling (extent is
///           the dilated kernel), elementwise ops (1, 0, 1), slices (stride is
///           the step, before the negated start), pieces of a concatenation
///           and padding (before is how far the operand is shifted)
///   spread  operand element i contributes to the results
///           [i * stride - before, i * stride - before + extent): transposed
///           convolution, and upsampling (extent = stride, before = 0)
struct DimRule {
  enum class Kind { Whole, Window, Spread };

  Kind kind = Kind::Whole;
  /// The dimension of the result that this one follows; -1 with Whole.
  int resultDim = -1;
  int64_t stride = 1; ///< >= 1.
  int64_t before = 0; ///< May be negative.
  int64_t extent = 1; ///< >= 1.

  static DimRule whole() { return {}; }
  static DimRule same(int resultDim) {
    return {Kind::Window, resultDim, 1, 0, 1};
  }
  static DimRule window(int resultDim, int64_t stride, int64_t before,
                        int64_t extent) {
    return {Kind::Window, resultDim, stride, before, extent};
  }
  static DimRule spread(int resultDim, int64_t stride, int64_t before,
                        int64_t extent) {
    return {Kind::Spread, resultDim, stride, before, extent};
  }
  /// The operand's element of the same index is all that is read.
  bool isSame() const {
    return kind == Kind::Window && stride == 1 && before == 0 && extent == 1;
  }
  bool operator==(const DimRule &o) const {
    return kind == o.kind && resultDim == o.resultDim && stride == o.stride &&
           before == o.before && extent == o.extent;
  }
};

/// The smallest interval of a dimension of `length` elements that holds all
/// that `rule` reads for the part `result` of the result's dimension: exact at
/// both ends, clipped to [0, length). Empty when nothing is read (a part that
/// is padding only), and then at 0 or at `length`: a later part of the result
/// never has an earlier need. `result` is not empty. O(1).
Interval neededInterval(const DimRule &rule, Interval result, int64_t length);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_SLICERULE_H
