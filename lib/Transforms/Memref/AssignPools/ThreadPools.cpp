//===- ThreadPools.cpp - Rewrite functions to take pools ------------------===//
//
// Adds pool arguments along the calls and turns allocs into views at their
// offsets.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/AssignPools/ThreadPools.h"

#include "tpu_mlir/Analysis/Memref/Nests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::pools {

/// The largest power of two in it: blocks of memory have no other alignments.
static int64_t powerOfTwoIn(int64_t alignment) {
  return alignment & -alignment;
}

int64_t poolAlignment(const PoolProblem &global, const Plan &plan,
                      PoolId pool) {
  int64_t result = powerOfTwoIn(global.problem.pools[pool].alignment);
  for (auto [id, buffer] : llvm::enumerate(global.problem.buffers))
    if (plan.placements[id].pool == pool)
      result = std::max(result, powerOfTwoIn(buffer.alignment));
  return result;
}

namespace {

class PoolThreader {
public:
  PoolThreader(ModuleOp module, const CallTree &tree, const PoolProblem &global,
               const Plan &plan)
      : module(module), tree(tree), global(global), plan(plan),
        builder(module.getContext()),
        functions(module, llvm::IsaPred<func::FuncOp>) {}

  void run() {
    findNeeds();
    if (needsOf.empty())
      return;
    makeInternalPool();
    for (auto &[function, node] : tree.nodes())
      addPools(node);
    for (auto &[function, node] : tree.nodes())
      passOn(node);
    for (auto [id, planned] : llvm::enumerate(global.allocs))
      placeAlloc(*planned, id);
    for (auto [index, constant] : llvm::enumerate(global.constants))
      placeConstant(constant, global.allocs.size() + index);
    writeSizes();
  }

private:
  MemRefType typeOf(PoolId pool) {
    return MemRefType::get({plan.pools[pool].usedBytes}, builder.getI8Type());
  }
  void need(Operation *op, BufferId id) {
    needsOf[functions.opAround(op)].insert(plan.placements[id].pool);
  }
  void findNeeds();
  void makeInternalPool();
  void addPools(const TreeNode &node);
  void passOn(const TreeNode &node);
  Value viewOf(Operation *op, MemRefType type, BufferId id);
  void placeAlloc(const PoolAlloc &planned, BufferId id);
  void placeConstant(const ConstantBytes &constant, BufferId id);
  void writeSizes();
  bool isInternal(PoolId pool) const { return global.pools.internal == pool; }

  ModuleOp module;
  const CallTree &tree;
  const PoolProblem &global;
  const Plan &plan;
  OpBuilder builder;
  InnermostAround functions;
  /// The pools of a function, by number.
  llvm::DenseMap<Operation *, std::set<PoolId>> needsOf;
  llvm::DenseMap<Operation *, std::map<PoolId, Value>> poolsOf;
  memref::GlobalOp internal;
};

} // namespace

void PoolThreader::findNeeds() {
  for (auto [id, planned] : llvm::enumerate(global.allocs))
    need(planned->alloc, id);
  for (auto [index, constant] : llvm::enumerate(global.constants))
    for (memref::GetGlobalOp use : constant.uses)
      need(use, global.allocs.size() + index);
  for (func::FuncOp function : tree.calleesFirst())
    for (func::CallOp call : tree.node(function).calls) {
      func::FuncOp callee = tree.callee(call);
      auto found = needsOf.find(callee);
      if (found == needsOf.end())
        continue;
      // An entry has the internal pool from nobody.
      std::set<PoolId> needs = found->second;
      if (tree.node(callee).isEntry && global.pools.internal)
        needs.erase(*global.pools.internal);
      if (!needs.empty())
        needsOf[function].insert(needs.begin(), needs.end());
    }
}

void PoolThreader::makeInternalPool() {
  if (!global.pools.internal || llvm::none_of(needsOf, [&](const auto &entry) {
        return entry.second.count(*global.pools.internal) > 0;
      }))
    return;
  PoolId pool = *global.pools.internal;
  SymbolTable symbols(module);
  builder.setInsertionPointToStart(module.getBody());
  internal = memref::GlobalOp::create(
      builder, module.getLoc(), "tpu_" + global.problem.pools[pool].name,
      builder.getStringAttr("private"), typeOf(pool), builder.getUnitAttr(),
      /*constant=*/false,
      builder.getI64IntegerAttr(poolAlignment(global, plan, pool)));
  internal->setAttr(kPool,
                    builder.getStringAttr(global.problem.pools[pool].name));
  internal->remove();
  symbols.insert(internal, module.getBody()->begin());
}

