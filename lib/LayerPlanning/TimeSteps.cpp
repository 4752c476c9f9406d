//===- TimeSteps.cpp - When a group loads, computes and stores ------------===//

#include "tpu_mlir/LayerPlanning/TimeSteps.h"

#include "tpu_mlir/LayerPlanning/LineBuffers.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::layer {

namespace {

class Scheduler {
public:
  Scheduler(const LayerGraph &graph, const LayerRange &range,
            const GroupTensors &tensors, const GroupSlices &slices,
            const target::ChipSpec &chip, const TimeStepOptions &options)
      : graph(graph), range(range), tensors(tensors), slices(slices),
        chip(chip), options(options) {}

  TimeSteps run() {
    steps.isLoop = countSections(slices.sections) > 1;
    findReaders();
    assignRows();
    addInputs();
    addResults();
    addScratch();
    if (options.inPlace && chip.localInPlace)
      for (size_t i = 0; i < range.size(); ++i)
        overwriteOperand(i);
    return std::move(steps);
  }

private:
  int64_t numLayers() const { return static_cast<int64_t>(range.size()); }
  const TensorSlices &slicesOf(TensorId tensor) const {
    return slices.tensors[slices.indexOf[tensor]];
  }

  /// The first and the last layer of the range that reads each tensor.
  void findReaders() {
    firstReader.assign(slices.tensors.size(), -1);
    lastReader.assign(slices.tensors.size(), -1);
    storedAt.assign(slices.tensors.size(), -1);
    chainStart.assign(slices.tensors.size(), -1);
    const int *index = slices.operands->data();
    for (int64_t i = 0; i < numLayers(); ++i)
      for (size_t n = graph.layers[range[i]].operands.size(); n > 0; --n) {
        if (firstReader[*index] < 0)
          firstReader[*index] = i;
        lastReader[*index++] = i;
      }
  }

  bool isHeld(size_t input) const {
    const bool isReloaded =
        input < options.isReloaded.size() && options.isReloaded[input];
    return steps.isLoop && !isReloaded && slices.tensors[input].isSame();
  }

  void assignRows() {
    const int64_t firstRow = steps.isLoop ? 0 : 1;
    steps.rowOfLayer.reserve(range.size());
    for (int64_t i = 0; i < numLayers(); ++i)
      steps.rowOfLayer.push_back(firstRow + i);
    steps.numRows = numLayers() + 2 * firstRow;
    if (steps.isLoop)
      steps.numRows += isOverwrittenTooSoon();
  }

  /// Without a further row the next section would write over what is still
  /// needed: a load over what the last layer reads, or the only layer over its
  /// result, which is stored in the row after.
  bool isOverwrittenTooSoon() const {
    if (numLayers() == 1)
      return true;
    for (size_t i = 0; i < tensors.inputs.size(); ++i)
      if (!isHeld(i) && firstReader[i] == 0 && lastReader[i] == numLayers() - 1)
        return true;
    return false;
  }

  int64_t timeOf(int64_t row, int stage) const {
    return stage * steps.numRows + row;
  }
  int64_t timeOfLayer(int64_t position) const {
    return timeOf(steps.rowOfLayer[position], 1);
  }
  /// Of the tensor with this place among the slices.
  int64_t bytesOf(size_t index) const {
    const TensorSlices &part = slices.tensors[index];
    const Tensor &tensor = graph.tensors[part.tensor];
    // The graph's builder has made sure that whole tensors can be counted.
    return laneBytes(chip, part.maxExtents(), tensor.elementBits,
                     tensor.euAligned)
        .value_or(0);
  }

  // Inputs come first, then results in range order: as in GroupSlices.
  void addInputs() {
    // Scratch of every second layer at most, as a rule.
    steps.buffers.reserve(slices.tensors.size() + range.size() / 2);
    steps.loads.reserve(tensors.inputs.size());
    for (size_t i = 0; i < tensors.inputs.size(); ++i) {
      const TensorId tensor = tensors.inputs[i];
      const int64_t userRow = steps.rowOfLayer[firstReader[i]];
      Transfer load{tensor, userRow - 1, 1, isHeld(i)};
      if (userRow == 0) {
        load.row = steps.numRows - 1;
        load.stage = 0;
      }
      steps.loads.push_back(load);
      LocalBuffer &buffer = steps.buffers.emplace_back();
      buffer.tensor = tensor;
      buffer.start = timeOf(load.row, load.stage);
      buffer.last = timeOfLayer(lastReader[i]);
      buffer.isHeld = load.isHeld;
      buffer.sizeBytes = bytesOf(i);
    }
  }

  void addResults() {
    for (int64_t i = 0; i < numLayers(); ++i) {
      LocalBuffer &buffer = steps.buffers.emplace_back();
      buffer.tensor = tensors.results[i];
      buffer.start = timeOfLayer(i);
      const int64_t last = lastReader[tensors.inputs.size() + i];
      buffer.last = last < 0 ? buffer.start : timeOfLayer(last);
      buffer.sizeBytes = bytesOf(tensors.inputs.size() + i);
    }
    for (TensorId tensor : tensors.outputs) {
      const int64_t row =
          steps.rowOfLayer[bufferOf(tensor) - tensors.inputs.size()];
      Transfer store{tensor, row + 1, 1, false};
      if (store.row == steps.numRows) {
        store.row = 0;
        store.stage = 2;
      }
      steps.stores.push_back(store);
      LocalBuffer &buffer = steps.buffers[bufferOf(tensor)];
      storedAt[bufferOf(tensor)] = timeOf(store.row, store.stage);
      buffer.last = std::max(buffer.last, storedAt[bufferOf(tensor)]);
    }
  }

