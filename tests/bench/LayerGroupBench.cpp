//===- LayerGroupBench.cpp - What the search for layer groups costs -------===//
//
// Generated networks, or modules in files, go through tpu-layer-group without a
// limit of layers, groups that are there taken apart first. "peak MiB" is of
// the process until then.
//
//   ./bazelw run --config=opt //tests/bench:layer_groups [-- <layers or
//   file>...]
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/LocalReport/CollectLocalReport.h"
#include "tests/bench/BenchTools.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Pipelines/Pipelines.h"
#include "tpu_mlir/Support/TextTable.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::bench;

namespace {

OwningOpRef<ModuleOp> load(MLIRContext &context, StringRef what) {
  ParserConfig config(&context);
  int64_t layers = 0;
  if (what.getAsInteger(10, layers))
    return parseSourceFile<ModuleOp>(what, config);
  return parseSourceString<ModuleOp>(generate(context, layers), config);
}

/// One row of the table; false when the pass failed.
bool measure(MLIRContext &context, StringRef what, StringRef objective,
             TextTable &table) {
  OwningOpRef<ModuleOp> module = load(context, what);
  PassManager manager(&context);
  const std::string pass =
      ("tpu-layer-group{regroup=true remarks=false objective=" + objective +
       "}")
          .str();
  if (!module || failed(parsePassPipeline(pass, manager)))
    return false;
  Clock clock;
  if (failed(manager.run(*module)))
    return false;
  const double search = clock.lap();
  ModuleOp inner = functionModules(*module).back();
  FailureOr<target::ChipSpec> chip = resolveChip(inner, "", "");
  if (failed(chip))
    return false;
  auto report = local_report::collectLocalReport(inner, *chip);
  if (failed(report))
    return false;
  const auto cost = report->totalCost();
  table.addRow({what.str(), objective.str(), seconds(search),
                std::to_string(report->groups.size()),
                std::to_string(report->numGroupedLayers()),
                std::to_string(cost.trafficBytes()),
                std::to_string(cost.cycles), peakMiB()});
  return true;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> inputs(argv + 1, argv + argc);
  if (inputs.empty())
    inputs = {"1000", "10000"};
  registerAllPassesAndPipelines();
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  constexpr auto kRight = TextTable::Align::Right;
  TextTable table({{"network"},
                   {"objective"},
                   {"s", kRight},
                   {"groups", kRight},
                   {"layers in them", kRight},
                   {"traffic", kRight},
                   {"cycles", kRight},
                   {"peak MiB", kRight}});
  for (const std::string &input : inputs)
    for (const char *objective : {"cycles", "traffic"})
      if (!measure(context, input, objective, table))
        return 1;
  llvm::outs() << table.render();
  return 0;
}
