//===- Deadline.h - When a search has to end --------------------*- C++ -*-===//

#ifndef TPU_MLIR_PLANNING_DEADLINE_H
#define TPU_MLIR_PLANNING_DEADLINE_H

#include <algorithm>
#include <chrono>
#include <optional>

namespace tpu_mlir::planning {

/// A point on the clock, or never. All parts of one question share it: a limit
/// of a second means a second, however many pools and strategies there are.
class Deadline {
public:
  using Clock = std::chrono::steady_clock;

  Deadline() = default;
  /// So many seconds from now; what no clock can say is never.
  static Deadline in(double seconds) {
    Deadline deadline;
    if (seconds < kMostSeconds)
      deadline.end = Clock::now() +
                     std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::max(seconds, 0.0)));
    return deadline;
  }

  /// Looks at the clock: about 30 ns.
  bool isOver() const { return end && Clock::now() >= *end; }
  bool isSet() const { return end.has_value(); }

private:
  /// A hundred years.
  static constexpr double kMostSeconds = 3.0e9;
  std::optional<Clock::time_point> end;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_DEADLINE_H
