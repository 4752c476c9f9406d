//===- MergeAlloc.h - Many memref.allocs become one -------------*- C++ -*-===//
//
// The stages of the pass merge-alloc, three of which can be replaced:
//
//   BufferViewFlowAnalysis   which names stand for the same storage
//     -> TraceCollectorFunc      which allocs, in which scope, alive when
//     -> MemoryPlannerFunc       an offset for each, a total
//     -> MemoryMergeMutatorFunc  one alloc a scope, views at the offsets
//
// A stage that is left empty is the default one, which a replacement may call.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TRANSFORMS_MERGEALLOC_H
#define TPU_MLIR_TRANSFORMS_MERGEALLOC_H

#include "tpu_mlir/Analysis/Memref/Sharing/SharingFacts.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Pass/Pass.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tpu_mlir {

class CallSummaries;
struct MergeAllocationOptions;

/// Buffers that are to become one allocation: those of one scope and memory
/// space. What is known about when they are alive is up to the collector.
class LifetimeTrace {
public:
  virtual ~LifetimeTrace() = default;
  /// The block at whose start the allocation will be.
  virtual mlir::Block *getAllocScope() const = 0;
  /// Null: the default space.
  virtual mlir::Attribute getMemorySpace() const = 0;
};

/// All traces of a function; a scope with several memory spaces has several.
struct MemoryTraceScopes {
  llvm::SmallVector<std::unique_ptr<LifetimeTrace>> scopeTraces;
  MemoryTraceScopes() = default;
};

/// Where the buffers of one trace go.
struct MemorySchedule {
  /// Bytes of the merged allocation.
  size_t totalSize;
  mlir::Attribute memorySpace;
  /// memref::AllocOp to byte offset. What is not in here stays as it is; when
  /// it is empty, so does the whole scope.
  llvm::DenseMap<mlir::Operation *, int64_t> allocToOffset;
  /// Bytes that the start of the allocation is a multiple of; 0: that of the
  /// options.
  int64_t alignment = 0;
  /// The ops that free the merged buffers. The pass fills it in after planning;
  /// the mutator erases them and, when there are any, frees the allocation
  /// where the scope ends.
  llvm::SmallVector<mlir::Operation *> deallocs;
  MemorySchedule() : totalSize{0} {}
};

/// Failing, a stage has emitted an error.
using TraceCollectorFunc = std::function<mlir::FailureOr<MemoryTraceScopes>(
    mlir::Operation *, const mlir::BufferViewFlowAnalysis &,
    const MergeAllocationOptions &)>;
using MemoryPlannerFunc = std::function<mlir::FailureOr<MemorySchedule>(
    mlir::Operation *, const LifetimeTrace &, const MergeAllocationOptions &)>;
using MemoryMergeMutatorFunc = std::function<mlir::LogicalResult(
    mlir::Operation *toplevel, mlir::Block *scope, const MemorySchedule &,
    const MergeAllocationOptions &)>;

struct MergeAllocationOptions {
  /// Only write what was found into attributes.
  bool checkOnly = false;
  /// "size-first" or "cost-model": the planners of that name. Empty: see
  /// `strategy`.
  std::string plannerOptions;
  /// Bytes that the allocation and every buffer in it is aligned to; a power of
  /// two. A buffer that asks for more gets more.
  int64_t alignment = 64;
  /// Any name of planning::StrategyRegistry.
  std::string strategy = "auto";
  /// The memory spaces to merge, by spaceName() or in any other spelling;
  /// empty: all. The stages find them by spaceName().
  llvm::SmallVector<std::string> memorySpaces;
  /// Limits in bytes, as "SPACE:BYTES", with spaces as above. A scope that
  /// needs more is an error.
  llvm::SmallVector<std::string> capacity;
  /// Let the result of an op take the bytes of an operand that dies there,
  /// when the op reads each element before it writes it.
  bool inPlace = true;
  /// Allocate for all threads of a parallel loop at once, outside of it.
  bool hoistThreads = false;
  /// Free the allocation where its scope ends, also when nothing was freed
  /// before.
  bool free = false;
  /// Merge a scope even where that saves nothing.
  bool mergeAlways = false;
  /// Put the ops of a function that is one block into an order in which merged
  /// buffers have fewer bytes, where there is one. Stages that are not the
  /// default ones have to make TickTraces.
  bool reorder = false;
  /// Say what was merged, and why a buffer stays.
  bool remarks = false;
  /// What calls may free. The pass fills it in for its stages; null: every call
  /// may free what it is given.
  const CallSummaries *calls = nullptr;

  TraceCollectorFunc tracer;
  MemoryPlannerFunc planner;
  MemoryMergeMutatorFunc mutator;
};

//===----------------------------------------------------------------------===//
// The default stages
//===----------------------------------------------------------------------===//

/// What the default collector finds out. Ticks count the ops of the function in
/// pre-order, the function itself being 1.
class TickTrace : public LifetimeTrace, public SharingFacts {
public:
  TickTrace(mlir::Block *scope, mlir::Attribute space, int64_t scopeId)
      : scope(scope), space(space), scopeId(scopeId) {}
  mlir::Block *getAllocScope() const override { return scope; }
  mlir::Attribute getMemorySpace() const override { return space; }
  /// Counts the scopes of a function in the order of their allocs.
  int64_t getScopeId() const { return scopeId; }

private:
  mlir::Block *scope;
  mlir::Attribute space;
  int64_t scopeId;
};

/// "default" without an attribute, "3" for an integer, "workgroup" for
/// #gpu.address_space<workgroup>, else what the attribute looks like.
std::string spaceName(mlir::Attribute space);

/// Lifetimes by data flow. Never fails: a buffer that cannot be merged is not
/// in the result. With `checkOnly` it writes the attributes.
mlir::FailureOr<MemoryTraceScopes>
collectTicks(mlir::Operation *function,
             const mlir::BufferViewFlowAnalysis &flow,
             const MergeAllocationOptions &options);

/// Places the buffers of a TickTrace; of another trace it cannot know anything
/// and fails. Fails, too, when a capacity is exceeded.
mlir::FailureOr<MemorySchedule>
planTicks(mlir::Operation *function, const LifetimeTrace &trace,
          const MergeAllocationOptions &options);

/// memref.alloc of bytes at the start of `scope`, a memref.view for each merged
/// buffer. Does nothing when the schedule merges nothing. What it frees is
/// marked by bufferization.manual_deallocation, at the allocation, too: passes
/// of MLIR that insert deallocations then leave both as they are.
mlir::LogicalResult mergeIntoViews(mlir::Operation *function,
                                   mlir::Block *scope,
                                   const MemorySchedule &schedule,
                                   const MergeAllocationOptions &options);

/// The pass; runs on a function, or on all functions inside another op. On a
/// function alone it does not look at others, and takes every call to free what
/// it is given.
std::unique_ptr<mlir::Pass> createMergeAllocPass();
std::unique_ptr<mlir::Pass>
createMergeAllocPass(const MergeAllocationOptions &options);
void registerMergeAllocPass();

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_MERGEALLOC_H
