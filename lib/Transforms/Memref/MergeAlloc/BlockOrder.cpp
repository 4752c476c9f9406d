//===- BlockOrder.cpp - Find what ops on memrefs have to come after -------===//
//
// What each op does to which memory, by its effects and those of all inside;
// from that the ops that have to come before it; and the moving of ops.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/MergeAlloc/BlockOrder.h"

#include "lib/Analysis/Memref/Sharing/SharingPairs.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/InPlace.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir::merging {

using namespace ordering;

namespace {

/// What an op does to memory: to which allocation, null standing for all that
/// the function did not allocate, and whether it writes there.
struct Touches {
  /// Nobody knows what else.
  bool isUnknown = false;
  llvm::MapVector<Operation *, bool> writes;
};

/// Where the storage of a name may come from: allocations, null as above.
struct Origins {
  bool isUnknown = false;
  SmallVector<Operation *, 2> allocations;
};

class EffectFinder {
public:
  EffectFinder(Block &block, const BufferViewFlowAnalysis &flow)
      : block(block), flow(flow) {}
  /// Of the op and all that is inside.
  Touches touchesOf(Operation *op);

private:
  void addOwn(Touches &touches, Operation *op);
  const Origins &originsOf(Value memref);
  bool add(Origins &origins, Value origin) const;

  Block &block;
  const BufferViewFlowAnalysis &flow;
  llvm::DenseMap<Value, Origins> known;
};

class Builder {
public:
  Builder(Block &block, ArrayRef<TickBuffer> buffers,
          const BufferViewFlowAnalysis &flow, bool inPlace)
      : block(block), buffers(buffers), inPlace(inPlace), effects(block, flow) {
  }
  BlockOrder run();

private:
  void addTensors();
  void addDependencies(int number, const Touches &touches);
  void addMadeBefore(Operation *op, llvm::SmallSetVector<int, 8> &before);
  void addUses(int number, const Touches &touches);
  void addInPlace(int number);

  /// Since the last op that wrote there.
  struct Storage {
    std::optional<int> writer;
    SmallVector<int, 4> readers;
  };
  Block &block;
  ArrayRef<TickBuffer> buffers;
  bool inPlace;
  EffectFinder effects;
  BlockOrder result;
  llvm::DenseMap<Operation *, int> numbers;
  llvm::DenseMap<Operation *, int> tensors; ///< By allocation.
  llvm::DenseMap<Operation *, Storage> storages;
  /// The last op of unknown effects, and those after it that are not.
  std::optional<int> lastUnknown;
  SmallVector<int> sinceUnknown;
};

} // namespace

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

static bool isAllocation(Operation *op) {
  return isa<memref::AllocOp, memref::AllocaOp>(op);
}

/// Says that it has no effects, and yet something of unknown type comes out of
/// memory.
static bool hidesMemory(Operation *op) {
  const auto isMemref = [](Type type) { return isa<BaseMemRefType>(type); };
  return llvm::any_of(op->getOperandTypes(), isMemref) &&
         llvm::any_of(op->getResultTypes(), [&](Type type) {
           return !isMemref(type) && !isPlainType(type);
         });
}

/// It does nothing but make its results, whenever it runs. What is on the stack
/// may have a last moment that nobody knows of: it is not moved so easily.
static bool goesAlong(Operation *op) {
  return isa<memref::AllocOp>(op) ||
         (op->getNumRegions() == 0 && isPure(op) && !hidesMemory(op));
}

/// What comes after it may never run: a loop that does not count, or blocks.
static bool mayNotEnd(Operation *op) {
  const auto isOfBlocks = [](Region &region) {
    return !region.empty() && !region.hasOneBlock();
  };
  if (llvm::any_of(op->getRegions(), isOfBlocks))
    return true;
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  return isLoop(op) && !(loop && loop.getLoopInductionVars());
}

/// False where nothing is known of what `origin` is.
bool EffectFinder::add(Origins &origins, Value origin) const {
  Operation *op = origin.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(origin);
  if (op && isAllocation(op))
    origins.allocations.push_back(op);
  else if ((argument && argument.getOwner() == &block) ||
           isa_and_nonnull<memref::GetGlobalOp>(op))
    origins.allocations.push_back(nullptr);
  else
    return false;
  return true;
}

