//===- PlanReport.h - Plans as pictures -------------------------*- C++ -*-===//
//
// One panel a pool, a rectangle for each piece of a buffer's life:
//
//     bytes
//     ^ - - - - - - - - - - - capacity
//     |      +------+   used
//     | +----+--+   |- - - - lower bound
//     | | a  |b | d |
//     | |    |--+---+
//     | |    |  c   |
//     +-+----+------+--> steps
//
// Files stand alone: no scripts, fonts or style sheets from elsewhere. The same
// problem and plan make the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_REPORT_PLANREPORT_H
#define TPU_MLIR_REPORT_PLANREPORT_H

#include "tpu_mlir/Planning/Plan.h"

#include <string>

namespace tpu_mlir::report {

struct PlanPictureOptions {
  /// Heading; names and titles may hold any characters.
  std::string title;
  /// The largest rectangles of a panel, by bytes x steps, are drawn one by one
  /// and can be hovered over. What is beyond becomes one grey area a panel, and
  /// a note says how much that is: the file stays small for any problem.
  size_t maxRectangles = 5000;
  /// Rows of the HTML page's table of the largest buffers.
  size_t maxTableRows = 200;
};

/// An SVG 1.1 image. The problem has passed check(), and the plan has one
/// placement a buffer in a pool that exists; it need not be valid. O(i log i),
/// i the number of lifespan intervals.
std::string renderPlanSvg(const planning::Problem &problem,
                          const planning::Plan &plan,
                          const PlanPictureOptions &options = {});

/// A page with the same picture, a table of the pools, a search box, and a
/// table of the largest buffers; hovering links the two. Prints well.
std::string renderPlanHtml(const planning::Problem &problem,
                           const planning::Plan &plan,
                           const PlanPictureOptions &options = {});

} // namespace tpu_mlir::report

#endif // TPU_MLIR_REPORT_PLANREPORT_H
