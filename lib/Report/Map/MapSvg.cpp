//===- MapSvg.cpp - A memory map as an image ------------------------------===//

#include "lib/Report/Map/Map.h"

namespace tpu_mlir::report {

std::string renderMapSvg(const std::vector<MemoryReport> &reports,
                         const MapOptions &options) {
  const MemoryReport report = joined(reports);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         drawMap(buildMap(report, options), options, /*withHeading=*/true).svg;
}

} // namespace tpu_mlir::report
