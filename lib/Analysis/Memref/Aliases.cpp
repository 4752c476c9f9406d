//===- Aliases.cpp - Collect the accesses of one buffer -------------------===//
//
// Follows every name of the storage through views, branches and loops, and
// stops at the first reason why its last use cannot be known.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <limits>
#include <tuple>

using namespace mlir;

namespace tpu_mlir {

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

OpTicks::OpTicks(Operation *root) : rootOp(root) {
  int64_t next = 1;
  root->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { ticks[op].begin = next++; });
  // Whoever comes last inside ends an op: children have been seen before.
  root->walk<WalkOrder::PostOrder>([&](Operation *op) {
    Interval &own = ticks[op];
    own.end = own.begin + 1;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          own.end = std::max(own.end, ticks.lookup(&block.back()).end);
  });
}

Operation *OpTicks::at(int64_t tick) const {
  Operation *found = nullptr;
  rootOp->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (of(op) != tick)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

Interval OpTicks::range(Block *block) const {
  if (block->empty())
    return {};
  return {of(&block->front()), range(&block->back()).end};
}

//===----------------------------------------------------------------------===//
// Uses of one buffer
//===----------------------------------------------------------------------===//

namespace {

class UseCollector {
public:
  UseCollector(Value buffer, const BufferViewFlowAnalysis &flow,
               const OpTicks &ticks, DominanceInfo &dominance,
               const CallSummaries *calls,
               llvm::function_ref<bool(Operation *)> isFollowed)
      : buffer(buffer), origin(buffer ? ownerOf(buffer) : nullptr), flow(flow),
        ticks(ticks), dominance(dominance), calls(calls),
        isFollowed(isFollowed) {}

  MemrefUses run(ArrayRef<Value> names = {}) {
    if (buffer)
      collectNames();
    else
      llvm::for_each(names, [&](Value name) { addName(name); });
    for (Value name : result.names)
      for (OpOperand &use : name.getUses())
        classify(use.getOwner(), name);
    auto byTick = [&](const auto &a, const auto &b) {
      return ticks.of(a.op) < ticks.of(b.op);
    };
    llvm::stable_sort(result.accesses, byTick);
    llvm::stable_sort(result.forwards, byTick);
    llvm::sort(result.deallocs, [&](Operation *a, Operation *b) {
      return ticks.of(a) < ticks.of(b);
    });
    result.deallocs.erase(llvm::unique(result.deallocs), result.deallocs.end());
    return std::move(result);
  }

private:
  void collectNames();
  void addName(Value name);
  bool isAroundOrigin(Operation *op) const {
    return origin && ticks.isAround(op, origin);
  }
  void classify(Operation *op, Value name);
  void classifyTerminator(Operation *op, Value name);
  void classifyAccess(Operation *op, Value name);
  Operation *asynchronousAround(Operation *op);
  Operation *endAround(Operation *op);
  bool handsOn(Value name, Operation *to) const;

  void stay(StayReason reason, Operation *op) {
    auto key = [&](const Stay &stay) {
      return std::pair(stay.op ? ticks.of(stay.op) : 0, stay.reason);
    };
    Stay candidate{reason, op};
    if (!result.escape || key(candidate) < key(*result.escape))
      result.escape = candidate;
  }
  void forward(Operation *op, Value name) {
    result.forwards.push_back({op, name});
  }
  void access(Operation *op, Value name) {
    result.accesses.push_back({op, name});
  }

  /// Null: of any buffers.
  Value buffer;
  /// Its alloc, or the function that has it as an argument.
  Operation *origin;
  const BufferViewFlowAnalysis &flow;
  const OpTicks &ticks;
  DominanceInfo &dominance;
  const CallSummaries *calls;
  llvm::function_ref<bool(Operation *)> isFollowed;
  MemrefUses result;
};

} // namespace

Operation *ownerOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp();
  return value.getDefiningOp();
}

void UseCollector::collectNames() {
  auto found = flow.resolve(buffer);
  found.erase(buffer);
  SmallVector<std::tuple<int64_t, int64_t, unsigned, Value>> names;
  for (Value name : found) {
    // Arguments come before the first op of their block.
    if (auto argument = dyn_cast<BlockArgument>(name))
      names.emplace_back(ticks.range(argument.getOwner()).begin, 0,
                         argument.getArgNumber(), name);
    else
      names.emplace_back(ticks.of(name.getDefiningOp()), 1,
                         cast<OpResult>(name).getResultNumber(), name);
  }
  llvm::sort(names, [](const auto &a, const auto &b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
  });
  result.names.push_back(buffer);
  for (auto &[tick, kind, number, name] : names) {
    addName(name);
    Operation *owner = ownerOf(name);
    // A name that is there when an alloc runs may hold what an earlier run
    // made: two of them would be alive at once.
    if (buffer.getDefiningOp() && dominance.properlyDominates(name, origin))
      stay(isLoop(owner) ? StayReason::LoopYield : StayReason::Outlives, owner);
  }
}

