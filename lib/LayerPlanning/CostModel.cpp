//===- CostModel.cpp - Bytes moved and cycles taken -----------------------===//

#include "tpu_mlir/LayerPlanning/CostModel.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Target/Dealing.h"

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
        numSections(countSections(slices.sections)),
        dealing(numSections, chip.usedCores) {}

  Cost run() {
    for (int dim = 0; dim < kNumDims; ++dim)
      findKinds(dim);
    kinds.reserve(numSections);
    std::array<int64_t, kNumDims> index{};
    for (int64_t section = 0; section < numSections; ++section) {
      kinds.push_back(kindOf(section, index));
      moveOn(slices.sections, index);
    }
    for (int kind : kinds)
      cost += rows[kind].cost;
    for (int64_t core = 0; core < dealing.activeCores(); ++core)
      cost.cycles = std::max(cost.cycles, coreCycles(dealing.sectionsOf(core)));
    if (dealing.activeCores() > 1)
      cost.cycles = saturatedAdd(cost.cycles, barriersAround(chip));
    return cost;
  }

private:
  /// Of the core that runs these sections.
  int64_t coreCycles(Interval sections) {
    const auto at = [&](int64_t section) {
      return section < sections.begin || section >= sections.end
                 ? -1
                 : kinds[section];
    };
    int64_t cycles = 0;
    const auto *last = &*cyclesOfLoop.try_emplace({-1, -1, -1}, 0).first;
    for (int64_t loop = sections.begin; loop < sections.end + 2; ++loop) {
      const std::array<int, 3> stages{at(loop), at(loop - 1), at(loop - 2)};
      if (last->first != stages) { // Most are like the one before.
        auto [it, isNew] = cyclesOfLoop.try_emplace(stages, 0);
        if (isNew)
          it->second = loopCycles(stages);
        last = &*it;
      }
      cycles = saturatedAdd(cycles, last->second);
    }
    return cycles;
  }

  /// What one kind of section does in each row.
  struct RowWork {
    /// Row by row: cycles of computing, and of the transfers of three stages.
    std::vector<std::array<int64_t, 4>> cycles;
    Cost cost; ///< Without cycles.
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

  /// The first section of a core is of a kind of its own: held tensors are
  /// loaded.
  int kindOf(int64_t section, const std::array<int64_t, kNumDims> &index) {
    std::array<int, kNumDims + 1> key{};
    for (int dim = 0; dim < kNumDims; ++dim)
      key[dim] = kindsOfDim[dim][index[dim]];
    key[kNumDims] = dealing.isFirstOfCore(section);
    if (section > 0 && key == keyBefore)
      return kinds.back();
    keyBefore = key;
    const auto [it, isNew] =
        knownKinds.emplace(key, static_cast<int>(rows.size()));
    if (isNew)
      rows.push_back(workOf(section, index));
    return it->second;
  }

  RowWork workOf(int64_t section,
                 const std::array<int64_t, kNumDims> &index) const {
    RowWork work;
    work.cycles.resize(steps.numRows);
    const size_t firstResult = slices.tensors.size() - range.size();
    for (size_t i = 0; i < range.size(); ++i) {
      const Layer &layer = graph.layers[range[i]];
      const int64_t cycles = computeCycles(
          graph, layer, slices.tensors[firstResult + i].extents(index), chip);
      int64_t &row = work.cycles[steps.rowOfLayer[i]][0];
      row = saturatedAdd(row, saturatedAdd(chip.computeSetupCycles, cycles));
      work.cost.computeCycles = saturatedAdd(work.cost.computeCycles, cycles);
    }
    for (const Transfer &load : steps.loads)
      if (dealing.isFirstOfCore(section) || !load.isHeld)
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
    const bool isInL2 = graph.tensors[transfer.tensor].isInL2;
    if (isInL2)
      work.cost.l2Bytes = saturatedAdd(work.cost.l2Bytes, moved);
    int64_t &row = work.cycles[transfer.row][1 + transfer.stage];
    row = saturatedAdd(
        row, transferCycles(moved, chip, dealing.activeCores(), isInL2));
  }

  int64_t loopCycles(const std::array<int, 3> &stages) const {
    int64_t total = 0;
    for (int64_t row = 0; row < steps.numRows; ++row) {
      int64_t transfers = 0;
      for (int stage = 0; stage < 3; ++stage)
        if (stages[stage] >= 0)
          transfers = saturatedAdd(transfers,
                                   rows[stages[stage]].cycles[row][1 + stage]);
      const int64_t compute =
          stages[1] < 0 ? 0 : rows[stages[1]].cycles[row][0];
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
  const target::Dealing dealing;
  std::array<std::vector<int>, kNumDims> kindsOfDim;
  std::map<std::array<int, kNumDims + 1>, int> knownKinds;
  std::array<int, kNumDims + 1> keyBefore{}; ///< Of the last section.
  std::vector<RowWork> rows;                 ///< Of each kind of section.
  std::vector<int> kinds;                    ///< Of each section.
  /// By the kinds of the sections in the three stages; -1: none.
  std::map<std::array<int, 3>, int64_t> cyclesOfLoop;
  Cost cost;
};

} // namespace

Cost &Cost::operator+=(const Cost &o) {
  loadBytes = saturatedAdd(loadBytes, o.loadBytes);
  storeBytes = saturatedAdd(storeBytes, o.storeBytes);
  l2Bytes = saturatedAdd(l2Bytes, o.l2Bytes);
  cycles = saturatedAdd(cycles, o.cycles);
  computeCycles = saturatedAdd(computeCycles, o.computeCycles);
  return *this;
}

std::optional<Objective> findObjective(llvm::StringRef name) {
  for (const auto &[word, objective] : kObjectives)
    if (name == word)
      return objective;
  return std::nullopt;
}

int64_t objectiveCost(int64_t trafficBytes, int64_t cycles, Objective objective,
                      const target::ChipSpec &chip) {
  if (objective == Objective::Traffic)
    return trafficBytes;
  if (objective == Objective::Cycles)
    return cycles;
  const int64_t worth =
      saturatedMul(kCyclesPerTransfer, dmaBytesPerCycle(chip, chip.usedCores));
  return saturatedAdd(saturatedMul(cycles, worth), trafficBytes);
}

/// Bytes that global memory would move in the time of all transfers.
static int64_t bytesByTime(const Cost &cost, const target::ChipSpec &chip) {
  const int64_t traffic = saturatedAdd(cost.loadBytes, cost.storeBytes);
  if (cost.l2Bytes == 0)
    return traffic;
  return traffic - cost.l2Bytes +
         ceilDiv(
             saturatedMul(cost.l2Bytes, dmaBytesPerCycle(chip, chip.usedCores)),
             saturatedMul(chip.l2BytesPerCycle, chip.usedCores));
}

bool isBetter(const Cost &a, const Cost &b, Objective objective,
              const target::ChipSpec &chip) {
  const auto key = [&](const Cost &cost) {
    const int64_t traffic = saturatedAdd(cost.loadBytes, cost.storeBytes);
    const int64_t counted = objective == Objective::Balanced
                                ? bytesByTime(cost, chip)
                                : traffic - cost.l2Bytes;
    return std::make_tuple(objectiveCost(counted, cost.cycles, objective, chip),
                           cost.cycles, traffic);
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

int64_t dmaBytesPerCycle(const target::ChipSpec &chip, int64_t activeCores) {
  if (activeCores <= 1)
    return chip.dmaBytesPerCycle;
  return std::min(saturatedMul(chip.dmaBytesPerCycle, activeCores),
                  chip.sharedDmaBytesPerCycle);
}

int64_t transferCycles(int64_t bytes, const target::ChipSpec &chip,
                       int64_t activeCores, bool isInL2) {
  if (isInL2)
    return saturatedAdd(chip.dmaSetupCycles,
                        ceilDiv(bytes, chip.l2BytesPerCycle));
  activeCores = std::max<int64_t>(1, activeCores);
  return saturatedAdd(chip.dmaSetupCycles,
                      ceilDiv(saturatedMul(bytes, activeCores),
                              dmaBytesPerCycle(chip, activeCores)));
}

static int64_t pricedBytes(const Tensor &tensor) {
  return saturatedMul(tensor.globalBytes, tensor.price);
}

int64_t barriersAround(const target::ChipSpec &chip) {
  return saturatedMul(2, chip.barrierCycles);
}

namespace {

/// A layer in global memory, whole and on several cores.
class GlobalClock {
public:
  GlobalClock(const LayerGraph &graph, LayerId id, const target::ChipSpec &chip)
      : graph(graph), layer(graph.layers[id]), chip(chip),
        shape(graph.tensors[layer.result].shape) {
    for (const GlobalRead &read : globalReads(graph, layer))
      add(read.tensor,
          saturatedMul(read.bytes, graph.tensors[read.tensor].price), true,
          read.isInPieces);
    std::vector<TensorId> results = layer.moreResults;
    results.push_back(layer.result);
    for (TensorId result : results)
      add(result, pricedBytes(graph.tensors[result]), false, true);
  }

  /// On one of so many cores that are at work.
  Cost whole(int64_t activeCores) const {
    Cost cost;
    for (const Move &move : moves)
      count(move, move.bytes, cost);
    cost.computeCycles = computeCyclesOf(shape);
    cost.cycles = cycles(cost.computeCycles, activeCores,
                         [](const Move &move) { return move.bytes; });
    return cost;
  }

  /// As if nothing had to be moved twice.
  Cost even(int64_t cores) const {
    Cost cost = whole(1);
    cost.cycles =
        cycles(ceilDiv(cost.computeCycles, cores), cores,
               [&](const Move &move) { return ceilDiv(move.bytes, cores); });
    cost.cycles = saturatedAdd(cost.cycles, barriersAround(chip));
    return cost;
  }

  /// The first piece is the longest.
  Cost inPieces() const {
    const int64_t pieces = layer.numPieces, length = shape[layer.pieceDim];
    Shape5 first = shape, last = shape;
    first[layer.pieceDim] = ceilDiv(length, pieces);
    last[layer.pieceDim] = length - first[layer.pieceDim] * (pieces - 1);
    Cost cost = whole(1);
    for (const Move &move : moves)
      if (!move.isInPieces)
        count(move, saturatedMul(move.bytes, pieces - 1), cost);
    cost.computeCycles =
        saturatedAdd(saturatedMul(pieces - 1, computeCyclesOf(first)),
                     computeCyclesOf(last));
    cost.cycles = cycles(computeCyclesOf(first), pieces, [&](const Move &move) {
      return move.isInPieces
                 ? ceilDiv(saturatedMul(move.bytes, first[layer.pieceDim]),
                           length)
                 : move.bytes;
    });
    cost.cycles = saturatedAdd(cost.cycles, barriersAround(chip));
    return cost;
  }

private:
  struct Move {
    int64_t bytes = 0;
    bool isLoad = true;
    bool isInPieces = false;
    bool isInL2 = false;
  };

  void add(TensorId tensor, int64_t bytes, bool isLoad, bool isInPieces) {
    moves.push_back({bytes, isLoad, isInPieces, graph.tensors[tensor].isInL2});
  }
  static void count(const Move &move, int64_t bytes, Cost &cost) {
    int64_t &sum = move.isLoad ? cost.loadBytes : cost.storeBytes;
    sum = saturatedAdd(sum, bytes);
    if (move.isInL2)
      cost.l2Bytes = saturatedAdd(cost.l2Bytes, bytes);
  }

  int64_t computeCyclesOf(const Shape5 &part) const {
    return computeCycles(graph, layer, part, chip);
  }
  template <typename BytesOf>
  int64_t cycles(int64_t computing, int64_t activeCores,
                 const BytesOf &bytesOf) const {
    int64_t transfers = 0;
    for (const Move &move : moves)
      transfers =
          saturatedAdd(transfers, transferCycles(bytesOf(move), chip,
                                                 activeCores, move.isInL2));
    return std::max(saturatedAdd(chip.computeSetupCycles, computing),
                    transfers);
  }

  const LayerGraph &graph;
  const Layer &layer;
  const target::ChipSpec &chip;
  const Shape5 &shape;
  std::vector<Move> moves;
};

} // namespace

bool isDivided(const LayerGraph &graph, LayerId id,
               const target::ChipSpec &chip) {
  const Layer &layer = graph.layers[id];
  if (layer.numPieces == 1 || layer.isFreeGlobally)
    return false;
  const GlobalClock clock(graph, id, chip);
  return clock.inPieces().cycles < clock.whole(1).cycles;
}

Cost globalCost(const LayerGraph &graph, LayerId id,
                const target::ChipSpec &chip, int64_t activeCores) {
  const Layer &layer = graph.layers[id];
  if (layer.isFreeGlobally)
    return {};
  const GlobalClock clock(graph, id, chip);
  const Cost whole = clock.whole(activeCores);
  if (activeCores > 1 || chip.usedCores == 1)
    return whole;
  const Cost divided = layer.isMulticore     ? clock.even(chip.usedCores)
                       : layer.numPieces > 1 ? clock.inPieces()
                                             : whole;
  return divided.cycles < whole.cycles ? divided : whole;
}

Cost groupCost(const LayerGraph &graph, const LayerRange &range,
               const GroupSlices &slices, const TimeSteps &steps,
               const target::ChipSpec &chip) {
  return GroupClock(graph, range, slices, steps, chip).run();
}

static int64_t bytesOfPart(const Tensor &tensor, const Shape5 &part) {
  if (part == tensor.shape)
    return tensor.globalBytes;
  int64_t bits = tensor.elementBits;
  for (int64_t extent : part)
    bits = saturatedMul(bits, extent);
  return ceilDiv(bits, 8);
}

int64_t partBytes(const LayerGraph &graph, const TensorSlices &slices,
                  const std::array<int64_t, kNumDims> &section) {
  const Tensor &tensor = graph.tensors[slices.tensor];
  return saturatedMul(bytesOfPart(tensor, slices.extents(section)),
                      tensor.price);
}

} // namespace tpu_mlir::layer
