//===- Svg.cpp - Parts of SVG drawings ------------------------------------===//

#include "lib/Report/Drawing/Svg.h"

#include "tpu_mlir/Support/Utf8.h"

#include <algorithm>
#include <cmath>

namespace tpu_mlir::report {

std::string px(double value) {
  const long long hundredths = std::llround(std::abs(value) * 100);
  std::string text = std::to_string(hundredths / 100);
  if (const long long rest = hundredths % 100) {
    text += "." + std::to_string(rest / 10);
    if (rest % 10)
      text += std::to_string(rest % 10);
  }
  return value < 0 && hundredths ? "-" + text : text;
}

/// True for what XML 1.0 has no way to say: most control characters, and the
/// code points U+FFFE and U+FFFF.
static bool isUnsayable(const std::string &text, size_t i) {
  const auto byte = [&](size_t at) { return (unsigned char)text[at]; };
  if (byte(i) < 0x20)
    return text[i] != '\t' && text[i] != '\n' && text[i] != '\r';
  return byte(i) == 0xEF && i + 2 < text.size() && byte(i + 1) == 0xBF &&
         byte(i + 2) >= 0xBE;
}

std::string escaped(const std::string &bytes) {
  const std::string text = asUtf8(bytes);
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isUnsayable(text, i)) {
      result += "\uFFFD";
      i += (unsigned char)text[i] == 0xEF ? 2 : 0;
      continue;
    }
    switch (text[i]) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += text[i];
    }
  }
  return result;
}

std::string shortened(const std::string &bytes, size_t length) {
  std::string text = asUtf8(bytes);
  size_t characters = 0, cut = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80)
      continue; // Goes on with the character before.
    if (characters + 1 == length)
      cut = i;
    if (++characters > length)
      return text.substr(0, cut) + "…";
  }
  return text;
}

std::string text(double x, double y, const std::string &classes,
                 const std::string &content, const char *anchor) {
  return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" class=\"" + classes +
         "\" text-anchor=\"" + anchor + "\">" + escaped(content) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2,
                 const std::string &classes) {
  return "<line x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2) +
         "\" y2=\"" + px(y2) + "\" class=\"" + classes + "\"/>\n";
}

std::string rectangle(const Frame &frame, const std::string &attributes) {
  return "<rect x=\"" + px(frame.left) + "\" y=\"" + px(frame.top) +
         "\" width=\"" + px(frame.width) + "\" height=\"" + px(frame.height) +
         "\" " + attributes;
}

std::string image(double width, double height, const std::string &label,
                  const std::string &body, bool isFile) {
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plan\" "
      "role=\"img\" aria-label=\"" +
      escaped(label) + "\" viewBox=\"0 0 " + px(width) + " " + px(height) +
      "\"" +
      (isFile ? " width=\"" + px(width) + "\" height=\"" + px(height) + "\""
              : std::string()) +
      ">\n";
  if (isFile)
    svg += "<style>" + drawingStyle() + "</style>\n" +
           "<rect width=\"100%\" height=\"100%\" class=\"page\"/>\n";
  return svg + body + "</svg>\n";
}

std::string limitLines(const Frame &frame, std::vector<Limit> limits) {
  std::string svg;
  for (const Limit &limit : limits)
    svg +=
        line(frame.left, limit.y, frame.right(), limit.y, "line " + limit.name);
  std::stable_sort(limits.begin(), limits.end(),
                   [](const Limit &a, const Limit &b) { return a.y < b.y; });
  double next = 0;
  for (const Limit &limit : limits) {
    const double y = std::max(limit.y + 4, next);
    svg += text(frame.right() + 8, y, "t" + limit.name, limit.label);
    next = y + 15;
  }
  return svg;
}

/// The first multiple of `unit` at or above `value`, up to `end`.
static std::vector<int64_t> multiples(double unit, double begin, double end) {
  std::vector<int64_t> ticks;
  for (double tick = std::ceil(begin / unit) * unit;
       tick <= end && tick < 9.2e18 && ticks.size() < 64; tick += unit)
    ticks.push_back(int64_t(tick));
  return ticks;
}

std::vector<int64_t> roundTicks(double begin, double end, double width) {
  const double wanted = (end - begin) / std::max(width / 80, 2.0);
  double unit = 1;
  for (int i = 0; unit < wanted; ++i)
    unit *= i % 3 == 1 ? 2.5 : 2; // 1, 2, 5, 10, 20, 50 ...
  return multiples(unit, begin, end);
}

std::vector<int64_t> byteTicks(double end, double height) {
  const double wanted = end / std::max(height / 70, 2.0);
  double unit = 1;
  while (unit < wanted)
    unit *= 2;
  return multiples(unit, 0, end);
}

} // namespace tpu_mlir::report
