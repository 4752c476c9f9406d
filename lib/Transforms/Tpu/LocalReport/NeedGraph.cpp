//===- NeedGraph.cpp - What depends on what, for certain ------------------===//

#include "lib/Transforms/Tpu/LocalReport/NeedGraph.h"

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "lib/Transforms/Tpu/LocalReport/NeededBox.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tpu_mlir::local_report {

namespace {

using Places = std::vector<std::vector<int>>;

std::optional<Places> permutedPlaces(tpu::PermuteOp op, size_t rank) {
  const auto order = readIntegers(op->getAttr("order"));
  if (!order || order->size() != rank)
    return std::nullopt;
  Places places(rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    const int64_t from = (*order)[dim];
    if (from < 0 || from >= int64_t(rank) || !places[from].empty())
      return std::nullopt;
    places[from] = {static_cast<int>(dim)};
  }
  return places;
}

/// Where all of a dimension is read for any part of the result, each element of
/// the result depends on all of it.
bool needsAllItReads(Operation *op, unsigned operand) {
  // A packed matrix is read whole, but each column is needed for itself.
  if (auto product = dyn_cast<tpu::MatMulOp>(op))
    return operand == 0 || (operand == 1 && product.getWeightBits() != 4);
  if (auto conv = dyn_cast<tpu::Conv2DOp>(op))
    return operand == 0 && conv.getGroup() == 1;
  return operand == 0 && isa<tpu::SoftmaxOp, tpu::LayerNormOp, tpu::RMSNormOp,
                             tpu::PixelNormOp, tpu::ReduceOp>(op);
}

bool isDilated(Operation *op) {
  const auto dilations = readIntegers(op->getAttr("dilations"));
  return dilations &&
         llvm::any_of(*dilations, [](int64_t by) { return by != 1; });
}

/// What one rule says of one dimension that is `length` long, in a result that
/// is `made` long there. `hasKernel`: at least the element of the same place is
/// under it.
std::optional<std::vector<int>> placesOf(const DimRule &rule, int64_t length,
                                         int64_t made, bool needsAll,
                                         bool hasKernel) {
  if (length == 1 || (rule.kind == DimRule::Kind::Whole && needsAll))
    return std::vector<int>();
  if (rule.kind != DimRule::Kind::Window)
    return std::nullopt;
  if (made == length &&
      (rule.isSame() || (hasKernel && rule.stride == 1 && rule.before >= 0 &&
                         rule.before < rule.extent)))
    return std::vector<int>{rule.resultDim};
  if (made == 1 && neededInterval(rule, {0, 1}, length) == Interval{0, length})
    return std::vector<int>();
  return std::nullopt;
}

/// `op` computes a result of shape `to`, or one of some pieces of it.
std::optional<Places> statedPlaces(Operation *op, unsigned operand,
                                   const LocalFacts &facts,
                                   ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                   bool isPiece) {
  const auto &rules = facts.operands[operand];
  const bool hasKernel = isa<tpu::Conv2DOp, tpu::Pool2DOp>(op);
  if (rules.size() != from.size() || (hasKernel && isDilated(op)))
    return std::nullopt;
  Places places;
  const bool isNormedByChannel =
      operand == 0 && isa<tpu::GroupNormOp, tpu::InstanceNormOp>(op);
  for (auto [dim, rule] : llvm::enumerate(rules)) {
    // It may need more of the channels, but its own for certain.
    if (isNormedByChannel && dim > 0) {
      places.push_back(dim == 1 ? std::vector<int>{1} : std::vector<int>());
      continue;
    }
    auto each =
        placesOf(rule, from[dim], rule.resultDim < 0 ? 0 : to[rule.resultDim],
                 needsAllItReads(op, operand), hasKernel && !isPiece);
    if (!each)
      return std::nullopt;
    places.push_back(std::move(*each));
  }
  return places;
}

/// Elements of the result may be elements of operands, though it is known what
/// they depend on.
bool mayKeepElements(Operation *op) {
  return grouping::isMasked(op) ||
         isa<tpu::PermuteOp, tpu::CastOp, tpu::DtypeCastOp, tpu::Pool2DOp,
             tpu::MaxOp, tpu::MinOp, tpu::MaxConstOp, tpu::MinConstOp,
             tpu::ReluOp, tpu::ClipOp>(op);
}

/// Kept in the order in which values become known, sorted at the end.
class NeedGraphBuilder {
public:
  NeedGraphBuilder(ModuleOp module, const Wiring &wiring)
      : module(module), wiring(wiring) {}

  NeedGraph run() {
    module.walk([&](Operation *op) { add(op); });
    for (auto [value, from] : wiring.handedOn())
      addView(from, value);
    for (Value output : wiring.outputs())
      markOutput(output);
    return sorted();
  }

private:
  std::optional<int> idOf(Value value) {
    auto type = typeOf(value);
    if (!type)
      return std::nullopt;
    auto [it, isNew] = ids.try_emplace(value, int(graph.values.size()));
    if (isNew) {
      NeedValue &made = graph.values.emplace_back();
      made.bytes = *typeBytes(type);
      made.shape.assign(type.getShape().begin(), type.getShape().end());
      made.isGiven = wiring.isGiven(value);
    }
    return it->second;
  }

  void addNeed(Value operand, Value result, std::optional<Places> places) {
    const auto from = idOf(operand), to = idOf(result);
    if (from && to && places)
      graph.needs.push_back({*from, *to, std::move(*places)});
  }

  void addCopy(Value operand, Value result) {
    const auto from = idOf(operand), to = idOf(result);
    if (from && to && *from != *to)
      graph.copies.push_back({*from, *to});
  }

