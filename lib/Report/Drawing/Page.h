//===- Page.h - Parts of HTML pages -----------------------------*- C++ -*-===//
//
// A page has a search box, drawings in <figure>s and tables. Its script links
// boxes, rows and the search box through data-b, the buffer, and sorts a table
// by a click on a heading with a button.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_REPORT_DRAWING_PAGE_H
#define TPU_MLIR_LIB_REPORT_DRAWING_PAGE_H

#include <cstdint>
#include <string>

namespace tpu_mlir::report {

/// All up to the first line below the heading; the window's title is the
/// heading and `kind`.
std::string pageHead(const std::string &title, const std::string &kind,
                     const std::string &subtitle);
/// Search box, legend, and the line that tells what is pointed at. `thing`:
/// what a row or a box is.
std::string pageBar(const std::string &legend,
                    const std::string &thing = "buffer");
/// The script and the end.
std::string pageFoot();

std::string cell(const std::string &content);
/// A number, with what a click on the heading sorts by.
std::string numberCell(const std::string &shown, int64_t value);
std::string heading(const char *name, bool isNumber = false,
                    bool canSort = false);
/// An entry of the legend: SVG elements of 22 x 12 pixels.
std::string key(const std::string &mark, const std::string &label);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_DRAWING_PAGE_H
