//===- EmitGroup.cpp - Layers into a group, and out of it -----------------===//

#include "lib/Transforms/Tpu/LayerGroup/EmitGroup.h"

#include "lib/Transforms/Tpu/LayerGroup/DissolveGroups.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpu_mlir::grouping {

namespace {

using layer::TensorId;
using layer::Transfer;

/// Index lists of one op, as `ginfo` has them.
struct SectionLists {
  SmallVector<int64_t> starts[layer::kNumDims];
  SmallVector<int64_t> sizes[layer::kNumDims];
};

/// Of an op with several results the part that names this one.
Location namedLocation(Value value, StringRef name) {
  if (auto fused = dyn_cast<FusedLoc>(value.getLoc()))
    for (Location part : fused.getLocations())
      if (auto named = dyn_cast<NameLoc>(part);
          named && named.getName() == name)
        return part;
  return value.getLoc();
}

/// One location a result. Equal ones would be folded into one, and those
/// without a name left out, and the others would name the wrong results. So
/// each has a name, and one that is there already its number after it.
Location fuseLocations(ArrayRef<Value> results) {
  MLIRContext *context = results.front().getContext();
  SmallVector<Location> locations;
  llvm::StringSet<> seen;
  bool isNamed = false;
  for (auto [index, value] : llvm::enumerate(results)) {
    const std::string name = valueName(value);
    Location location = namedLocation(value, name);
    isNamed |= bool(location->findInstanceOf<NameLoc>());
    const bool isFirst = seen.insert(name).second;
    if (!isFirst)
      location =
          NameLoc::get(StringAttr::get(context, llvm::Twine(index)), location);
    if (!isFirst || !isa<NameLoc>(location))
      location = NameLoc::get(StringAttr::get(context, name), location);
    locations.push_back(location);
  }
  if (!isNamed || results.size() == 1)
    return FusedLoc::get(context, llvm::map_to_vector(results, [](Value value) {
                           return value.getLoc();
                         }));
  return FusedLoc::get(context, locations);
}

/// What is emitted for one row, in this order.
struct RowWork {
  SmallVector<const Transfer *> loads;
  SmallVector<layer::LayerId> layers;
  SmallVector<const Transfer *> stores;
};

/// Those of the other stages come before and after all rows.
std::vector<RowWork> workOfRows(const layer::GroupDraft &draft) {
  std::vector<RowWork> work(draft.steps.numRows);
  for (const Transfer &load : draft.steps.loads)
    if (load.stage == 1)
      work[load.row].loads.push_back(&load);
  for (size_t i = 0; i < draft.order.size(); ++i)
    work[draft.steps.rowOfLayer[i]].layers.push_back(draft.order[i]);
  for (const Transfer &store : draft.steps.stores)
    if (store.stage == 1)
      work[store.row].stores.push_back(&store);
  return work;
}

/// What the draft of a group says about its tensors.
class GroupTensors {
public:
  GroupTensors(const BlockLayers &layers, const layer::GroupDraft &draft)
      : layers(layers), draft(draft) {
    for (auto [index, copy] : llvm::enumerate(draft.changes.copies))
      for (layer::LayerId reader : copy.readers)
        copyOf.try_emplace({reader, copy.tensor}, added(index));
    for (auto [index, line] : llvm::enumerate(draft.changes.lines))
      for (layer::LayerId reader : layers.graph.tensors[line].readers)
        copyOf.try_emplace({reader, line}, added(index));
    for (auto [index, buffer] : llvm::enumerate(draft.steps.buffers))
      if (buffer.scratchOf >= 0)
        scratch[buffer.scratchOf] = static_cast<int>(index);
    // The first convolution that reads a value decides.
    for (layer::LayerId id : draft.range)
      if (auto conv = dyn_cast<tpu::Conv2DOp>(layers.ops[id]))
        merging.try_emplace(
            conv.getInput(),
            readInteger(conv->getAttr("use_3ic_optimize")).value_or(0));
  }

