//===- BuildLayerGraph.cpp - A block of ops as layers ---------------------===//

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"

#include "lib/Analysis/Local/Layers/CutOperand.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace tpu_mlir::grouping {

namespace {

/// The largest rank that has a view of five dimensions without folding.
constexpr int64_t kMaxRank = 5;

bool isLayer(Operation *op) {
  return !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<top::NoneOp, top::WeightOp, top::InputOp, tpu::BufferOp>(op);
}

layer::GroupType viewOf(int64_t rank) {
  return rank == kMaxRank ? layer::GroupType::ThreeD : layer::GroupType::Normal;
}

int dimOf(int dim, int64_t rank) {
  return *layer::dimOf(dim, static_cast<int>(rank), viewOf(rank));
}

/// A ranked static tensor whose bytes can be counted and that has five
/// dimensions at most.
RankedTensorType countable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() > kMaxRank || !typeBytes(tensor) ||
      llvm::is_contained(tensor.getShape(), 0))
    return nullptr;
  const auto bits = elementBits(tensor.getElementType());
  return bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64
             ? tensor
             : nullptr;
}

bool isNone(Value value) { return isa<NoneType>(value.getType()); }

/// How much of an operand a layer in global memory has use for, where that is
/// less than all: what its result takes from there.
std::optional<int64_t> elementsRead(Operation *op, size_t index) {
  const auto countOf = [](Value value) -> std::optional<int64_t> {
    auto type = countable(value.getType());
    return type ? std::optional(type.getNumElements()) : std::nullopt;
  };
  if (op->getNumResults() != 1)
    return std::nullopt;
  const auto results = countOf(op->getResult(0));
  if (!results || (index == 0 && op->hasTrait<tpu::PicksElements>()))
    return results;
  // The rest of such a result is what operand 1 has.
  if (isa<tpu::ConcatSliceOp, tpu::InsertOp>(op) && index <= 1 &&
      op->getNumOperands() > 1)
    if (const auto added = countOf(op->getOperand(1)))
      return index == 1 ? *results : std::max<int64_t>(0, *results - *added);
  return std::nullopt;
}

class LayerBuilder {
public:
  LayerBuilder(Block &block, const target::ChipSpec &chip)
      : block(block), chip(chip) {}

  BlockLayers run() {
    for (Operation &op : block) {
      if (isLayer(&op))
        addLayer(&op);
      else if (auto none = dyn_cast<top::NoneOp>(op); none && !layers.none)
        layers.none = none->getResult(0);
    }
    for (size_t i = 0; i < layers.values.size(); ++i)
      if (Value value = layers.values[i])
        layers.graph.tensors[i].isReadOutside =
            // What nobody reads is written all the same: a group of such layers
            // alone would have no result that says what is computed when.
            value.use_empty() ||
            llvm::any_of(value.getUsers(), [&](Operation *user) {
              return user->getBlock() != &block || !isLayer(user);
            });
    return std::move(layers);
  }

private:
  layer::TensorId addTensor(Value value, const LmemForm &form) {
    auto [it, isNew] = known.try_emplace({value, form.type}, 0);
    if (!isNew)
      return it->second;
    layer::Tensor tensor;
    tensor.name = valueName(value);
    // Extents as they are in local memory; none leaves 63 bits (countable).
    tensor.shape =
        *layer::shape5(std::vector<int64_t>(form.type.getShape().begin(),
                                            form.type.getShape().end()),
                       viewOf(form.type.getRank()), chip);
    tensor.elementBits = *elementBits(form.type.getElementType());
    tensor.euAligned = form.isEuAligned;
    tensor.isParameter = isWeight(value);
    tensor.isInL2 = isInL2(value, chip);
    tensor.globalBytes = typeBytes(form.type).value_or(0);
    layers.values.push_back(value);
    layers.types.push_back(form.type);
    layers.isBroadcast.push_back(form.isBroadcast);
    return it->second = layers.graph.addTensor(std::move(tensor));
  }

  LmemForm plainForm(RankedTensorType type) const {
    LmemForm form;
    form.type = cast<RankedTensorType>(withoutAddress(type));
    form.rules.assign(type.getRank(), DimRule::whole());
    return form;
  }

  void addLayer(Operation *op) {
    layer::Layer result;
    result.name = op->getNumResults() ? valueName(op->getResult(0))
                                      : op->getName().getStringRef().str();
    LocalFacts facts = factsOf(op);
    result.whyGlobal = facts.whyGlobal;
    result.isFreeGlobally = isFreeGlobally(op);
    result.isView = isView(op);
    result.isMulticore = readFlag(op->getAttr("multicore")).value_or(false);
    const std::optional<CoreCut> cut = coreCutOf(op, chip.usedCores);
    addOperands(op, facts, cut, result);
    addResults(op, result);
    if (cut) {
      result.numPieces = cut->pieces;
      result.pieceDim = static_cast<layer::Dim>(
          dimOf(static_cast<int>(cut->dim),
                cast<RankedTensorType>(op->getResult(0).getType()).getRank()));
    }
    if (result.isLocal())
      describe(op, facts, result);
    layers.ops.push_back(op);
    layers.graph.addLayer(std::move(result));
  }

