//===- StretchMemory.cpp - Groups found earlier in the same run -----------===//

#include "tpu_mlir/LayerPlanning/StretchMemory.h"

#include <cassert>
#include <unordered_map>

namespace tpu_mlir::layer {
namespace {

using GraphSize = StretchMemory::GraphSize;

std::vector<TensorId> tensorsOf(const LayerGraph &graph,
                                const LayerRange &stretch) {
  std::vector<TensorId> tensors;
  for (LayerId id : stretch) {
    tensors.push_back(graph.layers[id].result);
    for (const LayerOperand &operand : graph.layers[id].operands)
      tensors.push_back(operand.tensor);
  }
  return tensors;
}

GraphSize sizeOf(const LayerGraph &graph) {
  return {static_cast<LayerId>(graph.layers.size()),
          static_cast<TensorId>(graph.tensors.size())};
}

/// Gives the layers and tensors of one stretch the names that they have in
/// another.
class Renaming {
public:
  Renaming(const LayerRange &from, const LayerRange &to,
           const std::vector<TensorId> &fromTensors,
           const std::vector<TensorId> &toTensors, const GraphSize &before,
           const GraphSize &now)
      : before(before), now(now) {
    for (size_t i = 0; i < from.size(); ++i)
      layers.emplace(from[i], to[i]);
    for (size_t i = 0; i < fromTensors.size(); ++i)
      tensors.emplace(fromTensors[i], toTensors[i]);
  }

  /// -1, none, stays. What a group adds comes after all that the graph has.
  LayerId layer(LayerId id) const {
    if (id >= before.layers)
      return id + now.layers - before.layers;
    return id < 0 ? id : layers.at(id);
  }
  void change(GroupPlan &plan) const {
    GroupDraft &draft = plan.draft;
    for (auto *list : {&draft.range, &draft.order})
      for (LayerId &id : *list)
        id = layer(id);
    for (TensorId &id : draft.changes.lines)
      change(id);
    for (InputCopy &copy : draft.changes.copies) {
      change(copy.tensor);
      for (LayerId &reader : copy.readers)
        reader = layer(reader);
    }
    for (auto *list : {&draft.tensors.inputs, &draft.tensors.results,
                       &draft.tensors.outputs})
      for (TensorId &id : *list)
        change(id);
    std::vector<TensorId> order;
    for (TensorSlices &slices : draft.slices.tensors) {
      change(slices.tensor);
      order.push_back(slices.tensor);
    }
    draft.slices.indexOf = TensorIndex(order);
    for (auto *list : {&draft.steps.loads, &draft.steps.stores})
      for (Transfer &transfer : *list)
        change(transfer.tensor);
    for (LocalBuffer &buffer : draft.steps.buffers) {
      change(buffer.tensor);
      buffer.scratchOf = layer(buffer.scratchOf);
    }
  }
  void change(TensorId &id) const {
    if (id >= before.tensors)
      id += now.tensors - before.tensors;
    else if (id >= 0)
      id = tensors.at(id);
  }

private:
  const GraphSize before, now;
  std::unordered_map<LayerId, LayerId> layers;
  std::unordered_map<TensorId, TensorId> tensors;
};

} // namespace

std::optional<Grouping> StretchMemory::find(const std::string &key,
                                            const LayerGraph &graph,
                                            const LayerRange &stretch) const {
  const auto found = known.find(key);
  if (found == known.end())
    return std::nullopt;
  const Known &old = found->second;
  const std::vector<TensorId> tensors = tensorsOf(graph, stretch);
  assert(old.stretch.size() == stretch.size() &&
         old.tensors.size() == tensors.size() && "equal keys, other layers");
  const Renaming renaming(old.stretch, stretch, old.tensors, tensors, old.size,
                          sizeOf(graph));
  Grouping result = old.grouping;
  for (LayerId &id : result.order)
    id = renaming.layer(id);
  for (GroupPlan &plan : result.groups)
    renaming.change(plan);
  result.refusals.clear();
  for (auto [id, refusal] : old.grouping.refusals) {
    renaming.change(refusal.largest);
    result.refusals.emplace(renaming.layer(id), refusal);
  }
  return result;
}

void StretchMemory::add(const std::string &key, const LayerGraph &graph,
                        const LayerRange &stretch, const Grouping &grouping) {
  known.insert_or_assign(
      key, Known{stretch, tensorsOf(graph, stretch), sizeOf(graph), grouping});
}

} // namespace tpu_mlir::layer
