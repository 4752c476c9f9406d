//===- Svg.h - Parts of SVG drawings ----------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_DRAWING_SVG_H
#define TPU_MLIR_LIB_REPORT_DRAWING_SVG_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tpu_mlir::report {

/// A rectangle in pixels.
struct Frame {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// About what a letter of a label takes.
constexpr double kLetter = 5.9;

/// "12", "3.5", "0.25": two decimals at most.
std::string px(double value);
/// `bytes` between tags or in an attribute, for XML and HTML: what is not UTF-8
/// and characters that neither can say become U+FFFD.
std::string escaped(const std::string &bytes);
/// The first `length` characters of `bytes` as UTF-8, with "…" in place of a
/// rest.
std::string shortened(const std::string &bytes, size_t length);

std::string text(double x, double y, const std::string &classes,
                 const std::string &content, const char *anchor = "start");
std::string line(double x1, double y1, double x2, double y2,
                 const std::string &classes);
/// Ends after `attributes`, which close the tag.
std::string rectangle(const Frame &frame, const std::string &attributes);
/// A whole <svg>; with `isFile` one that stands alone, with its style.
std::string image(double width, double height, const std::string &label,
                  const std::string &body, bool isFile);

/// A horizontal line with a label right of the frame.
struct Limit {
  double y;
  std::string name; ///< Its CSS class; the label's is the same after a "t".
  std::string label;
};
/// The labels keep a line's distance from each other.
std::string limitLines(const Frame &frame, std::vector<Limit> limits);

/// Round numbers from `begin` to `end`, about one each 80 of `width` pixels.
std::vector<int64_t> roundTicks(double begin, double end, double width);
/// Powers of two and their multiples up to `end`, about one each 70 pixels.
std::vector<int64_t> byteTicks(double end, double height);

/// The rules of the style sheet that drawings need, light and dark: colours c0
/// to c7, boxes "b", lines "used", "bound", "capacity".
std::string drawingStyle();

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_DRAWING_SVG_H
