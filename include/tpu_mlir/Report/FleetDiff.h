//===- FleetDiff.h - What two memory reports have different -----*- C++ -*-===//

#ifndef TPU_MLIR_REPORT_FLEETDIFF_H
#define TPU_MLIR_REPORT_FLEETDIFF_H

#include "tpu_mlir/Report/FleetReport.h"

namespace tpu_mlir::report {

/// One side of a comparison; without reports a network that does not fit.
struct DiffSide {
  std::string name; ///< For people: a file.
  std::vector<MemoryReport> reports;
};

/// Where a tensor is and how large.
struct TensorPlace {
  int64_t sizeBytes = 0;
  std::string region;
  bool operator==(const TensorPlace &o) const {
    return sizeBytes == o.sizeBytes && region == o.region;
  }
};

/// A tensor that is new, gone, or of another size or region. What lies
/// elsewhere in its region has not changed.
struct TensorChange {
  std::string name;
  std::optional<TensorPlace> before, after;
};

struct ReportDiff {
  std::string before, after; ///< Names.
  bool fitsBefore = true, fitsAfter = true;
  double tolerance = 0; ///< Percent that a region may grow by.
  /// All regions of both, and those that changed.
  std::vector<RegionChange> regions, changes;
  std::vector<TensorChange> tensors; ///< By name.

  /// A region grew by more than the tolerance, or one of two does not fit.
  bool isOver() const;
  bool isEmpty() const {
    return changes.empty() && tensors.empty() && fitsBefore == fitsAfter;
  }
};

/// O(tensors log tensors).
ReportDiff diffReports(const DiffSide &before, const DiffSide &after,
                       double tolerance);

/// A line for each change; "" for none.
std::string renderDiffText(const ReportDiff &diff);
/// All of it, versioned.
std::string renderDiffJson(const ReportDiff &diff);
/// A page that needs no other file: the verdict, the regions with bars, what is
/// new at the peaks, and a table of tensors that sorts and searches.
std::string renderDiffHtml(const ReportDiff &diff);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_REPORT_FLEETDIFF_H
