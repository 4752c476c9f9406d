//===- MapCsv.cpp - A memory map as a table -------------------------------===//

#include "lib/Report/Map/Map.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/JSON.h"

namespace tpu_mlir::report {

/// In quotes where it has to be.
static std::string field(const std::string &text) {
  std::string clean = llvm::json::fixUTF8(text);
  if (clean.find_first_of(",\"\r\n") == clean.npos)
    return clean;
  std::string quoted = "\"";
  for (char c : clean)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string renderMapCsv(const std::vector<MemoryReport> &reports) {
  const MemoryReport report = joined(reports);
  std::string csv = "id,lower,upper,size,offset,region,kind,address,alias_of\n";
  for (const TensorRow &tensor : report.tensors) {
    const auto region = regionOf(report, tensor);
    const Interval steps = isWeight(tensor) || tensor.held.empty()
                               ? Interval{0, report.numSteps}
                               : tensor.held;
    csv += field(tensor.name) + "," + std::to_string(steps.begin) + "," +
           std::to_string(steps.end) + "," +
           std::to_string(tensor.bytes.length()) + ",";
    if (region)
      csv += std::to_string(
          saturatedSub(tensor.bytes.begin, report.regions[*region].base));
    csv += "," + field(tensor.region) + "," + tensor.kind + "," +
           std::to_string(tensor.bytes.begin) + "," + field(tensor.aliasOf) +
           "\n";
  }
  return csv;
}

} // namespace tpu_mlir::report
