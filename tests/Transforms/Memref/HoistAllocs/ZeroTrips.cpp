//===- ZeroTrips.cpp - Account for loops that run zero times --------------===//
//
// Adds to a function what makes it allocate once for each idle loop, so that
// bytes can be compared before and after hoisting.
//
//===----------------------------------------------------------------------===//

#include "ZeroTrips.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tpu_mlir {

namespace {

/// A loop around an allocation: an op, or blocks.
struct Loop {
  Operation *op = nullptr;
  Region *region = nullptr; ///< Of `op`, with the allocation in it.
  CFGLoop *blocks = nullptr;
};

/// The loops of one module.
class Loops {
public:
  explicit Loops(ModuleOp module) {
    module.walk([&](memref::AllocOp alloc) {
      sites.push_back({alloc, around(alloc)});
    });
  }

  struct Site {
    memref::AllocOp alloc;
    std::vector<Loop> loops;
  };
  std::vector<Site> sites;

private:
  std::vector<Loop> around(Operation *op);
  CFGLoop *innermost(Block *block);

  DominanceInfo dominance;
  DenseMap<Region *, std::unique_ptr<CFGLoopInfo>> infos;
};

/// Writes into one function what makes it allocate for one idle loop.
class Marker {
public:
  explicit Marker(Operation *inside)
      : function(inside->getParentOfType<func::FuncOp>()),
        builder(OpBuilder::atBlockBegin(&function.getBody().front())),
        location(function.getLoc()) {
    flag = memref::AllocaOp::create(builder, location,
                                    MemRefType::get({}, builder.getI1Type()));
  }

  void set(Operation *before, bool value) {
    builder.setInsertionPoint(before);
    Value constant = arith::ConstantIntOp::create(builder, location,
                                                  builder.getI1Type(), value);
    memref::StoreOp::create(builder, location, constant, flag, ValueRange());
  }

  void allocateIf(bool value, Operation *before) {
    builder.setInsertionPoint(before);
    Value isSet = memref::LoadOp::create(builder, location, flag, ValueRange());
    auto branch = scf::IfOp::create(builder, location, isSet,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(value ? branch.thenBlock()
                                           : branch.elseBlock());
    // It has to be of use, or lowering takes it away.
    Value fresh = memref::AllocOp::create(builder, location,
                                          cast<MemRefType>(flag.getType()));
    memref::StoreOp::create(builder, location, isSet, fresh, ValueRange());
    Value same = memref::LoadOp::create(builder, location, fresh, ValueRange());
    memref::StoreOp::create(builder, location, same, flag, ValueRange());
    memref::DeallocOp::create(builder, location, fresh);
  }

  /// Lowering removes allocations that nothing reads: this one is needed.
  void keep(memref::AllocOp alloc) {
    builder.setInsertionPointAfter(alloc);
    auto address = memref::ExtractAlignedPointerAsIndexOp::create(
        builder, location, alloc.getResult());
    Value zero = arith::ConstantIndexOp::create(builder, location, 0);
    Value isNull = arith::CmpIOp::create(
        builder, location, arith::CmpIPredicate::eq, address, zero);
    Value old = memref::LoadOp::create(builder, location, flag, ValueRange());
    // No address is null: the flag stays as it is.
    Value same = arith::OrIOp::create(builder, location, old, isNull);
    memref::StoreOp::create(builder, location, same, flag, ValueRange());
  }

private:
  func::FuncOp function;
  OpBuilder builder;
  Location location;
  Value flag;
};

} // namespace

CFGLoop *Loops::innermost(Block *block) {
  Region *region = block->getParent();
  if (region->hasOneBlock())
    return nullptr;
  auto &info = infos[region];
  if (!info)
    info = std::make_unique<CFGLoopInfo>(dominance.getDomTree(region));
  return info->getLoopFor(block);
}

std::vector<Loop> Loops::around(Operation *op) {
  std::vector<Loop> result;
  for (; !isa<func::FuncOp>(op); op = op->getParentOp()) {
    for (CFGLoop *loop = innermost(op->getBlock()); loop;
         loop = loop->getParentLoop())
      result.push_back({nullptr, nullptr, loop});
    Operation *parent = op->getParentOp();
    if (isa<LoopLikeOpInterface>(parent))
      result.push_back({parent, op->getParentRegion(), nullptr});
  }
  return result;
}

static void markRegions(const Loop &loop) {
  Marker marker(loop.op);
  marker.set(loop.op, false);
  marker.set(&loop.region->front().front(), true);
  marker.allocateIf(false, loop.op->getNextNode());
}

static void markBlocks(const Loop &loop, Operation *alloc) {
  Marker marker(alloc);
  marker.set(alloc, true);
  Block *header = loop.blocks->getHeader();
  for (Block *from : header->getPredecessors())
    marker.set(from->getTerminator(), loop.blocks->contains(from));
  SmallVector<Block *> exiting;
  loop.blocks->getExitingBlocks(exiting);
  for (Block *from : exiting) {
    Operation *branch = from->getTerminator();
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
      Block *to = branch->getSuccessor(i);
      if (loop.blocks->contains(to))
        continue;
      auto *edge = new Block();
      edge->insertBefore(to);
      for (BlockArgument argument : to->getArguments())
        edge->addArgument(argument.getType(), argument.getLoc());
      branch->setSuccessor(edge, i);
      OpBuilder builder = OpBuilder::atBlockEnd(edge);
      marker.allocateIf(false, cf::BranchOp::create(builder, branch->getLoc(),
                                                    to, edge->getArguments()));
    }
  }
}

/// Where `alloc` was, in `block`, allocates from the second time on: what was
/// saved is not to make up for what an idle loop costs.
static void undoSaving(memref::AllocOp alloc, Block *block) {
  Marker marker(alloc);
  marker.set(alloc, false);
  marker.keep(alloc);
  Operation *end = block->getTerminator();
  marker.allocateIf(true, end);
  marker.set(end, true);
}

/// In the order of the text; moving ops without regions does not change it.
static std::vector<Block *> blocksOf(ModuleOp module) {
  std::vector<Block *> blocks;
  module.walk([&](Block *block) { blocks.push_back(block); });
  return blocks;
}

void allocateForIdleLoops(ModuleOp before, ModuleOp after) {
  DenseMap<Block *, Block *> nowOf;
  for (auto [then, now] : llvm::zip_equal(blocksOf(before), blocksOf(after)))
    nowOf[then] = now;
  Loops loopsBefore(before), loopsAfter(after);
  DenseMap<Location, Loops::Site *> siteOf;
  for (Loops::Site &site : loopsAfter.sites)
    siteOf[site.alloc.getLoc()] = &site;
  for (Loops::Site &site : loopsBefore.sites) {
    Loops::Site *now = siteOf.lookup(site.alloc.getLoc());
    if (!now || now->loops.size() == site.loops.size())
      continue;
    Marker(site.alloc).keep(site.alloc);
    undoSaving(now->alloc, nowOf[site.alloc->getBlock()]);
    // The loops that it left are the inner ones.
    for (size_t i = 0; i < site.loops.size() - now->loops.size(); ++i)
      if (site.loops[i].blocks)
        markBlocks(site.loops[i], site.alloc);
      else
        markRegions(site.loops[i]);
  }
}

} // namespace tpu_mlir
