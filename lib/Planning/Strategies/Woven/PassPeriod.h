//===- PassPeriod.h - One period of passes ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPERIOD_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPERIOD_H

#include "lib/Planning/Kit/Placing.h"

namespace tpu_mlir::planning {

/// One period of passes, from the begin of one to the begin of the next, by
/// place in the list of its steps.
struct PassPeriod {
  struct Level {
    int64_t sizeBytes = 0;
    Interval fresh; ///< The pass that begins has it.
    Interval old;   ///< The pass whose place that one takes has it.
    bool isLong = false;
  };
  struct Temporary {
    int64_t sizeBytes = 0;
    Interval steps;
  };
  std::vector<Level> levels;
  /// By step: sizes of what comes and goes, the largest first.
  std::vector<std::vector<int64_t>> temporaries;
  /// The same, each with its steps.
  std::vector<Temporary> passing;
  int64_t inFlight = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPERIOD_H
