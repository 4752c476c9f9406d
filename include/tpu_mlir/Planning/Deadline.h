//===- Deadline.h - When a search has to end --------------------*- C++ -*-===//

#ifndef TPU_MLIR_PLANNING_DEADLINE_H
#define TPU_MLIR_PLANNING_DEADLINE_H

#include "tpu_mlir/Support/StopToken.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tpu_mlir::planning {

/// A point on the clock, or never, or the moment when somebody asks. All parts
/// of one question share it: a limit of a second means a second, however many
/// pools and strategies there are. Whatever asks isOver() ends early, too, when
/// its stop token is asked: that of the process, unless another one is given.
class Deadline {
public:
  using Clock = std::chrono::steady_clock;

  Deadline() = default;
  /// So many seconds from now; what no clock can say is never.
  static Deadline in(double seconds) {
    Deadline deadline;
    deadline.endIn(seconds);
    return deadline;
  }
  void endIn(double seconds) {
    if (seconds < kMostSeconds)
      end = Clock::now() +
            std::chrono::duration_cast<Clock::duration>(
                std::chrono::duration<double>(std::max(seconds, 0.0)));
  }
  /// Over also once `token`, which has to outlive this, is asked. nullptr: only
  /// the clock counts.
  void stopWhen(const StopToken *token) { stop = token; }

  /// Looks at the clock: about 30 ns.
  bool isOver() const { return isStopped() || (end && Clock::now() >= *end); }
  /// Somebody has asked.
  bool isStopped() const { return stop && stop->isRequested(); }
  /// There is a point on the clock.
  bool isSet() const { return end.has_value(); }
  /// Until then, at least 0; nullopt without such a point.
  std::optional<double> secondsLeft() const {
    if (!end)
      return std::nullopt;
    return std::max(std::chrono::duration<double>(*end - Clock::now()).count(),
                    0.0);
  }

private:
  /// A hundred years.
  static constexpr double kMostSeconds = 3.0e9;
  std::optional<Clock::time_point> end;
  const StopToken *stop = &StopToken::ofProcess();
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_DEADLINE_H
