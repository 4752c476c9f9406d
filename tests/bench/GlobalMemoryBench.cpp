//===- GlobalMemoryBench.cpp - What address assignment costs --------------===//
//
// Generated networks of 1,000 to 100,000 layers go through parsing, the stage
// (weights, neurons, verification), printing and the reports. What matters is
// the column after printing, the stage's time by that of parsing and printing
// in the same run, and that times grow like the counts. "peak MiB" is of the
// process until then.
//
//   ./bazelw run --config=opt //tests/bench:global_memory [-- <layers>...]
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/MemoryReport/CollectReport.h"
#include "tests/bench/BenchTools.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Pipelines/Pipelines.h"
#include "tpu_mlir/Support/TextTable.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::bench;

namespace {

/// One row of the table; false when the stage failed.
bool measure(MLIRContext &context, int64_t layers, TextTable &table) {
  std::string text = generate(context, layers);
  ParserConfig config(&context);
  Clock clock;
  auto module = parseSourceString<ModuleOp>(text, config);
  double parse = clock.lap();
  if (!module)
    return false;

  double stages[3];
  for (int stage = 0; stage < 3; ++stage) {
    static const char *names[] = {"tpu-assign-weight-address",
                                  "tpu-assign-global-address",
                                  "tpu-verify-addresses"};
    PassManager manager(&context);
    if (failed(parsePassPipeline(names[stage], manager)))
      return false;
    clock.lap();
    if (failed(manager.run(*module)))
      return false;
    stages[stage] = clock.lap();
  }

  std::string printed;
  llvm::raw_string_ostream out(printed);
  clock.lap();
  module->print(out);
  double print = clock.lap();
  FailureOr<target::ChipSpec> chip = resolveChip(*module, "", "");
  if (failed(chip))
    return false;
  clock.lap();
  auto report =
      memory_report::collectMemoryReport(*module, *chip, std::nullopt);
  if (failed(report))
    return false;
  size_t size = report::renderText(*report).size();
  size += report::renderJson(*report).size();
  double reports = clock.lap();
  double stage = stages[0] + stages[1] + stages[2];
  table.addRow({std::to_string(layers), std::to_string(printed.size()),
                seconds(parse), seconds(print), seconds(stages[0]),
                seconds(stages[1]), seconds(stages[2]),
                seconds(stage / (parse + print)), std::to_string(size),
                seconds(reports), peakMiB()});
  return true;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<int64_t> sizes;
  for (int i = 1; i < argc; ++i)
    sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty())
    sizes = {1000, 10000, 100000};

  registerAllPassesAndPipelines();
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  constexpr auto kRight = TextTable::Align::Right;
  TextTable table({{"layers", kRight},
                   {"bytes", kRight},
                   {"parse s", kRight},
                   {"print s", kRight},
                   {"weights s", kRight},
                   {"neurons s", kRight},
                   {"verify s", kRight},
                   {"stage / (parse + print)", kRight},
                   {"bytes of reports", kRight},
                   {"reports s", kRight},
                   {"peak MiB", kRight}});
  for (int64_t layers : sizes)
    if (!measure(context, layers, table))
      return 1;
  llvm::outs() << table.render();
  return 0;
}
