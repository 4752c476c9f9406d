//===- Flags.cpp - Pass ownership along as flags --------------------------===//
//
// Adds an i1 beside each phi whose ownership differs between edges.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Flags.h"

#include "lib/Transforms/Memref/DeallocateBuffers/Carriers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

Value Flags::constant(bool value) {
  Value &found = constants[value];
  if (!found) {
    builder.setInsertionPointToStart(&function->getRegion(0).front());
    found = arith::ConstantOp::create(builder, function->getLoc(),
                                      builder.getBoolAttr(value));
  }
  return found;
}

Value Flags::of(int root) {
  if (plan.owned[root] != Owned::Sometimes)
    return constant(plan.owned[root] == Owned::Always);
  Operation *&found = standIns[root];
  if (!found) {
    builder.setInsertionPointToStart(&function->getRegion(0).front());
    found = UnrealizedConversionCastOp::create(
        builder, function->getLoc(), builder.getI1Type(), ValueRange());
  }
  return found->getResult(0);
}

void Flags::replace(RootOrNobody root, Value flag) {
  if (!root)
    return;
  auto found = standIns.find(*root);
  if (found == standIns.end())
    return;
  found->second->getResult(0).replaceAllUsesWith(flag);
  found->second->erase();
  standIns.erase(found);
}

/// What the edge hands to the phis of `column`.
Value Flags::flagOn(int edge, ArrayRef<int> column) const {
  for (int root : column)
    for (int pass : owners.passedTo(root)) {
      const PassedOperand &passed = owners.passed[pass];
      for (auto [at, target] : llvm::zip(passed.edges, passed.targets))
        if (at == edge && target == root)
          return handed.lookup(pass);
    }
  return nullptr;
}

void Flags::addToBlock(int root, const Splits &splits) {
  Value phi = owners.roots[root].value;
  Block *block = cast<BlockArgument>(phi).getOwner();
  for (int number : graph.node(graph.definition(phi).node).in) {
    const ControlEdge &edge = graph.edge(number);
    Value flag = flagOn(number, root);
    if (!flag)
      flag = constant(false); // Nobody comes that way.
    if (auto split = splits.find(number); split != splits.end())
      cf::BranchOp(split->second).getDestOperandsMutable().append(flag);
    else
      cast<BranchOpInterface>(edge.via)
          .getSuccessorOperands(*edge.successor)
          .append(flag);
  }
  blockFlags[root] = block->addArgument(builder.getI1Type(), phi.getLoc());
}

/// All phis that get the same operands.
std::vector<int> Flags::columnOf(int root) const {
  llvm::SetVector<int> column;
  column.insert(root);
  for (size_t i = 0; i < column.size(); ++i)
    for (int pass : owners.passedTo(column[i]))
      column.insert_range(owners.passed[pass].targets);
  return {column.begin(), column.end()};
}

/// The loop's values at its start, in its body and at its end are the same in
/// number, whichever of them control flow leads to.
static bool tiesAll(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  return loop && op->getNumRegions() == 1 && op->getNumResults() > 0 &&
         loop.getInits().size() == op->getNumResults() &&
         loop.getRegionIterArgs().size() == op->getNumResults();
}

/// Where a loop is known to run once, say, control flow leads to the argument
/// of its body by one way and to its result by another: each gets the flag.
void Flags::completeLoop(Operation *loop, Additions &here,
                         const llvm::DenseSet<Operation *> &seen) {
  size_t count = std::max(here.arguments.size(), here.results.size());
  here.arguments.resize(count);
  here.results.resize(count);
  if (!seen.contains(loop))
    here.operands[loop].push_back(constant(false));
  for (Block &block : loop->getRegion(0))
    if (block.back().getNumSuccessors() == 0 && !seen.contains(&block.back()))
      here.operands[&block.back()].push_back(constant(false));
}

void Flags::collectColumn(const std::vector<int> &column) {
  Value first = owners.roots[column.front()].value;
  Operation *op = first.getDefiningOp() ? first.getDefiningOp()
                                        : first.getParentBlock()->getParentOp();
  Additions &here = additions[op];
  llvm::DenseSet<Operation *> seen;
  for (int root : column) {
    Value phi = owners.roots[root].value;
    (isa<BlockArgument>(phi) ? here.arguments : here.results).push_back(root);
    for (int number : graph.node(graph.definition(phi).node).in) {
      Operation *via = graph.edge(number).via;
      if (!seen.insert(via).second)
        continue;
      Value flag = flagOn(number, column);
      here.operands[via].push_back(flag ? flag : constant(false));
    }
  }
  if (tiesAll(op))
    completeLoop(op, here, seen);
}

/// The same op with more results.
void Flags::rebuild(Operation *op, ArrayRef<RootOrNobody> results) {
  Operation *made = cloneWithMoreResults(builder, op, results.size());
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
    to.takeBody(from);
  unsigned count = op->getNumResults();
  op->replaceAllUsesWith(made->getResults().take_front(count));
  for (auto [index, root] : llvm::enumerate(results))
    replace(root, made->getResult(count + index));
  op->erase();
}

void Flags::connect(const Splits &splits) {
  llvm::DenseSet<int> done;
  for (int i = 0; i < static_cast<int>(owners.roots.size()); ++i) {
    const Root &root = owners.roots[i];
    if (!root.managed || plan.owned[i] != Owned::Sometimes || done.contains(i))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(root.value);
        argument && !argument.getOwner()->isEntryBlock()) {
      addToBlock(i, splits);
      continue;
    }
    std::vector<int> column = columnOf(i);
    done.insert_range(column);
    collectColumn(column);
  }
  for (auto &[op, more] : additions)
    for (auto &[via, flags] : more.operands)
      appendOperands(via, flags);
  for (auto [root, flag] : blockFlags)
    replace(root, flag);
  for (auto &[op, more] : additions) {
    for (RootOrNobody root : more.arguments) {
      Value phi = root ? owners.roots[*root].value : Value();
      Block *block = phi ? phi.getParentBlock() : &op->getRegion(0).front();
      replace(root, block->addArgument(builder.getI1Type(), op->getLoc()));
    }
    if (!more.results.empty())
      rebuild(op, more.results);
  }
  for (Value constant : constants)
    if (constant && constant.use_empty())
      constant.getDefiningOp()->erase();
}

} // namespace tpu_mlir::deallocation
