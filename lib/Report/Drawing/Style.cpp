//===- Style.cpp - Colours of a drawing -----------------------------------===//
//
// Fills are Paul Tol's "light" scheme (personal.sron.nl/~pault): eight colours
// that people with any form of colour blindness tell apart, light enough for
// black labels on a white and on a dark page.
//
//===----------------------------------------------------------------------===//

#include "lib/Report/Drawing/Svg.h"

#include <array>

namespace tpu_mlir::report {

static constexpr std::array<const char *, 8> kFills = {
    "#77aadd", "#ee8866", "#eedd88", "#ffaabb",
    "#99ddff", "#44bb99", "#bbcc33", "#aaaa00"};

std::string drawingStyle() {
  std::string text = R"css(
svg.plan{background:#fff;color:#1b1f24;font:12px system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
svg.plan text{fill:#1b1f24}
.page{fill:#fff}
.title{font-size:18px;font-weight:600}
.pool{font-size:13px;font-weight:600}
svg.plan .soft{fill:#57606a}
.grid{stroke:#d8dee4;stroke-width:1}
.free{fill:#f6f8fa}
.frame{fill:none;stroke:#8c959f;stroke-width:1}
.b{stroke:#fff;stroke-width:.8}
.t{stroke:none}
.b:hover,.b.hot{stroke:#000;stroke-width:2}
.a{fill:none;stroke:#1b1f24;stroke-width:.8;stroke-dasharray:3 2;pointer-events:all}
.rest{fill:#8c959f;fill-opacity:.55}
.reserved{fill:#57606a;fill-opacity:.35;stroke:#57606a;stroke-dasharray:4 3}
svg.plan .label{fill:#14171a;font-size:10.5px;pointer-events:none}
.halo{fill:none;stroke:#fff;stroke-width:3.4;stroke-opacity:.75;pointer-events:none}
.load{fill:none;stroke:#1b1f24;stroke-width:1.3;pointer-events:none}
.load.dense{stroke-width:.6;stroke-opacity:.45}
.peak{fill:#1b1f24;fill-opacity:.13;pointer-events:none}
.mark{fill:#332288}
.line{stroke-width:1.6;pointer-events:none}
.used{stroke:#1b1f24}
.bound{stroke:#0072b2;stroke-dasharray:7 4}
.capacity{stroke:#c0392b;stroke-dasharray:2 3}
svg.plan .tbound{fill:#0072b2}
svg.plan .tcapacity{fill:#c0392b}
)css";
  for (size_t i = 0; i < kFills.size(); ++i)
    text += ".c" + std::to_string(i) + "{fill:" + kFills[i] + "}\n";
  return text + R"css(@media screen and (prefers-color-scheme:dark){
svg.plan{background:#14181d;color:#e6edf3}
svg.plan text{fill:#e6edf3}
.page{fill:#14181d}
svg.plan .soft{fill:#9aa4af}
.grid{stroke:#2c333b}
.free{fill:#1b2129}
.frame{stroke:#6e7781}
.b{stroke:#14181d}
.t{stroke:none}
.b:hover,.b.hot{stroke:#fff}
.a{stroke:#e6edf3}
svg.plan .label{fill:#14171a}
.halo{stroke:#14181d}
.load{stroke:#fff}
.peak{fill:#fff;fill-opacity:.16}
.mark{fill:#b7a9f0}
.used{stroke:#e6edf3}
.bound{stroke:#56b4e9}
.capacity{stroke:#ff8a7a}
svg.plan .tbound{fill:#56b4e9}
svg.plan .tcapacity{fill:#ff8a7a}
}
)css";
}

} // namespace tpu_mlir::report