  LocalFacts factsOf(Operation *op) const {
    auto local = dyn_cast<LocalSliceOpInterface>(op);
    if (!local)
      return LocalFacts::global("'" + op->getName().getStringRef().str() +
                                "' runs from global memory only");
    const auto isBad = [](Value value) {
      return !isNone(value) && !countable(value.getType());
    };
    if (op->getNumResults() != 1 || llvm::any_of(op->getResults(), isNone))
      return LocalFacts::global("it has not exactly one result");
    if (llvm::all_of(op->getOperands(), isNone))
      return LocalFacts::global("it reads no tensor");
    if (llvm::any_of(op->getOperands(), isBad) || isBad(op->getResult(0)))
      return LocalFacts::global(
          "a tensor has no static size, or more than five dimensions");
    if (chip.batchLayout == target::BatchLayout::FourN)
      return LocalFacts::global("the chip stores four images side by side");
    LocalFacts facts = local.getLocalFacts();
    if (facts.isGlobal())
      return facts;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      if (operand.getDefiningOp<tpu::BufferOp>())
        return LocalFacts::global("it needs scratch in global memory");
      if (index < facts.operands.size() &&
          isInOtherLanes(op, operand, facts.operands[index]))
        return LocalFacts::global(
            "what it reads lies in other lanes than its result, as operand " +
            std::to_string(index) + " has another number of dimensions");
    }
    return facts;
  }

  /// Images and channels are where shapes have them, so of a tensor with fewer
  /// dimensions than the result others are in the lanes. Weights are laid out
  /// like the result.
  static bool isInOtherLanes(Operation *op, Value operand,
                             ArrayRef<DimRule> rules) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || isWeight(operand) || type.getRank() == result.getRank())
      return false;
    for (auto [dim, rule] : llvm::enumerate(rules)) {
      if (rule.resultDim < 0 || type.getDimSize(dim) == 1)
        continue;
      const int here = dimOf(static_cast<int>(dim), type.getRank()),
                there = dimOf(rule.resultDim, result.getRank());
      if (here != there && (here <= layer::C || there <= layer::C))
        return true;
    }
    return false;
  }

  void addOperands(Operation *op, const LocalFacts &facts,
                   const std::optional<CoreCut> &cut, layer::Layer &result) {
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      auto type = countable(operand.getType());
      if (!type)
        continue;
      layer::LayerOperand &entry = result.operands.emplace_back();
      entry.mostBytes = mostBytesRead(op, static_cast<unsigned>(index));
      entry.isInPieces =
          cut && std::get<PartOf>(
                     cutOperand(op, static_cast<unsigned>(index), cut->dim));
      if (facts.isGlobal()) {
        entry.tensor = addTensor(operand, plainForm(type));
        continue;
      }
      const LmemForm form = lmemForm(op, static_cast<unsigned>(index),
                                     facts.operands[index], chip);
      entry.tensor = addTensor(operand, form);
      setRules(op, form, entry);
    }
  }

  void setRules(Operation *op, const LmemForm &form,
                layer::LayerOperand &entry) const {
    const int64_t resultRank =
        cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    const int64_t rank = form.type.getRank();
    for (int64_t dim = 0; dim < rank; ++dim) {
      DimRule rule = form.rules[dim];
      if (rule.resultDim >= 0)
        rule.resultDim = dimOf(rule.resultDim, resultRank);
      entry.rules[dimOf(static_cast<int>(dim), rank)] = rule;
    }
  }

  void addResults(Operation *op, layer::Layer &layer) {
    bool isFirst = true;
    for (Value value : op->getResults()) {
      auto type = countable(value.getType());
      LmemForm form;
      if (type)
        form = plainForm(type);
      else // Nothing to move; never in a group.
        form.type =
            RankedTensorType::get({1}, IntegerType::get(op->getContext(), 8));
      const layer::TensorId id = addTensor(value, form);
      if (!type)
        layers.graph.tensors[id].globalBytes = 0;
      if (isFirst)
        layer.result = id;
      else
        layer.moreResults.push_back(id);
      isFirst = false;
    }
    if (isFirst) // No result: a value of its own that nobody reads.
      layer.result = addAnonymous();
  }

  layer::TensorId addAnonymous() {
    layers.values.push_back(Value());
    layers.types.push_back(nullptr);
    layers.isBroadcast.push_back(false);
    return layers.graph.addTensor({});
  }

  /// Groups of several channels: a part of the result's could end inside one.
  static bool hasMixedGroups(Operation *op) {
    const int64_t group = readInteger(op->getAttr("group")).value_or(1);
    const auto channels = [](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type && type.getRank() > 1 ? type.getDimSize(1) : 0;
    };
    return group > 1 && (channels(op->getOperand(0)) != group ||
                         channels(op->getResult(0)) != group);
  }

  void describe(Operation *op, const LocalFacts &facts, layer::Layer &layer) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    layer.isCuttable.fill(false);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      layer.isCuttable[dimOf(static_cast<int>(dim), type.getRank())] =
          !facts.uncut[dim];
    // Rows of a filter belong to channels of the result: where they are stored
    // like that, a part of the channels needs a part of the rows.
    if (isa<tpu::Conv2DOp>(op) && layer.operands.size() > 1 &&
        layer.operands[1].rules[layer::C].isSame() && !hasMixedGroups(op))
      layer.isCuttable[layer::C] = true;
    layer.scratch = {facts.scratch.tiles, facts.scratch.tileBits,
                     facts.scratch.tableBytes,
                     facts.scratch.of == LocalScratch::Of::Operand};
    layer.macsPerElement = facts.work.opsPerElement;
    layer.isMatrix = facts.work.onArray;
    if (isa<tpu::AddOp, tpu::SubOp, tpu::MulOp, tpu::DivOp, tpu::MaxOp,
            tpu::MinOp>(op) &&
        op->getOperand(0).getType() == op->getResult(0).getType())
      layer.inPlaceOperand = 0;
  }

  Block &block;
  const target::ChipSpec &chip;
  BlockLayers layers;
  llvm::DenseMap<std::pair<Value, Type>, layer::TensorId> known;
};

} // namespace