void UseCollector::addName(Value name) {
  result.names.push_back(name);
  if (!isa<BaseMemRefType>(name.getType()))
    stay(isa<TensorType>(name.getType()) ? StayReason::Tensor
                                         : StayReason::Asynchronous,
         ownerOf(name));
}

/// Some name that `to` defines, as a result or an argument of its blocks, may
/// be `name`.
bool UseCollector::handsOn(Value name, Operation *to) const {
  auto found = flow.find(name);
  if (found == flow.end())
    return false;
  // What else it is handed on to may be much: a buffer has many views.
  if (llvm::any_of(to->getResults(),
                   [&](Value value) { return found->second.contains(value); }))
    return true;
  return to->getNumRegions() > 0 &&
         llvm::any_of(found->second,
                      [&](Value value) { return ownerOf(value) == to; });
}

void UseCollector::classifyTerminator(Operation *op, Value name) {
  Operation *parent = op->getParentOp();
  if (op->getNumSuccessors() > 0) {
    if (isa<BranchOpInterface>(op) && handsOn(name, parent))
      return forward(op, name);
    return stay(StayReason::UnknownYield, op);
  }
  if (parent == ticks.root())
    return stay(StayReason::Returned, op);
  if (isLoop(parent) && !isOpaque(parent))
    return stay(StayReason::LoopYield, op);
  if (isa<RegionBranchOpInterface>(parent) &&
      isa<RegionBranchTerminatorOpInterface>(op) && handsOn(name, parent))
    return forward(op, name);
  stay(StayReason::UnknownYield, op);
}

/// The innermost op around `op`, but not around the origin, that may go on with
/// its regions after it is done.
Operation *UseCollector::asynchronousAround(Operation *op) {
  Operation *found = nullptr;
  for (Operation *at = op; at != ticks.root() && !isAroundOrigin(at);
       at = at->getParentOp()) {
    if (!found && isAsynchronous(at))
      found = at;
    // All threads wait at its end, unless the origin is inside.
    if (origin && found && found->getName().getDialectNamespace() == "omp" &&
        at->getName().getStringRef() == "omp.parallel")
      found = nullptr;
  }
  return found;
}

/// The op that ends its block and, to the origin, makes the access that `op` in
/// one of its regions is: nothing can be done with the buffer behind it.
Operation *UseCollector::endAround(Operation *op) {
  Operation *found = nullptr;
  for (Operation *at = op->getParentOp();
       at != ticks.root() && !isAroundOrigin(at); at = at->getParentOp()) {
    if (endsBlock(at))
      found = at;
    else if (origin && found && isOpaque(at))
      found = nullptr;
  }
  return found;
}

void UseCollector::classify(Operation *op, Value name) {
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    result.deallocs.push_back(dealloc);
    return;
  }
  bool isFollowedHere = isFollowed && isFollowed(op);
  if (Operation *asynchronous =
          asynchronousAround(isFollowedHere ? op->getParentOp() : op))
    return stay(StayReason::Asynchronous, asynchronous);
  if (isFollowedHere)
    return access(op, name);
  if (endsBlock(op))
    return classifyTerminator(op, name);
  if (Operation *end = endAround(op))
    return stay(StayReason::UnknownYield, end);
  // Its results are the storage under other names.
  if (isa<memref::ExtractStridedMetadataOp>(op))
    return stay(StayReason::Pointer, op);
  if (mayFree(op, name))
    return stay(StayReason::Freed, op);
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    if (view.getViewSource() == name) {
      if (handsOn(name, op) && llvm::all_of(op->getResults(), [](Value value) {
            return isa<BaseMemRefType>(value.getType());
          }))
        return forward(op, name);
      return stay(StayReason::Pointer, op);
    }
  if (isa<bufferization::BufferViewFlowOpInterface, RegionBranchOpInterface>(
          op) &&
      handsOn(name, op))
    return forward(op, name);
  classifyAccess(op, name);
}

void UseCollector::classifyAccess(Operation *op, Value name) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (calls && call && calls->mayFree(call, name))
    return stay(StayReason::MayBeFreed, op);
  if (calls && call)
    if (auto kept = calls->mayKeep(call, name))
      return stay(kept->reason, op);
  if (auto reason = mayKeepOperands(op))
    return stay(*reason, op);
  if (isMemoryEffectFree(op))
    return;
  access(op, name);
  if (call && handsOn(name, op))
    forward(op, name);
}

MemrefUses collectUses(Value buffer, const BufferViewFlowAnalysis &flow,
                       const OpTicks &ticks, DominanceInfo &dominance,
                       const CallSummaries *calls,
                       llvm::function_ref<bool(Operation *)> isFollowed) {
  return UseCollector(buffer, flow, ticks, dominance, calls, isFollowed).run();
}

MemrefUses collectUsesOfNames(ArrayRef<Value> names,
                              const BufferViewFlowAnalysis &flow,
                              const OpTicks &ticks, DominanceInfo &dominance,
                              const CallSummaries *calls) {
  return UseCollector(Value(), flow, ticks, dominance, calls, nullptr)
      .run(names);
}

