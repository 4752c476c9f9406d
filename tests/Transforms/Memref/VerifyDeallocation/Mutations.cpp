//===- Mutations.cpp - Break correct programs -----------------------------===//
//
// Drops, doubles and moves deallocations and copies.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/Memref/VerifyDeallocation/Mutations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace tpu_mlir {

const char *nameOf(Mistake mistake) {
  switch (mistake) {
  case Mistake::Forget:
    return "forget";
  case Mistake::Repeat:
    return "repeat";
  case Mistake::Early:
    return "early";
  case Mistake::Late:
    return "late";
  case Mistake::Other:
    return "other";
  }
  return "";
}

static size_t below(size_t bound, std::mt19937 &random) {
  return random() % bound;
}

/// Up by one op or more, as far as the buffer is there.
static bool moveUp(memref::DeallocOp dealloc, std::mt19937 &random) {
  SmallVector<Operation *> above;
  Operation *definition = dealloc.getMemref().getDefiningOp();
  for (Operation *op = dealloc->getPrevNode(); op && op != definition;
       op = op->getPrevNode())
    above.push_back(op);
  if (above.empty())
    return false;
  dealloc->moveBefore(above[below(above.size(), random)]);
  return true;
}

static bool moveDown(memref::DeallocOp dealloc) {
  Operation *end = dealloc->getBlock()->getTerminator();
  if (dealloc->getNextNode() == end)
    return false;
  dealloc->moveBefore(end);
  return true;
}

static bool freeOther(memref::DeallocOp dealloc, std::mt19937 &random) {
  auto function = dealloc->getParentOfType<func::FuncOp>();
  DominanceInfo dominance(function);
  SmallVector<Value> others;
  auto add = [&](Value value) {
    if (isa<MemRefType>(value.getType()) && value != dealloc.getMemref() &&
        dominance.properlyDominates(value, dealloc))
      others.push_back(value);
  };
  for (Value argument : function.getArguments())
    add(argument);
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      add(result);
  });
  if (others.empty())
    return false;
  dealloc->setOperand(0, others[below(others.size(), random)]);
  return true;
}

static void repeat(memref::DeallocOp dealloc, std::mt19937 &random) {
  Operation *again = dealloc->clone();
  Operation *end = dealloc->getBlock()->getTerminator();
  OpBuilder builder(below(2, random) ? dealloc->getNextNode() : end);
  builder.insert(again);
}

bool mutate(ModuleOp module, Mistake mistake, std::mt19937 &random) {
  SmallVector<memref::DeallocOp> deallocs;
  module.walk([&](memref::DeallocOp op) { deallocs.push_back(op); });
  if (deallocs.empty())
    return false;
  memref::DeallocOp dealloc = deallocs[below(deallocs.size(), random)];
  switch (mistake) {
  case Mistake::Forget:
    dealloc.erase();
    return true;
  case Mistake::Repeat:
    repeat(dealloc, random);
    return true;
  case Mistake::Early:
    return moveUp(dealloc, random);
  case Mistake::Late:
    return moveDown(dealloc);
  case Mistake::Other:
    return freeOther(dealloc, random);
  }
  return false;
}

} // namespace tpu_mlir
