//===- L2Room.cpp - What has room in second-level memory ------------------===//

#include "tpu_mlir/LayerPlanning/L2Room.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Target/Dealing.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tpu_mlir::layer {

namespace {

/// Searches after the first one.
constexpr int kRounds = 3;

/// Groups and global layers one after the other, and what they move.
class RoomSearch {
public:
  RoomSearch(const LayerGraph &graph, const Grouping &grouping,
             const target::ChipSpec &chip)
      : graph(graph), grouping(grouping), chip(chip),
        storages(graph.tensors.size()), lives(graph.tensors.size()),
        moved(graph.tensors.size()) {
    std::iota(storages.begin(), storages.end(), 0);
    findStorages();
    countSteps();
  }

  L2Room run(const std::vector<bool> &isExpected, int64_t l2Bytes) {
    std::vector<TensorId> wanted;
    for (size_t id = 0; id < storages.size(); ++id)
      if (storages[id] == TensorId(id) && isExpected[id] && moved[id] > 0 &&
          graph.tensors[id].globalBytes > 0)
        wanted.push_back(TensorId(id));
    L2Room room = fill(wanted, l2Bytes, [&](TensorId id) {
      return double(moved[id]) / (double(graph.tensors[id].globalBytes) *
                                  double(lives[id].length()));
    });
    L2Room other =
        fill(wanted, l2Bytes, [&](TensorId id) { return double(moved[id]); });
    if (other.globalBytes < room.globalBytes)
      room = std::move(other);
    const std::set<TensorId> without(room.without.begin(), room.without.end());
    for (size_t id = 0; id < storages.size(); ++id)
      if (storages[id] != TensorId(id) &&
          without.count(storageOf(TensorId(id))) > 0)
        room.without.push_back(TensorId(id));
    return room;
  }

private:
  /// Views are their operands; pieces that are written where a concat has them
  /// are the concat.
  void findStorages() {
    for (LayerId id : grouping.order) {
      const Layer &layer = graph.layers[id];
      if (layer.isView && !layer.operands.empty())
        join(layer.result, layer.operands.front().tensor);
      else if (layer.isFreeGlobally)
        for (const LayerOperand &operand : layer.operands)
          join(operand.tensor, layer.result);
    }
  }
  void join(TensorId tensor, TensorId whole) {
    tensor = storageOf(tensor);
    whole = storageOf(whole);
    if (graph.tensors[tensor].globalBytes <= graph.tensors[whole].globalBytes)
      storages[tensor] = whole;
  }
  TensorId storageOf(TensorId tensor) const {
    while (storages[tensor] != tensor)
      tensor = storages[tensor];
    return tensor;
  }

  void countSteps() {
    std::vector<const GroupPlan *> groupOf(graph.layers.size());
    for (const GroupPlan &plan : grouping.groups)
      for (LayerId id : plan.draft.range)
        groupOf[id] = &plan;
    const GroupPlan *last = nullptr;
    for (LayerId id : grouping.order) {
      const GroupPlan *plan = groupOf[id];
      if (plan && plan == last)
        continue;
      last = plan;
      if (plan)
        addGroup(plan->draft);
      else if (!graph.layers[id].isFreeGlobally)
        addGlobal(graph.layers[id]);
      ++numSteps;
    }
  }

  void add(TensorId tensor, int64_t bytes) {
    const TensorId storage = storageOf(tensor);
    Interval &life = lives[storage];
    if (life.empty())
      life.begin = numSteps;
    life.end = numSteps + 1;
    moved[storage] = saturatedAdd(moved[storage], bytes);
  }

  void addGlobal(const Layer &layer) {
    for (const GlobalRead &read : globalReads(graph, layer))
      add(read.tensor, read.bytes);
    add(layer.result, graph.tensors[layer.result].globalBytes);
    for (TensorId result : layer.moreResults)
      add(result, graph.tensors[result].globalBytes);
  }

