//===- CostModel.cpp - Bytes moved and cycles taken -----------------------===//

#include "tpu_mlir/LayerPlanning/CostModel.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tpu_mlir::layer {

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// Products of sizes that a graph's builder has not multiplied yet.
int64_t saturatingMul(int64_t a, int64_t b) {
  return checkedMul(a, b).value_or(kMost);
}
int64_t saturatingAdd(int64_t a, int64_t b) {
  return checkedAdd(a, b).value_or(kMost);
}

int64_t macsPerCycle(const target::ChipSpec &chip, int64_t bits) {
  return bits <= 8    ? chip.macsPerCycle8
         : bits <= 16 ? chip.macsPerCycle16
                      : chip.macsPerCycle32;
}

/// Cycles of each row, loop by loop.
class GroupClock {
public:
  GroupClock(const LayerGraph &graph, const LayerRange &range,
             const GroupSlices &slices, const TimeSteps &steps,
             const target::ChipSpec &chip)
      : graph(graph), range(range), slices(slices), steps(steps), chip(chip),
        numSections(countSections(slices.sections)), compute(steps.numRows),
        transfers(steps.numRows) {}

  Cost run() {
    for (int64_t loop = 0; loop < numSections + 2; ++loop) {
      std::fill(compute.begin(), compute.end(), 0);
      std::fill(transfers.begin(), transfers.end(), 0);
      computeSection(loop - 1);
      for (const Transfer &load : steps.loads)
        transfer(load, loop - load.stage, cost.loadBytes);
      for (const Transfer &store : steps.stores)
        transfer(store, loop - store.stage, cost.storeBytes);
      for (int64_t row = 0; row < steps.numRows; ++row)
        cost.cycles =
            saturatingAdd(cost.cycles, std::max(compute[row], transfers[row]));
    }
    return cost;
  }

private:
  void computeSection(int64_t section) {
    if (section < 0 || section >= numSections)
      return;
    const auto index = sectionIndex(slices.sections, section);
    for (size_t i = 0; i < range.size(); ++i) {
      const Layer &layer = graph.layers[range[i]];
      const Shape5 part =
          slices.tensors[slices.indexOf[layer.result]].extents(index);
      const int64_t cycles = computeCycles(graph, layer, part, chip);
      compute[steps.rowOfLayer[i]] =
          saturatingAdd(compute[steps.rowOfLayer[i]],
                        saturatingAdd(chip.computeSetupCycles, cycles));
      cost.computeCycles = saturatingAdd(cost.computeCycles, cycles);
    }
  }

  void transfer(const Transfer &transfer, int64_t section, int64_t &bytes) {
    if (section < 0 || section >= (transfer.isHeld ? 1 : numSections))
      return;
    const int64_t moved =
        partBytes(graph, slices.tensors[slices.indexOf[transfer.tensor]],
                  sectionIndex(slices.sections, section));
    bytes = saturatingAdd(bytes, moved);
    transfers[transfer.row] =
        saturatingAdd(transfers[transfer.row], transferCycles(moved, chip));
  }

  const LayerGraph &graph;
  const LayerRange &range;
  const GroupSlices &slices;
  const TimeSteps &steps;
  const target::ChipSpec &chip;
  const int64_t numSections;
  std::vector<int64_t> compute, transfers;
  Cost cost;
};

} // namespace

Cost &Cost::operator+=(const Cost &o) {
  loadBytes = saturatingAdd(loadBytes, o.loadBytes);
  storeBytes = saturatingAdd(storeBytes, o.storeBytes);
  cycles = saturatingAdd(cycles, o.cycles);
  computeCycles = saturatingAdd(computeCycles, o.computeCycles);
  return *this;
}

bool isBetter(const Cost &a, const Cost &b, Objective objective) {
  const auto key = [&](const Cost &cost) {
    const int64_t traffic = saturatingAdd(cost.loadBytes, cost.storeBytes);
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
    elements = saturatingMul(elements, extent);
  const int64_t operations = saturatingMul(elements, layer.macsPerElement);
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
  return saturatingAdd(chip.dmaSetupCycles,
                       ceilDiv(bytes, chip.dmaBytesPerCycle));
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
    const int64_t bytes = graph.tensors[tensor].globalBytes;
    cost.loadBytes = saturatingAdd(cost.loadBytes, bytes);
    transfers = saturatingAdd(transfers, transferCycles(bytes, chip));
  }
  std::vector<TensorId> results = layer.moreResults;
  results.push_back(layer.result);
  for (TensorId result : results) {
    const int64_t bytes = graph.tensors[result].globalBytes;
    cost.storeBytes = saturatingAdd(cost.storeBytes, bytes);
    transfers = saturatingAdd(transfers, transferCycles(bytes, chip));
  }
  cost.computeCycles =
      computeCycles(graph, layer, graph.tensors[layer.result].shape, chip);
  cost.cycles = std::max(
      saturatingAdd(chip.computeSetupCycles, cost.computeCycles), transfers);
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
    return tensor.globalBytes;
  int64_t bits = tensor.elementBits;
  for (int64_t extent : part)
    bits = saturatingMul(bits, extent);
  return ceilDiv(bits, 8);
}

} // namespace tpu_mlir::layer
