//===- Machine.h - A module run on paper ------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MACHINE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MACHINE_H

#include "lib/Transforms/Tpu/VerifyAddresses/MemoryMap.h"
#include "lib/Transforms/Tpu/VerifyAddresses/MemoryRegions.h"
#include "lib/Transforms/Tpu/VerifyAddresses/TiedPlaces.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <memory>

namespace tpu_mlir::verify_addresses {

/// Walks one module of functions in execution order; see the description of
/// tpu-verify-addresses for what is checked. Shares no code with the analyses
/// and strategies that make addresses.
class Machine {
public:
  struct Options {
    bool fourN = false;
    /// Equal ranges of equally typed weights may be one (content is shared).
    bool sharedWeights = false;
    /// Inputs have to be intact at the end.
    bool inputsKept = true;
    /// Inputs and outputs have a region of their own, where toolchains let a
    /// state share its address with the one it becomes, without a record.
    bool ioApart = false;
    /// What the module records: positions of inputs and of the outputs that
    /// are meant to take their places.
    std::vector<std::pair<int64_t, int64_t>> sameAddress;
    /// Kernels read before they write.
    bool kernelsInOrder = false;
    size_t maxErrors = 16;
  };

  Machine(mlir::ModuleOp module, const MemoryRegions &regions,
          const Options &options)
      : module(module), symbols(module), regions(regions), options(options),
        storage(module, symbols, options.fourN, /*updates=*/true) {}

  /// Emits every violation, up to the limit.
  mlir::LogicalResult run();

private:
  using Content = llvm::SmallVector<Piece, 1>;
  struct Access {
    mlir::Operation *op;
    mlir::Value value;
    Interval bytes;
    bool isWrite;
  };
  /// Accesses in the order in which they come first.
  class AccessLog {
  public:
    void add(const Access &access) {
      if (seen.insert({access.op, access.value, access.isWrite}).second)
        list.push_back(access);
    }
    std::vector<Access> list;

  private:
    llvm::DenseSet<std::tuple<mlir::Operation *, mlir::Value, unsigned>> seen;
  };

  /// `op` needs `value`, or a part of it: `piece` has to be at `address`.
  struct Demand {
    mlir::Operation *op;
    mlir::Value value;
    int64_t address;
    Piece piece;
  };
  /// What each call of one function does, wherever it comes from.
  struct CallRecord {
    void add(const Demand &demand) {
      const Piece &piece = demand.piece;
      if (seen.insert({demand.op, demand.value, demand.address, piece.owner,
                       piece.ownerOffset, piece.length})
              .second)
        demands.push_back(demand);
    }

    std::vector<Demand> demands; ///< Of memory as the caller leaves it.
    MemoryMap change;
    AccessLog accesses;
    bool isSettled = true; ///< If not, it holds for one `trial` alone.
    int64_t trial = 0;

  private:
    llvm::DenseSet<std::tuple<mlir::Operation *, mlir::Value, int64_t, int64_t,
                              int64_t, int64_t>>
        seen;
  };
  /// What an argument of a recorded call stands for: as its caller calls it,
  /// which may be an argument again, and as memory has it.
  struct Binding {
    Content inCaller, inMemory;
  };

  /// Ops that are still to run, and what to do after them.
  struct Frame {
    mlir::Block::iterator next, end;
    std::function<void()> done;
  };

  // Facts of values.
  bool isStored(mlir::Value value) const;
  std::optional<int64_t> sizeOf(mlir::Value value) const;
  std::optional<Interval> bytesOf(mlir::Operation *user, mlir::Value value);
  int64_t ownerId(mlir::Value value);
  llvm::SmallVector<mlir::Value> valuesRead(mlir::Operation *op) const;

