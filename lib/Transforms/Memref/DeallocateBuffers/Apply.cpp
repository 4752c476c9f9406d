//===- Apply.cpp - Write the plan of deallocations into the IR ------------===//
//
// Splits edges, makes the copies, passes flags along and inserts the
// deallocations.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/Certainty.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Flags.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

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
        plan(plan), flags(function, graph, owners, plan) {}
  void run();

private:
  bool needsSplit(int edge) const {
    const ControlEdge &at = graph.edge(edge);
    return at.successor && graph.node(at.from).out.size() > 1;
  }
  void split(int edge);
  void splitEdges();
  Operation *whereHanded(int index);
  void handOver(int index);
  void pass(int index, Value value);
  std::optional<int> rootOf(Value value) const;
  Value copy(Value value);
  Value copyUnlessOwned(Value value);
  void takeFromLender(int index);
  Value both(Value a, Value b, bool isAnd);
  void freeIf(Value condition, Value buffer);
  void free(const Free &free);

  OpBuilder builder;
  const FlowGraph &graph;
  const Owners &owners;
  const DeallocationPlan &plan;
  Flags flags;
  llvm::DenseMap<int, cf::BranchOp> splits;
  /// Before the plan is carried out, by index into Owners::passed.
  std::vector<Value> values;
  /// What a lender frees where what it lent might have been handed on.
  struct LenderFree {
    Operation *before;
    Value condition;
    Value buffer;
  };
  std::vector<LenderFree> lenderFrees;
};

} // namespace

void Rewriter::split(int number) {
  if (splits.contains(number))
    return;
  const ControlEdge &edge = graph.edge(number);
  auto branch = cast<BranchOpInterface>(edge.via);
  Block *target = branch->getSuccessor(*edge.successor);
  SuccessorOperands operands = branch.getSuccessorOperands(*edge.successor);
  SmallVector<Value> values(operands.getForwardedOperands());
  Block *block = builder.createBlock(target);
  auto way = cf::BranchOp::create(builder, edge.via->getLoc(), target, values);
  way->setAttr(verify_deallocation::kOnEdge, builder.getUnitAttr());
  splits[number] = way;
  if (!values.empty())
    operands.erase(0, values.size());
  branch->setSuccessor(block, *edge.successor);
}

/// What owns `value`, if one root does.
std::optional<int> Rewriter::rootOf(Value value) const {
  ArrayRef<int> roots = owners.rootsOf(value);
  return roots.size() == 1 ? std::optional(roots.front()) : std::nullopt;
}

/// `value` itself when it is owned, and a copy of it otherwise.
Value Rewriter::copyUnlessOwned(Value value) {
  const auto root = rootOf(value);
  Owned owned =
      root && owners.roots[*root].managed ? plan.owned[*root] : Owned::Never;
  if (owned == Owned::Always)
    return value;
  if (owned == Owned::Never)
    return copy(value);
  auto choice = scf::IfOp::create(builder, value.getLoc(), value.getType(),
                                  flags.of(*root), /*withElseRegion=*/true);
  choice->setAttr(kCopiesUnlessOwned, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, value.getLoc(), value);
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, value.getLoc(), copy(value));
  return choice.getResult(0);
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

/// The op that hands it over, on the edge if that has a block of its own.
Operation *Rewriter::whereHanded(int index) {
  int edge = owners.passed[index].edges.front();
  auto split = splits.find(edge);
  return split != splits.end() ? split->second.getOperation()
                               : graph.edge(edge).via;
}

/// Puts `value` in the place of the operand.
void Rewriter::pass(int index, Value value) {
  const PassedOperand &passed = owners.passed[index];
  const ControlEdge &edge = graph.edge(passed.edges.front());
  if (!edge.successor)
    return passed.operand->set(value);
  Value target = owners.roots[passed.targets.front()].value;
  unsigned argument = cast<BlockArgument>(target).getArgNumber();
  Operation *op = whereHanded(index);
  if (op != edge.via)
    return op->setOperand(argument, value);
  SuccessorOperands operands =
      cast<BranchOpInterface>(op).getSuccessorOperands(*edge.successor);
  op->setOperand(operands.getOperandIndex(argument), value);
}