  void addGroup(const GroupDraft &draft) {
    const target::Dealing dealing(countSections(draft.slices.sections),
                                  chip.usedCores);
    for (const auto *list : {&draft.steps.loads, &draft.steps.stores})
      for (const Transfer &transfer : *list) {
        const TensorSlices &slices =
            draft.slices.tensors[draft.slices.indexOf[transfer.tensor]];
        const TensorId tensor =
            draft.changes.original(transfer.tensor, graph.tensors.size());
        int64_t bits = graph.tensors[tensor].elementBits;
        for (int dim = 0; dim < kNumDims; ++dim) {
          int64_t length = 0;
          for (const Interval &part : slices.parts[dim])
            length = transfer.isHeld ? part.length() : length + part.length();
          if (!transfer.isHeld && slices.parts[dim].size() == 1)
            length = saturatedMul(length, draft.slices.sections[dim]);
          bits = saturatedMul(bits, length);
        }
        const int64_t times = transfer.isHeld ? dealing.activeCores() : 1;
        add(tensor, saturatedMul(ceilDiv(bits, 8), times));
      }
  }

  /// What is worth most comes first.
  template <typename Worth>
  L2Room fill(std::vector<TensorId> wanted, int64_t l2Bytes,
              const Worth &worthOf) const {
    std::stable_sort(wanted.begin(), wanted.end(), [&](TensorId a, TensorId b) {
      return worthOf(a) > worthOf(b);
    });
    L2Room room;
    room.globalBytes =
        saturatedAdd(grouping.cost.loadBytes, grouping.cost.storeBytes);
    std::vector<int64_t> used(numSteps);
    for (TensorId id : wanted)
      if (take(id, l2Bytes, used))
        room.globalBytes -= moved[id];
      else
        room.without.push_back(id);
    return room;
  }

  bool take(TensorId id, int64_t l2Bytes, std::vector<int64_t> &used) const {
    const int64_t bytes = graph.tensors[id].globalBytes;
    for (int64_t step = lives[id].begin; step < lives[id].end; ++step)
      if (bytes > l2Bytes - used[step])
        return false;
    for (int64_t step = lives[id].begin; step < lives[id].end; ++step)
      used[step] += bytes;
    return true;
  }

  const LayerGraph &graph;
  const Grouping &grouping;
  const target::ChipSpec &chip;
  std::vector<TensorId> storages; ///< What each tensor is a part of, or itself.
  std::vector<Interval> lives;    ///< In steps.
  std::vector<int64_t> moved;     ///< Bytes.
  int64_t numSteps = 0;
};

} // namespace

L2Room findRoomInL2(const LayerGraph &graph, const Grouping &grouping,
                    const std::vector<bool> &isExpected,
                    const target::ChipSpec &chip, int64_t l2Bytes) {
  return RoomSearch(graph, grouping, chip).run(isExpected, l2Bytes);
}

Grouping searchGroupsInRoom(LayerGraph graph, const std::vector<LayerId> &order,
                            const target::ChipSpec &chip,
                            const SearchOptions &options, int64_t l2Bytes) {
  Grouping best = searchGroups(graph, order, chip, options);
  std::vector<bool> isExpected;
  for (const Tensor &tensor : graph.tensors)
    isExpected.push_back(tensor.isInL2);
  if (options.group.objective != Objective::Traffic ||
      std::find(isExpected.begin(), isExpected.end(), true) == isExpected.end())
    return best;
  L2Room room = findRoomInL2(graph, best, isExpected, chip, l2Bytes);
  int64_t bytes = room.globalBytes;
  for (int round = 1;
       round <= kRounds && !room.without.empty() && !options.deadline.isOver();
       ++round) {
    for (Tensor &tensor : graph.tensors)
      tensor.isInL2 = tensor.isInL2 && round < kRounds;
    for (TensorId id : room.without)
      graph.tensors[id].isInL2 = false;
    Grouping other = searchGroups(graph, order, chip, options);
    room = findRoomInL2(graph, other, isExpected, chip, l2Bytes);
    if (room.globalBytes < bytes) {
      bytes = room.globalBytes;
      best = std::move(other);
    }
  }
  return best;
}

} // namespace tpu_mlir::layer
