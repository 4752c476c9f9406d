//===- BarrierTraffic.cpp - What moves once more at barriers --------------===//

#include "lib/Transforms/Tpu/LocalReport/BarrierTraffic.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/MaxFlow.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace tpu_mlir::local_report {

namespace {

/// Dimensions of a tensor, as bits.
using DimSet = uint64_t;
constexpr size_t kMostDims = 64;
constexpr int64_t kMostSteps = int64_t(1) << 28;
/// What one of the largest flows is taken to cost for each edge.
constexpr int64_t kStepsOfFlow = 16;

/// One that pays.
struct Barrier {
  int after = -1; ///< X; -1: none.
  int64_t bytes = 0;
};

class BarrierSearch {
public:
  BarrierSearch(const NeedGraph &graph, int64_t memoryBytes);
  int64_t run();

private:
  using Marks = std::vector<bool>;

  void markNeeded();
  bool isCandidate(int value) const;
  /// Of each value the dimensions all places of which each element of `value`
  /// depends on, at some place of the others; none: not known to at all.
  std::vector<std::optional<DimSet>> reachOf(int value);
  /// What each element of one of the operands of `value` depends on: that with
  /// the most bytes of given tensors. All of `before` is among it, unless -1.
  std::vector<int> givenBefore(int value, int before);
  /// What `value`, -1: nothing, is computed from.
  Marks ancestorsOf(int value) const;
  int64_t bytesAt(int value, int before);
  int64_t flow(const std::vector<int> &given, int value,
               const Marks &storedBefore);
  int64_t capacity(int value, const Marks &storedBefore) const;

  const NeedGraph &graph;
  const int64_t memoryBytes;
  std::vector<std::vector<int>> needsOf;    ///< By result.
  std::vector<std::vector<int>> copiedFrom; ///< By result.
  std::vector<DimSet> every;                ///< All dimensions of each value.
  Marks isNeeded;                           ///< All elements of it.
  Marks isStored;                           ///< Whatever happens, or given.
  int64_t noCut = 0;
  int64_t steps = 0;
};

DimSet longDims(const std::vector<int64_t> &shape) {
  DimSet set = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1)
      set |= DimSet(1) << dim;
  return set;
}

BarrierSearch::BarrierSearch(const NeedGraph &graph, int64_t memoryBytes)
    : graph(graph), memoryBytes(memoryBytes), needsOf(graph.values.size()),
      copiedFrom(graph.values.size()) {
  for (const Copy &copy : graph.copies)
    copiedFrom[copy.result].push_back(copy.operand);
  for (size_t i = 0; i < graph.needs.size(); ++i) {
    const Need &need = graph.needs[i];
    if (graph.values[need.operand].shape.size() < kMostDims &&
        graph.values[need.result].shape.size() < kMostDims)
      needsOf[need.result].push_back(static_cast<int>(i));
  }
  for (const NeedValue &value : graph.values) {
    every.push_back(value.shape.size() < kMostDims ? longDims(value.shape) : 0);
    noCut = saturatedAdd(noCut, saturatedMul(value.bytes, 2));
  }
  markNeeded();
}

void BarrierSearch::markNeeded() {
  isNeeded.resize(graph.values.size());
  isStored.resize(graph.values.size());
  for (size_t value = graph.values.size(); value-- > 0;) {
    const NeedValue &of = graph.values[value];
    isNeeded[value] = isNeeded[value] || of.isOutput;
    isStored[value] =
        isStored[value] || of.isGiven || of.isStored || of.isOutput;
    for (int index : needsOf[value]) {
      const int operand = graph.needs[index].operand;
      isNeeded[operand] = isNeeded[operand] || isNeeded[value];
    }
    for (int operand : copiedFrom[value])
      isStored[operand] = isStored[operand] || isStored[value];
  }
}

/// What is computed, from something that is computed, and is too large to be
/// kept.
bool BarrierSearch::isCandidate(int value) const {
  const NeedValue &of = graph.values[value];
  return isNeeded[value] && !of.isGiven && !of.isView && of.bytes > memoryBytes;
}