Value Rewriter::both(Value a, Value b, bool isAnd) {
  Value neutral = flags.constant(isAnd), stronger = flags.constant(!isAnd);
  if (a == stronger || b == stronger)
    return stronger;
  if (a == neutral || b == neutral)
    return a == neutral ? b : a;
  return isAnd ? arith::AndIOp::create(builder, a.getLoc(), a, b).getResult()
               : arith::OrIOp::create(builder, a.getLoc(), a, b).getResult();
}

/// What is lent is handed on with the duty of its owner; what is not, while
/// the owner frees its own.
void Rewriter::takeFromLender(int index) {
  int root = rootOf(values[index]).value();
  int lender = owners.roots[root].lenders.front();
  Value own = flags.of(root), lenders = flags.of(lender);
  Operation *before = whereHanded(index);
  builder.setInsertionPoint(before);
  flags.set(index, both(own, lenders, /*isAnd=*/false));
  lenderFrees.push_back(
      {before, both(own, lenders, /*isAnd=*/true), owners.roots[lender].value});
}

void Rewriter::handOver(int index) {
  Value value = values[index];
  switch (plan.handOvers[index]) {
  case HandOver::Nothing:
    return;
  case HandOver::Lend:
    return flags.set(index, flags.constant(false));
  case HandOver::Move:
    return flags.set(index, flags.of(rootOf(value).value()));
  case HandOver::MoveWithLender:
    return takeFromLender(index);
  case HandOver::Copy:
  case HandOver::Keep:
    flags.set(index, flags.constant(true));
    builder.setInsertionPoint(whereHanded(index));
    pass(index, plan.handOvers[index] == HandOver::Copy
                    ? copy(value)
                    : copyUnlessOwned(value));
    return;
  }
}

void Rewriter::freeIf(Value condition, Value buffer) {
  if (condition == flags.constant(false))
    return;
  if (condition != flags.constant(true)) {
    auto branch = scf::IfOp::create(builder, buffer.getLoc(), condition,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  memref::DeallocOp::create(builder, buffer.getLoc(), buffer);
}

void Rewriter::free(const Free &free) {
  Value buffer = owners.roots[free.root].value;
  Value condition = flags.of(free.root);
  switch (free.place) {
  case FreePlace::After:
    builder.setInsertionPointAfter(free.op);
    break;
  case FreePlace::NodeStart: {
    const ControlNode &node = graph.node(*free.index);
    if (node.behind)
      builder.setInsertionPointAfter(node.behind);
    else
      builder.setInsertionPointToStart(node.block);
    break;
  }
  case FreePlace::NodeEnd:
    builder.setInsertionPoint(graph.node(*free.index).last);
    break;
  case FreePlace::Edge:
    builder.setInsertionPoint(splits.lookup(*free.index));
    break;
  }
  freeIf(condition, buffer);
}

/// What is made on an edge is made on no other.
void Rewriter::splitEdges() {
  for (auto [index, passed] : llvm::enumerate(owners.passed)) {
    HandOver how = plan.handOvers[index];
    if (how != HandOver::Nothing && how != HandOver::Move &&
        how != HandOver::Lend && needsSplit(passed.edges.front()))
      split(passed.edges.front());
  }
  for (const Free &at : plan.frees)
    if (at.place == FreePlace::Edge)
      split(*at.index);
}

void Rewriter::run() {
  for (const PassedOperand &passed : owners.passed)
    values.push_back(passed.operand->get());
  splitEdges();
  for (int i = 0; i < static_cast<int>(owners.passed.size()); ++i)
    handOver(i);
  for (OpOperand *operand : plan.returnedCopies) {
    builder.setInsertionPoint(operand->getOwner());
    operand->set(copy(operand->get()));
  }
  for (OpOperand *operand : plan.returnedUnlessLent) {
    builder.setInsertionPoint(operand->getOwner());
    operand->set(copyUnlessOwned(operand->get()));
  }
  for (const LenderFree &at : lenderFrees) {
    builder.setInsertionPoint(at.before);
    freeIf(at.condition, at.buffer);
  }
  for (const Free &at : plan.frees)
    free(at);
  flags.connect(splits);
}

void applyPlan(Operation *function, const FlowGraph &graph,
               const Owners &owners, const DeallocationPlan &plan) {
  Rewriter(function, graph, owners, plan).run();
}

} // namespace tpu_mlir::deallocation
