//===- MemoryReport.cpp - Print the memory report -------------------------===//
//
// The pass: collects, renders as text, table or JSON, and writes to a file or
// to standard output.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/MemoryReport/MemoryReport.h"

#include "lib/Transforms/Tpu/MemoryReport/CollectReport.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"

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
    std::string text;
    WalkResult walked =
        getOperation().walk<WalkOrder::PreOrder>([&](ModuleOp module) {
          if (module.getOps<func::FuncOp>().empty())
            return WalkResult::advance();
          return WalkResult(render(module, text));
        });
    if (walked.wasInterrupted() ||
        failed(writeReport(getOperation().getLoc(), file, text)))
      signalPassFailure();
  }

private:
  LogicalResult checkOptions() {
    Location location = getOperation().getLoc();
    if (failed(checkAtLeast(location, "gmem-bytes", gmemBytes, 0)))
      return failure();
    if (format == "text" || format == "table" || format == "json")
      return success();
    return emitCodedError(location, ErrorCode::BadAttribute,
                          "unknown report format '" + format +
                              "'; formats: text, table, json");
  }

  LogicalResult render(ModuleOp module, std::string &text) {
    FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    auto collected = collectMemoryReport(
        module, *spec,
        gmemBytes > 0 ? std::optional<int64_t>(gmemBytes) : std::nullopt);
    if (failed(collected))
      return failure();
    if (format == "json")
      text += report::renderJson(*collected);
    else if (format == "table")
      text += report::renderRegionTable(*collected);
    else
      text += report::renderText(*collected);
    return success();
  }
};

} // namespace

} // namespace tpu_mlir
