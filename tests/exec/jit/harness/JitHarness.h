//===- JitHarness.h - Executes memref programs ------------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_JITHARNESS_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_JITHARNESS_H

#include "tests/exec/jit/harness/CheckedHeap.h"
#include "tests/exec/jit/harness/Lowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace tpu_mlir::jit {

/// A number or a memref, as bytes in row-major order. Elements are as memory
/// has them: i1 takes a byte, i12 two, index eight, complex<f32> eight.
struct Data {
  /// A memref type or that of a number. Belongs to the program's context.
  mlir::Type type;
  /// Sizes of a memref, also where its type says `?`.
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

/// Bytes that an element takes in memory; nullopt for types that the harness
/// does not pass in or out.
std::optional<int64_t> elementBytes(mlir::Type element);

/// Reproducible content for `type`. Dynamic sizes become `dynamicSize`. Values
/// are small: integers and index in [0, 8), i1 0 or 1, floats integral in
/// [0, 8), so that arithmetic on them is exact. nullopt if the type is not one
/// that the harness passes.
std::optional<Data> makeData(mlir::Type type, uint64_t seed,
                             int64_t dynamicSize = 4);

/// Where two lists differ first, in words; nullopt if they agree bit for bit.
std::optional<std::string> firstDifference(const std::vector<Data> &left,
                                           const std::vector<Data> &right);

struct CompileOptions {
  ParallelOrder order = ParallelOrder::Forward;
  /// 0: no optimisation, the fastest to compile. 1: little, for functions that
  /// are whole models. 2 and 3: as a compiler does.
  unsigned optLevel = 0;
};

struct RunOptions {
  HeapOptions heap;
  int timeoutSeconds = 10;
};

/// What one execution did.
struct RunResult {
  /// Why there are no outputs: a fault, a wrong argument, a result in freed
  /// memory. Heap errors do not count: see `heap`.
  std::optional<std::string> error;
  /// Final contents of the memref arguments, then the results.
  std::vector<Data> outputs;
  HeapStats heap;

  /// It ran to its end, without an error of the heap. Leaks are fine.
  bool clean() const { return !error && !heap.errors(); }
  std::string describe() const;
};

/// A module that was lowered and compiled.
class CompiledModule {
public:
  ~CompiledModule();
  CompiledModule(CompiledModule &&);

  /// Reproducible arguments for a function. nullopt if there is no such
  /// function, or it takes something else than numbers and memrefs.
  std::optional<std::vector<Data>> makeInputs(llvm::StringRef function,
                                              uint64_t seed) const;

  /// Calls `function` with copies of `inputs`. The memory of its memref
  /// arguments has red zones and is not the program's to free. Memory that it
  /// returns counts as given out, not as leaked.
  RunResult run(llvm::StringRef function, const std::vector<Data> &inputs,
                const RunOptions &options = {}) const;

private:
  struct Function;
  friend struct CompileResult compile(mlir::ModuleOp, const CompileOptions &);
  explicit CompiledModule(std::vector<Function> functions,
                          std::unique_ptr<mlir::ExecutionEngine> engine);
  const Function *find(llvm::StringRef name) const;

  std::vector<Function> functions;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

struct CompileResult {
  std::unique_ptr<CompiledModule> module;
  /// Empty if there is a module.
  std::string error;
};

/// Compiles a copy of `module`, whose context has seen registerForJit(). All
/// functions with a body can be run. Several functions in one module compile
/// faster than several modules: about 25 ms are spent for each module, a few
/// for a function.
CompileResult compile(mlir::ModuleOp module,
                      const CompileOptions &options = {});

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_JITHARNESS_H
