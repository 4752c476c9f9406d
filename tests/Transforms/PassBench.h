//===- PassBench.h - Time of passes on generated functions ------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_PASSBENCH_H
#define TPU_MLIR_TESTS_TRANSFORMS_PASSBENCH_H

#include "tpu_mlir/Dialect/RegisterUpstream.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

namespace tpu_mlir::bench {

/// A function that is written line by line; its buffers are numbered.
class FunctionWriter {
public:
  explicit FunctionWriter(std::string head) : text(std::move(head)) {}

  void line(const std::string &words) { text += words + "\n"; }
  std::string finish() { return text + "return\n}\n"; }

  int64_t count = 0;

private:
  std::string text;
};

/// The text of a function with so many buffers.
using MakeText = std::function<std::string(int64_t)>;
using AddPasses = std::function<void(mlir::PassManager &)>;

struct Context {
  explicit Context(void (*extend)(mlir::DialectRegistry &) = nullptr) {
    mlir::DialectRegistry registry;
    registerUpstreamDialects(registry);
    if (extend)
      extend(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
    context.disableMultithreading();
  }

  mlir::MLIRContext context;
};

inline bool runPasses(mlir::ModuleOp module, const AddPasses &addPasses) {
  mlir::PassManager manager(module.getContext());
  manager.enableVerifier(false);
  addPasses(manager);
  return mlir::succeeded(manager.run(module));
}

/// Times the passes alone, on a fresh copy each time. `prepare` runs before,
/// once.
inline void timePasses(benchmark::State &state, const MakeText &make,
                       const AddPasses &addPasses,
                       const AddPasses &prepare = nullptr,
                       void (*extend)(mlir::DialectRegistry &) = nullptr) {
  Context context(extend);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(make(state.range(0)),
                                                        &context.context);
  if (!module)
    return state.SkipWithError("the function does not parse");
  if (prepare && !runPasses(*module, prepare))
    return state.SkipWithError("what comes before the passes fails");
  for (auto _ : state) {
    state.PauseTiming();
    mlir::OwningOpRef<mlir::ModuleOp> copy(module->clone());
    state.ResumeTiming();
    if (!runPasses(*copy, addPasses))
      state.SkipWithError("the passes fail");
    state.PauseTiming();
    copy = nullptr;
    state.ResumeTiming();
  }
  state.SetComplexityN(state.range(0));
}

/// Times reading and printing the same text: what any tool has to spend.
inline void timeParseAndPrint(benchmark::State &state, const MakeText &make) {
  Context context;
  std::string text = make(state.range(0));
  for (auto _ : state) {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &context.context);
    if (!module)
      return state.SkipWithError("the function does not parse");
    std::string printed;
    llvm::raw_string_ostream out(printed);
    module->print(out);
    benchmark::DoNotOptimize(printed);
  }
  state.SetComplexityN(state.range(0));
}

} // namespace tpu_mlir::bench

#endif // TPU_MLIR_TESTS_TRANSFORMS_PASSBENCH_H
