//===- Vary.h - Problems like a given one -----------------------*- C++ -*-===//
//
// A planner that knows its problems by heart does badly on their neighbours.
// Here any problem of one pool is changed a little, or put together with
// another one; where a plan of the old problem is known, its order from the
// bottom up makes a plan of the new one, so that nobody has an excuse for a
// higher one.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_VARY_H
#define TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_VARY_H

#include "tpu_mlir/tools/memplan/generators/Generate.h"

namespace tpu_mlir::planning {

/// How to change a problem.
struct VaryOptions {
  /// One of variations():
  ///   "alignment"    every buffer has `gridBytes` as its alignment
  ///   "concat"       a second problem after the first in time
  ///   "drop"         `percent` of 100 buffers are not there
  ///   "grid"         as "sizes", to the next multiple of `gridBytes`
  ///   "lives"        lives end a step earlier, a step later, or when they did
  ///   "minus-byte"   a byte less, or not, at equal odds; none gets empty
  ///   "plus-byte"    a byte more, or not
  ///   "primes"       the largest prime that is no larger
  ///   "side-by-side" a second problem at the same time, both stretched to one
  ///                  length
  ///   "sizes"        up to `percent` larger or smaller, in thousandths
  std::string kind;
  /// The same options and seed give the same problem on every machine.
  uint64_t seed = 1;
  int64_t percent = 3;    ///< 1 to 90.
  int64_t gridBytes = 64; ///< At least 1.
};

/// Sorted.
std::vector<std::string> variations();
/// It takes two problems.
bool isOfTwo(const std::string &variation);

/// A problem, and a plan of it if one is known.
struct GivenProblem {
  const Problem *problem = nullptr;
  const Plan *plan = nullptr;
};

/// "" where the kind, the percentage and the grid make sense for any problem.
std::string whatIsWrong(const VaryOptions &options);

/// The plan of the result is made from those of the given ones, if they are
/// there: the second above the first or after it, all buffers from the bottom
/// up, each as low as it goes. Without a `second` problem it is the first one's
/// mirror image in time. O(n log^2 n) for lives as networks have them, and for
/// primes sqrt(size) a buffer. A string says what makes no sense: more than one
/// pool, aliases, pins, overlaps or a period, or numbers beyond 62 bits.
std::variant<Generated, std::string> vary(const GivenProblem &first,
                                          const GivenProblem &second,
                                          const VaryOptions &options);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_VARY_H
