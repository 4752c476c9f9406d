//===- Layout.h - The verifier's own view of tensors in lanes ---*- C++ -*-===//
//
// Written from the description of tpu-mlir's local memory, without the code
// that planners use, so that a mistake there does not hide here as well.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LAYOUT_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LAYOUT_H

#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinTypes.h"

#include <array>
#include <optional>

namespace tpu_mlir::local {

/// The five axes that a group cuts along, in the order of the section loop's
/// attributes.
enum Axis { AxisN, AxisC, AxisD, AxisH, AxisW };
constexpr int kNumAxes = 5;
/// "n", "c", "d", "h" or "w".
const char *axisName(int axis);

/// One number for each axis.
using Extents = std::array<int64_t, kNumAxes>;

/// tpu-mlir's numbers of group types.
constexpr int64_t kNormal = 0, kThreeD = 1, kSmallC = 2, kLastGroupType = 5;

/// The axis that dimension `dim` of a tensor of rank `rank` lies on; not for
/// SmallC.
///
///   rank 4, most types   n c h w       rank 3   n c h
///   rank 5, most types   n c h w w     rank 5, ThreeD   n c d h w
Axis axisOf(int dim, int rank, int64_t groupType);

/// `shape` on the five axes; axes without a dimension are 1. In SmallC groups
/// all before the last axis become rows that are spread over the lanes:
/// (n, c, h, w) is (n * c * h / lanes, lanes, w) on n, c, h if that divides,
/// otherwise (n * c, h, w). nullopt: an extent below 1, or a product of more
/// than 63 bits.
std::optional<Extents> extentsOf(llvm::ArrayRef<int64_t> shape,
                                 int64_t groupType,
                                 const target::ChipSpec &chip);

/// Bytes that a slice takes in one lane. Channels are dealt out to the lanes
/// one by one, and a lane holds a plane of h * w elements for each channel it
/// gets; `euAlign` rounds a plane up to whole execution units. nullopt with
/// more than 63 bits.
std::optional<int64_t> bytesInLane(const target::ChipSpec &chip,
                                   const Extents &slice, int64_t elementBits,
                                   bool euAlign);

/// The compact and the aligned layout of a slice put every element into the
/// same place: one plane a lane, or planes that fill whole units.
bool layoutsAgree(const target::ChipSpec &chip, const Extents &slice,
                  int64_t elementBits);

} // namespace tpu_mlir::local

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LAYOUT_H