  /// The tensor of the block's graph that `tensor` is, is a copy of, or has
  /// rows of.
  TensorId original(TensorId tensor) const {
    return draft.changes.original(tensor, layers.graph.tensors.size());
  }
  /// Of a line buffer the place among them; nullopt: it is a layer of the
  /// block.
  std::optional<size_t> lineBuffer(layer::LayerId id) const {
    const size_t numOwn = layers.graph.layers.size();
    return static_cast<size_t>(id) < numOwn ? std::nullopt
                                            : std::optional(id - numOwn);
  }
  /// What the group has beside the tensors of the block's graph.
  TensorId added(size_t index) const {
    return static_cast<TensorId>(layers.graph.tensors.size() + index);
  }
  /// What layer `id` reads where its graph says `tensor`.
  TensorId asReadBy(layer::LayerId id, TensorId tensor) const {
    const auto copy = copyOf.find({id, tensor});
    return copy == copyOf.end() ? tensor : copy->second;
  }

  /// All sections of `tensor`; one entry each for what is held.
  SectionLists lists(TensorId tensor, bool isHeld) const {
    const layer::TensorSlices &slices =
        draft.slices.tensors[draft.slices.indexOf[tensor]];
    SectionLists result;
    for (int dim = 0; dim < layer::kNumDims; ++dim)
      for (const Interval &part :
           ArrayRef(slices.parts[dim]).take_front(isHeld ? 1 : SIZE_MAX)) {
        result.starts[dim].push_back(part.begin);
        result.sizes[dim].push_back(part.length());
      }
    return result;
  }
  std::optional<int> scratchOf(layer::LayerId id) const {
    const auto found = scratch.find(id);
    return found == scratch.end() ? std::nullopt : std::optional(found->second);
  }
  int64_t channelMerging(Value value) const { return merging.lookup(value); }
  int64_t groupType() const {
    const bool isDeep = llvm::any_of(
        draft.slices.tensors, [&](const layer::TensorSlices &slices) {
          RankedTensorType type = layers.types[original(slices.tensor)];
          return type && type.getRank() == 5;
        });
    return static_cast<int64_t>(isDeep ? layer::GroupType::ThreeD
                                       : layer::GroupType::Normal);
  }

private:
  const BlockLayers &layers;
  const layer::GroupDraft &draft;
  std::map<layer::LayerId, int> scratch; ///< Its buffer.
  /// What a layer reads for a tensor that the group has a second time.
  std::map<std::pair<layer::LayerId, TensorId>, TensorId> copyOf;
  /// How a convolution that reads a value wants few input channels spread over
  /// the lanes: its filter is arranged for it.
  llvm::DenseMap<Value, int64_t> merging;
};

class GroupEmitter {
public:
  GroupEmitter(BlockLayers &layers, const layer::GroupPlan &plan)
      : layers(layers), plan(plan), draft(plan.draft),
        last(layers.ops[draft.range.back()]), builder(last),
        tensors(layers, draft), groupType(tensors.groupType()),
        work(workOfRows(draft)) {}

  tpu::GroupOp run() {
    rows.resize(draft.steps.numRows);
    createGroup();
    for (const Transfer &load : draft.steps.loads)
      if (load.stage == 0)
        emitLoad(load);
    for (int64_t row = 0; row < draft.steps.numRows; ++row)
      emitRow(row);
    for (const Transfer &store : draft.steps.stores)
      if (store.stage == 2)
        emitStore(store);
    finish();
    return group;
  }

private:
  void createGroup() {
    llvm::SetVector<Value> inputs;
    for (TensorId tensor : draft.tensors.inputs)
      if (Value value = layers.values[tensors.original(tensor)];
          !isWeight(value))
        inputs.insert(value);
    SmallVector<Type> types;
    SmallVector<Value> results;
    for (TensorId tensor : draft.tensors.outputs) {
      types.push_back(layers.values[tensor].getType());
      results.push_back(layers.values[tensor]);
    }
    group = tpu::GroupOp::create(builder, fuseLocations(results), types,
                                 inputs.getArrayRef());
    builder.setInsertionPointToStart(&group.getRegion().emplaceBlock());
  }

  void emitRow(int64_t row) {
    for (const Transfer *load : work[row].loads)
      emitLoad(*load);
    for (layer::LayerId id : work[row].layers)
      emitLayer(id, row);
    for (const Transfer *store : work[row].stores)
      emitStore(*store);
  }

