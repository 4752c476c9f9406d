//===- Detail.h - What a page draws once somebody looks closer --*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_PLAN_DETAIL_H
#define TPU_MLIR_LIB_REPORT_PLAN_DETAIL_H

#include "lib/Report/Plan/Picture.h"

namespace tpu_mlir::report {

/// Boxes of a panel beyond those that are drawn one by one, for the page's
/// script.
struct Detail {
  /// How many; the largest come first.
  size_t boxes = 0;
  /// None is left out.
  bool isAll = true;
  /// Bytes are told in units of it.
  int64_t unitBytes = 1;
  /// In the order of their begins, five numbers a box: how much later it begins
  /// than the one before, its steps, its first byte, its bytes, and eight times
  /// how far its buffer's number is from the one before, folded (0, -1, 1, -2
  /// ...), and its colour. Each number in groups of 7 bits, the lowest first,
  /// the top bit where more come; all of it in base64.
  std::string text;
};

/// Those of `panel` from number `first` on, as many as need no more than
/// `mostBytes` of text. Aliases and what has no bytes are left out. O(n log n).
Detail detailOf(const Picture &picture, const planning::Problem &problem,
                const Panel &panel, size_t first, size_t mostBytes);

/// The script and style of a page whose panels can be looked into.
std::string zoomStyle();
std::string zoomScript();
/// Its buttons, and how to use them.
std::string zoomBar();

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_PLAN_DETAIL_H