  void addView(Value operand, Value result) {
    auto from = typeOf(operand), to = typeOf(result);
    if (!from || !to)
      return;
    addCopy(operand, result);
    addNeed(operand, result, viewPlaces(from.getShape(), to.getShape()));
    graph.values[*idOf(result)].isView = true;
  }

  void add(Operation *op) {
    if (isa<tpu::GroupOp>(op))
      return;
    if (tpu::isParallel(op))
      return addPieces(op);
    if (op->getNumResults() == 1 && op->getNumOperands() > 0 &&
        (isHandedOn(op) || grouping::isView(op)))
      return addView(op->getOperand(0), op->getResult(0));
    const bool isKnown = !grouping::isFreeGlobally(op) && addLayer(op);
    if (isKnown && !mayKeepElements(op))
      return;
    addCopies(op->getOperands(), op->getResults());
    // Of branches and loops, what their ends hand on.
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          addCopies(block.back().getOperands(), op->getResults());
  }

  void addCopies(ValueRange operands, ValueRange results) {
    for (Value operand : operands)
      for (Value result : results)
        addCopy(operand, result);
  }

  /// False: nothing is known of it.
  bool addLayer(Operation *op) {
    if (op->getNumResults() != 1 || !typeOf(op->getResult(0)) ||
        grouping::isMasked(op))
      return false;
    if (auto permute = dyn_cast<tpu::PermuteOp>(op)) {
      if (auto type = typeOf(op->getOperand(0)))
        addNeed(op->getOperand(0), op->getResult(0),
                permutedPlaces(permute, type.getRank()));
      return true;
    }
    auto local = dyn_cast<LocalSliceOpInterface>(op);
    if (!local || !llvm::all_of(op->getOperands(), [](Value value) {
          return isa<NoneType>(value.getType()) || typeOf(value);
        }))
      return false;
    const LocalFacts facts = local.getLocalFacts();
    if (facts.isGlobal())
      return false;
    return addStated(op, facts, op->getResult(0), /*isPiece=*/false);
  }

  /// `result` is that of `op`, or that of all pieces of which it is one.
  bool addStated(Operation *op, const LocalFacts &facts, Value result,
                 bool isPiece) {
    bool isKnown = false;
    for (unsigned index = 0; index < op->getNumOperands(); ++index) {
      Value operand = op->getOperand(index);
      auto split = operand.getDefiningOp<tpu::CoreSplitOp>();
      if (isPiece && split)
        operand = split->getOperand(0);
      auto from = typeOf(operand), to = typeOf(result);
      if (!from || !to || index >= facts.operands.size())
        continue;
      auto places = statedPlaces(op, index, facts, from.getShape(),
                                 to.getShape(), isPiece);
      isKnown |= places.has_value();
      addNeed(operand, result, std::move(places));
    }
    return isKnown;
  }

  /// What cores do side by side is one op.
  void addPieces(Operation *parallel) {
    for (Region &region : parallel->getRegions())
      for (auto join : region.getOps<tpu::CoreJoinOp>()) {
        Operation *piece = join->getNumOperands() > 0
                               ? join->getOperand(0).getDefiningOp()
                               : nullptr;
        auto local = dyn_cast_or_null<LocalSliceOpInterface>(piece);
        if (!local || piece->getNumResults() != 1 ||
            grouping::isMasked(piece) || local.getLocalFacts().isGlobal())
          continue;
        addStated(piece, local.getLocalFacts(), join->getResult(0),
                  /*isPiece=*/true);
      }
  }

  void markOutput(Value output) {
    if (auto id = idOf(output))
      graph.values[*id].isOutput = true;
    for (const BytesOf &origin : wiring.originsOf(output))
      if (auto id = idOf(origin.value))
        graph.values[*id].isStored = true;
  }

  /// Values in an order in which operands come first.
  NeedGraph sorted() const;

  ModuleOp module;
  const Wiring &wiring;
  llvm::DenseMap<Value, int> ids;
  NeedGraph graph;
};

NeedGraph NeedGraphBuilder::sorted() const {
  std::vector<std::vector<int>> readers(graph.values.size());
  std::vector<int> open(graph.values.size()), order;
  const auto connect = [&](int operand, int result) {
    readers[operand].push_back(result);
    ++open[result];
  };
  for (const Need &need : graph.needs)
    connect(need.operand, need.result);
  for (const Copy &copy : graph.copies)
    connect(copy.operand, copy.result);
  for (size_t value = 0; value < open.size(); ++value)
    if (open[value] == 0)
      order.push_back(static_cast<int>(value));
  for (size_t i = 0; i < order.size(); ++i)
    for (int reader : readers[order[i]])
      if (--open[reader] == 0)
        order.push_back(reader);
  // What is in a circle (a function that calls itself) is left out.
  NeedGraph result;
  std::vector<int> newId(graph.values.size(), -1);
  for (int value : order) {
    newId[value] = static_cast<int>(result.values.size());
    result.values.push_back(graph.values[value]);
  }
  for (const Need &need : graph.needs)
    if (newId[need.operand] >= 0 && newId[need.result] >= 0)
      result.needs.push_back(
          {newId[need.operand], newId[need.result], need.places});
  for (const Copy &copy : graph.copies)
    if (newId[copy.operand] >= 0 && newId[copy.result] >= 0)
      result.copies.push_back({newId[copy.operand], newId[copy.result]});
  return result;
}

} // namespace

NeedGraph needGraphOf(ModuleOp module, const Wiring &wiring) {
  return NeedGraphBuilder(module, wiring).run();
}

} // namespace tpu_mlir::local_report
