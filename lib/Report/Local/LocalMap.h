//===- LocalMap.h - A layer group as SVG elements ---------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_LOCAL_LOCALMAP_H
#define TPU_MLIR_LIB_REPORT_LOCAL_LOCALMAP_H

#include "lib/Report/Drawing/Svg.h"
#include "tpu_mlir/Report/LocalReport.h"

namespace tpu_mlir::report {

/// Width of every map, in pixels.
constexpr double kMapWidth = 1180;
constexpr double kMapLeft = 92;

/// The elements of one map, and where they end.
struct LocalMap {
  std::string svg;
  double bottom = 0;
};

/// The map of report.groups[group], from `top` on.
LocalMap drawLocalMap(const LocalReport &report, size_t group, double top);

/// "c2".
std::string colourClass(LocalKind kind);
/// The rules that maps need besides drawingStyle().
std::string mapStyle();
/// "group 3: 4 layers in 5 rows, 1 x 1 x 1 x 8 x 1 sections (n, c, d, h, w)".
std::string describeGroup(const LocalGroupRow &group);
/// Peak, bound, conflicts, traffic and cycles, in one line.
std::string describeNumbers(const LocalReport &report,
                            const LocalGroupRow &group);
/// "1 row", "2 rows".
std::string counted(int64_t count, const char *what);
/// "2.1": unique on a page.
std::string bufferId(const LocalGroupRow &group, size_t buffer);
/// "[2, 3) [0, 1)": a life that passes the end of a round in the order in which
/// it is lived.
std::string describeLife(const LocalBufferRow &buffer);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_LOCAL_LOCALMAP_H
