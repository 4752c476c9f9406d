//===- Interpreter.h - A module run on numbers ------------------*- C++ -*-===//
//
// The only code that joins IR and Execution. Runs an addressed module in two
// memories in step: in one each tensor has bytes of its own, in the other it is
// where its type says. An operand that is not the same in both, or that has a
// byte of another tensor, is the plan's fault: kernels are the same, and from
// the same bytes they compute the same.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_INTERPRETER_INTERPRETER_H
#define TPU_MLIR_INTERPRETER_INTERPRETER_H

#include "tpu_mlir/Execution/Task.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tpu_mlir {

/// Where a weight or an input is from, by the first of its names that is there:
/// its bytes, or what is wrong with them.
using DataSource =
    std::function<std::variant<std::vector<uint8_t>, std::string>(
        llvm::ArrayRef<std::string> names, const execution::TensorType &type)>;

struct RunOptions {
  /// In which memories: at least one. With both, what one of them says wrongly
  /// is reported and the run goes on with the bytes of the other.
  bool inValues = true, inArena = true;
  /// What the module was made for; nullopt: what module.chip names, which this
  /// build has to know.
  std::optional<target::ChipSpec> chip;
  /// Null: random numbers, the same for the same seed, name and type.
  DataSource weights, inputs;
  uint64_t seed = 0;
  /// Threads of a kernel; results do not depend on them.
  unsigned threads = 1;
  /// An op without a kernel, or one that its kernel cannot compute, gives
  /// numbers that are mixed out of all bytes that it reads: nothing is said
  /// about what it computes, but where its bytes are from is looked at as for
  /// any other. Layer groups that cannot be run in local memory then run as
  /// whole ops only, which a remark says. Without it both are errors.
  bool mixesUnknown = false;
  /// Of a loop, the most iterations that are run: a bound above is an error
  /// before the first. Where inputs or weights are random, or numbers mixed, a
  /// bound above kMadeUpIterations means nothing and is that many.
  int64_t maxIterations = 1 << 16;
  static constexpr int64_t kMadeUpIterations = 64;
  /// Computes what it can before kernels do; null: nobody. Not with an arena,
  /// as in local memory layer groups are computed by kernels.
  execution::Executor *executor = nullptr;
  /// Wrong reads that are reported; the run ends at the last.
  unsigned maxErrors = 16;
  /// Called after each op, with how many have run and how many there are.
  std::function<void(int64_t done, int64_t all)> progress;
  /// Called with each tensor that an op computes.
  std::function<void(llvm::StringRef name, const execution::TensorView &)>
      onTensor;
};

/// A tensor that the network returns.
struct RunOutput {
  std::string name;
  execution::TensorType type;
  std::vector<uint8_t> bytes;
};

struct RunResult {
  std::vector<RunOutput> outputs; ///< In order, of every entry function.
  int64_t ops = 0;                ///< That were computed.
  int64_t checkedBytes = 0;       ///< That were read from the arena.
  int64_t groups = 0;             ///< That were run in local memory.
  int64_t mixed = 0;              ///< Of the ops, those that were not computed.
  int64_t byExecutor = 0;         ///< Of the ops, those with numbers of its.
  int64_t inOrder = 0; ///< Of the ops, those that wrote over what they read.
};

/// Runs the functions of `module` that nobody calls, in the order of the text,
/// each in memory that the one before left. Groups of layers run as whole ops,
/// and with an arena again in local memory, section by section, in three orders
/// of the engines: each section has to be the bits of the whole. Of an op with
/// the attribute `in_order` each element is looked at, and stretches of the
/// result are computed from what those before have left. Of an If the
/// branch runs that its condition chooses, a loop as often as it says, and what
/// runs at the same time in the order of the text, where each two accesses that
/// another order would exchange are looked at. Emits, and fails: E002 (a tensor
/// without static bytes), E003 (a chip that is not known, where it counts),
/// E011 (one without an address), E012 (wrong bytes are read, one error each),
/// E017 (what a source says is wrong), E023 (an op without a kernel, or one
/// that cannot compute what it is given, a loop without an end, a value that
/// nothing computes), E024 (not enough memory). O(work of the kernels + bytes).
mlir::FailureOr<RunResult> runModule(mlir::ModuleOp module,
                                     const RunOptions &options);

/// The names of the ops that have a kernel, sorted.
std::vector<std::string> runnableOps();

} // namespace tpu_mlir

#endif // TPU_MLIR_INTERPRETER_INTERPRETER_H