  tpu::LayerGroupAttr info(TensorId tensor, bool isHeld,
                           std::optional<int> scratch, int stage) {
    const auto addressOf = [&](std::optional<int> buffer) {
      return buffer ? plan.placement.addresses[*buffer] : 0;
    };
    const auto sizeOf = [&](std::optional<int> buffer) {
      return buffer ? draft.steps.buffers[*buffer].sizeBytes : 0;
    };
    MLIRContext *context = builder.getContext();
    const SectionLists parts = tensors.lists(tensor, isHeld);
    const int buffer = draft.slices.indexOf[tensor];
    return tpu::LayerGroupAttr::get(
        context, addressOf(buffer), sizeOf(buffer), addressOf(scratch),
        sizeOf(scratch),
        layers.graph.tensors[tensors.original(tensor)].euAligned,
        builder.getBoolAttr(false), builder.getDenseI64ArrayAttr({}),
        parts.starts[layer::N], parts.sizes[layer::N], parts.starts[layer::C],
        parts.sizes[layer::C], parts.starts[layer::D], parts.sizes[layer::D],
        parts.starts[layer::H], parts.sizes[layer::H], parts.starts[layer::W],
        parts.sizes[layer::W], nextId, stage, builder.getI64IntegerAttr(0),
        groupType);
  }

  NamedAttribute named(StringRef name, Attribute value) {
    return builder.getNamedAttr(name, value);
  }

  void emitLoad(const Transfer &load) {
    const TensorId tensor = tensors.original(load.tensor);
    Value value = layers.values[tensor];
    const bool isParameter = layers.graph.tensors[tensor].isParameter;
    const NamedAttribute attributes[] = {
        named("do_bcast", builder.getBoolAttr(layers.isBroadcast[tensor])),
        named("ginfo",
              info(load.tensor, load.isHeld, std::nullopt, load.stage)),
        named("is_idx_weight", builder.getBoolAttr(false)),
        named("lmem_type", builder.getI64IntegerAttr(isParameter ? 0 : 1)),
        named("support_compress", builder.getBoolAttr(false)),
        named("use_3ic_optimize",
              builder.getI64IntegerAttr(tensors.channelMerging(value)))};
    auto op =
        tpu::LoadOp::create(builder, value.getLoc(),
                            TypeRange(layers.types[tensor]), value, attributes);
    local[load.tensor] = op.getOutput();
    record(load.row);
  }

  void emitLineBuffer(layer::LayerId id, size_t index, int64_t row) {
    const TensorId result = tensors.added(index);
    const Value input = local.at(tensors.original(result));
    auto op = tpu::LineBufferOp::create(builder, input.getLoc(),
                                        TypeRange(input.getType()), input);
    op->setAttr("ginfo", info(result, false, tensors.scratchOf(id), 1));
    local[result] = op.getOutput();
    rows[row].insert(rows[row].begin(), nextId++);
  }

  void emitLayer(layer::LayerId id, int64_t row) {
    if (const auto index = tensors.lineBuffer(id))
      return emitLineBuffer(id, *index, row);
    const layer::Layer &layer = layers.graph.layers[id];
    Operation *op = layers.ops[id];
    // Operands of the layer are those of the op that are tensors, in order.
    IRMapping mapping;
    Operation *copy = builder.clone(*op, mapping);
    size_t next = 0;
    for (OpOperand &operand : copy->getOpOperands())
      if (!isa<NoneType>(operand.get().getType()))
        operand.set(
            local.at(tensors.asReadBy(id, layer.operands[next++].tensor)));
    copy->setAttr("ginfo", info(layer.result, false, tensors.scratchOf(id), 1));
    local[layer.result] = copy->getResult(0);
    // The row's computation comes before its transfers.
    rows[row].insert(rows[row].begin(), nextId++);
  }

  void emitStore(const Transfer &store) {
    const TensorId tensor = store.tensor;
    SmallVector<Value> operands{local.at(tensor)};
    if (layers.none && layers.none.getDefiningOp()->isBeforeInBlock(group))
      operands.push_back(layers.none);
    const NamedAttribute attributes[] = {
        named("ginfo", info(tensor, false, std::nullopt, store.stage)),
        named("support_compress", builder.getBoolAttr(false))};
    auto op = tpu::StoreOp::create(builder, layers.values[tensor].getLoc(),
                                   TypeRange(layers.values[tensor].getType()),
                                   operands, attributes);
    stored[tensor] = op.getOutput();
    record(store.row);
  }

  void record(int64_t row) { rows[row].push_back(nextId++); }

