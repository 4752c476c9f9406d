//===- Comparison.cpp - Programs before and after a rewriting -------------===//

#include "Comparison.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

/// Poison for two heaps, each for fresh and for freed memory.
constexpr uint8_t kPoison[2][2] = {{0xA5, 0x5E}, {0x3C, 0x81}};

/// What is wrong with the run of a rewritten program; empty if nothing.
std::string wrong(const RunResult &before, const RunResult &after,
                  bool mayLeak) {
  if (after.error)
    return *after.error;
  if (after.heap.errors())
    return "heap: " + after.heap.describe();
  if (std::optional<std::string> difference =
          firstDifference(before.outputs, after.outputs))
    return *difference;
  if (after.heap.leakedBlocks && !mayLeak)
    return "it leaks: " + after.heap.describe();
  return "";
}

/// One function with one set of inputs; the first thing that is wrong.
std::string compareRuns(const CompiledModule &before,
                        const CompiledModule &after,
                        const std::string &function, uint64_t seed,
                        const ComparisonOptions &options, std::string &error) {
  auto inputs = before.makeInputs(function, seed);
  if (!inputs) {
    error = "no inputs for @" + function;
    return "";
  }
  if (options.prepare)
    options.prepare(*inputs);
  RunOptions run;
  run.timeoutSeconds = options.timeoutSeconds;
  RunResult reference = before.run(function, *inputs, run);
  if (!reference.clean()) {
    error = "@" + function + " is wrong to begin with: " + reference.describe();
    return "";
  }
  run.heap.guardPages = options.guardPages;
  bool mayLeak =
      llvm::find(options.leakFree, function) == options.leakFree.end();
  for (const auto &poison : kPoison) {
    run.heap.poison = poison[0];
    run.heap.freedPoison = poison[1];
    std::string what =
        wrong(reference, after.run(function, *inputs, run), mayLeak);
    if (!what.empty())
      return what;
  }
  return "";
}

} // namespace

Comparison compareCompiled(const CompiledModule &before,
                           const CompiledModule &after,
                           const std::vector<std::string> &functions,
                           const ComparisonOptions &options) {
  Comparison result;
  for (const std::string &function : functions) {
    for (uint64_t seed : options.inputSeeds) {
      ++result.runs;
      std::string what =
          compareRuns(before, after, function, seed, options, result.error);
      if (!result.error.empty())
        return result;
      if (what.empty())
        continue;
      result.mismatches.push_back({function, what});
      break;
    }
  }
  return result;
}

Comparison compareModules(ModuleOp before, ModuleOp after,
                          const std::vector<std::string> &functions,
                          const ComparisonOptions &options) {
  Comparison result;
  CompileOptions compileOptions;
  compileOptions.order = options.order;
  compileOptions.optLevel = options.optLevel;
  CompileResult left = compile(before, compileOptions);
  CompileResult right = compile(after, compileOptions);
  if (!left.module || !right.module) {
    result.error = left.error + right.error;
    return result;
  }
  return compareCompiled(*left.module, *right.module, functions, options);
}

} // namespace tpu_mlir::jit