void PoolThreader::addPools(const TreeNode &node) {
  auto found = needsOf.find(node.function);
  if (found == needsOf.end())
    return;
  func::FuncOp function = node.function;
  SmallVector<Attribute> names;
  for (PoolId pool : found->second) {
    if (isInternal(pool) && node.isEntry) {
      builder.setInsertionPointToStart(&function.getBody().front());
      poolsOf[function][pool] = memref::GetGlobalOp::create(
          builder, function.getLoc(), typeOf(pool), internal.getName());
      continue;
    }
    auto name = builder.getStringAttr(global.problem.pools[pool].name);
    SmallVector<NamedAttribute> attributes = {
        builder.getNamedAttr(kPool, name),
        builder.getNamedAttr(
            kPoolAlignment,
            builder.getI64IntegerAttr(poolAlignment(global, plan, pool)))};
    unsigned index = function.getNumArguments();
    // A func.func takes arguments of any type.
    (void)function.insertArgument(index, typeOf(pool),
                                  builder.getDictionaryAttr(attributes),
                                  function.getLoc());
    poolsOf[function][pool] = function.getArgument(index);
    names.push_back(name);
  }
  if (!names.empty())
    function->setAttr(kPoolArguments, builder.getArrayAttr(names));
}

void PoolThreader::passOn(const TreeNode &node) {
  for (func::CallOp call : node.calls) {
    func::FuncOp callee = tree.callee(call);
    auto found = needsOf.find(callee);
    if (found == needsOf.end())
      continue;
    SmallVector<Value> pools;
    for (PoolId pool : found->second)
      if (!isInternal(pool) || !tree.node(callee).isEntry)
        pools.push_back(poolsOf[node.function][pool]);
    if (ArrayAttr attributes = call.getArgAttrsAttr()) {
      SmallVector<Attribute> all(attributes.begin(), attributes.end());
      all.append(pools.size(), builder.getDictionaryAttr({}));
      call.setArgAttrsAttr(builder.getArrayAttr(all));
    }
    call.getOperandsMutable().append(pools);
  }
}

Value PoolThreader::viewOf(Operation *op, MemRefType type, BufferId id) {
  const Placement &placement = plan.placements[id];
  Value pool = poolsOf[functions.opAround(op)][placement.pool];
  builder.setInsertionPoint(op);
  Value offset = arith::ConstantIndexOp::create(builder, op->getLoc(),
                                                placement.offsetBytes);
  return memref::ViewOp::create(builder, op->getLoc(), type, pool, offset,
                                ValueRange());
}

void PoolThreader::placeAlloc(const PoolAlloc &planned, BufferId id) {
  memref::AllocOp alloc = planned.alloc;
  alloc.replaceAllUsesWith(viewOf(alloc, alloc.getType(), id));
  alloc.erase();
}

void PoolThreader::placeConstant(const ConstantBytes &constant, BufferId id) {
  for (memref::GetGlobalOp use : constant.uses) {
    use.replaceAllUsesWith(viewOf(use, use.getType(), id));
    use.erase();
  }
  const Placement &placement = plan.placements[id];
  for (memref::GlobalOp one : constant.globals) {
    one->setAttr(kPool, builder.getStringAttr(
                            global.problem.pools[placement.pool].name));
    one->setAttr(kOffset, builder.getI64IntegerAttr(placement.offsetBytes));
  }
}

void PoolThreader::writeSizes() {
  SmallVector<NamedAttribute> sizes;
  for (auto [id, pool] : llvm::enumerate(global.problem.pools))
    sizes.push_back(builder.getNamedAttr(
        pool.name, builder.getI64IntegerAttr(plan.pools[id].usedBytes)));
  module->setAttr(kPoolSizes, builder.getDictionaryAttr(sizes));
}

void threadPools(ModuleOp module, const CallTree &tree,
                 const PoolProblem &global, const Plan &plan) {
  // One dealloc may free several of them.
  llvm::DenseSet<Operation *> deallocs;
  for (const PoolAlloc *planned : global.allocs)
    deallocs.insert(planned->deallocs.begin(), planned->deallocs.end());
  for (Operation *dealloc : deallocs)
    dealloc->erase();
  PoolThreader(module, tree, global, plan).run();
}

} // namespace tpu_mlir::pools
