//===- Page.h - Style and script of the HTML page ---------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_PLAN_PAGE_H
#define TPU_MLIR_LIB_REPORT_PLAN_PAGE_H

namespace tpu_mlir::report {

/// Rules for everything around the drawing.
extern const char *const kPageStyle;
/// Links rectangles, rows and the search box through data-b, the number of
/// the buffer.
extern const char *const kPageScript;

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_PLAN_PAGE_H
