//===- Picture.h - What a drawing of a plan shows ---------------*- C++ -*-===//
//
// Facts in steps and bytes; nothing here knows pixels or file formats.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_REPORT_PLAN_PICTURE_H
#define TPU_MLIR_LIB_REPORT_PLAN_PICTURE_H

#include "tpu_mlir/Planning/Plan.h"

#include <string>
#include <vector>

namespace tpu_mlir::report {

/// One piece of one buffer's life.
struct Box {
  planning::BufferId id = 0;
  Interval steps;
  Interval bytes; ///< Offsets in the pool, the end at most 2^63 - 1.
  bool isAlias = false;
};

/// The live sum from `step` to the next point.
struct LoadPoint {
  int64_t step = 0;
  double bytes = 0;
};

struct Panel {
  planning::PoolId pool = 0;
  std::string name;
  int64_t usedBytes = 0; ///< As the plan has it, even when that is wrong.
  /// Of what this plan put into the pool.
  int64_t boundBytes = 0;
  std::optional<int64_t> capacityBytes;
  int64_t peakStep = 0;
  /// usedBytes - boundBytes, kept within 63 bits.
  int64_t gapBytes = 0;
  std::vector<Box> boxes; ///< Largest bytes x steps first, ties by buffer.
  std::vector<LoadPoint> load;
  /// Offsets that nobody may use.
  std::vector<Interval> reserved;
  /// Low: all that is in it is there all the time.
  bool isBand = false;
};

/// What stands above each panel at some steps.
struct Mark {
  Interval steps;
  std::string told;
  std::string link; ///< Empty: none.
};

struct Picture {
  std::string title;
  std::vector<std::string> names; ///< Unique and UTF-8.
  std::vector<bool> isAlias;
  std::vector<bool> isAliveAtPeak; ///< Of the pool in which the buffer is.
  Interval steps;                  ///< First to last life; never empty.
  /// More than one kind: colours say the kind, else they tell neighbours apart.
  bool hasKinds = false;
  std::vector<Panel> panels; ///< One a pool.
  std::vector<Mark> marks;   ///< Disjoint, ascending.
};

Picture buildPicture(const planning::Problem &problem,
                     const planning::Plan &plan, const std::string &title);

/// "used 1.0 MiB, lower bound ...": one line about a panel.
std::string describe(const Panel &panel);
/// "[0,3) [5,9)".
std::string describeLife(const planning::Buffer &buffer);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_PLAN_PICTURE_H
