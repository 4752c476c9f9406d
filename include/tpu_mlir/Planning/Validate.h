//===- Validate.h - The independent referee of plans ------------*- C++ -*-===//
//
// Shares no code with any strategy: it knows the problem, the plan and the
// numbered invariants, nothing else.
//
//   P1 every buffer is placed exactly once, in an allowed pool; what is no
//      weight never in a read-only one
//   P2 0 <= offset and offset + size <= capacity, and no byte is reserved
//   P3 offsets are multiples of the buffer's and the pool's alignment (of the
//      buffer's alone when it is an alias: its root keeps to the pool's)
//   P4 pins are respected
//   P5 two buffers alive together (or forbidden to share) in one pool share
//      no byte, unless they are of one alias class
//   P6 an alias sits at its declared offset inside its root
//   P7 the root lives at least as long as every alias
//   P8 the reported high-water mark is the maximum end
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_VALIDATE_H
#define TPU_MLIR_PLANNING_VALIDATE_H

#include "tpu_mlir/Planning/Plan.h"

namespace tpu_mlir::planning {

/// One broken invariant. `first` and `second` are buffers, where it is about
/// some.
struct Violation {
  int invariant = 0; ///< 1..8 for P1..P8.
  std::optional<BufferId> first, second;
  std::string message;
};

/// All violations up to `limit`, by invariant and then buffer. A sweep over
/// time with an ordered set of live byte ranges: O((n + i) log n), i the
/// number of lifespan intervals, plus the forbidden pairs.
std::vector<Violation> validate(const Problem &problem, const Plan &plan,
                                size_t limit = 16);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_VALIDATE_H