std::vector<std::optional<DimSet>> BarrierSearch::reachOf(int value) {
  std::vector<std::optional<DimSet>> reach(value + 1);
  steps += value + 1;
  // Dimensions of one place are not in `every`: they are taken whole.
  reach[value] = 0;
  for (int result = value; result >= 0; --result) {
    if (!reach[result])
      continue;
    for (int index : needsOf[result]) {
      ++steps;
      const Need &need = graph.needs[index];
      DimSet dims = 0;
      for (size_t dim = 0; dim < need.places.size(); ++dim) {
        const bool isWhole = std::all_of(
            need.places[dim].begin(), need.places[dim].end(), [&](int of) {
              const DimSet bit = DimSet(1) << of;
              return !(every[result] & bit) || (*reach[result] & bit);
            });
        if (isWhole)
          dims |= DimSet(1) << dim;
      }
      dims &= every[need.operand];
      // Two ways to one value: either is right, all of it is best.
      std::optional<DimSet> &known = reach[need.operand];
      if (!known || dims == every[need.operand] ||
          __builtin_popcountll(dims) > __builtin_popcountll(*known))
        known = dims;
    }
  }
  return reach;
}

std::vector<int> BarrierSearch::givenBefore(int value, int before) {
  std::vector<int> best;
  int64_t most = 0;
  for (int index : needsOf[value]) {
    const int operand = graph.needs[index].operand;
    if (graph.values[operand].isGiven)
      continue;
    const auto reach = reachOf(operand);
    const auto isWhole = [&](int of) {
      return of <= operand && reach[of] && *reach[of] == every[of];
    };
    if (before >= 0 && !isWhole(before))
      continue;
    std::vector<int> given;
    int64_t bytes = 0;
    for (int of = 0; of <= operand; ++of)
      if (graph.values[of].isGiven && isWhole(of)) {
        given.push_back(of);
        bytes = saturatedAdd(bytes, graph.values[of].bytes);
      }
    if (bytes > most) {
      most = bytes;
      best = std::move(given);
    }
  }
  return most > 2 * memoryBytes ? best : std::vector<int>();
}

BarrierSearch::Marks BarrierSearch::ancestorsOf(int value) const {
  Marks marks(graph.values.size());
  for (int result = value; result >= 0; --result)
    if (result == value || marks[result])
      for (int need : needsOf[result])
        marks[graph.needs[need].operand] = true;
  return marks;
}

/// Stored once only, wherever it is loaded. What the barrier before has as its
/// X was not there when that began, so nothing of it that is complete counted.
int64_t BarrierSearch::capacity(int value, const Marks &storedBefore) const {
  const NeedValue &of = graph.values[value];
  if (of.isView)
    return noCut;
  return isStored[value] || storedBefore[value] ? of.bytes : 2 * of.bytes;
}

/// Vertices: each value's two sides, then the source.
int64_t BarrierSearch::flow(const std::vector<int> &given, int value,
                            const Marks &storedBefore) {
  const int source = 2 * (value + 1);
  steps += source;
  MaxFlow network(source + 1);
  for (int of : given)
    network.connect(source, 2 * of, graph.values[of].bytes);
  const Marks isBefore = ancestorsOf(value);
  for (int result = 0; result <= value; ++result) {
    if (result != value && !isBefore[result])
      continue;
    // Of the last one sums that are not complete may move.
    network.connect(2 * result, 2 * result + 1,
                    result == value ? 2 * graph.values[value].bytes
                                    : capacity(result, storedBefore));
    for (int need : needsOf[result])
      network.connect(2 * graph.needs[need].operand + 1, 2 * result, noCut);
    steps += kStepsOfFlow * (1 + int64_t(needsOf[result].size()));
  }
  return network.largest(source, 2 * value + 1);
}

int64_t BarrierSearch::bytesAt(int value, int before) {
  const std::vector<int> given = givenBefore(value, before);
  if (given.empty())
    return 0;
  return flow(given, value, ancestorsOf(before)) - 2 * memoryBytes;
}

int64_t BarrierSearch::run() {
  if (memoryBytes >= std::numeric_limits<int64_t>::max() / 4 ||
      saturatedMul(noCut, 2 * int64_t(graph.values.size()) + 1) >=
          std::numeric_limits<int64_t>::max() / 2)
    return 0;
  int64_t before = 0; // Of all barriers but the last one.
  Barrier last, other;
  for (int value = 0; value < int(graph.values.size()) && steps < kMostSteps;
       ++value) {
    if (!isCandidate(value))
      continue;
    // After the last one, or in its place: a later one is in the way of more.
    if (const int64_t bytes = bytesAt(value, last.after); bytes > 0) {
      before += last.bytes;
      other = last;
      last = {value, bytes};
    } else if (last.after >= 0) {
      if (const int64_t instead = bytesAt(value, other.after);
          instead > 2 * last.bytes)
        last = {value, instead};
    }
  }
  return before + last.bytes;
}

} // namespace

int64_t barrierBytes(const NeedGraph &graph, int64_t memoryBytes) {
  return BarrierSearch(graph, memoryBytes).run();
}

} // namespace tpu_mlir::local_report