const Origins &EffectFinder::originsOf(Value memref) {
  auto [slot, isNew] = known.try_emplace(memref);
  Origins &origins = slot->second;
  if (!isNew || add(origins, stripViews(memref)))
    return origins;
  for (Value name : flow.resolveReverse(memref))
    if (!add(origins, name) &&
        (mayBeAnyBuffer(name) || flow.mayBeTerminalBuffer(name)))
      origins.isUnknown = true;
  origins.isUnknown |= origins.allocations.empty();
  return origins;
}

/// Without what is inside.
void EffectFinder::addOwn(Touches &touches, Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (hidesMemory(op) || isAsynchronous(op) || mayNotEnd(op) ||
      (!interface && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())) {
    touches.isUnknown = true;
    return;
  }
  if (!interface)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (isAllocation(op) && isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    Value value = effect.getValue();
    if (!value || !isa<BaseMemRefType>(value.getType()) ||
        effect.getResource() != SideEffects::DefaultResource::get()) {
      touches.isUnknown = true;
      continue;
    }
    const Origins &origins = originsOf(value);
    touches.isUnknown |= origins.isUnknown;
    for (Operation *allocation : origins.allocations)
      touches.writes[allocation] |=
          !isa<MemoryEffects::Read>(effect.getEffect());
  }
}

Touches EffectFinder::touchesOf(Operation *op) {
  Touches touches;
  op->walk([&](Operation *inner) { addOwn(touches, inner); });
  return touches;
}

//===----------------------------------------------------------------------===//
// What comes before what
//===----------------------------------------------------------------------===//

/// What makes the operands of `op`, through ops that go along.
void Builder::addMadeBefore(Operation *op,
                            llvm::SmallSetVector<int, 8> &before) {
  llvm::SmallSetVector<Operation *, 8> open;
  open.insert(op);
  for (size_t at = 0; at < open.size(); ++at)
    open[at]->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *made = operand.getDefiningOp();
        made = made ? block.findAncestorOpInBlock(*made) : nullptr;
        if (!made || made == op)
          continue;
        if (auto found = numbers.find(made); found != numbers.end())
          before.insert(found->second);
        else
          open.insert(made);
      }
    });
}

