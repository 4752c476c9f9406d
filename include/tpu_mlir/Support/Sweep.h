//===- Sweep.h - How far a result begins below what it is made of -*- C++ -*-=//
//
// A kernel makes one sweep: it writes the elements of its result in the order
// in which memory has them, each once, and by the time it writes one it has
// read all that this one and those in front of it need. Then the result may lie
// over the end of an operand that nobody reads afterwards, as long as it begins
// far enough below it:
//
//     address        0     d
//     operand              [ read . . . . | still to be read . . . )
//     result         [ written  . . |  . . . . . . . . )
//                                   ^ never above the first byte that is still
//                                     to be read
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_SWEEP_H
#define TPU_MLIR_SUPPORT_SWEEP_H

#include "tpu_mlir/Support/SliceRule.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tpu_mlir {

/// A tensor as a sweep sees it: row-major, of units that are read and written
/// as one (an element, or a slot with an element of several images).
struct SweptTensor {
  std::vector<int64_t> extents;
  int64_t unitBytes = 1;
};

/// The least d >= 0 such that a sweep over `result` never writes a byte of an
/// operand that it reads later, if the operand begins d or more bytes above the
/// result. One rule of `rules` for each dimension of the operand. Where an
/// element needs nothing of the operand it counts as reading at the border, so
/// that the answer may be larger than it had to be, never smaller.
///
/// nullopt: a tensor without elements, or of 2^48 bytes or more. O(extents of
/// the result times dimensions of the operand).
std::optional<int64_t> sweepDistance(const SweptTensor &result,
                                     const SweptTensor &operand,
                                     const std::vector<DimRule> &rules);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_SWEEP_H
