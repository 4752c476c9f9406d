//===- TpuUpdates.cpp - Results that may take the place of an operand -----===//
//
// An op with the attribute `in_place` may write its result over an operand
// that nobody reads afterwards:
//
//   * a layer, where each element of the result needs of that operand the
//     element at its place alone (the layer's facts say so), and both are as
//     wide;
//   * a layer group, where each section loads of that operand just the part
//     that it stores, and nothing of it after that.
//
// The interface comes from outside of the ops: it is a matter of the attribute
// and holds for every op that states facts.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tpu_mlir::tpu {

static constexpr StringLiteral kInPlace = "in_place";

/// Elements of both are at the same places.
static bool areAlike(Type a, Type b) {
  auto from = dyn_cast<RankedTensorType>(a), to = dyn_cast<RankedTensorType>(b);
  return from && to && typeBytes(a) && from.getShape() == to.getShape() &&
         elementBits(from.getElementType()) == elementBits(to.getElementType());
}

static InPlaceEdge updateOf(unsigned operand, unsigned result) {
  InPlaceEdge edge;
  edge.operand = operand;
  edge.result = result;
  edge.overwrites = true;
  return edge;
}

static bool followsResult(ArrayRef<DimRule> rules) {
  return llvm::all_of(llvm::enumerate(rules), [](const auto &entry) {
    return entry.value().isSame() &&
           entry.value().resultDim == static_cast<int>(entry.index());
  });
}

/// Scratch is for what is computed in several passes: the first one may write
/// what the second one reads.
static bool usesScratch(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value value) {
    return isa_and_nonnull<BufferOp>(value.getDefiningOp());
  });
}

static SmallVector<InPlaceEdge> layerUpdates(Operation *op) {
  if (op->getNumResults() != 1 || usesScratch(op))
    return {};
  const LocalFacts facts = cast<LocalSliceOpInterface>(op).statedLocalFacts();
  if (facts.isGlobal() || llvm::is_contained(facts.uncut, true))
    return {};
  SmallVector<InPlaceEdge> edges;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (areAlike(operand.getType(), op->getResult(0).getType()) &&
        followsResult(facts.operands[index]))
      edges.push_back(updateOf(index, 0));
  return edges;
}

//===----------------------------------------------------------------------===//
// Layer groups
//===----------------------------------------------------------------------===//

/// One part a section in each of the five dimensions, none of them twice.
static bool areApart(GroupOp group, LayerGroupAttr info) {
  for (auto [name, parts] : llvm::zip_equal(GroupOp::kCounts, info.parts())) {
    const auto &[starts, lengths] = parts;
    const auto count = readInteger(group->getAttr(name));
    if (!count || static_cast<int64_t>(starts.size()) != *count ||
        starts.size() != lengths.size())
      return false;
    for (size_t i = 1; i < starts.size(); ++i)
      if (starts[i - 1] > starts[i] - lengths[i - 1])
        return false;
  }
  return true;
}

/// No neighbour runs transfers of the group, nor the group theirs, and no
/// attribute says of a core what it runs.
static bool isByItself(GroupOp group) {
  for (NamedAttribute attribute : group->getAttrs()) {
    const StringRef name = attribute.getName();
    const bool isList = llvm::is_contained(GroupOp::kSharedTransfers, name) ||
                        name == "run_core_id" || name == "core_slice_ncdhw";
    auto list = isList ? readIntegers(attribute.getValue()) : std::nullopt;
    if (isList && (!list || !list->empty()))
      return false;
  }
  return readInteger(group->getAttr("group_type")).value_or(0) == 0;
}

/// The ops of the group that `last` needs.
static llvm::SmallPtrSet<Operation *, 16> opsBefore(Operation *last) {
  llvm::SmallPtrSet<Operation *, 16> found;
  SmallVector<Operation *> open = {last};
  while (!open.empty())
    for (Value operand : open.pop_back_val()->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && op->getBlock() == last->getBlock() && found.insert(op).second)
        open.push_back(op);
  return found;
}

/// Every section loads of `value` what it stores by `store`, and is done with
/// it by then.
static bool isLoadedAsStored(GroupOp group, Value value, StoreOp store) {
  const LayerGroupAttr stored = GroupOp::infoOf(store);
  const auto before = opsBefore(store);
  bool isLoaded = false;
  for (Operation *user : value.getUsers()) {
    if (!group->isProperAncestor(user))
      continue;
    const LayerGroupAttr info = GroupOp::infoOf(user);
    if (!isa<LoadOp>(user) || !before.contains(user) || !info ||
        !areAlike(user->getResult(0).getType(), value.getType()) ||
        info.parts() != stored.parts())
      return false;
    isLoaded = true;
  }
  return isLoaded;
}

static SmallVector<InPlaceEdge> groupUpdates(GroupOp group) {
  Block &body = group->getRegion(0).front();
  if (!isByItself(group) || body.empty())
    return {};
  SmallVector<InPlaceEdge> edges;
  for (auto [result, yielded] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    auto store = yielded.getDefiningOp<StoreOp>();
    const LayerGroupAttr info =
        store ? GroupOp::infoOf(store) : LayerGroupAttr();
    if (!info || result >= group->getNumResults() || !areApart(group, info))
      continue;
    for (auto [operand, value] : llvm::enumerate(group->getOperands()))
      if (areAlike(value.getType(), group->getResult(result).getType()) &&
          isLoadedAsStored(group, value, store))
        edges.push_back(updateOf(operand, result));
  }
  return edges;
}

namespace {

struct Updates : InPlaceOpInterface::FallbackModel<Updates> {
  SmallVector<InPlaceEdge> statedInPlaceEdges(Operation *op) const {
    if (!op->hasAttr(kInPlace))
      return {};
    auto group = dyn_cast<GroupOp>(op);
    return group ? groupUpdates(group) : layerUpdates(op);
  }
};

} // namespace

void attachUpdates(MLIRContext *context) {
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getStringRef() == GroupOp::getOperationName() ||
        (name.getDialectNamespace() == TpuDialect::getDialectNamespace() &&
         name.hasInterface<LocalSliceOpInterface>() &&
         !name.hasInterface<InPlaceOpInterface>()))
      name.attachInterface<Updates>();
}

} // namespace tpu_mlir::tpu
