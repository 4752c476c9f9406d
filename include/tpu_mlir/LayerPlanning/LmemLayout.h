//===- LmemLayout.h - How a tensor lies in local memory ---------*- C++ -*-===//
//
// Every lane holds the same address map, so a plan is made for one lane.
// Channel k of a slice lies in lane k mod lanes, in channel slot k div lanes;
// within a lane d is outermost, then n, then the channel slot, then h and w.
// The formulas are those of tpu-mlir's layer groups.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_LMEMLAYOUT_H
#define TPU_MLIR_LAYERPLANNING_LMEMLAYOUT_H

#include "tpu_mlir/Target/ChipSpec.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tpu_mlir::layer {

/// The five dimensions that every tensor of a group is seen in, outermost
/// first.
enum Dim { N, C, D, H, W };
constexpr int kNumDims = 5;

/// One number for each Dim: extents of a tensor or of a slice, in elements.
using Shape5 = std::array<int64_t, kNumDims>;

/// tpu-mlir's group types, by its numbers: how a tensor becomes five
/// dimensions and what a cut means.
enum class GroupType : int64_t {
  Normal = 0,
  ThreeD = 1,
  SmallC = 2,
  MatMulInt4 = 3,
  MatMul = 4,
  MatMulOpt3 = 5,
};

/// The dimension of five that dimension `dim` of a tensor of rank `rank`
/// becomes. Normal and the MatMul types: n, c, h, w from the left, what is
/// left over joins w; ThreeD: n, c, d, h, w from the left, rank 4 as n, c, h,
/// w. nullopt for SmallC, which mixes dimensions.
std::optional<Dim> dimOf(int dim, int rank, GroupType type);

/// `shape` (extents >= 1) in five dimensions; dimensions that it does not have
/// are 1. SmallC: (n, c, h, w) becomes (n * c * h / lanes, lanes, w, 1) when
/// that divides, otherwise (n * c, h, w, 1). nullopt when a product leaves 63
/// bits. O(rank).
std::optional<Shape5> shape5(const std::vector<int64_t> &shape, GroupType type,
                             const target::ChipSpec &chip);

/// Bytes of one lane that `slice` takes. `elementBits` is 4, 8, 16, 32 or 64;
/// `euAlign`: each channel's h * w block is padded to whole execution units.
/// On chips with the four-images layout n counts slots of 4 bytes. nullopt
/// when it leaves 63 bits.
///
///   n * d * ceil(c / lanes) * align(h * w, euBytes / element) * element
std::optional<int64_t> laneBytes(const target::ChipSpec &chip,
                                 const Shape5 &slice, int64_t elementBits,
                                 bool euAlign);

/// Byte within its lane of element (n, c, d, h, w) of a slice with extents
/// `slice`; the lane is c mod lanes. For elements of whole bytes and chips
/// with the plain layout.
int64_t laneOffset(const target::ChipSpec &chip, const Shape5 &slice,
                   int64_t elementBits, bool euAlign, const Shape5 &index);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_LMEMLAYOUT_H
