//===- Shortage.h - What people are told about too little room --*- C++ -*-===//
//
// One shape of message for all who plan: what is over by how much, what is
// alive at the peak, the largest buffers there one by one, the others as a sum.
// Front ends add places and print it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_SHORTAGE_H
#define TPU_MLIR_PLANNING_SHORTAGE_H

#include "tpu_mlir/Planning/Plan.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpu_mlir::planning {

struct Shortage {
  /// No layout can fit (E001), rather than that none was found (E022).
  bool isCertain = true;
  /// The error itself, without its code.
  std::string message;
  /// Notes; empty where there is nothing to say.
  std::string peak;
  std::vector<std::pair<BufferId, std::string>> buffers;
  std::string others;
};

/// How the buffers of a shortage are told.
struct BufferNotes {
  std::function<std::string(BufferId)> text;
  /// For the sum of the others; none: no sum.
  std::function<int64_t(BufferId)> sizeBytes = nullptr;
  /// "4 more", "4 more buffers".
  std::string_view more = "more";
  /// How many get a note of their own.
  size_t most = 4;
};
void tellBuffers(Shortage &shortage, const std::vector<BufferId> &witness,
                 const BufferNotes &notes);

/// What only the front end knows.
struct ShortageWords {
  /// "the module" does not fit:
  std::string subject;
  /// "pool 'l2' needs 2 B, has ...": who needs that.
  std::string memory;
  bool isMemoryPlural = false;
  /// What stands before the live sum of the peak; empty: no such note.
  std::string peak;
  /// The user's word for a strategy.
  std::string_view planner = "strategy";
  /// What is said of a buffer after its size.
  std::function<std::string(BufferId)> buffer;
  std::string_view more = "more";
};

/// "the module does not fit: pool 'sram' needs ..., has ..., over by ...", and
/// the notes. O(i log i) for i intervals of `problem`.
Shortage describeShortage(const Problem &problem, const Infeasible &infeasible,
                          const ShortageWords &words);

/// Some of what is alive at the peak may be in other pools, too; the live sum
/// counts what can be in no other pool only.
bool hasChoice(const Problem &problem, const Infeasible &infeasible);

/// The longest stretch of steps without a reader: a hint at what to recompute
/// or move. O(readers).
int64_t longestIdle(const Buffer &buffer);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_SHORTAGE_H
