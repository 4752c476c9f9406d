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
#include "tpu_mlir/Report/MemoryMap.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tpu_mlir {

using namespace memory_report;

#define GEN_PASS_DEF_MEMORYREPORT
#include "lib/Transforms/Tpu/MemoryReport/MemoryReport.h.inc"

namespace {

class MemoryReportPass : public impl::MemoryReportBase<MemoryReportPass> {
public:
  using MemoryReportBase::MemoryReportBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(checkOptions()))
      return signalPassFailure();
    std::vector<report::MemoryReport> reports;
    WalkResult walked =
        getOperation().walk<WalkOrder::PreOrder>([&](ModuleOp module) {
          if (module.getOps<func::FuncOp>().empty())
            return WalkResult::advance();
          return WalkResult(collect(module, reports));
        });
    if (walked.wasInterrupted() ||
        failed(writeReport(getOperation().getLoc(), file, render(reports))))
      signalPassFailure();
  }

private:
  LogicalResult checkOptions() {
    Location location = getOperation().getLoc();
    if (failed(checkAtLeast(location, "gmem-bytes", gmemBytes, 0)))
      return failure();
    if (!localMap.empty() && format != "html")
      return emitCodedError(location, ErrorCode::BadAttribute,
                            "'local-map' is for 'format=html', the page that "
                            "has links");
    if (llvm::is_contained({"text", "table", "json", "html", "svg", "csv"},
                           StringRef(format)))
      return success();
    return emitCodedError(location, ErrorCode::BadAttribute,
                          "unknown report format '" + format +
                              "'; formats: text, table, json, html, svg, csv");
  }

  LogicalResult collect(ModuleOp module,
                        std::vector<report::MemoryReport> &reports) {
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

  std::string render(const std::vector<report::MemoryReport> &reports) {
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
