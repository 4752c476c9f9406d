//===- Generate.h - Problems to measure planners with -----------*- C++ -*-===//
//
// Instances of any size, some with a known optimum. Packings that leave no
// byte free at any step are made by cutting a strip of time x bytes:
//
//     guillotine                      pinwheel
//     bytes                           bytes
//     ^ +-----+-----+                 ^ +---+---------+
//     | |     +--+--+                 | |   |   top   |
//     | |     |  |  |                 | |   +-----+---+
//     | +--+--+--+--+                 | |left|    |   | right
//     | |  |        |                 | +---+-----+   |
//     | +--+--------+                 | | bottom  |   |
//     +---------------> steps         +---------------> steps
//
// every cut goes through a whole     five-piece wheels, which no such
// piece                              cut can make
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_GENERATE_H
#define TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_GENERATE_H

#include "tpu_mlir/Planning/Plan.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tpu_mlir::planning {

/// What to make. Everything but the family and the number of buffers changes
/// little things about a finished instance, in the order of the members.
struct GenerateOptions {
  /// One of generateFamilies():
  ///   "guillotine", "pinwheel"  cuts of 4n steps x 1 MiB (n up to 2,000),
  ///               1 GiB (up to 200,000) or 16 GiB; 35 % of the cuts of a
  ///               pinwheel are wheels
  ///   "micro-batches"  as "training", but four of them in flight, and each
  ///               layer has sizes of its own; "interleaved": forward and
  ///               backward passes take turns layer by layer
  ///   "random"    n steps; four of five lives are short, one is long; sizes
  ///               spread over some orders of magnitude, multiples of 64
  ///   "training"  layers x micro-batches: activations saved from the forward
  ///               to the backward step, temporaries in both, gradients kept
  ///               to the end
  std::string family;
  /// Exactly so many come out, from 1 to kMaxGeneratedBuffers.
  int64_t buffers = 0;
  /// The same options and seed give the same problem on every machine.
  uint64_t seed = 1;
  /// So many of 100 pieces are cut, too, and left out: 0 to 90.
  int64_t deletePercent = 0;
  /// Lives end a step earlier, a step later, or when they did, at equal odds.
  /// What is pinned never ends later, and nothing after the schedule.
  bool jitter = false;
  /// Each buffer draws one of these; none: 1. A pinned buffer whose place is
  /// no multiple of what it drew has 1.
  std::vector<int64_t> alignments;
  /// So many of 100 buffers that live for three steps or longer are not alive
  /// for a while in the middle.
  int64_t gapPercent = 0;
  /// So many of 100 buffers are pinned to where the cuts put them. The families
  /// without cuts have no such place: an error there.
  int64_t pinPercent = 0;
};

constexpr int64_t kMaxGeneratedBuffers = int64_t(1) << 24;

/// A problem that passes check(): one pool, "memory", without limit; buffers
/// "b0", "b1" ... in no order of time, size or place.
struct Generated {
  Problem problem;
  /// What the best plan uses, where it is known: `plan` is one that does.
  std::optional<int64_t> optimumBytes;
  /// Where the cuts put the buffers, while that is still a valid plan: it is
  /// not when a life was made longer or an alignment does not hold there.
  /// Families without cuts have none.
  std::optional<Plan> plan;
};

/// O(n log n). A string says which option makes no sense and why.
std::variant<Generated, std::string> generate(const GenerateOptions &options);

/// Sorted.
std::vector<std::string> generateFamilies();

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_GENERATE_H
