#include "tpu_mlir/Report/MemoryReport.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tpu_mlir::report {

static std::string percent(int64_t part, int64_t whole) {
  if (whole <= 0)
    return "-";
  return llvm::formatv("{0:f1} %", 100.0 * double(part) / double(whole)).str();
}

std::string renderRegionTable(const MemoryReport &report) {
  constexpr auto kRight = TextTable::Align::Right;
  TextTable table({{"region"},
                   {"used", kRight},
                   {"capacity", kRight},
                   {"%", kRight},
                   {"peak step", kRight},
                   {"lower bound", kRight},
                   {"gap", kRight},
                   {"served", kRight}});
  for (const RegionRow &row : report.regions)
    table.addRow(
        {row.name, formatBytes(row.usedBytes),
         row.capacityBytes ? formatBytes(*row.capacityBytes) : "-",
         row.capacityBytes ? percent(row.usedBytes, *row.capacityBytes) : "-",
         std::to_string(row.peakStep), formatBytes(row.lowerBoundBytes),
         formatBytes(row.usedBytes - row.lowerBoundBytes),
         formatBytes(row.servedBytes)});
  return table.render();
}

static std::string formatRange(Interval range) {
  return llvm::formatv("[{0}, {1})", range.begin, range.end).str();
}

std::string renderText(const MemoryReport &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "module " << report.module << ", chip " << report.chip << ", I/O mode "
      << report.ioMode << ", " << report.numSteps << " steps\n\n"
      << renderRegionTable(report);
  for (const RegionRow &row : report.regions) {
    if (row.peakSet.empty())
      continue;
    out << "\nalive at the peak of '" << row.name << "' (step " << row.peakStep
        << (row.peakOp.empty() ? "" : ", ") << row.peakOp << "):\n";
    for (const PeakTensor &tensor : row.peakSet)
      out << "  " << tensor.name << "  " << formatExactBytes(tensor.sizeBytes)
          << "\n";
  }
  constexpr auto kRight = TextTable::Align::Right;
  TextTable table({{"region"},
                   {"kind"},
                   {"address", kRight},
                   {"size", kRight},
                   {"life", kRight},
                   {"name"},
                   {"alias of"},
                   {"location"}});
  for (const TensorRow &row : report.tensors) {
    std::string alias = row.aliasOf;
    if (!alias.empty() && row.aliasOffsetBytes)
      alias += " + " + std::to_string(row.aliasOffsetBytes);
    table.addRow({row.region, row.kind, formatRange(row.bytes),
                  formatCount(row.bytes.length()),
                  row.life.empty() ? "always" : formatRange(row.life), row.name,
                  alias, row.location});
  }
  out << "\n" << table.render();
  return text;
}

static llvm::json::Value toJson(const RegionRow &row) {
  llvm::json::Array peakSet;
  for (const PeakTensor &tensor : row.peakSet)
    peakSet.push_back(llvm::json::fixUTF8(tensor.name));
  llvm::json::Object object{{"name", row.name},
                            {"base", row.base},
                            {"usedBytes", row.usedBytes},
                            {"lowerBoundBytes", row.lowerBoundBytes},
                            {"peakStep", row.peakStep},
                            {"peakSet", std::move(peakSet)},
                            {"servedBytes", row.servedBytes}};
  if (row.capacityBytes)
    object["capacityBytes"] = *row.capacityBytes;
  return object;
}

static llvm::json::Value toJson(const TensorRow &row) {
  llvm::json::Object object{{"name", llvm::json::fixUTF8(row.name)},
                            {"kind", row.kind},
                            {"region", row.region},
                            {"begin", row.bytes.begin},
                            {"end", row.bytes.end},
                            {"sizeBytes", row.bytes.length()}};
  if (!row.life.empty()) {
    object["firstStep"] = row.life.begin;
    object["endStep"] = row.life.end;
  }
  if (!row.aliasOf.empty()) {
    object["aliasOf"] = llvm::json::fixUTF8(row.aliasOf);
    object["aliasOffsetBytes"] = row.aliasOffsetBytes;
  }
  if (!row.location.empty())
    object["location"] = llvm::json::fixUTF8(row.location);
  return object;
}

std::string renderJson(const MemoryReport &report) {
  llvm::json::Array regions, tensors;
  for (const RegionRow &row : report.regions)
    regions.push_back(toJson(row));
  for (const TensorRow &row : report.tensors)
    tensors.push_back(toJson(row));
  llvm::json::Value root =
      llvm::json::Object{{"version", 1},
                         {"module", llvm::json::fixUTF8(report.module)},
                         {"chip", report.chip},
                         {"ioMode", report.ioMode},
                         {"numSteps", report.numSteps},
                         {"regions", std::move(regions)},
                         {"tensors", std::move(tensors)}};
  return llvm::formatv("{0:2}\n", root).str();
}

} // namespace tpu_mlir::report
