//===- Carriers.cpp - Extend ops by one more value ------------------------===//
//
// Tries on a stripped clone whether an op accepts one more operand, argument
// and result.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Carriers.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/RegionFlow.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/Support/Threading.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

/// Sizes of groups of operands or results, the last of which has grown; null
/// where there are no groups.
static Attribute withMoreInLast(Attribute sizes, unsigned more) {
  auto groups = dyn_cast_or_null<DenseI32ArrayAttr>(sizes);
  if (!groups || groups.empty())
    return nullptr;
  SmallVector<int32_t> grown(groups.asArrayRef());
  grown.back() += more;
  return DenseI32ArrayAttr::get(groups.getContext(), grown);
}

void appendOperands(Operation *op, ValueRange values) {
  op->insertOperands(op->getNumOperands(), values);
  auto name = StringAttr::get(op->getContext(), "operandSegmentSizes");
  Attribute groups = op->getInherentAttr(name).value_or(nullptr);
  if (Attribute grown = withMoreInLast(groups, values.size()))
    op->setInherentAttr(name, grown);
}

Operation *cloneWithMoreResults(OpBuilder &builder, Operation *op,
                                unsigned moreResults) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.types.append(moreResults, builder.getI1Type());
  state.addAttributes(op->getAttrs());
  constexpr StringLiteral name = "resultSegmentSizes";
  if (Attribute grown = withMoreInLast(state.attributes.get(name), moreResults))
    state.attributes.set(name, grown);
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  builder.setInsertionPoint(op);
  return builder.create(state);
}

//===----------------------------------------------------------------------===//
// Whether it can be
//===----------------------------------------------------------------------===//

/// Both are the ends of their lists.
static bool areLast(Operation *via, OperandRange operands, Operation *parent,
                    RegionSuccessor successor) {
  ValueRange inputs = successor.getSuccessorInputs();
  if (operands.size() != inputs.size())
    return false;
  if (inputs.empty())
    return true;
  ValueRange all = successor.getSuccessor()
                       ? ValueRange(successor.getSuccessor()->getArguments())
                       : ValueRange(parent->getResults());
  return operands.getBeginOperandIndex() + operands.size() ==
             via->getNumOperands() &&
         inputs.back() == all.back();
}

/// The op and the ends of its regions hand on what stands last in their lists.
static bool handsOnItsLast(RegionBranchOpInterface op) {
  SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (RegionSuccessor successor : successors)
    if (!areLast(op, op.getEntrySuccessorOperands(successor), op, successor))
      return false;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      auto end = dyn_cast<RegionBranchTerminatorOpInterface>(&block.back());
      if (!end)
        continue;
      successors.clear();
      SmallVector<Attribute> constants(end->getNumOperands());
      end.getSuccessorRegions(constants, successors);
      for (RegionSuccessor successor : successors)
        if (!areLast(end, end.getSuccessorOperands(successor), op, successor))
          return false;
    }
  return true;
}

namespace {

/// A copy of an op with regions that hands on one i1 more everywhere.
class Shell {
public:
  explicit Shell(RegionBranchOpInterface op) : builder(op), op(op) {}
  ~Shell() {
    if (made)
      made->erase();
    for (Operation *value : llvm::reverse(values))
      value->erase();
  }
  /// It is a valid op.
  bool isValid();

private:
  Value value(Type type);
  bool addBlocks(Region &from, Region &to);
  bool hasInputs(Region *region);

  OpBuilder builder;
  RegionBranchOpInterface op;
  Operation *made = nullptr;
  SmallVector<Operation *> values;
};

} // namespace

/// Anything of the type. It stands before the shell, so that it dominates all.
Value Shell::value(Type type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(made ? made : op.getOperation());
  values.push_back(UnrealizedConversionCastOp::create(builder, op.getLoc(),
                                                      type, ValueRange()));
  return values.back()->getResult(0);
}

/// Values are handed to the region: null means the results.
bool Shell::hasInputs(Region *region) {
  bool found = false;
  forEachRegionFlow(op, [&](Region *, RegionSuccessor to) {
    found |= to.getSuccessor() == region && !to.getSuccessorInputs().empty();
  });
  return found;
}

/// One block for each that leaves the region; the first one has its arguments.
bool Shell::addBlocks(Region &from, Region &to) {
  for (Block &block : from) {
    Operation *end = &block.back();
    if (end->getNumSuccessors() > 0)
      continue;
    if (end->getNumRegions() > 0)
      return false;
    Block *copy = builder.createBlock(&to, to.end());
    if (copy->isEntryBlock()) {
      for (Type type : from.front().getArgumentTypes())
        copy->addArgument(type, op.getLoc());
      if (hasInputs(&from))
        copy->addArgument(builder.getI1Type(), op.getLoc());
    }
    Operation *endCopy = builder.insert(end->cloneWithoutRegions());
    for (OpOperand &operand : endCopy->getOpOperands())
      operand.set(value(operand.get().getType()));
    if (end->getNumOperands() > 0)
      appendOperands(endCopy, value(builder.getI1Type()));
    if (failed(verify(endCopy, /*verifyRecursively=*/false)))
      return false;
  }
  return true;
}

bool Shell::isValid() {
  // What the op says against it is not for the user.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler quiet(op.getContext(), [&](Diagnostic &) {
    return success(llvm::get_threadid() == thread);
  });
  bool gives = hasInputs(nullptr);
  made = cloneWithMoreResults(builder, op, gives ? 1 : 0);
  SmallVector<RegionSuccessor> entries;
  op.getSuccessorRegions(RegionBranchPoint::parent(), entries);
  if (llvm::any_of(entries, [&](RegionSuccessor entry) {
        return !op.getEntrySuccessorOperands(entry).empty();
      }))
    appendOperands(made, value(builder.getI1Type()));
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
    if (!addBlocks(from, to))
      return false;
  return succeeded(verify(made, /*verifyRecursively=*/false));
}

bool FlagCarriers::takesMore(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch || isOpaque(op) || !handsOnItsLast(branch))
    return false;
  auto [found, isNew] = known.try_emplace(op->getName(), false);
  if (isNew)
    found->second = Shell(branch).isValid();
  return found->second;
}

bool FlagCarriers::carry(Value phi) {
  Operation *parent = phi.getParentBlock()->getParentOp();
  // The constants stand at the start of the function.
  for (Operation *at = parent; at && !isa<FunctionOpInterface>(at);
       at = at->getParentOp())
    if (at->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return false;
  if (Operation *op = phi.getDefiningOp())
    return takesMore(op);
  return !phi.getParentBlock()->isEntryBlock() || takesMore(parent);
}

} // namespace tpu_mlir::deallocation
