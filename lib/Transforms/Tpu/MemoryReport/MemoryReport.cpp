//===- MemoryReport.cpp - Print the memory report -------------------------===//
//
// The pass: collects, renders in one of the formats, and writes to a file or to
// standard error.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/MemoryReport/MemoryReport.h"

#include "lib/Transforms/Tpu/MemoryReport/CollectReport.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Report/FleetDiff.h"
#include "tpu_mlir/Report/MemoryMap.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir {

using namespace memory_report;

#define GEN_PASS_DEF_MEMORYREPORT
#include "lib/Transforms/Tpu/MemoryReport/MemoryReport.h.inc"

namespace {

class MemoryReportPass : public impl::MemoryReportBase<MemoryReportPass> {
public:
  using MemoryReportBase::MemoryReportBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkAtLeast(UnknownLoc::get(context), "gmem-bytes", gmemBytes, 0);
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(checkOptions()))
      return signalPassFailure();
    FailureOr<Reports> reports = collectAll(getOperation());
    if (failed(reports))
      return signalPassFailure();
    if (failed(before.empty() ? writeReport(getOperation().getLoc(), file,
                                            render(*reports))
                              : compare(std::move(*reports))))
      signalPassFailure();
  }

private:
  using Reports = std::vector<report::MemoryReport>;

  double percent = 0; ///< Of the tolerance.

  LogicalResult checkOptions() {
    Location location = getOperation().getLoc();
    if (!localMap.empty() && format != "html")
      return emitCodedError(location, ErrorCode::BadAttribute,
                            "'local-map' is for 'format=html', the page that "
                            "has links");
    if (StringRef(tolerance).getAsDouble(percent) || !std::isfinite(percent) ||
        percent < 0)
      return emitCodedError(location, ErrorCode::BadOption,
                            "option 'tolerance' is in percent, 0 or more");
    if (before.empty() && percent != 0)
      return emitCodedError(location, ErrorCode::BadOption,
                            "option 'tolerance' is for 'before', the module or "
                            "report to compare with");
    if (!before.empty())
      return checkDiffOptions();
    if (llvm::is_contained({"text", "table", "json", "html", "svg", "csv"},
                           StringRef(format)))
      return success();
    return emitCodedError(location, ErrorCode::BadAttribute,
                          "unknown report format '" + format +
                              "'; formats: text, table, json, html, svg, csv");
  }

  LogicalResult checkDiffOptions() {
    Location location = getOperation().getLoc();
    if (!localMap.empty())
      return emitCodedError(location, ErrorCode::BadAttribute,
                            "'local-map' is for the page of one module; with "
                            "'before' there is none");
    if (llvm::is_contained({"text", "json", "html"}, StringRef(format)))
      return success();
    return emitCodedError(
        location, ErrorCode::BadAttribute,
        "'" + format +
            "' compares nothing; formats with 'before': text, "
            "json, html");
  }

  FailureOr<Reports> collectAll(ModuleOp root) {
    Reports reports;
    WalkResult walked = root.walk<WalkOrder::PreOrder>([&](ModuleOp module) {
      if (module.getOps<func::FuncOp>().empty())
        return WalkResult::advance();
      return WalkResult(collect(module, reports));
    });
    if (walked.wasInterrupted())
      return failure();
    return reports;
  }

  /// Out of a report, or of a module as this one is.
  FailureOr<Reports> readBefore() {
    auto emitUnreadable = [&](const Twine &why) {
      return emitCodedError(getOperation().getLoc(), ErrorCode::NotReadable,
                            why);
    };
    auto text = readWholeFile(before);
    if (const auto *error = std::get_if<FileError>(&text))
      return emitUnreadable(error->message);
    const StringRef contents = std::get<std::string>(text);
    if (contents.ltrim().starts_with("{")) {
      auto parsed = report::parseReports(contents);
      if (const auto *error = std::get_if<JsonError>(&parsed))
        return emitUnreadable("report '" + before + "': " + error->message +
                              " (line " + Twine(error->line) + ")");
      return std::move(std::get<Reports>(parsed));
    }
    auto module = parseSourceString<ModuleOp>(
        contents, ParserConfig(&getContext()), before);
    if (!module)
      return emitUnreadable("'" + before +
                            "' is no module and no memory report");
    return collectAll(*module);
  }

  /// Fails when a region has grown by more than the tolerance, after it has
  /// said so.
  LogicalResult compare(Reports reports) {
    FailureOr<Reports> old = readBefore();
    if (failed(old))
      return failure();
    Location location = getOperation().getLoc();
    const report::ReportDiff diff =
        report::diffReports({before, std::move(*old)},
                            {"this module", std::move(reports)}, percent);
    const std::string text = format == "html"   ? report::renderDiffHtml(diff)
                             : format == "json" ? report::renderDiffJson(diff)
                                                : report::renderDiffText(diff);
    if (failed(writeReport(location, file, text)))
      return failure();
    for (const report::RegionChange &change : diff.changes)
      if (report::isOver(change, percent))
        return emitError(location)
               << "region '" << change.region << "' takes "
               << formatBytes(change.afterBytes) << ", "
               << formatBytes(change.beforeBytes) << " in '" << before
               << "': over the tolerance of " << tolerance << " %";
    return success();
  }

  LogicalResult collect(ModuleOp module, Reports &reports) {
    FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    auto collected = collectMemoryReport(
        module, *spec,
        gmemBytes > 0 ? std::optional<int64_t>(gmemBytes) : std::nullopt);
    if (failed(collected))
      return failure();
    reports.push_back(std::move(*collected));
    return success();
  }

  std::string render(const Reports &reports) {
    report::MapOptions map;
    map.localPage = localMap;
    if (format == "html")
      return report::renderMapHtml(reports, map);
    if (format == "svg")
      return report::renderMapSvg(reports, map);
    if (format == "csv")
      return report::renderMapCsv(reports);
    std::string text;
    for (const report::MemoryReport &one : reports)
      text += format == "json"    ? report::renderJson(one)
              : format == "table" ? report::renderRegionTable(one)
                                  : report::renderText(one);
    return text;
  }
};

} // namespace

} // namespace tpu_mlir
