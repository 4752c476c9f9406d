//===- Machine.h - The two memories and what runs in them -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_MACHINE_H
#define TPU_MLIR_LIB_INTERPRETER_MACHINE_H

#include "lib/Interpreter/Kernels/Call.h"
#include "lib/Interpreter/LocalRuns.h"
#include "lib/Interpreter/StorageForm.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Execution/Memory.h"
#include "tpu_mlir/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

#include <list>

namespace tpu_mlir::interpreter {

/// Declarations, and what is there before the first op, run in no step.
bool takesStep(mlir::Operation *op);

/// Bytes that nobody reads after the op that has them.
bool isScratch(mlir::Value value);

/// What a group loads: local memory may have it in an order of its own, which
/// says nothing about its numbers.
mlir::Value seenThroughLoad(mlir::Value value);

/// Walks one module of functions in execution order.
class NetworkMachine {
public:
  NetworkMachine(mlir::ModuleOp module, const RunOptions &options)
      : module(module), symbols(module), options(options) {}
  mlir::FailureOr<RunResult> run();

private:
  // Before the run.
  mlir::LogicalResult prepare();
  mlir::LogicalResult describe(mlir::Value value);
  mlir::LogicalResult checkMemory();
  mlir::LogicalResult makeArena();
  mlir::LogicalResult readGroups();
  mlir::FailureOr<std::vector<uint8_t>> dataOf(const DataSource &source,
                                               mlir::Value value,
                                               mlir::Value named,
                                               mlir::Value like);
  mlir::LogicalResult loadWeights();
  mlir::LogicalResult loadWeight(mlir::Value weight, mlir::Value twin);
  mlir::LogicalResult loadInputs(mlir::func::FuncOp entry);
  mlir::LogicalResult loadInputOps(mlir::BlockArgument argument,
                                   llvm::ArrayRef<uint8_t> bytes);
  void load(mlir::Value value, llvm::ArrayRef<uint8_t> bytes);
  void shareLoaded(mlir::Value value, mlir::Value loaded,
                   llvm::ArrayRef<uint8_t> bytes);

  // The run.
  mlir::LogicalResult runEntry(mlir::func::FuncOp entry);
  mlir::LogicalResult runBlock(mlir::Block &block);
  mlir::LogicalResult runOp(mlir::Operation *op);
  mlir::LogicalResult runCall(mlir::func::CallOp call);
  mlir::LogicalResult runGroup(mlir::Operation *group);
  mlir::LogicalResult runRegions(mlir::Operation *op);
  void releaseInside(mlir::Region &region);
  mlir::LogicalResult handOver(mlir::Operation *op, mlir::ValueRange from,
                               mlir::ValueRange to, bool atOnce);
  mlir::FailureOr<bool> holds(mlir::Operation *reader, mlir::Value condition);
  mlir::FailureOr<std::optional<int64_t>> readNumber(mlir::Operation *reader,
                                                     mlir::Value value);
  void writeNumber(mlir::Operation *writer, mlir::Value value, int64_t number);
  mlir::LogicalResult runIf(mlir::Operation *op);
  mlir::LogicalResult runLoop(mlir::Operation *op);
  mlir::FailureOr<int64_t> iterationsOf(mlir::Operation *op,
                                        std::optional<int64_t> bound,
                                        unsigned states);
  /// Bytes of each iteration, for results that grow with them.
  using Rows = std::vector<std::vector<uint8_t>>;
  mlir::LogicalResult runIterations(mlir::Operation *op, int64_t bound,
                                    int64_t most, Rows &rows);
  mlir::FailureOr<bool> runIteration(mlir::Operation *op, mlir::Block &body,
                                     Rows &rows);
  mlir::LogicalResult leaveLoop(mlir::Operation *op, mlir::ValueRange states,
                                const Rows &rows);
  mlir::LogicalResult runParallel(mlir::Operation *op);
  mlir::LogicalResult checkParallel();
  void noteAccess(mlir::Operation *op, mlir::Value value, bool isWrite);
  void noteLoads(mlir::Operation *group);
  mlir::LogicalResult runLocally(mlir::Operation *group);
  mlir::LogicalResult runLeaf(mlir::Operation *op);
  mlir::LogicalResult computeOp(const Call &call);
  mlir::LogicalResult
  runInOrder(const Call &call, const execution::TensorView &made, bool isMixed);
  mlir::LogicalResult reportLate(mlir::Operation *op, mlir::Value operand,
                                 const llvm::Twine &what);
  mlir::LogicalResult checkSharing(mlir::Operation *op,
                                   mlir::ValueRange results);
  bool isDeclared(mlir::Operation *op, mlir::Value operand, mlir::Value result);
  mlir::LogicalResult checkPair(mlir::Operation *op, mlir::Value from,
                                mlir::Value to);
  mlir::LogicalResult reportSharing(mlir::Operation *op, mlir::Value to,
                                    mlir::Value from, mlir::StringRef why);
  mlir::LogicalResult readOperands(Call &call);
  void spoilScratch(mlir::Operation *op);
  void pass(mlir::Value from, mlir::Value to);
  bool finishResult(mlir::Operation *op, unsigned index,
                    llvm::ArrayRef<uint8_t> bytes);
  bool adoptView(mlir::Operation *op, mlir::OpResult result);

