//===- Map.h - What a memory map shows --------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_MAP_MAP_H
#define TPU_MLIR_LIB_REPORT_MAP_MAP_H

#include "lib/Report/Plan/Drawing.h"
#include "tpu_mlir/Report/MemoryMap.h"

namespace tpu_mlir::report {

/// One report for all: steps follow each other, regions have the module's name
/// in front. A single one is as it was.
MemoryReport joined(const std::vector<MemoryReport> &reports);

/// The map as a drawing of plans has it. Panels are the regions, the panel of
/// weights alone a band.
struct Map {
  planning::Problem problem;
  Picture picture;
};
Map buildMap(const MemoryReport &report, const MapOptions &options);
Drawing drawMap(const Map &map, const MapOptions &options, bool withHeading);

/// The region that people mean by peak: the largest in which tensors come and
/// go; where there is none, the largest with a live set, or nullptr.
const RegionRow *mainRegion(const MemoryReport &report);
/// Index in `report.regions`; those elsewhere have none.
std::optional<size_t> regionOf(const MemoryReport &report,
                               const TensorRow &tensor);
/// A tensor in nobody's storage but its own.
bool isRoot(const TensorRow &tensor);
bool isWeight(const TensorRow &tensor);
/// Its name for people: the module's, or how many modules there are.
std::string mapTitle(const MemoryReport &report);

/// What the script of a page reads, as JSON that may stand in a <script>: at
/// most `maxBytes`, if the steps alone need no more.
std::string mapData(const MemoryReport &report,
                    const std::vector<PanelPlace> &places, size_t maxBytes);
/// The script, which looks for the data in the element "map-data".
const char *mapScript();
const char *mapStyle();

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_MAP_MAP_H