  void finish() {
    SmallVector<Value> yielded;
    for (TensorId tensor : draft.tensors.outputs)
      yielded.push_back(stored.at(tensor));
    tpu::YieldOp::create(builder, group.getLoc(), TypeRange(), yielded);
    setAttributes();
    for (auto [tensor, result] :
         llvm::zip_equal(draft.tensors.outputs, group.getResults())) {
      layers.values[tensor].replaceAllUsesWith(result);
      layers.values[tensor] = result;
    }
    for (layer::LayerId id : llvm::reverse(draft.range))
      layers.ops[id]->erase();
  }

  void setAttributes() {
    SmallVector<int64_t> flow;
    for (auto [row, ids] : llvm::enumerate(rows)) {
      flow.push_back(-static_cast<int64_t>(row) - 1);
      llvm::append_range(flow, ids);
    }
    const layer::Sections &sections = draft.slices.sections;
    const auto number = [&](StringRef name, int64_t value) {
      group->setAttr(name, builder.getI64IntegerAttr(value));
    };
    for (auto [name, parts] : llvm::zip_equal(tpu::GroupOp::kCounts, sections))
      number(name, parts);
    number("swpipl_stage_num", 3);
    number("group_type", groupType);
    group->setAttr("flow", builder.getI64ArrayAttr(flow));
    for (StringRef name : tpu::GroupOp::kSharedTransfers)
      group->setAttr(name, builder.getI64ArrayAttr({}));
    for (StringRef name : {"run_core_id", "core_slice_ncdhw"})
      group->setAttr(name, builder.getI64ArrayAttr({}));
    group->setAttr("support_compress", builder.getBoolAttr(false));
  }

  BlockLayers &layers;
  const layer::GroupPlan &plan;
  const layer::GroupDraft &draft;
  Operation *last;
  OpBuilder builder;
  const GroupTensors tensors;
  const int64_t groupType;
  tpu::GroupOp group;
  int64_t nextId = 0;
  std::vector<SmallVector<int64_t>> rows;
  std::map<TensorId, Value> local, stored;
  const std::vector<RowWork> work;
};

} // namespace

tpu::GroupOp emitGroup(BlockLayers &layers, const layer::GroupPlan &plan) {
  return GroupEmitter(layers, plan).run();
}

namespace {

bool hasNoPlainForm(Operation &op) {
  return isa<tpu::MoveOp, tpu::LoadToL2MOp, tpu::SliceMergeOp>(op);
}

void dissolve(tpu::GroupOp group) {
  OpBuilder builder(group);
  IRMapping mapping;
  for (Operation &op : group.getRegion().front()) {
    if (auto load = dyn_cast<tpu::LoadOp>(op)) {
      mapping.map(load.getOutput(), load.getInput());
    } else if (auto store = dyn_cast<tpu::StoreOp>(op)) {
      mapping.map(store.getOutput(), mapping.lookupOrDefault(store.getInput()));
    } else if (auto line = dyn_cast<tpu::LineBufferOp>(op)) {
      mapping.map(line.getOutput(), mapping.lookupOrDefault(line.getInput()));
    } else if (auto yield = dyn_cast<tpu::YieldOp>(op)) {
      for (auto [result, yielded] :
           llvm::zip_equal(group.getResults(), yield.getValues())) {
        Value value = mapping.lookupOrDefault(yielded);
        // A layer's result takes over the type, and address, of the group's.
        if (value.getDefiningOp() && !isa<BlockArgument>(value))
          value.setType(result.getType());
        result.replaceAllUsesWith(value);
      }
    } else {
      builder.clone(op, mapping)->removeAttr("ginfo");
    }
  }
  group.erase();
}

} // namespace

int64_t dissolveGroups(Block &block,
                       llvm::function_ref<bool(tpu::GroupOp)> isMeant) {
  int64_t numDissolved = 0;
  for (auto group : llvm::make_early_inc_range(block.getOps<tpu::GroupOp>()))
    if (llvm::none_of(group.getRegion().front(), hasNoPlainForm) &&
        isMeant(group)) {
      dissolve(group);
      ++numDissolved;
    }
  return numDissolved;
}

std::string whyNotDissolved(tpu::GroupOp group) {
  for (Operation &op : group.getRegion().front())
    if (hasNoPlainForm(op))
      return "'" + op.getName().getStringRef().str() +
             "' in it has no meaning outside of groups";
  return "it is in a region of another op, and those are left alone";
}

} // namespace tpu_mlir::grouping
