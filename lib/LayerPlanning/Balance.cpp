//===- Balance.cpp - Loads where the DMA engine has time ------------------===//

#include "lib/LayerPlanning/Balance.h"

#include "tpu_mlir/LayerPlanning/CostModel.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Target/Dealing.h"

#include <algorithm>

namespace tpu_mlir::layer {

namespace {

/// Sums of a few thousand of them stay in 63 bits.
constexpr int64_t kManyCycles = int64_t(1) << 50;
/// A load does not move by more rows: in groups of thousands of layers nearly
/// all rows are alike.
constexpr int64_t kFarthest = 256;

class Balancer {
public:
  Balancer(const LayerGraph &graph, const LayerRange &range,
           const GroupSlices &slices, const target::ChipSpec &chip,
           TimeSteps &steps)
      : graph(graph), slices(slices), chip(chip), steps(steps),
        section(
            sectionIndex(slices.sections, countSections(slices.sections) / 2)),
        activeCores(
            target::Dealing(countSections(slices.sections), chip.usedCores)
                .activeCores()),
        compute(steps.numRows), transfers(steps.numRows),
        live(liveBytes(steps, chip)) {
    for (size_t i = 0; i < range.size(); ++i) {
      const Layer &layer = graph.layers[range[i]];
      compute[steps.rowOfLayer[i]] +=
          std::min(kManyCycles, chip.computeSetupCycles) +
          std::min(kManyCycles,
                   computeCycles(graph, layer, partOf(layer.result), chip));
    }
    for (const auto *list : {&steps.loads, &steps.stores})
      for (const Transfer &transfer : *list)
        if (!transfer.isHeld)
          transfers[transfer.row] += cyclesOf(transfer.tensor);
  }

  void run() {
    std::vector<std::pair<int64_t, size_t>> bySize;
    for (size_t i = 0; i < steps.loads.size(); ++i)
      if (!steps.loads[i].isHeld)
        bySize.emplace_back(-cyclesOf(steps.loads[i].tensor), i);
    std::sort(bySize.begin(), bySize.end());
    for (const auto &[_, load] : bySize)
      moveEarlier(steps.loads[load],
                  steps.buffers[slices.indexOf[steps.loads[load].tensor]]);
  }

private:
  Shape5 partOf(TensorId tensor) const {
    return slices.tensors[slices.indexOf[tensor]].extents(section);
  }
  int64_t cyclesOf(TensorId tensor) const {
    const TensorSlices &parts = slices.tensors[slices.indexOf[tensor]];
    return std::min(kManyCycles,
                    transferCycles(partBytes(graph, parts, section), chip,
                                   activeCores, graph.tensors[tensor].isInL2));
  }
  int64_t lengthOf(int64_t row, int64_t extra) const {
    return std::max(compute[row], transfers[row] + extra);
  }

  void moveEarlier(Transfer &load, LocalBuffer &buffer) {
    const int64_t cycles = cyclesOf(load.tensor);
    const int64_t saved = lengthOf(load.row, 0) - lengthOf(load.row, -cycles);
    int64_t best = 0, bestStart = buffer.start;
    // Nowhere is more to be gained than what the row gets shorter by.
    for (int64_t start = buffer.start - 1;
         best < saved && start >= buffer.start - kFarthest &&
         canStartAt(start, buffer) && hasRoom(start, buffer);
         --start) {
      const int64_t row = start % steps.numRows;
      const int64_t gain = saved - (lengthOf(row, cycles) - lengthOf(row, 0));
      if (gain > best) {
        best = gain;
        bestStart = start;
      }
    }
    if (best == 0)
      return;
    transfers[load.row] -= cycles;
    load.row = bestStart % steps.numRows;
    load.stage = static_cast<int>(bestStart / steps.numRows);
    transfers[load.row] += cycles;
    for (int64_t time = bestStart; time < buffer.start; ++time)
      live[time % live.size()] += alignUp(buffer.sizeBytes, chip.euBytes);
    buffer.start = bestStart;
  }

  /// One copy: a life is no longer than the rows. Without a loop there is no
  /// section to be ahead of.
  bool canStartAt(int64_t start, const LocalBuffer &buffer) const {
    if (!steps.isLoop)
      return start >= steps.numRows;
    return start >= 0 && buffer.last - start < steps.numRows;
  }

  bool hasRoom(int64_t time, const LocalBuffer &buffer) const {
    return live[time % live.size()] + alignUp(buffer.sizeBytes, chip.euBytes) <=
           chip.laneBytes;
  }

  const LayerGraph &graph;
  const GroupSlices &slices;
  const target::ChipSpec &chip;
  TimeSteps &steps;
  const std::array<int64_t, kNumDims> section;
  const int64_t activeCores;
  std::vector<int64_t> compute, transfers; ///< Cycles of each row.
  std::vector<int64_t> live;               ///< Bytes at each time.
};

} // namespace

void balanceLoads(const LayerGraph &graph, const LayerRange &range,
                  const GroupSlices &slices, const target::ChipSpec &chip,
                  TimeSteps &steps) {
  Balancer(graph, range, slices, chip, steps).run();
}

} // namespace tpu_mlir::layer
