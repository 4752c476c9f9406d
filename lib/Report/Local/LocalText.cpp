//===- LocalText.cpp - Layer groups as text -------------------------------===//

#include "tpu_mlir/Report/LocalReport.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"
#include "tpu_mlir/Support/Utf8.h"

#include "llvm/Support/FormatVariadic.h"

namespace tpu_mlir::report {

namespace {

constexpr auto kRight = TextTable::Align::Right;

/// "1.06"; "-" for nothing of nothing.
std::string ratio(int64_t part, int64_t whole) {
  if (whole <= 0)
    return "-";
  return llvm::formatv("{0:f2}", double(part) / double(whole)).str();
}

std::string range(const Interval &interval) {
  return llvm::formatv("[{0}, {1})", interval.begin, interval.end).str();
}

std::string describeSections(const LocalGroupRow &group) {
  std::string text;
  for (int64_t parts : group.sections)
    text += (text.empty() ? "" : " ") + std::to_string(parts);
  return text;
}

std::string heading(const LocalReport &report) {
  return llvm::formatv("module {0}, chip {1}: {2} lanes of {3} in {4} banks, "
                       "execution units of {5}{6}\n",
                       report.module, report.chip, report.lanes,
                       formatBytes(report.laneBytes), report.banks,
                       formatBytes(report.euBytes),
                       report.cores > 1
                           ? "; " + std::to_string(report.cores) + " cores"
                           : std::string())
      .str();
}

std::string groupTable(const LocalReport &report) {
  const bool hasCores = report.cores > 1;
  std::vector<TextTable::Column> columns = {{"group", kRight},
                                            {"layers", kRight},
                                            {"rows", kRight},
                                            {"n c d h w", kRight}};
  if (hasCores)
    columns.push_back({"cores", kRight});
  for (const char *name : {"peak", "bound", "conflicts", "loaded", "stored",
                           "recompute", "reload", "cycles", "waits"})
    columns.push_back({name, kRight});
  columns.push_back({"name"});
  TextTable table(columns);
  for (const LocalGroupRow &group : report.groups) {
    std::vector<std::string> cells = {
        std::to_string(group.index), std::to_string(group.numLayers),
        std::to_string(group.numRows), describeSections(group)};
    if (hasCores)
      cells.push_back(std::to_string(group.activeCores));
    for (int64_t count :
         {group.peakBytes, group.lowerBoundBytes, group.bankConflicts,
          group.cost.loadBytes, group.cost.storeBytes})
      cells.push_back(formatCount(count));
    cells.push_back(ratio(group.work, group.wholeWork));
    cells.push_back(ratio(group.activationBytes, group.wholeActivationBytes));
    for (int64_t cycles : {group.cost.cycles, group.cost.waitCycles})
      cells.push_back(formatCount(cycles));
    cells.push_back(group.name);
    table.addRow(cells);
  }
  return table.render();
}

std::vector<std::string> totalRow(std::string name, int64_t count,
                                  int64_t layers, const LocalCost &cost) {
  return {std::move(name),
          count < 0 ? "" : formatCount(count),
          formatCount(layers),
          formatCount(cost.loadBytes),
          formatCount(cost.storeBytes),
          formatCount(cost.trafficBytes()),
          formatCount(cost.cycles),
          formatCount(cost.waitCycles)};
}

std::string totalTable(const LocalReport &report) {
  TextTable table({{""},
                   {"groups", kRight},
                   {"layers", kRight},
                   {"loaded", kRight},
                   {"stored", kRight},
                   {"traffic", kRight},
                   {"cycles", kRight},
                   {"waits", kRight}});
  const int64_t grouped = report.numGroupedLayers();
  const int64_t global = int64_t(report.globals.size());
  table.addRow(totalRow("in groups", int64_t(report.groups.size()), grouped,
                        report.groupCost()));
  table.addRow(totalRow("global", -1, global, report.globalCost()));
  if (report.numFreeLayers > 0)
    table.addRow(totalRow("free", -1, report.numFreeLayers, {}));
  table.addRule();
  table.addRow(totalRow("total", int64_t(report.groups.size()),
                        grouped + global + report.numFreeLayers,
                        report.totalCost()));
  return table.render();
}

/// "traffic 200 B, 1.25 times the bound of 160 B (...)".
std::string boundLine(const LocalReport &report) {
  const int64_t traffic = report.totalCost().trafficBytes();
  const std::string again =
      report.bound.barrierBytes > 0
          ? ", again " + formatCount(report.bound.barrierBytes) + " B"
          : "";
  return llvm::formatv(
             "traffic {0} B: {1} times the least, {2} B (weights and inputs "
             "once {3} B, outputs once {4} B{5}); layer by layer {6} B\n",
             formatCount(traffic), ratio(traffic, report.bound.bytes()),
             formatCount(report.bound.bytes()),
             formatCount(report.bound.loadBytes),
             formatCount(report.bound.storeBytes), again,
             formatCount(report.layerByLayerBytes))
      .str();
}

/// "of it weights 200 B, L2 100 B, activations in global memory 50 B"; nothing
/// where none is in L2.
std::string memoryLine(const LocalReport &report) {
  if (report.byMemory.l2Bytes == 0)
    return {};
  return llvm::formatv("of it weights {0} B, L2 {1} B, activations in global "
                       "memory {2} B\n",
                       formatCount(report.byMemory.weightBytes),
                       formatCount(report.byMemory.l2Bytes),
                       formatCount(report.globalActivationBytes()))
      .str();
}

std::string opTable(const LocalGroupRow &group) {
  TextTable table({{"stage", kRight},
                   {"row", kRight},
                   {"engine"},
                   {"id", kRight},
                   {"op"},
                   {"name"},
                   {""}});
  for (const LocalOpRow &op : group.ops)
    table.addRow({std::to_string(op.stage), std::to_string(op.row),
                  engineName(op.engine), std::to_string(op.id), op.op, op.name,
                  op.isHeld ? "held" : ""});
  return table.render(2);
}

std::string bufferTable(const LocalReport &report, const LocalGroupRow &group) {
  TextTable table({{"address", kRight},
                   {"size", kRight},
                   {"banks", kRight},
                   {"life", kRight},
                   {"kind"},
                   {"name"},
                   {""}});
  const int64_t bankBytes = report.bankBytes();
  for (const LocalBufferRow &buffer : group.buffers) {
    // Later part first: that is where a life that wraps begins.
    std::string life;
    for (auto it = buffer.life.rbegin(); it != buffer.life.rend(); ++it)
      life += (life.empty() ? "" : " ") + range(*it);
    std::string banks = "-";
    if (bankBytes > 0 && !buffer.bytes.empty()) {
      const int64_t first = buffer.bytes.begin / bankBytes;
      const int64_t last = (buffer.bytes.end - 1) / bankBytes;
      banks = std::to_string(first);
      if (last != first)
        banks += "-" + std::to_string(last);
    }
    table.addRow({range(buffer.bytes), formatCount(buffer.bytes.length()),
                  banks, life, kindName(buffer.kind), buffer.name,
                  buffer.inPlaceOf
                      ? "in place of " + group.buffers[*buffer.inPlaceOf].name
                      : ""});
  }
  return table.render(2);
}

std::string details(const LocalReport &report, const LocalGroupRow &group) {
  std::string text =
      llvm::formatv("\ngroup {0} '{1}' in {2}{3}{4}\n", group.index, group.name,
                    group.function, group.location.empty() ? "" : ", ",
                    group.location)
          .str();
  text +=
      llvm::formatv(
          "  peak {0} B of {1} B, lower bound {2} B at step {3} of {4}; "
          "{5} conflicts, {6} rows\n",
          formatCount(group.peakBytes), formatCount(report.laneBytes),
          formatCount(group.lowerBoundBytes), group.boundStep, group.numSteps,
          formatCount(group.bankConflicts), formatCount(group.conflictRows))
          .str();
  text +=
      llvm::formatv("  {0} of {1} operations ({2}), {3} B of {4} B of "
                    "activations loaded ({5})\n",
                    formatCount(group.work), formatCount(group.wholeWork),
                    ratio(group.work, group.wholeWork),
                    formatCount(group.activationBytes),
                    formatCount(group.wholeActivationBytes),
                    ratio(group.activationBytes, group.wholeActivationBytes))
          .str();
  if (group.sharesTransfers)
    text += "  some transfers run in the rows of a neighbouring group\n";
  return text + "\n" + opTable(group) + "\n" + bufferTable(report, group);
}

} // namespace

std::string renderLocalTable(const LocalReport &report) {
  std::string text = heading(report) + "\n";
  if (!report.groups.empty())
    text += groupTable(report) + "\n";
  text += totalTable(report) + boundLine(report) + memoryLine(report);
  return asUtf8(text);
}

std::string renderLocalText(const LocalReport &report,
                            std::optional<size_t> group) {
  std::string text = renderLocalTable(report);
  for (size_t i = 0; i < report.groups.size(); ++i)
    if (!group || *group == i)
      text += asUtf8(details(report, report.groups[i]));
  return text;
}

} // namespace tpu_mlir::report