  void addScratch() {
    for (int64_t i = 0; i < numLayers(); ++i) {
      const Layer &layer = graph.layers[range[i]];
      int64_t bytes = layer.scratch.bytes;
      if (layer.scratch.tiles > 0) {
        int64_t tile = tileBytes(layer.result, layer.scratch.tileBits);
        if (layer.scratch.isOfOperand && !layer.operands.empty())
          tile = std::max(tile, tileBytes(layer.operands[0].tensor,
                                          layer.scratch.tileBits));
        bytes += layer.scratch.tiles * tile;
      }
      if (layer.isLineBuffer)
        bytes += keptBytes(layer);
      if (bytes == 0)
        continue;
      LocalBuffer &buffer = steps.buffers.emplace_back();
      buffer.scratchOf = range[i];
      buffer.start = buffer.last = timeOfLayer(i);
      buffer.isHeld = layer.isLineBuffer;
      buffer.sizeBytes = bytes;
    }
  }
  /// Of the rows that a line buffer keeps for the next section.
  int64_t keptBytes(const Layer &layer) const {
    const TensorSlices &result = slicesOf(layer.result);
    const Tensor &tensor = graph.tensors[layer.result];
    Shape5 kept = result.maxExtents();
    kept[H] =
        keptRows(slicesOf(layer.operands[0].tensor).parts[H], result.parts[H]);
    if (!steps.isLoop || kept[H] == 0)
      return 0;
    return laneBytes(chip, kept, tensor.elementBits, tensor.euAligned)
        .value_or(0);
  }
  int64_t tileBytes(TensorId tensor, int64_t bits) const {
    return laneBytes(chip, slicesOf(tensor).maxExtents(), bits, true)
        .value_or(0);
  }

  int bufferOf(TensorId tensor) const { return slices.indexOf[tensor]; }

  /// Lets layer `position` write over its operand where that is legal.
  void overwriteOperand(size_t position) {
    const Layer &layer = graph.layers[range[position]];
    if (layer.inPlaceOperand < 0)
      return;
    const TensorId source = layer.operands[layer.inPlaceOperand].tensor;
    LocalBuffer &operand = steps.buffers[bufferOf(source)];
    LocalBuffer &result = steps.buffers[bufferOf(layer.result)];
    const Tensor &from = graph.tensors[source];
    const Tensor &to = graph.tensors[layer.result];
    if (operand.isHeld || operand.last != result.start ||
        storedAt[bufferOf(source)] >= result.start ||
        operand.sizeBytes != result.sizeBytes ||
        from.elementBits != to.elementBits || from.euAligned != to.euAligned ||
        slicesOf(source).parts != slicesOf(layer.result).parts)
      return;
    const int64_t start =
        operand.overwrites < 0 ? operand.start : chainStart[bufferOf(source)];
    if (steps.isLoop && result.last - start >= steps.numRows)
      return;
    result.overwrites = bufferOf(source);
    chainStart[bufferOf(layer.result)] = start;
  }

  const LayerGraph &graph;
  const LayerRange &range;
  const GroupTensors &tensors;
  const GroupSlices &slices;
  const target::ChipSpec &chip;
  const TimeStepOptions &options;
  TimeSteps steps;
  std::vector<int64_t> firstReader, lastReader;
  std::vector<int64_t> storedAt; ///< By buffer; -1: never.
  /// When the first of those begins to live that one lies on, over a chain.
  std::vector<int64_t> chainStart;
};

} // namespace

TimeSteps assignTimeSteps(const LayerGraph &graph, const LayerRange &range,
                          const GroupTensors &tensors,
                          const GroupSlices &slices,
                          const target::ChipSpec &chip,
                          const TimeStepOptions &options) {
  return Scheduler(graph, range, tensors, slices, chip, options).run();
}

bool chainsLeaveRoom(const TimeSteps &steps) {
  const auto leavesRoom = [&](const LocalBuffer &end) {
    const LocalBuffer *first = &end;
    while (first->overwrites >= 0)
      first = &steps.buffers[first->overwrites];
    return first == &end || end.last - first->start < steps.numRows;
  };
  return !steps.isLoop ||
         std::all_of(steps.buffers.begin(), steps.buffers.end(), leavesRoom);
}

std::vector<int64_t> liveBytes(const TimeSteps &steps,
                               const target::ChipSpec &chip) {
  // Changes of the sum from row to row; lives of a loop are unrolled onto the
  // circle.
  const int64_t period = steps.isLoop ? steps.numRows : 2 * steps.numRows;
  std::vector<int64_t> change(period + 1);
  for (const LocalBuffer &buffer : steps.buffers) {
    const int64_t bytes = alignUp(buffer.sizeBytes, chip.euBytes);
    // A result that is written over its operand is new from the next row on.
    const int64_t first = buffer.start + (buffer.overwrites >= 0);
    const int64_t length = buffer.last - first + 1;
    if (length <= 0)
      continue;
    if (steps.isLoop && (buffer.isHeld || length >= period)) {
      change[0] += bytes;
      continue;
    }
    // Three stages at most; a division takes longer.
    int64_t begin = first;
    while (begin >= period)
      begin -= period;
    const int64_t end = begin + length;
    change[begin] += bytes;
    change[std::min(end, period)] -= bytes;
    if (end > period) {
      change[0] += bytes;
      change[end - period] -= bytes;
    }
  }
  change.pop_back();
  std::partial_sum(change.begin(), change.end(), change.begin());
  return change;
}

int64_t liveBound(const TimeSteps &steps, const target::ChipSpec &chip) {
  const std::vector<int64_t> bytes = liveBytes(steps, chip);
  return *std::max_element(bytes.begin(), bytes.end());
}

} // namespace tpu_mlir::layer
