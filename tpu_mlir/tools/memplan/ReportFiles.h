//===- ReportFiles.h - Memory reports in --------------------------*- C++
//-*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_REPORTFILES_H
#define TPU_MLIR_TOOLS_MEMPLAN_REPORTFILES_H

#include "tpu_mlir/Report/FleetReport.h"
#include "tpu_mlir/tools/memplan/Files.h"

namespace tpu_mlir::memplan {

/// None for an empty file, which stands for a network that does not fit;
/// nullopt after a message.
std::optional<std::vector<report::MemoryReport>>
readReports(const std::string &path);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_REPORTFILES_H
