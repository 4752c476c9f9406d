//===- CallersMemory.cpp - Plan the inputs and outputs of entries ---------===//
//
// Replaces memref arguments by allocations in pools when the option asks for
// it.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/AssignPools/CallersMemory.h"

#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::pools {

std::string argumentName(const CallTree &tree, BlockArgument argument) {
  std::string name = "arg" + std::to_string(argument.getArgNumber());
  if (auto named = argument.getLoc()->findInstanceOf<NameLoc>())
    name = named.getName().getValue().str();
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  const auto entries = llvm::count_if(
      tree.nodes(), [](const auto &entry) { return entry.second.isEntry; });
  return entries > 1 ? function.getName().str() + "/" + name : name;
}

static bool mayBePooled(BlockArgument argument, const FunctionFacts &facts) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  return type && type.hasStaticShape() && type.getLayout().isIdentity() &&
         !type.getMemorySpace() &&
         facts.arguments[argument.getArgNumber()].isTraced;
}

/// What is read may have been put there before; so may what is neither read nor
/// written, for whatever reason it is handed over.
static int64_t callersUse(const Accessors &accessors) {
  return (accessors.isRead || !accessors.isWritten ? kPutBefore : 0) |
         (accessors.isWritten ? kSeenAfterwards : 0);
}

PooledArguments::PooledArguments(const CallTree &tree, const AllFacts &facts) {
  llvm::DenseSet<Operation *> called;
  for (const auto &[function, node] : tree.nodes())
    for (func::CallOp call : node.calls)
      called.insert(tree.callee(call));
  for (const auto &[operation, node] : tree.nodes()) {
    auto own = facts.find(operation);
    if (!node.isEntry || own == facts.end() || called.contains(operation))
      continue;
    func::FuncOp function = node.function;
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    for (BlockArgument argument : function.getArguments()) {
      if (!mayBePooled(argument, own->second))
        continue;
      const Accessors &accessors =
          own->second.arguments[argument.getArgNumber()].accessors;
      auto alloc = memref::AllocOp::create(
          builder,
          NameLoc::get(builder.getStringAttr(argumentName(tree, argument)),
                       argument.getLoc()),
          cast<MemRefType>(argument.getType()));
      alloc->setAttr(kCallersUse,
                     builder.getI64IntegerAttr(callersUse(accessors)));
      argument.replaceAllUsesWith(alloc);
      all.push_back({function, argument.getArgNumber(), alloc});
    }
  }
}

void PooledArguments::keepPlanned(const PoolProblem &global) {
  llvm::DenseSet<Operation *> planned;
  for (const PoolAlloc *one : global.allocs) {
    memref::AllocOp alloc = one->alloc;
    planned.insert(alloc);
  }
  std::vector<One> kept;
  for (One &one : all)
    if (planned.contains(one.alloc)) {
      kept.push_back(one);
    } else {
      one.alloc.replaceAllUsesWith(one.function.getArgument(one.index));
      one.alloc.erase();
    }
  all = std::move(kept);
}

bool PooledArguments::contains(BlockArgument argument) const {
  return llvm::any_of(all, [&](const One &one) {
    return one.function == argument.getOwner()->getParentOp() &&
           one.index == argument.getArgNumber();
  });
}

void PooledArguments::undo() { keepPlanned(PoolProblem()); }

void PooledArguments::finish() {
  llvm::MapVector<Operation *, llvm::BitVector> gone;
  for (One &one : all) {
    llvm::BitVector &arguments = gone[one.function];
    arguments.resize(one.function.getNumArguments());
    arguments.set(one.index);
  }
  // A func.func takes arguments of any type, and so less of them.
  for (auto &[function, arguments] : gone)
    (void)cast<func::FuncOp>(function).eraseArguments(arguments);
}

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

static Pool callersPool(const std::vector<Pool> &others) {
  Pool pool;
  pool.name = "io";
  while (llvm::any_of(
      others, [&](const Pool &other) { return other.name == pool.name; }))
    pool.name += "_";
  pool.isCallers = true;
  return pool;
}

PoolRecord recordPools(const CallTree &tree, const AllFacts &facts,
                       const PooledArguments *pooled, const PoolProblem &global,
                       const Plan &plan) {
  PoolRecord record{global.problem, plan};
  Problem &problem = record.problem;
  int64_t numSteps = 1;
  for (const Buffer &buffer : problem.buffers)
    numSteps = std::max(numSteps, buffer.lifespans.back().end);
  const PoolId pool = problem.pools.size();
  int64_t end = 0;
  for (const auto &[operation, node] : tree.nodes()) {
    func::FuncOp function = node.function;
    auto own = facts.find(operation);
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!node.isEntry || !type || !type.hasStaticShape() ||
          (pooled && pooled->contains(argument)))
        continue;
      auto size = memrefSize(type, DataLayout::closest(function));
      auto offset = checkedAlignUp(end, size ? size->elementAlignment : 1);
      auto next =
          size && offset ? checkedAdd(*offset, size->sizeBytes) : std::nullopt;
      if (!next)
        continue;
      const bool isInput =
          own != facts.end() &&
          !own->second.arguments[argument.getArgNumber()].accessors.isWritten;
      Buffer buffer;
      buffer.name = argumentName(tree, argument);
      buffer.kind = isInput ? BufferKind::Input : BufferKind::Output;
      buffer.sizeBytes = size->sizeBytes;
      buffer.alignment = size->elementAlignment;
      buffer.lifespans = {{0, numSteps}};
      buffer.pools = {pool};
      problem.buffers.push_back(std::move(buffer));
      record.plan.placements.push_back({pool, *offset});
      end = *next;
    }
  }
  if (end == 0 && problem.buffers.size() == global.problem.buffers.size())
    return record;
  problem.pools.push_back(callersPool(problem.pools));
  record.plan.pools.push_back({end, end});
  return record;
}

} // namespace tpu_mlir::pools
