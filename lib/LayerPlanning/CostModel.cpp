//===- CostModel.cpp - Bytes moved and cycles taken -----------------------===//

#include "tpu_mlir/LayerPlanning/CostModel.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tpu_mlir::layer {

namespace {

int64_t macsPerCycle(const target::ChipSpec &chip, int64_t bits) {
  return bits <= 8    ? chip.macsPerCycle8
         : bits <= 16 ? chip.macsPerCycle16
                      : chip.macsPerCycle32;
}

/// Sections whose parts have the same extents cost the same: each kind of
/// section is looked at once, and each kind of loop (the kinds of the three
/// sections at work in it).
class GroupClock {
public:
  GroupClock(const LayerGraph &graph, const LayerRange &range,
             const GroupSlices &slices, const TimeSteps &steps,
             const target::ChipSpec &chip)
      : graph(graph), range(range), slices(slices), steps(steps), chip(chip),
        numSections(countSections(slices.sections)) {}

  Cost run() {
    for (int dim = 0; dim < kNumDims; ++dim)
      findKinds(dim);
    std::vector<int> kinds;
    for (int64_t section = 0; section < numSections; ++section)
      kinds.push_back(kindOf(section));
    const auto at = [&](int64_t section) {
      return section < 0 || section >= numSections ? -1 : kinds[section];
    };
    std::map<std::array<int, 3>, int64_t> cyclesOfLoop;
    for (int64_t loop = 0; loop < numSections + 2; ++loop) {
      const std::array<int, 3> stages{at(loop), at(loop - 1), at(loop - 2)};
      auto [it, isNew] = cyclesOfLoop.try_emplace(stages, 0);
      if (isNew)
        it->second = loopCycles(stages);
      cost.cycles = saturatedAdd(cost.cycles, it->second);
    }
    for (int kind : kinds)
      cost += rows[kind].cost;
    return cost;
  }

private:
  /// What one kind of section does in each row.
  struct RowWork {
    std::vector<int64_t> compute;
    std::array<std::vector<int64_t>, 3> transfers; ///< By stage.
    Cost cost;                                     ///< Without cycles.
  };

  /// Parts of a dimension with equal extents of all tensors are of one kind.
  void findKinds(int dim) {
    std::vector<const TensorSlices *> cut;
    for (const TensorSlices &tensor : slices.tensors)
      if (!tensor.isSameAlong[dim])
        cut.push_back(&tensor);
    std::map<std::vector<int64_t>, int> known;
    std::vector<int64_t> lengths, before;
    std::vector<int> &kinds = kindsOfDim[dim];
    for (int64_t i = 0; i < slices.sections[dim]; ++i) {
      lengths.clear();
      for (const TensorSlices *tensor : cut)
        lengths.push_back(tensor->part(dim, i).length());
      // Most are like their neighbours.
      if (i > 0 && lengths == before) {
        kinds.push_back(kinds.back());
        continue;
      }
      kinds.push_back(
          known.emplace(lengths, static_cast<int>(known.size())).first->second);
      std::swap(lengths, before);
    }
  }

  /// The first section is of a kind of its own: held tensors are loaded.
  int kindOf(int64_t section) {
    const auto index = sectionIndex(slices.sections, section);
    std::array<int, kNumDims + 1> key{};
    for (int dim = 0; dim < kNumDims; ++dim)
      key[dim] = kindsOfDim[dim][index[dim]];
    key[kNumDims] = section == 0;
    const auto [it, isNew] =
        knownKinds.emplace(key, static_cast<int>(rows.size()));
    if (isNew)
      rows.push_back(workOf(section));
    return it->second;
  }

  RowWork workOf(int64_t section) const {
    RowWork work;
    work.compute.resize(steps.numRows);
    for (auto &stage : work.transfers)
      stage.resize(steps.numRows);
    const auto index = sectionIndex(slices.sections, section);
    const size_t firstResult = slices.tensors.size() - range.size();
    for (size_t i = 0; i < range.size(); ++i) {
      const Layer &layer = graph.layers[range[i]];
      const int64_t cycles = computeCycles(
          graph, layer, slices.tensors[firstResult + i].extents(index), chip);
      int64_t &row = work.compute[steps.rowOfLayer[i]];
      row = saturatedAdd(row, saturatedAdd(chip.computeSetupCycles, cycles));
      work.cost.computeCycles = saturatedAdd(work.cost.computeCycles, cycles);
    }
    for (const Transfer &load : steps.loads)
      if (section == 0 || !load.isHeld)
        add(load, index, work, work.cost.loadBytes);
    for (const Transfer &store : steps.stores)
      add(store, index, work, work.cost.storeBytes);
    return work;
  }

  void add(const Transfer &transfer, const std::array<int64_t, kNumDims> &index,
           RowWork &work, int64_t &bytes) const {
    const int64_t moved = partBytes(
        graph, slices.tensors[slices.indexOf[transfer.tensor]], index);
    bytes = saturatedAdd(bytes, moved);
    int64_t &row = work.transfers[transfer.stage][transfer.row];
    row = saturatedAdd(row, transferCycles(moved, chip));
  }

