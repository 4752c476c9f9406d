//===- PromoteToStack.cpp - Replace small allocations by stack memory -----===//
//
// The pass: an allocation is promoted if it is small, its memory may be the
// stack's, and it dies before the stack shrinks.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Transforms/PromoteToStack.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/BufferPass.h"
#include "tpu_mlir/Analysis/Memref/Nests.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "llvm/ADT/SCCIterator.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_PROMOTETOSTACK
#include "lib/Transforms/Memref/PromoteToStack/PromoteToStack.h.inc"

namespace {

/// Blocks that are executed at most once for each execution of their region.
class OnceBlocks {
public:
  bool contains(Block *block) {
    Region *region = block->getParent();
    if (region->hasOneBlock())
      return true;
    if (seen.insert(region).second)
      collect(region);
    return once.contains(block);
  }

private:
  /// What cannot be reached is in no component, and so not among them.
  void collect(Region *region) {
    for (auto component = llvm::scc_begin(region); !component.isAtEnd();
         ++component)
      if (!component.hasCycle())
        once.insert(component->front());
  }

  DenseSet<Region *> seen;
  DenseSet<Block *> once;
};

class PromoteToStackPass
    : public BufferPass<impl::PromoteToStackBase<PromoteToStackPass>> {
public:
  using BufferPass::BufferPass;

  LogicalResult initialize(MLIRContext *context) override {
    Location location = UnknownLoc::get(context);
    return success(
        succeeded(checkAtLeast(location, "max-bytes", maxBytes, 0)) &&
        succeeded(checkAtLeast(location, "max-rank", maxRank, 0)));
  }

  void runOnOperation() override;

private:
  void promoteIn(func::FuncOp function, const CallSummaries &calls);
  bool isSmall(memref::AllocOp alloc, const DataLayout &layout) const;
};

} // namespace

bool PromoteToStackPass::isSmall(memref::AllocOp alloc,
                                 const DataLayout &layout) const {
  MemRefType type = alloc.getType();
  if (!type.hasStaticShape())
    return type.getRank() <= maxRank &&
           llvm::all_of(alloc.getDynamicSizes(), [](Value size) {
             return size.getDefiningOp<memref::RankOp>() != nullptr;
           });
  auto size = memrefSize(type, layout);
  return size && type.getLayout().isIdentity() && size->sizeBytes <= maxBytes;
}

/// A memory that was asked for by name is not the stack, unless the target or
/// the name itself says so; threads may share it.
static bool isMemoryOfStack(MemRefType type, const DataLayout &layout) {
  Attribute space = type.getMemorySpace();
  auto named = dyn_cast_if_present<gpu::AddressSpaceAttr>(space);
  return !space || space == layout.getAllocaMemorySpace() ||
         (named && named.getValue() == gpu::AddressSpace::Private);
}

/// An op that makes the alloc run more than once, or nobody knows how often,
/// before the stack shrinks.
class Repeats {
public:
  explicit Repeats(func::FuncOp function)
      : nest(function, nullptr, [this](Operation *around, Region &region) {
          Operation *op = region.getParentOp();
          if (isa<func::FuncOp, memref::AllocaScopeOp>(op))
            return static_cast<Operation *>(nullptr);
          return isOpaque(op) || isLoop(op) ? op : inBlockOf(op, around);
        }) {}

  /// nullptr: it runs once.
  Operation *of(memref::AllocOp alloc) {
    return inBlockOf(alloc, nest.around(alloc));
  }

private:
  Operation *inBlockOf(Operation *op, Operation *around) {
    Block *block = op->getBlock();
    return once.contains(block) ? around : block->getTerminator();
  }

  OnceBlocks once;
  NestFact<Operation *> nest;
};

/// A terminator hands the buffer on under its own name: seen without all names
/// of the buffer, of which there are many in a long row of branches.
static bool isHandedOnAtOnce(memref::AllocOp alloc) {
  return llvm::any_of(alloc->getUsers(), endsBlock);
}

/// A terminator that hands the buffer on.
static Operation *handsOn(const MemrefUses &uses) {
  for (const MemrefForward &forward : uses.forwards)
    if (endsBlock(forward.op))
      return forward.op;
  return nullptr;
}

static std::string obstacle(memref::AllocOp alloc, const MemrefUses &uses,
                            Repeats &repeats) {
  if (!uses.deallocs.empty())
    return "it is freed";
  if (uses.escape)
    return describe(*uses.escape);
  if (Operation *op = handsOn(uses))
    return quoted(op) + " hands it on";
  if (Operation *op = repeats.of(alloc))
    return "it is allocated again and again in a loop, at " + quoted(op);
  return "";
}

/// Where it is, with all that is said of it: attributes of both ops mean the
/// same.
static void promote(memref::AllocOp alloc) {
  OpBuilder builder(alloc);
  auto alloca = memref::AllocaOp::create(
      builder, alloc.getLoc(), TypeRange(alloc.getType()), alloc->getOperands(),
      alloc->getAttrs());
  alloc.replaceAllUsesWith(alloca.getResult());
  alloc.erase();
}

void PromoteToStackPass::runOnOperation() {
  Operation *root = getOperation();
  CallSummaries calls(root);
  root->walk<WalkOrder::PreOrder>([&](func::FuncOp function) {
    promoteIn(function, calls);
    return WalkResult::skip();
  });
}

void PromoteToStackPass::promoteIn(func::FuncOp function,
                                   const CallSummaries &calls) {
  if (remarks)
    remarkOtherAllocs(function, "buffer stays on the heap");
  SmallVector<memref::AllocOp> allocs;
  function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  if (allocs.empty())
    return;
  BufferViewFlowAnalysis flow(function);
  OpTicks ticks(function);
  DominanceInfo dominance(function);
  DataLayout layout = DataLayout::closest(function);
  Repeats repeats(function);
  SmallVector<memref::AllocOp> small;
  for (memref::AllocOp alloc : allocs) {
    std::string why;
    if (!isSmall(alloc, layout))
      why = "it is not known to be small";
    else if (!isMemoryOfStack(alloc.getType(), layout))
      why = "its memory space is not that of the stack";
    else if (!remarks && isHandedOnAtOnce(alloc))
      continue;
    else
      why = obstacle(
          alloc, collectUses(alloc.getResult(), flow, ticks, dominance, &calls),
          repeats);
    if (why.empty())
      small.push_back(alloc);
    else if (remarks)
      emitRemark(alloc.getLoc()) << "buffer stays on the heap: " << why;
  }
  llvm::for_each(small, promote);
}

} // namespace tpu_mlir
