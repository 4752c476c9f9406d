//===- Scale.h - Steps and bytes to pixels ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_PLAN_SCALE_H
#define TPU_MLIR_LIB_REPORT_PLAN_SCALE_H

#include "lib/Report/Drawing/Svg.h"
#include "lib/Report/Plan/Picture.h"

namespace tpu_mlir::report {

/// Time runs to the right, addresses grow upwards; what lies outside the frame
/// ends at its border.
class Scale {
public:
  Scale(const Picture &picture, const Panel &panel, const Frame &frame);

  const Frame &frame() const { return place; }
  double x(int64_t step) const;
  double y(double bytes) const;
  Frame box(const Box &box) const;
  /// The address at the top of the frame.
  double topBytes() const { return highest; }
  /// Round numbers inside the frame, about one each 80 pixels.
  std::vector<int64_t> stepTicks() const;
  /// Powers of two and their multiples, about one each 70 pixels.
  std::vector<int64_t> byteTicks() const;

private:
  Frame place;
  Interval steps;
  double highest = 1;
};

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_PLAN_SCALE_H
