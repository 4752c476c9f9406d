//===- LocalReport.cpp - Print the report on layer groups -----------------===//
//
// The pass: collects, renders as text or JSON, and writes to a file or to
// standard output.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/LocalReport/LocalReport.h"

#include "lib/Transforms/Tpu/LocalReport/CollectLocalReport.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"

using namespace mlir;

namespace tpu_mlir {

using namespace local_report;

#define GEN_PASS_DEF_LOCALREPORT
#include "lib/Transforms/Tpu/LocalReport/LocalReport.h.inc"

namespace {

class LocalReportPass : public impl::LocalReportBase<LocalReportPass> {
public:
  using LocalReportBase::LocalReportBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    std::string text;
    const auto modules = functionModules(getOperation());
    if (modules.size() > 1 && (format == "svg" || format == "html")) {
      emitCodedError(getOperation().getLoc(), ErrorCode::BadAttribute,
                     "'" + format + "' draws one module of functions, but " +
                         Twine(modules.size()) + " are here");
      return signalPassFailure();
    }
    for (ModuleOp module : modules)
      if (failed(render(module, text)))
        return signalPassFailure();
    if (failed(writeReport(getOperation().getLoc(), file, text)))
      signalPassFailure();
  }

private:
  LogicalResult render(ModuleOp module, std::string &text) {
    FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    FailureOr<report::LocalReport> collected =
        collectLocalReport(module, *spec);
    if (failed(collected))
      return failure();
    std::optional<size_t> only;
    if (group >= 0)
      only = size_t(group);
    if (group < -1 || (only && *only >= collected->groups.size()))
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            "option 'group' is " + Twine(group) +
                                ", but the module has " +
                                Twine(collected->groups.size()) + " groups");
    if (only && (format == "json" || format == "table"))
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            "option 'group' is for text, svg and html; '" +
                                format + "' has all groups");
    if (format == "json")
      text += report::renderLocalJson(*collected);
    else if (format == "table")
      text += report::renderLocalTable(*collected);
    else if (format == "text")
      text += report::renderLocalText(*collected, only);
    else if (format == "svg")
      text += report::renderLocalSvg(*collected, only);
    else if (format == "html")
      text += report::renderLocalHtml(*collected, only);
    else
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            "unknown report format '" + format +
                                "'; formats: text, table, json, svg, html");
    return success();
  }
};

} // namespace

} // namespace tpu_mlir