  // Values.
  bool isStored(mlir::Value value) const;
  bool isInArena(mlir::Value value) const;
  bool isComputed(mlir::Value value);
  execution::TensorId idOf(mlir::Value value) const {
    return ids.lookup(value);
  }
  /// The bytes of an operand; failure at the last error that is reported.
  llvm::ArrayRef<uint8_t> meantBytes(mlir::Value value);
  mlir::FailureOr<llvm::ArrayRef<uint8_t>> read(mlir::Operation *reader,
                                                mlir::Value value);
  void write(mlir::Operation *writer, mlir::Value value,
             llvm::ArrayRef<uint8_t> bytes);
  /// The elements of a value in the arena, one after the other, until the next
  /// op is computed.
  llvm::ArrayRef<uint8_t>
  readArena(mlir::Value value, std::optional<execution::ForeignByte> &foreign);
  void writeArena(mlir::Value value, llvm::ArrayRef<uint8_t> bytes);
  bool adopt(mlir::Value value, mlir::Value whole);
  std::optional<int64_t> offsetOf(mlir::Operation *op,
                                  const InPlaceEdge &edge) const;
  /// The elements lie one after the other and fill the place.
  bool isPlain(execution::TensorId id) const {
    return forms[id].images == 0 && forms[id].bytes == *types[id].bytes();
  }
  void release(mlir::Operation *op);
  mlir::LogicalResult reportForeign(mlir::Operation *reader, mlir::Value value,
                                    const execution::ForeignByte &foreign);
  mlir::LogicalResult reportUnlike(mlir::Operation *reader, mlir::Value value,
                                   int64_t address);
  mlir::LogicalResult countError();

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  const RunOptions &options;
  RunResult result;

  execution::ValueMemory values;
  std::optional<execution::ArenaMemory> arena;
  std::optional<LocalRuns> local; ///< When there are groups and addresses.
  llvm::DenseMap<mlir::Value, execution::TensorId> ids;
  std::vector<mlir::Value> tensors; ///< By id.
  std::vector<execution::TensorType> types;
  /// That the module is for; nullopt: one that is not known.
  std::optional<target::ChipSpec> chip;
  bool fourN = false;             ///< The chip stores images in slots.
  bool kernelsInOrder = false;    ///< They keep the promise of `in_order`.
  std::vector<StorageForm> forms; ///< By id, of what is in the arena.
  std::list<std::vector<uint8_t>> unpackedReads;
  std::vector<int64_t> uses; ///< That are still to come, by id.
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Value>> reported;
  /// Operands whose bytes an op has written over after it had read them.
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Value>> readInOrder;
  int64_t step = -1; ///< Of the op that runs; before the first, the host.
  int64_t numOps = 0;
  bool hasMadeUpNumbers = false; ///< Random weights or inputs.
  unsigned numErrors = 0;
  unsigned callDepth = 0;
  unsigned nesting = 0;     ///< Ops around that run regions.
  unsigned regionDepth = 0; ///< Of these, those that may read a value again.

  /// Of the loops around, the outermost first: which run of a loop, and which
  /// iteration of it.
  using Iterations = llvm::SmallVector<std::pair<int64_t, int64_t>, 2>;
  static bool areInTurn(const Iterations &a, const Iterations &b);
  /// One op at bytes that one tensor was written to.
  struct Access {
    mlir::Operation *op;
    mlir::Value value;
    Interval bytes;
    execution::TensorId owner;
    bool isWrite;
    Iterations iterations;
  };
  Iterations iterations;
  int64_t loopRuns = 0;
  std::vector<Access> accesses; ///< Inside the innermost parallel op.
  unsigned parallelDepth = 0;
};

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_MACHINE_H
