#include "lib/Transforms/DeallocateBuffers/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tpu_mlir {

static MemRefType contiguous(MemRefType type) {
  return MemRefType::get(type.getShape(), type.getElementType(), AffineMap(),
                         type.getMemorySpace());
}

bool canAllocate(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref &&
         (memref.getLayout().isIdentity() ||
          memref::CastOp::areCastCompatible(contiguous(memref), memref));
}

namespace {

class Rewriter {
public:
  Rewriter(Operation *function, const FlowGraph &graph, const Owners &owners,
           const DeallocationPlan &plan)
      : builder(function->getContext()), graph(graph), owners(owners),
        plan(plan) {}
  void run();

private:
  bool needsSplit(int edge) const {
    const FlowEdge &at = graph.edge(edge);
    return at.successor >= 0 && graph.node(at.from).out.size() > 1;
  }
  void split(int edge);
  void pass(const PassedOperand &pass, Value value);
  Value copy(Value value);
  void free(const Free &free);

  OpBuilder builder;
  const FlowGraph &graph;
  const Owners &owners;
  const DeallocationPlan &plan;
  llvm::DenseMap<int, cf::BranchOp> splits;
};

} // namespace

void Rewriter::split(int number) {
  if (splits.contains(number))
    return;
  const FlowEdge &edge = graph.edge(number);
  auto branch = cast<BranchOpInterface>(edge.via);
  Block *target = branch->getSuccessor(edge.successor);
  SuccessorOperands operands = branch.getSuccessorOperands(edge.successor);
  SmallVector<Value> values(operands.getForwardedOperands());
  Block *block = builder.createBlock(target);
  splits[number] =
      cf::BranchOp::create(builder, edge.via->getLoc(), target, values);
  if (!values.empty())
    operands.erase(0, values.size());
  branch->setSuccessor(block, edge.successor);
}

/// A new buffer of the same shape and content, at the insertion point.
Value Rewriter::copy(Value value) {
  auto type = cast<MemRefType>(value.getType());
  Location location = value.getLoc();
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i)) {
      Value index = arith::ConstantIndexOp::create(builder, location, i);
      sizes.push_back(memref::DimOp::create(builder, location, value, index));
    }
  IntegerAttr alignment;
  ArrayRef<int> roots = owners.rootsOf(value);
  if (roots.size() == 1)
    if (auto alloc =
            owners.roots[roots.front()].value.getDefiningOp<memref::AllocOp>())
      alignment = alloc.getAlignmentAttr();
  MemRefType plain = type.getLayout().isIdentity() ? type : contiguous(type);
  Value result = memref::AllocOp::create(builder, location, plain, sizes,
                                         ValueRange(), alignment);
  memref::CopyOp::create(builder, location, value, result);
  if (plain != type)
    result = memref::CastOp::create(builder, location, type, result);
  return result;
}

/// Puts a copy of `value` in the place of the operand, before what hands it on.
void Rewriter::pass(const PassedOperand &passed, Value value) {
  int number = passed.edges.front();
  const FlowEdge &edge = graph.edge(number);
  if (edge.successor < 0) {
    builder.setInsertionPoint(edge.via);
    Value made = copy(value);
    return passed.operand->set(made);
  }
  Value target = owners.roots[passed.targets.front()].value;
  unsigned argument = cast<BlockArgument>(target).getArgNumber();
  if (auto found = splits.find(number); found != splits.end()) {
    builder.setInsertionPoint(found->second);
    found->second->setOperand(argument, copy(value));
    return;
  }
  auto branch = cast<BranchOpInterface>(edge.via);
  builder.setInsertionPoint(branch);
  Value made = copy(value);
  branch->setOperand(
      branch.getSuccessorOperands(edge.successor).getOperandIndex(argument),
      made);
}

void Rewriter::free(const Free &free) {
  const Root &root = owners.roots[free.root];
  switch (free.place) {
  case FreePlace::After:
    builder.setInsertionPointAfter(free.op);
    break;
  case FreePlace::NodeStart: {
    const FlowNode &node = graph.node(free.index);
    if (node.behind)
      builder.setInsertionPointAfter(node.behind);
    else
      builder.setInsertionPointToStart(node.block);
    break;
  }
  case FreePlace::NodeEnd:
    builder.setInsertionPoint(graph.node(free.index).last);
    break;
  case FreePlace::Edge:
    builder.setInsertionPoint(splits.lookup(free.index));
    break;
  }
  memref::DeallocOp::create(builder, root.value.getLoc(), root.value);
}

void Rewriter::run() {
  std::vector<Value> values;
  for (const PassedOperand &passed : owners.passed)
    values.push_back(passed.operand->get());
  for (auto [index, passed] : llvm::enumerate(owners.passed))
    if (plan.handOvers[index] == HandOver::Copy &&
        needsSplit(passed.edges.front()))
      split(passed.edges.front());
  for (const Free &at : plan.frees)
    if (at.place == FreePlace::Edge)
      split(at.index);
  for (auto [index, passed] : llvm::enumerate(owners.passed))
    if (plan.handOvers[index] == HandOver::Copy)
      pass(passed, values[index]);
  for (OpOperand *operand : plan.returnedCopies) {
    builder.setInsertionPoint(operand->getOwner());
    operand->set(copy(operand->get()));
  }
  for (const Free &at : plan.frees)
    free(at);
}

void applyPlan(Operation *function, const FlowGraph &graph,
               const Owners &owners, const DeallocationPlan &plan) {
  Rewriter(function, graph, owners, plan).run();
}

} // namespace tpu_mlir