Interval MemrefUses::homes(const OpTicks &ticks) const {
  if (summary)
    return summary->homes;
  Interval result = {std::numeric_limits<int64_t>::max(), 0};
  for (Value name : names) {
    int64_t home = ticks.of(name.getParentRegion()->getParentOp());
    result = {std::min(result.begin, home), std::max(result.end, home + 1)};
  }
  return result;
}

std::vector<memref::AllocOp> allocsIn(Operation *root) {
  std::vector<memref::AllocOp> result;
  root->walk<WalkOrder::PreOrder>(
      [&](memref::AllocOp alloc) { result.push_back(alloc); });
  return result;
}

std::vector<Value> resultsOf(ArrayRef<memref::AllocOp> allocs) {
  std::vector<Value> result;
  for (memref::AllocOp alloc : allocs)
    result.push_back(alloc.getResult());
  return result;
}

//===----------------------------------------------------------------------===//
// Words and sizes
//===----------------------------------------------------------------------===//

std::string quoted(Operation *op) {
  return ("'" + op->getName().getStringRef() + "'").str();
}

std::string describe(const Stay &stay) {
  std::string op = stay.op ? quoted(stay.op) : "";
  switch (stay.reason) {
  case StayReason::Dynamic:
    return "its size is known at run time only";
  case StayReason::Layout:
    return "its layout is not the identity";
  case StayReason::ElementSize:
    return "its size in bytes is not known";
  case StayReason::MemorySpace:
    return "its memory space is not among those to merge";
  case StayReason::SharedByThreads:
    return "the threads of a workgroup share it; 'gpu-pack-shared-memory' "
           "packs it, with barriers";
  case StayReason::UnknownRegion:
    return "it is allocated inside " + op + ", " + whyOpaque(stay.op).str();
  case StayReason::Returned:
    return "it is returned by " + op;
  case StayReason::LoopYield:
    return "a loop hands it on, at " + op;
  case StayReason::Outlives:
    return "it may still be in use when its allocation runs again, by way of " +
           op;
  case StayReason::Stored:
    return op + " may store it where others find it";
  case StayReason::Pointer:
    return "its address is taken by " + op;
  case StayReason::Tensor:
    return "it becomes a tensor in " + op;
  case StayReason::UnknownResult:
    return "it may live on in a result of " + op;
  case StayReason::UnknownYield:
    return op + " hands it on to an unknown place";
  case StayReason::Asynchronous:
    return op + " may still be at work on it after it is done";
  case StayReason::Freed:
    return op + " frees it";
  case StayReason::MayBeFreed:
    return op + " may free it";
  case StayReason::FreedWithOthers:
    return op + " frees it or a buffer that cannot be merged with it";
  }
  return "";
}

/// No target aligns a number to more.
static constexpr int64_t kLargestScalarAlignment = 16;

/// An element as LLVM lays it out in an array.
static std::optional<MemrefSize> elementSize(Type type,
                                             const DataLayout &layout) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    auto part = elementSize(complex.getElementType(), layout);
    if (part)
      part->sizeBytes *= 2;
    return part;
  }
  if (auto vector = dyn_cast<VectorType>(type))
    if (vector.isScalable() || vector.getRank() == 0 ||
        !vector.getElementType().isIntOrIndexOrFloat())
      return std::nullopt;
  if (!type.isIntOrIndexOrFloat() && !isa<VectorType>(type) &&
      !isa<DataLayoutTypeInterface>(type))
    return std::nullopt;
  int64_t bytes = layout.getTypeSize(type).getFixedValue();
  MemrefSize result;
  result.elementAlignment =
      std::max<int64_t>(1, layout.getTypeABIAlignment(type));
  // MLIR aligns whatever is wider than 63 bits to 4 bytes, LLVM to 8 or 16.
  if (type.isIntOrIndexOrFloat()) {
    int64_t natural = llvm::PowerOf2Ceil(bytes);
    bytes = natural;
    result.elementAlignment = std::max(
        result.elementAlignment, std::min(natural, kLargestScalarAlignment));
  }
  auto padded = checkedAlignUp(bytes, result.elementAlignment);
  if (!padded)
    return std::nullopt;
  result.sizeBytes = *padded;
  return result;
}

std::optional<MemrefSize> memrefSize(MemRefType type,
                                     const DataLayout &layout) {
  auto size = elementSize(type.getElementType(), layout);
  if (!size || !type.hasStaticShape())
    return std::nullopt;
  // A zero among the extents makes an empty buffer, however large the others.
  if (llvm::is_contained(type.getShape(), 0)) {
    size->sizeBytes = 0;
    return size;
  }
  for (int64_t extent : type.getShape()) {
    auto product = checkedMul(size->sizeBytes, extent);
    if (!product)
      return std::nullopt;
    size->sizeBytes = *product;
  }
  return size;
}

} // namespace tpu_mlir
