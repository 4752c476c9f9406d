//===- NaiveMerge.cpp - Merging of buffers, right and wrong ---------------===//

#include "tests/exec/jit/NaiveMerge.h"

#include "tests/exec/jit/harness/JitHarness.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

using Loops = NaiveMergeOptions::Loops;

bool isParallel(Operation *op) {
  return isa<scf::ForallOp, scf::ParallelOp>(op);
}

/// Inclusive.
struct Life {
  int64_t first = INT64_MAX;
  int64_t last = -1;
  void include(int64_t from, int64_t to) {
    first = std::min(first, from);
    last = std::max(last, to);
  }
};

struct Slot {
  memref::AllocOp alloc;
  SmallVector<memref::DeallocOp> deallocs;
  Life life;
  int64_t sizeBytes = 0;
  int64_t offset = 0;
};

class NaiveMerge {
public:
  NaiveMerge(func::FuncOp function, const NaiveMergeOptions &options,
             uint64_t seed)
      : function(function), options(options), seed(seed) {}
  int run();

private:
  bool wanted(memref::AllocOp alloc) const;
  bool trace(Slot &slot) const;
  bool traceUse(Slot &slot, OpOperand &use,
                SmallVectorImpl<Value> &aliases) const;
  void access(Slot &slot, Operation *op) const;
  bool conflict(const Slot &left, const Slot &right) const;
  int64_t place();
  void overlapPair();
  void rewrite(int64_t totalBytes);

  func::FuncOp function;
  const NaiveMergeOptions &options;
  uint64_t seed;
  DenseMap<Operation *, Life> extents;
  std::vector<Slot> slots;
};

bool NaiveMerge::wanted(memref::AllocOp alloc) const {
  MemRefType type = alloc.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !elementBytes(type.getElementType()))
    return false;
  for (Operation *op = alloc->getParentOp(); op != function;
       op = op->getParentOp())
    if (isParallel(op) && options.knowsThreads)
      return false;
  return true;
}

/// An access counts for the whole of what may run it again.
void NaiveMerge::access(Slot &slot, Operation *op) const {
  Region *home = slot.alloc->getParentRegion();
  Life own = extents.lookup(op);
  slot.life.include(own.first, own.last);
  bool widened = false;
  for (Operation *at = op; at->getParentRegion() != home;
       at = at->getParentOp()) {
    Operation *parent = at->getParentOp();
    bool loop = isa<LoopLikeOpInterface>(parent) &&
                options.loops != Loops::None &&
                !(widened && options.loops == Loops::Innermost);
    bool blocks = !at->getParentRegion()->hasOneBlock() && options.knowsBlocks;
    if (!loop && !blocks && !isParallel(parent))
      continue;
    widened = widened || loop;
    Life extent = extents.lookup(parent);
    slot.life.include(extent.first, extent.last);
  }
  if (home->hasOneBlock() || !options.knowsBlocks)
    return;
  Operation *ancestor = home->findAncestorOpInRegion(*op);
  if (ancestor->getBlock() != slot.alloc->getBlock()) {
    Life extent = extents.lookup(home->getParentOp());
    slot.life.include(extent.first, extent.last);
  }
}

/// False if the buffer has to be left alone.
bool NaiveMerge::traceUse(Slot &slot, OpOperand &use,
                          SmallVectorImpl<Value> &aliases) const {
  Operation *op = use.getOwner();
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    slot.deallocs.push_back(dealloc);
    return use.get() == slot.alloc.getResult();
  }
  if (isa<ViewLikeOpInterface, memref::TransposeOp>(op)) {
    llvm::append_range(aliases, op->getResults());
    return true;
  }
  if (isa<arith::SelectOp>(op)) {
    if (options.followsSelect)
      aliases.push_back(op->getResult(0));
    return true;
  }
  if (isa<func::ReturnOp>(op))
    return false;
  bool yields =
      op->hasTrait<OpTrait::IsTerminator>() || isa<RegionBranchOpInterface>(op);
  if (yields && options.knowsYields)
    return false;
  if (isa<func::CallOp>(op)) {
    // What a call returns may be its argument.
    if (op->getNumResults() && options.knowsCalls)
      return false;
    if (!options.knowsCalls)
      return true;
  }
  access(slot, op);
  return true;
}

bool NaiveMerge::trace(Slot &slot) const {
  SmallVector<Value> aliases = {slot.alloc.getResult()};
  for (size_t i = 0; i < aliases.size(); ++i)
    for (OpOperand &use : aliases[i].getUses())
      if (!traceUse(slot, use, aliases))
        return false;
  return slot.life.last >= 0;
}

bool NaiveMerge::conflict(const Slot &left, const Slot &right) const {
  return left.life.first <= right.life.last &&
         right.life.first <= left.life.last;
}

