//===- Uniformity.cpp - Prove what is equal for all threads ---------------===//
//
// A fixed point that starts from "everything is uniform" and marks what
// depends on a thread's id.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Gpu/PackSharedMemory/Uniformity.h"

#include "lib/Analysis/DefinedValues.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/RegionFlow.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tpu_mlir::shared_memory {

/// The results are the same for all threads whose operands are the same.
static bool isFunctionOfOperands(Operation *op) {
  if (isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp, gpu::ClusterIdOp,
          gpu::ClusterDimOp, gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp,
          gpu::NumSubgroupsOp, gpu::SubgroupSizeOp, memref::DimOp,
          memref::CastOp, memref::GetGlobalOp>(op))
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::StringSwitch<bool>(op->getName().getDialectNamespace())
             .Cases({"arith", "index", "math", "complex", "affine"}, true)
             .Default(false);
}

/// Ops whose way through their regions depends on controlVaries() alone.
static bool hasKnownControl(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, affine::AffineForOp, affine::AffineIfOp,
             memref::AllocaScopeOp>(op) &&
         !isOpaque(op);
}

/// Some region has a barrier that is executed whenever the region is.
static bool hasBarrier(Operation *op) {
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return region.hasOneBlock() &&
           !region.front().getOps<gpu::BarrierOp>().empty();
  });
}

Uniformity::Uniformity(Operation *kernel) : kernel(kernel) {
  if (auto launch = dyn_cast<gpu::LaunchOp>(kernel)) {
    gpu::KernelDim3 ids = launch.getThreadIds();
    for (Value id : {ids.x, ids.y, ids.z})
      varying.insert(id);
  }
  // Sets that only grow: the first round in which nothing is new is the last.
  do {
    changed = false;
    kernel->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  } while (changed);
}

Operation *Uniformity::divergentAround(Operation *op) const {
  Operation *found = nullptr;
  for (; op != kernel; op = op->getParentOp())
    if (isDivergent(op))
      found = op;
  return found;
}

bool Uniformity::anyVaries(ValueRange values) const {
  return llvm::any_of(values, [&](Value v) { return varying.contains(v); });
}

void Uniformity::visit(Operation *op) {
  if (op == kernel) {
    if (branchesVary(op->getRegion(0)))
      markDivergent(op);
    return visitRegions(op);
  }
  if (op->getNumRegions() > 0)
    return visitControl(op);
  if (!isFunctionOfOperands(op) || anyVaries(op->getOperands()))
    for (Value result : op->getResults())
      mark(result);
}

void Uniformity::markDivergent(Operation *op) {
  changed |= divergent.insert(op).second;
  if (op == kernel)
    return;
  forEachDefined(op, [&](Value value) { mark(value); });
}

/// A branch between blocks of the region does not go the same way for all.
bool Uniformity::branchesVary(Region &region) const {
  for (Block &block : region) {
    if (block.empty() || block.back().getNumSuccessors() < 2)
      continue;
    Operation *last = &block.back();
    auto conditional = dyn_cast<cf::CondBranchOp>(last);
    auto multiway = dyn_cast<cf::SwitchOp>(last);
    if (!conditional && !multiway)
      return true;
    if (varying.contains(conditional ? conditional.getCondition()
                                     : multiway.getFlag()))
      return true;
  }
  return false;
}

bool Uniformity::controlVaries(Operation *op) const {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return anyVaries(
        {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return varying.contains(loop.getConditionOp().getCondition());
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return varying.contains(branch.getCondition());
  // Of the others all operands count.
  return anyVaries(op->getOperands());
}

void Uniformity::visitControl(Operation *op) {
  if (!hasKnownControl(op) || llvm::any_of(op->getRegions(), [&](Region &r) {
        return branchesVary(r);
      }))
    return markDivergent(op);
  if (controlVaries(op) && !hasBarrier(op))
    return markDivergent(op);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (anyVaries({loop.getLowerBound(), loop.getStep()}))
      mark(loop.getInductionVar());
  } else if (auto affineLoop = dyn_cast<affine::AffineForOp>(op)) {
    if (anyVaries(op->getOperands()))
      mark(affineLoop.getInductionVar());
  }
  forward(op);
  visitRegions(op);
}

/// What regions hand on to each other and to the results.
void Uniformity::forward(Operation *op) {
  auto branch = cast<RegionBranchOpInterface>(op);
  auto pass = [&](OperandRange from, ValueRange to) {
    for (auto [index, input] : llvm::enumerate(to))
      if (index >= from.size() || varying.contains(from[index]))
        mark(input);
  };
  forEachRegionFlow(branch, [&](Region *from, RegionSuccessor to) {
    if (!from)
      return pass(branch.getEntrySuccessorOperands(to),
                  to.getSuccessorInputs());
    for (Block &block : *from)
      if (auto last = dyn_cast<RegionBranchTerminatorOpInterface>(block.back()))
        pass(last.getSuccessorOperands(to), to.getSuccessorInputs());
  });
}

/// What blocks hand on to each other.
void Uniformity::visitRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      auto branch = block.empty() ? BranchOpInterface()
                                  : dyn_cast<BranchOpInterface>(block.back());
      for (auto [index, successor] : llvm::enumerate(block.getSuccessors()))
        for (BlockArgument argument : successor->getArguments()) {
          Value operand =
              branch
                  ? branch.getSuccessorOperands(index)[argument.getArgNumber()]
                  : Value();
          if (!operand || varying.contains(operand))
            mark(argument);
        }
    }
}

} // namespace tpu_mlir::shared_memory