  int64_t loopCycles(const std::array<int, 3> &stages) const {
    int64_t total = 0;
    for (int64_t row = 0; row < steps.numRows; ++row) {
      int64_t transfers = 0;
      for (int stage = 0; stage < 3; ++stage)
        if (stages[stage] >= 0)
          transfers = saturatedAdd(transfers,
                                   rows[stages[stage]].transfers[stage][row]);
      const int64_t compute = stages[1] < 0 ? 0 : rows[stages[1]].compute[row];
      total = saturatedAdd(total, std::max(compute, transfers));
    }
    return total;
  }

  const LayerGraph &graph;
  const LayerRange &range;
  const GroupSlices &slices;
  const TimeSteps &steps;
  const target::ChipSpec &chip;
  const int64_t numSections;
  std::array<std::vector<int>, kNumDims> kindsOfDim;
  std::map<std::array<int, kNumDims + 1>, int> knownKinds;
  std::vector<RowWork> rows; ///< Of each kind of section.
  Cost cost;
};

} // namespace

Cost &Cost::operator+=(const Cost &o) {
  loadBytes = saturatedAdd(loadBytes, o.loadBytes);
  storeBytes = saturatedAdd(storeBytes, o.storeBytes);
  cycles = saturatedAdd(cycles, o.cycles);
  computeCycles = saturatedAdd(computeCycles, o.computeCycles);
  return *this;
}

bool isBetter(const Cost &a, const Cost &b, Objective objective) {
  const auto key = [&](const Cost &cost) {
    const int64_t traffic = saturatedAdd(cost.loadBytes, cost.storeBytes);
    return objective == Objective::Traffic
               ? std::make_tuple(traffic, cost.cycles)
               : std::make_tuple(cost.cycles, traffic);
  };
  return key(a) < key(b);
}

int64_t computeCycles(const LayerGraph &graph, const Layer &layer,
                      const Shape5 &part, const target::ChipSpec &chip) {
  const int64_t channels = alignUp(part[C], chip.lanes);
  int64_t elements = 1;
  for (int64_t extent : {part[N], channels, part[D], part[H], part[W]})
    elements = saturatedMul(elements, extent);
  const int64_t operations = saturatedMul(elements, layer.macsPerElement);
  const int64_t bits =
      layer.operands.empty()
          ? graph.tensors[layer.result].elementBits
          : graph.tensors[layer.operands[0].tensor].elementBits;
  const int64_t rate =
      layer.isMatrix ? macsPerCycle(chip, bits)
                     : std::max<int64_t>(1, chip.lanes * chip.euBytes * 8 /
                                                std::max<int64_t>(8, bits));
  return ceilDiv(operations, rate);
}

int64_t transferCycles(int64_t bytes, const target::ChipSpec &chip) {
  return saturatedAdd(chip.dmaSetupCycles,
                      ceilDiv(bytes, chip.dmaBytesPerCycle));
}

static int64_t pricedBytes(const Tensor &tensor) {
  return saturatedMul(tensor.globalBytes, tensor.price);
}

Cost globalCost(const LayerGraph &graph, LayerId id,
                const target::ChipSpec &chip) {
  const Layer &layer = graph.layers[id];
  Cost cost;
  if (layer.isFreeGlobally)
    return cost;
  int64_t transfers = 0;
  for (size_t i = 0; i < layer.operands.size(); ++i) {
    const TensorId tensor = layer.operands[i].tensor;
    const bool isRepeated = std::any_of(
        layer.operands.begin(), layer.operands.begin() + i,
        [&](const LayerOperand &other) { return other.tensor == tensor; });
    if (isRepeated)
      continue;
    const int64_t bytes = pricedBytes(graph.tensors[tensor]);
    cost.loadBytes = saturatedAdd(cost.loadBytes, bytes);
    transfers = saturatedAdd(transfers, transferCycles(bytes, chip));
  }
  std::vector<TensorId> results = layer.moreResults;
  results.push_back(layer.result);
  for (TensorId result : results) {
    const int64_t bytes = pricedBytes(graph.tensors[result]);
    cost.storeBytes = saturatedAdd(cost.storeBytes, bytes);
    transfers = saturatedAdd(transfers, transferCycles(bytes, chip));
  }
  cost.computeCycles =
      computeCycles(graph, layer, graph.tensors[layer.result].shape, chip);
  cost.cycles = std::max(
      saturatedAdd(chip.computeSetupCycles, cost.computeCycles), transfers);
  return cost;
}

Cost groupCost(const LayerGraph &graph, const LayerRange &range,
               const GroupSlices &slices, const TimeSteps &steps,
               const target::ChipSpec &chip) {
  return GroupClock(graph, range, slices, steps, chip).run();
}

int64_t partBytes(const LayerGraph &graph, const TensorSlices &slices,
                  const std::array<int64_t, kNumDims> &section) {
  const Tensor &tensor = graph.tensors[slices.tensor];
  const Shape5 part = slices.extents(section);
  if (part == tensor.shape)
    return pricedBytes(tensor);
  int64_t bits = tensor.elementBits;
  for (int64_t extent : part)
    bits = saturatedMul(bits, extent);
  return saturatedMul(ceilDiv(bits, 8), tensor.price);
}

} // namespace tpu_mlir::layer
