//===- PanelDrawing.h - One pool as SVG elements ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_PLAN_PANELDRAWING_H
#define TPU_MLIR_LIB_REPORT_PLAN_PANELDRAWING_H

#include "lib/Report/Drawing/Svg.h"
#include "lib/Report/Plan/Picture.h"

namespace tpu_mlir::report {

struct DrawnPanel {
  std::string svg;
  double topBytes = 0; ///< At the upper edge of the frame.
};

/// `panel` of `picture` in `frame`, its name and facts above it. At most
/// `maxRectangles` boxes are elements of their own. `canZoom`: in the groups
/// that the script of Detail.h looks for.
DrawnPanel drawPanel(const Picture &picture, const planning::Problem &problem,
                     const Panel &panel, const Frame &frame,
                     size_t maxRectangles, bool canZoom);

/// The number of the fill, 0 to 7.
int colourOfKind(planning::BufferKind kind);
/// By kind where there are several, else neighbours get unlike ones.
int colourOf(const Picture &picture, const planning::Problem &problem,
             planning::BufferId id);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_PLAN_PANELDRAWING_H
