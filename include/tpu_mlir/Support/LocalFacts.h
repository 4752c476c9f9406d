//===- LocalFacts.h - How an op computes a part of its result ---*- C++ -*-===//
//
// What an op states about running from local memory, as values without code:
// what each operand is read for a part of the result, how much scratch it
// takes and how much work it is. Chips and planners are not mentioned.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_LOCALFACTS_H
#define TPU_MLIR_SUPPORT_LOCALFACTS_H

#include "tpu_mlir/Support/SliceRule.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tpu_mlir {

/// Scratch in local memory that an op needs while it runs, in words that hold
/// on every chip: a tile is one part of a tensor, laid out in the lanes like
/// the tensor itself but with elements of `tileBits`.
///
///   bytes of a lane = tiles * laneBytes(part, tileBits) + tableBytes
///
/// The numbers are those of tpu-mlir's plans where these show one (functions
/// on f32, RMSNorm, int8 addition); others follow the same pattern.
struct LocalScratch {
  /// The tensor that a tile is a part of.
  enum class Of { Result, Operand };

  int64_t tiles = 0;
  int64_t tileBits = 0; ///< 8, 16 or 32; 0 without tiles.
  Of of = Of::Result;   ///< Result 0, or operand 0 where that is larger.
  int64_t tableBytes = 0;

  bool operator==(const LocalScratch &o) const {
    return tiles == o.tiles && tileBits == o.tileBits && of == o.of &&
           tableBytes == o.tableBytes;
  }
};

/// LocalWork::opsPerElement of a line buffer: what it results in, and what it
/// keeps aside and brings back, which is no more.
constexpr int64_t kLineBufferOps = 2;

/// How much an op computes, for cost models only: plans stay right whatever
/// stands here.
struct LocalWork {
  /// Multiply-adds (or operations of a vector unit) for one element of result
  /// 0. An average where elements differ (transposed convolution); >= 1.
  int64_t opsPerElement = 1;
  /// The ops are a product with a matrix or a convolution over many channels,
  /// so that the whole array of multipliers works on them. Otherwise one
  /// vector unit a lane does.
  bool onArray = false;

  bool operator==(const LocalWork &o) const {
    return opsPerElement == o.opsPerElement && onArray == o.onArray;
  }
};

/// All that an op states. Either `whyGlobal` says why it cannot be computed in
/// parts (all else is then meaningless), or the other members hold.
struct LocalFacts {
  /// A short phrase in lower case, such as "the pooling is adaptive"; empty
  /// for an op that can be computed in parts.
  std::string whyGlobal;
  /// For each operand one rule for each of its own dimensions; an operand that
  /// is `none` has an empty list. `resultDim` counts dimensions of result 0.
  /// Parameters (filters, tables, scratch) are read whole, unless each of
  /// their elements belongs to one place of the result.
  std::vector<std::vector<DimRule>> operands;
  /// For each dimension of result 0: it must not be cut.
  std::vector<bool> uncut;
  LocalScratch scratch;
  LocalWork work;

  bool isGlobal() const { return !whyGlobal.empty(); }
  static LocalFacts global(std::string why) {
    LocalFacts facts;
    facts.whyGlobal = std::move(why);
    return facts;
  }
};

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_LOCALFACTS_H
