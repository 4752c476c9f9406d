//===- Svg.cpp - A plan as an image ---------------------------------------===//

#include "lib/Report/Plan/Drawing.h"

namespace tpu_mlir::report {

std::string renderPlanSvg(const planning::Problem &problem,
                          const planning::Plan &plan,
                          const PlanPictureOptions &options) {
  const Picture picture = buildPicture(problem, plan, options.title);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         draw(picture, problem, options, Viewer::File).svg;
}

} // namespace tpu_mlir::report
