//===- FleetReport.h - Memory of many networks --------------------*- C++
//-*-===//
//
// Teams have hundreds of networks, chips and settings: what each takes is one
// row of a table, and is compared with what it took before. Reports are read
// from the files that renderJson writes.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_REPORT_FLEETREPORT_H
#define TPU_MLIR_REPORT_FLEETREPORT_H

#include "tpu_mlir/Report/MemoryReport.h"
#include "tpu_mlir/Support/Json.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tpu_mlir::report {

/// The reports of a file, one after the other: a module of several functions
/// modules has one for each. Fails on text that is not such a report, with the
/// line in the file. O(size).
std::variant<std::vector<MemoryReport>, JsonError>
parseReports(std::string_view text);

/// What one region takes, and storage that is alive at its peak, by name.
struct RegionUse {
  int64_t usedBytes = 0;
  std::map<std::string, int64_t> peak;
};

/// By name of the region, after "module." where a file has several modules.
using MemoryUse = std::map<std::string, RegionUse>;

MemoryUse memoryUse(const std::vector<MemoryReport> &reports);

/// A golden file: a line for each figure, sorted, so that version control shows
/// what changed. `<region> used <bytes>` and `<region> peak <bytes> <tensor>`.
std::string printGolden(const MemoryUse &use);
/// Fails on lines that are neither; lines that begin with # are comments.
std::variant<MemoryUse, JsonError> parseGolden(std::string_view text);

/// How one region changed; what is not there takes no bytes.
struct RegionChange {
  std::string region;
  int64_t beforeBytes = 0, afterBytes = 0;
  /// Alive at the peak now and not before, or larger than before; largest
  /// first. Listed for regions that grew.
  std::vector<PeakTensor> newAtPeak;
};

/// The regions whose figure changed, by name. O(figures log figures).
std::vector<RegionChange> findChanges(const MemoryUse &before,
                                      const MemoryUse &after);
/// Whether it takes more than `percent` more than before.
bool isOver(const RegionChange &change, double percent);
/// "neuron: 1,000 -> 2,000 B (+100.0 %)" and a line for each tensor that is new
/// at the peak, at most eight. Ends in a newline.
std::string describe(const RegionChange &change);

/// A line for each of the largest eight tensors of the peak, after `what`.
std::string describePeak(const RegionUse &use, const std::string &what);

/// One network of a fleet; without reports one that does not fit.
struct FleetRow {
  std::string name;
  std::vector<MemoryReport> reports;
};

/// A row each: name, module, chip, whether it fits, used and lower bound of
/// each region that occurs, empty where a network has none. RFC 4180.
std::string renderFleetCsv(const std::vector<FleetRow> &rows);
/// The same for terminals.
std::string renderFleetText(const std::vector<FleetRow> &rows);
/// The same as a page that needs no network and sorts by every column.
std::string renderFleetHtml(const std::vector<FleetRow> &rows);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_REPORT_FLEETREPORT_H