void Builder::addDependencies(int number, const Touches &touches) {
  llvm::SmallSetVector<int, 8> before;
  addMadeBefore(result.ops[number], before);
  if (lastUnknown)
    before.insert(*lastUnknown);
  if (touches.isUnknown) {
    before.insert(sinceUnknown.begin(), sinceUnknown.end());
    sinceUnknown.clear();
    storages.clear();
    lastUnknown.emplace(number);
  } else {
    sinceUnknown.push_back(number);
    for (auto [allocation, writes] : touches.writes) {
      Storage &storage = storages[allocation];
      if (storage.writer)
        before.insert(*storage.writer);
      if (!writes) {
        storage.readers.push_back(number);
        continue;
      }
      before.insert(storage.readers.begin(), storage.readers.end());
      storage = {number, {}};
    }
  }
  before.remove(number);
  // Origins come in no order.
  std::vector<int> &after = result.problem.ops[number].after;
  after.assign(before.begin(), before.end());
  llvm::sort(after);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void Builder::addTensors() {
  for (const TickBuffer &buffer : buffers) {
    tensors[buffer.alloc] = static_cast<int>(result.problem.tensors.size());
    result.problem.tensors.push_back(
        {checkedAlignUp(buffer.sizeBytes, buffer.alignment)
             .value_or(buffer.sizeBytes),
         {},
         {},
         /*fromStart=*/false,
         /*toEnd=*/false});
  }
}

/// What is not known counts as a write of all that the op can see. To free is
/// no use: what is merged is not freed by itself.
void Builder::addUses(int number, const Touches &touches) {
  if (isa<memref::DeallocOp>(result.ops[number]))
    return;
  const auto add = [&](Operation *allocation, bool writes) {
    auto found = tensors.find(allocation);
    if (found == tensors.end())
      return;
    Tensor &tensor = result.problem.tensors[found->second];
    (writes ? tensor.writers : tensor.readers).push_back(number);
  };
  for (auto [allocation, writes] : touches.writes)
    add(allocation, writes);
  result.ops[number]->walk([&](Operation *inner) {
    if (isAllocation(inner))
      add(inner, true);
    if (touches.isUnknown)
      for (Value operand : inner->getOperands())
        if (isa<BaseMemRefType>(operand.getType()))
          add(stripViews(operand).getDefiningOp(), true);
  });
}

void Builder::addInPlace(int number) {
  Operation *op = result.ops[number];
  const auto tensorOf = [&](Value operand) {
    Operation *origin = isa<BaseMemRefType>(operand.getType())
                            ? stripViews(operand).getDefiningOp()
                            : nullptr;
    auto found = tensors.find(origin);
    return found == tensors.end() ? -1 : found->second;
  };
  for (Value dying : op->getOperands())
    for (Value made : op->getOperands()) {
      const int from = tensorOf(dying), to = tensorOf(made);
      if (from >= 0 && to >= 0 && from != to &&
          sharing::mayMeetInPlace(op, dying, made))
        result.problem.ops[number].inPlace.push_back({from, to});
    }
}

BlockOrder Builder::run() {
  addTensors();
  for (Operation &op : block.without_terminator()) {
    if (goesAlong(&op))
      continue;
    const int number = static_cast<int>(result.ops.size());
    numbers[&op] = number;
    result.ops.push_back(&op);
    result.problem.ops.emplace_back();
    const Touches touches = effects.touchesOf(&op);
    addDependencies(number, touches);
    addUses(number, touches);
    if (inPlace)
      addInPlace(number);
  }
  // What is only read is there with its first reader.
  for (Tensor &tensor : result.problem.tensors)
    if (tensor.writers.empty())
      tensor.writers = tensor.readers;
  return std::move(result);
}

BlockOrder makeBlockOrder(Block &block, ArrayRef<TickBuffer> buffers,
                          const BufferViewFlowAnalysis &flow, bool inPlace) {
  return Builder(block, buffers, flow, inPlace).run();
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

/// Each memref.dealloc right after the last op that it has to come after.
static Order freeEarly(const BlockOrder &block, Order order) {
  std::vector<int> places(order.size());
  for (auto [place, number] : llvm::enumerate(order)) {
    places[number] = static_cast<int>(place);
    if (!isa<memref::DeallocOp>(block.ops[number]))
      continue;
    places[number] = -1;
    for (int before : block.problem.ops[number].after)
      places[number] = std::max(places[number], places[before]);
  }
  llvm::stable_sort(order, [&](int a, int b) { return places[a] < places[b]; });
  return order;
}

/// What goes along comes right before the first op that needs it, what nobody
/// needs stays at the end.
void applyOrder(const BlockOrder &block, const Order &order) {
  if (order.empty())
    return;
  Block *body = block.ops.front()->getBlock();
  Operation *end = body->getTerminator();
  llvm::DenseSet<Operation *> waiting;
  for (Operation &op : body->without_terminator())
    waiting.insert(&op);
  SmallVector<Operation *> open;
  // Operands first; an op is looked at again once they are there.
  const auto place = [&](Operation *first) {
    open.push_back(first);
    while (!open.empty()) {
      Operation *op = open.back();
      const size_t count = open.size();
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *made = operand.getDefiningOp();
          made = made ? body->findAncestorOpInBlock(*made) : nullptr;
          if (made && made != op && waiting.contains(made))
            open.push_back(made);
        }
      });
      if (open.size() > count)
        continue;
      open.pop_back();
      if (waiting.erase(op))
        op->moveBefore(end);
    }
  };
  std::vector<Operation *> text;
  for (Operation &op : body->without_terminator())
    text.push_back(&op);
  for (int number : freeEarly(block, order))
    place(block.ops[number]);
  for (Operation *op : text)
    if (waiting.contains(op))
      place(op);
}

} // namespace tpu_mlir::merging
