//===- Drawing.h - A picture as SVG elements --------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_PLAN_DRAWING_H
#define TPU_MLIR_LIB_REPORT_PLAN_DRAWING_H

#include "lib/Report/Drawing/Svg.h"
#include "lib/Report/Plan/Picture.h"
#include "tpu_mlir/Report/PlanReport.h"

namespace tpu_mlir::report {

/// Where a panel is, and the address at its upper edge.
struct PanelPlace {
  Frame frame;
  double topBytes = 0;
};

/// Who looks at a drawing.
enum class Viewer {
  /// Title, legend and notes are inside: a file has no other place for them.
  File,
  /// A page around it has them.
  Page,
  /// A page with the script of Detail.h, for a closer look.
  ZoomPage,
};

/// An <svg> element with all panels, and the notes about what it leaves out.
struct Drawing {
  std::string svg;
  std::vector<std::string> notes;
  std::vector<PanelPlace> places; ///< By panel.
  /// ZoomPage: what the script draws of a closer look, as elements.
  std::string detail;
};

Drawing draw(const Picture &picture, const planning::Problem &problem,
             const PlanPictureOptions &options, Viewer viewer);

/// Some pool has bytes that nobody may use.
bool hasReserved(const Picture &picture);

struct Swatch {
  std::string cssClass, label;
};
/// What the colours mean; empty when they only tell neighbours apart.
std::vector<Swatch> colourLegend(const Picture &picture,
                                 const planning::Problem &problem);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_PLAN_DRAWING_H
