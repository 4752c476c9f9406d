//===- TickOracle.cpp - A simple planner to compare with ------------------===//
//
// One interval for each buffer and an online planner; merge-alloc must not
// need more bytes.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/Memref/MergeAlloc/TickOracle.h"

#include "tpu_mlir/Analysis/Memref/Liveness.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir {

namespace {

constexpr int64_t kAlignment = 64;

struct Life {
  int64_t first = -1;
  int64_t last = -1;
  bool isTraceable = true;

  void touch(int64_t from, int64_t to) {
    first = first < 0 ? from : std::min(first, from);
    last = std::max(last, to);
  }
};

class Oracle {
public:
  explicit Oracle(Operation *function)
      : function(function), flow(function), ticks(function) {}

  OracleResult run() {
    function->walk([&](memref::AllocOp alloc) { lives[alloc] = {}; });
    function->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    function->walk([&](Operation *op) {
      if (op != function && op->getNumRegions() > 0)
        leave(op);
    });
    if (!result.refusal)
      plan();
    return result;
  }

private:
  SmallVector<Operation *> allocsOf(Value value) {
    SmallVector<Operation *> found;
    for (Value origin : flow.resolveReverse(value))
      if (auto alloc = origin.getDefiningOp<memref::AllocOp>())
        found.push_back(alloc);
    return found;
  }

  void visit(Operation *op) {
    if (isa<memref::AllocOp, memref::DeallocOp>(op))
      return;
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    bool takesAddress = isa<memref::ExtractAlignedPointerAsIndexOp,
                            memref::ExtractStridedMetadataOp>(op);
    bool leaves = op->hasTrait<OpTrait::ReturnLike>() &&
                  (op->getParentOp() == function ||
                   isa<LoopLikeOpInterface>(op->getParentOp()));
    bool yields = op->hasTrait<OpTrait::ReturnLike>();
    bool hasEffect = !isMemoryEffectFree(op);
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      if (view && !takesAddress && view.getViewSource() == operand)
        continue;
      for (Operation *alloc : allocsOf(operand)) {
        if (takesAddress || leaves)
          lives[alloc].isTraceable = false;
        else if (hasEffect || yields) {
          lives[alloc].touch(ticks.of(op), ticks.of(op));
          accesses[alloc].push_back(op);
        }
      }
    }
  }

  /// Accesses directly inside `op` only: what an inner op with regions touches
  /// is not passed on.
  void leave(Operation *op) {
    llvm::SetVector<Operation *> touched;
    for (auto &[alloc, ops] : accesses)
      for (Operation *access : ops)
        if (access->getParentOp() == op)
          touched.insert(alloc);
    if (touched.empty())
      return;
    if (!isa<RegionBranchOpInterface>(op)) {
      result.refusal = "regions of " + op->getName().getStringRef().str();
      return;
    }
    for (Operation *alloc : touched) {
      bool isOutside = !op->isAncestor(alloc) ||
                       llvm::any_of(accesses[alloc], [&](Operation *access) {
                         return !op->isAncestor(access);
                       });
      if (isOutside)
        lives[alloc].touch(ticks.of(op), ticks.range(op).end - 1);
    }
  }

  bool isMergeable(memref::AllocOp alloc) {
    auto wanted = alloc.getAlignment();
    return lives[alloc].isTraceable && alloc.getType().hasStaticShape() &&
           alloc.getType().getLayout().isIdentity() &&
           (!wanted || kAlignment % *wanted == 0);
  }

  /// nullptr: none of one block.
  Block *scopeOf(Operation *alloc) {
    for (Operation *op = alloc->getParentOp(); op; op = op->getParentOp())
      if (op == function ||
          (op->hasTrait<OpTrait::AutomaticAllocationScope>() &&
           !isa<scf::ForOp>(op)))
        return op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock()
                   ? &op->getRegion(0).front()
                   : nullptr;
    return nullptr;
  }

  void plan() {
    llvm::MapVector<std::pair<Block *, Attribute>, SmallVector<memref::AllocOp>>
        scopes;
    DataLayout layout = DataLayout::closest(function);
    function->walk<WalkOrder::PreOrder>([&](memref::AllocOp alloc) {
      auto size = memrefSize(alloc.getType(), layout);
      if (!size)
        return;
      if (!isMergeable(alloc)) {
        result.bytes += size->sizeBytes;
        return;
      }
      Block *scope = scopeOf(alloc);
      if (!scope) {
        result.refusal = "no scope of one block";
        return;
      }
      scopes[{scope, alloc.getType().getMemorySpace()}].push_back(alloc);
    });
    for (auto &[key, allocs] : scopes)
      planScope(allocs, layout);
  }

  void planScope(ArrayRef<memref::AllocOp> allocs, const DataLayout &layout) {
    planning::Problem problem;
    problem.pools.push_back({});
    for (memref::AllocOp alloc : allocs) {
      planning::Buffer buffer;
      buffer.sizeBytes =
          alignUp(memrefSize(alloc.getType(), layout)->sizeBytes, kAlignment);
      buffer.alignment = kAlignment;
      // What is never accessed has the tick -1.
      buffer.lifespans = {{lives[alloc].first + 1, lives[alloc].last + 2}};
      problem.buffers.push_back(buffer);
    }
    std::optional<int64_t> lowest;
    for (const char *name : {"static-chunks", "static-chunks-size-first"}) {
      planning::SolveOptions options;
      options.strategy = name;
      auto solved = planning::solve(problem, options);
      const auto &plan = std::get<planning::Plan>(solved);
      if (!lowest || plan.pools[0].usedBytes < *lowest)
        lowest = plan.pools[0].usedBytes;
      result.isWrong |= isWrong(allocs, problem, plan);
    }
    result.bytes += *lowest;
  }

  bool isWrong(ArrayRef<memref::AllocOp> allocs,
               const planning::Problem &problem, const planning::Plan &plan) {
    DominanceInfo dominance(function);
    MemrefLiveness liveness(ticks, flow);
    std::vector<std::vector<Interval>> exact;
    for (memref::AllocOp alloc : allocs) {
      MemrefUses uses = collectUses(alloc.getResult(), flow, ticks, dominance);
      if (uses.escape)
        return true;
      exact.push_back(liveness.life(alloc.getResult(), uses));
    }
    auto bytesOf = [&](size_t id) {
      int64_t at = plan.placements[id].offsetBytes;
      return Interval{at, at + problem.buffers[id].sizeBytes};
    };
    for (size_t a = 0; a < allocs.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (bytesOf(a).overlaps(bytesOf(b)) && anyOverlap(exact[a], exact[b]) &&
            !insideMutuallyExclusiveRegions(allocs[a], allocs[b]))
          return true;
    return false;
  }

  Operation *function;
  BufferViewFlowAnalysis flow;
  OpTicks ticks;
  DenseMap<Operation *, Life> lives;
  llvm::MapVector<Operation *, SmallVector<Operation *>> accesses;
  OracleResult result;
};

} // namespace

OracleResult runTickOracle(Operation *function) {
  return Oracle(function).run();
}

int64_t allocatedBytes(Operation *function) {
  int64_t sum = 0;
  DataLayout layout = DataLayout::closest(function);
  function->walk([&](memref::AllocOp alloc) {
    if (auto size = memrefSize(alloc.getType(), layout))
      sum += size->sizeBytes;
  });
  return sum;
}

} // namespace tpu_mlir
