//===- GlobalMemoryBench.cpp - What address assignment costs --------------===//
//
// Generated networks of 1,000 to 100,000 layers go through parsing, the stage
// (weights, neurons, verification) and printing. What matters is the last
// column, the stage's time by that of parsing and printing in the same run, and
// that times grow like the counts.
//
//   ./bazelw run --config=opt //tests/bench:global_memory [-- <layers>...]
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/ModelBuilder/Models.h"
#include "tpu_mlir/Pipelines/Pipelines.h"
#include "tpu_mlir/Support/TextTable.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace tpu_mlir;

namespace {

class Clock {
public:
  /// Seconds since the last call.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double> passed = now - last;
    last = now;
    return passed.count();
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

std::string generate(MLIRContext &context, int64_t layers) {
  ModelOptions options;
  options.model = "chain";
  options.level = Level::Tpu;
  options.ops = layers;
  auto built = buildModel(context, options);
  if (auto *error = std::get_if<ModelError>(&built)) {
    llvm::errs() << error->message << "\n";
    return "";
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  printModel(*std::get<OwningOpRef<ModuleOp>>(built), out);
  return text;
}

std::string seconds(double value) {
  return llvm::formatv("{0:f3}", value).str();
}

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
  double stage = stages[0] + stages[1] + stages[2];
  table.addRow({std::to_string(layers), std::to_string(printed.size()),
                seconds(parse), seconds(print), seconds(stages[0]),
                seconds(stages[1]), seconds(stages[2]),
                seconds(stage / (parse + print))});
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
                   {"stage / (parse + print)", kRight}});
  for (int64_t layers : sizes)
    if (!measure(context, layers, table))
      return 1;
  llvm::outs() << table.render();
  return 0;
}