bool isCounted(Type type) { return bool(countable(type)); }

int64_t mostBytesRead(Operation *op, unsigned index) {
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  auto type = countable(op->getOperand(index).getType());
  const auto elements = type ? elementsRead(op, index) : std::nullopt;
  return elements ? typeBytes(
                        RankedTensorType::get(*elements, type.getElementType()))
                        .value_or(kAll)
                  : kAll;
}

void callAsOutside(Operation *op, llvm::function_ref<void(Operation *)> ask) {
  if (!op->getParentOfType<tpu::GroupOp>())
    return ask(op);
  IRMapping outside;
  for (Value operand : op->getOperands())
    if (auto load = operand.getDefiningOp<tpu::LoadOp>())
      outside.map(operand, load->getOperand(0));
  Operation *copy = op->cloneWithoutRegions(outside);
  ask(copy);
  copy->destroy();
}

/// The addresses say that the result (of a slice) is where its elements are in
/// the operand, of whichever layout. Without addresses nobody knows yet.
static bool liesInOperand(Operation *op, const InPlaceEdge &edge) {
  if (edge.overwrites ||
      edge.direction != InPlaceEdge::Direction::ResultInOperand)
    return false;
  const Type whole = op->getOperand(edge.operand).getType(),
             part = op->getResult(edge.result).getType();
  const auto from = getAddress(whole), to = getAddress(part);
  auto wholeType = dyn_cast<RankedTensorType>(whole),
       partType = dyn_cast<RankedTensorType>(part);
  if (!from || !to || !wholeType || !partType)
    return false;
  for (bool fourN : {false, true})
    if (const auto offset =
            offsetInStorage(wholeType, partType, edge.offsetBytes, fourN);
        offset && checkedAdd(*from, *offset) == to)
      return true;
  return false;
}

bool isView(Operation *op) {
  return isa<tpu::ReshapeOp, tpu::SqueezeOp, tpu::UnsqueezeOp>(op);
}

bool isFreeGlobally(Operation *op) {
  if (isView(op))
    return true;
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  return inPlace &&
         llvm::any_of(inPlace.getInPlaceEdges(), [op](const InPlaceEdge &edge) {
           return edge.required || liesInOperand(op, edge);
         });
}

bool isMasked(Operation *op) {
  return isa<tpu::TriluOp, tpu::WhereOp, tpu::MaskedFillOp>(op);
}

BlockLayers buildLayers(Block &block, const target::ChipSpec &chip) {
  return LayerBuilder(block, chip).run();
}

/// What the storage of `value` is called by: views are of their operand's.
static Value storageOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isFreeGlobally(op) || op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return value;
}

void expectL2(BlockLayers &layers, int64_t l2Bytes) {
  if (l2Bytes == 0)
    return;
  // Only terminators and ops that are no layers read results of functions.
  llvm::DenseSet<Value> readOutside;
  for (auto [tensor, value] : llvm::zip(layers.graph.tensors, layers.values))
    if (value && tensor.isReadOutside)
      readOutside.insert(storageOf(value));
  for (auto [tensor, value] : llvm::zip(layers.graph.tensors, layers.values)) {
    if (!value)
      continue;
    const Value storage = storageOf(value);
    tensor.isInL2 = !tensor.isParameter && tensor.globalBytes <= l2Bytes &&
                    !isa<BlockArgument>(storage) &&
                    !storage.getDefiningOp<top::InputOp>() &&
                    !readOutside.contains(storage);
  }
}

} // namespace tpu_mlir::grouping
