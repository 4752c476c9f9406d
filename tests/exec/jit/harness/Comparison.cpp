//===- Comparison.cpp - Programs before and after a rewriting -------------===//

#include "tests/exec/jit/harness/Comparison.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

/// Poison for two heaps, each for fresh and for freed memory.
constexpr uint8_t kPoison[2][2] = {{0xA5, 0x5E}, {0x3C, 0x81}};

/// What is wrong with the run of a rewritten program; empty if nothing.
std::string wrong(const RunResult &before, const RunResult &after, bool mayLeak,
                  bool noMoreAllocations) {
  if (after.error)
    return *after.error;
  if (after.heap.errors())
    return "heap: " + after.heap.describe();
  if (std::optional<std::string> difference =
          firstDifference(before.outputs, after.outputs))
    return *difference;
  if (after.heap.leakedBlocks && !mayLeak)
    return "it leaks: " + after.heap.describe();
  if (noMoreAllocations && after.heap.allocations > before.heap.allocations)
    return "it allocates " + std::to_string(after.heap.allocations) +
           " times instead of " + std::to_string(before.heap.allocations);
  return "";
}

/// One function with one set of inputs; the first thing that is wrong.
std::string compareRuns(const CompiledModule &before,
                        const CompiledModule &after,
                        const std::string &function, uint64_t seed,
                        const ComparisonOptions &options, Comparison &result) {
  auto inputs = before.makeInputs(function, seed);
  if (!inputs) {
    result.error = "no inputs for @" + function;
    return "";
  }
  if (options.prepare)
    options.prepare(*inputs);
  RunOptions run;
  run.timeoutSeconds = options.timeoutSeconds;
  RunResult reference = before.run(function, *inputs, run);
  if (!reference.clean()) {
    result.error =
        "@" + function + " is wrong to begin with: " + reference.describe();
    return "";
  }
  run.heap.guardPages = options.guardPages;
  bool mayLeak =
      llvm::find(options.leakFree, function) == options.leakFree.end();
  for (const auto &poison : kPoison) {
    run.heap.poison = poison[0];
    run.heap.freedPoison = poison[1];
    RunResult rewritten = after.run(function, *inputs, run);
    result.allocationsBefore += reference.heap.allocations;
    result.allocationsAfter += rewritten.heap.allocations;
    std::string what =
        wrong(reference, rewritten, mayLeak, options.noMoreAllocations);
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
          compareRuns(before, after, function, seed, options, result);
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