  // Execution.
  void loadWeights();
  void loadInput(mlir::BlockArgument argument);
  void collectOutputs(mlir::func::FuncOp entry);
  void checkEnd();
  bool isGivenUp(size_t input);
  void runEntry(mlir::func::FuncOp entry);
  void runFunction(mlir::func::FuncOp function,
                   std::function<void(mlir::func::ReturnOp)> done);
  void runBlocks(llvm::ArrayRef<mlir::Block *> blocks,
                 std::function<void()> done);
  void runFrames();
  void runOp(mlir::Operation *op);
  void runLeaf(mlir::Operation *op);
  void runCall(mlir::func::CallOp call, mlir::func::FuncOp callee);
  void handBack(mlir::func::CallOp call, mlir::func::ReturnOp ret,
                bool isRecorded);
  void runRecorded(mlir::func::CallOp call, mlir::func::FuncOp callee);
  void bind(mlir::Value passed, mlir::Value argument);
  void endRecord(mlir::func::CallOp call, CallRecord &record,
                 std::optional<MemoryMap> changeAround);
  void repeat(mlir::func::CallOp call, const CallRecord &record);
  void change(mlir::func::CallOp call, const CallRecord &record);
  void demandOfCaller(const CallRecord &record,
                      llvm::function_ref<void(const Demand &)> demand);
  Content translate(llvm::ArrayRef<Piece> pieces,
                    Content Binding::*terms) const;
  void runExclusive(mlir::Operation *op);
  void runBranch(mlir::Operation *op, unsigned index,
                 std::shared_ptr<const WatchedMemory> before,
                 std::shared_ptr<WatchedMemory> after);
  void runLoop(mlir::Operation *op);
  void runIteration(mlir::Operation *op);
  void checkYielded(mlir::Operation *op, mlir::Block &body);
  void leaveLoop(mlir::Operation *op);
  void runParallel(mlir::Operation *op);
  void writeArguments(mlir::Operation *op);
  void writeResults(mlir::Operation *op);
  void finishGroup(mlir::Operation *group);
  void yieldResults(mlir::Operation *yield, mlir::Operation *op,
                    unsigned firstResult,
                    llvm::function_ref<bool(unsigned)> keepsContent);
  void pass(mlir::Operation *op, mlir::Value from, mlir::Value to);

  // Memory.
  void read(mlir::Operation *op, mlir::Value value);
  bool expect(const Demand &demand);
  void note(const Demand &demand);
  void write(mlir::Operation *op, mlir::Value value);
  bool adoptView(mlir::Operation *op, mlir::OpResult result);
  void reportUnshared(mlir::Operation *op, const InPlaceEdge &edge,
                      std::optional<int64_t> distance);
  std::optional<Content> slice(const Content &content, int64_t offset,
                               int64_t length) const;
  void checkSharing(mlir::Operation *op, llvm::ArrayRef<mlir::Value> reads,
                    llvm::ArrayRef<mlir::Value> fresh, bool atOnce = false);
  bool isOldValueOf(mlir::Value source, mlir::Value target);
  void checkCopies(mlir::Operation *op, mlir::ValueRange from,
                   mlir::ValueRange to);
  void checkParallel(llvm::MutableArrayRef<Access> accesses);
  void log(const Access &access);
  AccessLog closeLog();

  bool report(mlir::Operation *op, mlir::Value value, ErrorCode code,
              const llvm::Twine &message, mlir::Value other = {});
  static std::string describe(mlir::Value value, Interval bytes);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  const MemoryRegions &regions;
  Options options;
  TiedPlaces storage; ///< What is one place.
  /// Without updates in place; made when it is needed.
  std::optional<TiedPlaces> copies;

  WatchedMemory memory;
  /// In terms of the call that is being recorded.
  llvm::DenseMap<mlir::Value, Content> contents;
  /// Of the network, in order, with the op that errors are about.
  std::vector<std::pair<mlir::Operation *, mlir::Value>> inputs, outputs;
  llvm::DenseMap<mlir::Value, int64_t> ids;
  std::vector<mlir::Value> owners;
  llvm::DenseMap<mlir::StringAttr, unsigned> numCalls;
  llvm::DenseSet<mlir::Operation *> activeFunctions;
  std::vector<Frame> frames;
  /// Of functions that are called from several places.
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<CallRecord>> records;
  /// Those that are being made, the outermost first.
  std::vector<std::shared_ptr<CallRecord>> recordings;
  llvm::DenseMap<int64_t, Binding> bindings; ///< By owner.
  /// What one of several calls wrote, by call and by the owner in the record:
  /// the next call writes something else.
  llvm::DenseMap<std::pair<mlir::Operation *, int64_t>, int64_t> written;
  /// Bytes that are others at the end of a loop's body than at its head.
  llvm::DenseMap<mlir::Operation *, std::vector<Interval>> changedBy;
  /// The loop around will run again, if need be: if something is not settled.
  bool isTrial = false, isUnsettled = false;
  int64_t trial = 0; ///< How often a loop that is in no other one has begun.
  bool isCyclic = false;
  /// Of the parallel ops that are running and the calls that are recorded, the
  /// outermost first; what an inner one has is still missing in those around.
  std::vector<AccessLog> logs;
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Value>> reported;
  size_t numErrors = 0;
};

} // namespace tpu_mlir::verify_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MACHINE_H
