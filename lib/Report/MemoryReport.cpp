//===- MemoryReport.cpp - Render a memory report --------------------------===//
//
// As a table of regions, as text, and as JSON, which is streamed because
// reports on large networks are large.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Report/MemoryReport.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"
#include "tpu_mlir/Support/Utf8.h"

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
  return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) +
         ")";
}

/// What is alive, why, and what would lower the sum.
static void renderPeak(const RegionRow &row, llvm::raw_ostream &out) {
  int64_t padding = 0;
  for (const PeakTensor &tensor : row.peakSet) {
    padding += tensor.paddingBytes;
    out << "  " << tensor.name << "  " << formatExactBytes(tensor.sizeBytes);
    if (!tensor.reason.empty())
      out << "  " << tensor.reason << ": " << tensor.why;
    out << "\n";
  }
  if (padding > 0)
    out << "  alignment: " << formatExactBytes(padding) << "\n";
  if (row.usedBytes > row.lowerBoundBytes)
    out << "  packing gap: "
        << formatExactBytes(row.usedBytes - row.lowerBoundBytes) << "\n";
  if (row.changes.empty())
    return;
  out << "what alone would lower the largest live sum of '" << row.name
      << "', most first:\n";
  for (const PeakChange &change : row.changes)
    out << "  " << formatExactBytes(change.savedBytes) << "  " << change.change
        << "\n";
}

/// One line, or none where no region has the figure.
static void renderClassic(const MemoryReport &report, llvm::raw_ostream &out) {
  std::string text;
  for (const RegionRow &row : report.regions)
    if (row.classicBytes)
      text += (text.empty() ? "" : ", ") + row.name + " " +
              formatExactBytes(*row.classicBytes);
  if (!text.empty())
    out << "\nby reference counts alone (refcount-eol): " << text << "\n";
}

std::string renderText(const MemoryReport &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "module " << report.module << ", chip " << report.chip << ", I/O mode "
      << report.ioMode << ", " << report.numSteps << " steps\n\n"
      << renderRegionTable(report);
  renderClassic(report, out);
  for (const RegionRow &row : report.regions) {
    if (row.peakSet.empty())
      continue;
    out << "\nalive at the peak of '" << row.name << "' (step " << row.peakStep
        << (row.peakOp.empty() ? "" : ", ") << row.peakOp << "):\n";
    renderPeak(row, out);
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
  return asUtf8(text);
}

// Members stand in the order of their names, as in every file that is written
// from a tree of values; here a tree would be many times as large as the file.

static void writePeakTensor(const PeakTensor &tensor,
                            llvm::json::OStream &out) {
  out.attribute("name", llvm::json::fixUTF8(tensor.name));
  out.attribute("paddingBytes", tensor.paddingBytes);
  out.attribute("reason", tensor.reason);
  out.attribute("sizeBytes", tensor.sizeBytes);
  out.attribute("why", llvm::json::fixUTF8(tensor.why));
}

static void writeRegion(const RegionRow &row, llvm::json::OStream &out) {
  out.attribute("base", row.base);
  if (row.capacityBytes)
    out.attribute("capacityBytes", *row.capacityBytes);
  out.attributeArray("changes", [&] {
    for (const PeakChange &change : row.changes)
      out.object([&] {
        out.attribute("change", llvm::json::fixUTF8(change.change));
        out.attribute("savedBytes", change.savedBytes);
      });
  });
  if (row.classicBytes)
    out.attribute("classicBytes", *row.classicBytes);
  out.attribute("lowerBoundBytes", row.lowerBoundBytes);
  out.attribute("name", row.name);
  out.attributeArray("peak", [&] {
    for (const PeakTensor &tensor : row.peakSet)
      out.object([&] { writePeakTensor(tensor, out); });
  });
  out.attributeArray("peakSet", [&] {
    for (const PeakTensor &tensor : row.peakSet)
      out.value(llvm::json::fixUTF8(tensor.name));
  });
  out.attribute("peakStep", row.peakStep);
  out.attribute("servedBytes", row.servedBytes);
  out.attribute("usedBytes", row.usedBytes);
}

static void writeTensor(const TensorRow &row, llvm::json::OStream &out) {
  if (!row.aliasOf.empty()) {
    out.attribute("aliasOf", llvm::json::fixUTF8(row.aliasOf));
    out.attribute("aliasOffsetBytes", row.aliasOffsetBytes);
  }
  out.attribute("begin", row.bytes.begin);
  out.attribute("end", row.bytes.end);
  if (!row.life.empty()) {
    out.attribute("endStep", row.life.end);
    out.attribute("firstStep", row.life.begin);
  }
  out.attribute("kind", row.kind);
  if (!row.location.empty())
    out.attribute("location", llvm::json::fixUTF8(row.location));
  out.attribute("name", llvm::json::fixUTF8(row.name));
  out.attribute("region", row.region);
  out.attribute("sizeBytes", row.bytes.length());
}

static void writeReport(const MemoryReport &report, llvm::json::OStream &out) {
  out.attribute("chip", report.chip);
  out.attribute("ioMode", report.ioMode);
  out.attribute("module", llvm::json::fixUTF8(report.module));
  out.attribute("numSteps", report.numSteps);
  out.attributeArray("regions", [&] {
    for (const RegionRow &row : report.regions)
      out.object([&] { writeRegion(row, out); });
  });
  out.attributeArray("tensors", [&] {
    for (const TensorRow &row : report.tensors)
      out.object([&] { writeTensor(row, out); });
  });
  out.attribute("version", 1);
}

std::string renderJson(const MemoryReport &report) {
  std::string text;
  // About what a tensor takes; growing would copy it all over and over.
  text.reserve(256 * report.tensors.size());
  llvm::raw_string_ostream stream(text);
  // JSON comes in single characters.
  stream.SetBufferSize(size_t(1) << 16);
  {
    llvm::json::OStream out(stream, /*IndentSize=*/2);
    out.object([&] { writeReport(report, out); });
  }
  stream << '\n';
  stream.flush();
  return text;
}

} // namespace tpu_mlir::report