/// First fit, in the order of first accesses.
int64_t NaiveMerge::place() {
  llvm::stable_sort(slots, [](const Slot &left, const Slot &right) {
    return left.life.first < right.life.first;
  });
  int64_t alignment = options.aligns ? 64 : 1, total = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    bool moved = true;
    while (moved) {
      moved = false;
      for (size_t j = 0; j < i; ++j) {
        Slot &mine = slots[i], &other = slots[j];
        if (conflict(mine, other) &&
            mine.offset < other.offset + other.sizeBytes &&
            other.offset < mine.offset + mine.sizeBytes) {
          mine.offset =
              llvm::alignTo(other.offset + other.sizeBytes, alignment);
          moved = true;
        }
      }
    }
    total = std::max(total, slots[i].offset + slots[i].sizeBytes);
  }
  return total;
}

void NaiveMerge::overlapPair() {
  SmallVector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < slots.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (slots[j].life.last > slots[i].life.first &&
          slots[i].life.last > slots[j].life.first)
        pairs.push_back({i, j});
  std::vector<Slot> pair;
  if (!pairs.empty()) {
    auto [left, right] = pairs[seed % pairs.size()];
    pair = {slots[left], slots[right]};
    pair[1].offset = pair[0].offset = 0;
  }
  slots = pair;
}

void NaiveMerge::rewrite(int64_t totalBytes) {
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&function.getBody().front());
  auto arena = memref::AllocOp::create(
      builder, function.getLoc(),
      MemRefType::get({totalBytes}, builder.getI8Type()),
      builder.getI64IntegerAttr(64));
  function.walk([&](func::ReturnOp end) {
    builder.setInsertionPoint(end);
    memref::DeallocOp::create(builder, end.getLoc(), arena);
  });
  for (Slot &slot : slots) {
    builder.setInsertionPoint(slot.alloc);
    Value offset = arith::ConstantIndexOp::create(builder, slot.alloc.getLoc(),
                                                  slot.offset);
    auto view = memref::ViewOp::create(builder, slot.alloc.getLoc(),
                                       slot.alloc.getType(), arena, offset,
                                       ValueRange());
    if (options.dropsDeallocs)
      for (memref::DeallocOp dealloc : slot.deallocs)
        dealloc.erase();
    slot.alloc.replaceAllUsesWith(view.getResult());
    slot.alloc.erase();
  }
}

int NaiveMerge::run() {
  int64_t tick = 0;
  function->walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      extents[op].include(tick, tick), ++tick;
    if (stage.isAfterAllRegions())
      extents[op].include(tick - 1, tick - 1);
  });
  function.walk([&](memref::AllocOp alloc) {
    Slot slot;
    slot.alloc = alloc;
    if (!wanted(alloc) || !trace(slot))
      return;
    int64_t bytes = *elementBytes(alloc.getType().getElementType());
    slot.sizeBytes = alloc.getType().getNumElements() * bytes;
    if (!options.fullSize)
      slot.sizeBytes = std::max(bytes, slot.sizeBytes - bytes);
    slots.push_back(slot);
  });
  int64_t total = place();
  if (options.overlapsOnePair) {
    overlapPair();
    total = 0;
    for (Slot &slot : slots)
      total = std::max(total, slot.sizeBytes);
  }
  if (slots.size() < 2)
    return 0;
  // Room for a buffer that is larger than its slot.
  rewrite(total + (options.fullSize ? 0 : 16));
  return static_cast<int>(slots.size());
}

} // namespace

int mergeNaively(func::FuncOp function, const NaiveMergeOptions &options,
                 uint64_t seed) {
  if (function.isDeclaration())
    return 0;
  return NaiveMerge(function, options, seed).run();
}

std::vector<std::pair<std::string, NaiveMergeOptions>> naiveMistakes() {
  std::vector<std::pair<std::string, NaiveMergeOptions>> mistakes;
  auto add = [&](const char *name, auto make) {
    NaiveMergeOptions options;
    make(options);
    mistakes.push_back({name, options});
  };
  using O = NaiveMergeOptions;
  add("overlap", [](O &o) { o.overlapsOnePair = true; });
  add("no-loops", [](O &o) { o.loops = Loops::None; });
  add("innermost-loop", [](O &o) { o.loops = Loops::Innermost; });
  add("no-blocks", [](O &o) { o.knowsBlocks = false; });
  add("no-select", [](O &o) { o.followsSelect = false; });
  add("no-yields", [](O &o) { o.knowsYields = false; });
  add("no-calls", [](O &o) { o.knowsCalls = false; });
  add("kept-dealloc", [](O &o) { o.dropsDeallocs = false; });
  add("small-slots", [](O &o) { o.fullSize = o.aligns = false; });
  add("shared-threads", [](O &o) { o.knowsThreads = false; });
  add("unaligned", [](O &o) { o.aligns = false; });
  return mistakes;
}

} // namespace tpu_mlir::jit
