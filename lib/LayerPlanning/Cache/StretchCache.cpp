//===- StretchCache.cpp - Groups of stretches that were searched before ---===//

#include "lib/LayerPlanning/Cache/StretchCache.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::layer {
namespace {

using planning::CacheReader;
using planning::CacheWriter;

/// The form of keys and values below.
constexpr int64_t kForm = 4;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

void add(CacheWriter &key, const SearchOptions &options) {
  const GroupOptions &group = options.group;
  key.number(int64_t(options.method))
      .number(options.maxLayers)
      .number(options.reorder)
      .number(int64_t(group.objective))
      .number(group.maxRecomputePercent)
      .number(group.maxParts)
      .number(group.cutChannels)
      .number(group.nodeLimit)
      .number(group.lineBuffers);
}

/// What planners of local memory and the cost model ask of a chip.
void add(CacheWriter &key, const target::ChipSpec &chip) {
  for (int64_t value :
       {chip.lanes, chip.euBytes, chip.laneBytes, chip.banks,
        chip.macsPerCycle8, chip.macsPerCycle16, chip.macsPerCycle32,
        chip.dmaBytesPerCycle, chip.sharedDmaBytesPerCycle,
        chip.l2BytesPerCycle, chip.dmaSetupCycles, chip.computeSetupCycles,
        chip.barrierCycles, chip.usedCores, int64_t(chip.localInPlace),
        int64_t(chip.batchLayout)})
    key.number(value);
}

void add(CacheWriter &text, const Cost &cost) {
  text.number(cost.loadBytes)
      .number(cost.storeBytes)
      .number(cost.l2Bytes)
      .number(cost.cycles)
      .number(cost.computeCycles);
}

Cost readCost(CacheReader &text) {
  Cost cost;
  for (int64_t *field : {&cost.loadBytes, &cost.storeBytes, &cost.l2Bytes,
                         &cost.cycles, &cost.computeCycles})
    *field = text.number(0, kMost);
  return cost;
}

void add(CacheWriter &text, const Sections &sections) {
  for (int64_t parts : sections)
    text.number(parts);
}

Sections readSections(CacheReader &text) {
  Sections sections;
  for (int64_t &parts : sections)
    parts = text.number(1, kMost);
  return sections;
}

void add(CacheWriter &text, const GroupDecision &decision) {
  add(text, decision.sections);
  text.number(decision.hasCopies)
      .number(decision.lineChoice)
      .number(decision.isBalanced);
  text.number(int64_t(decision.isReloaded.size()));
  for (bool isReloaded : decision.isReloaded)
    text.number(isReloaded);
  const LmemPlacement &placement = decision.placement;
  text.numbers(placement.addresses)
      .number(placement.highWaterBytes)
      .number(placement.lowerBoundBytes)
      .number(placement.conflicts.count)
      .number(placement.conflicts.cost)
      .number(placement.isPeakProved)
      .number(placement.isCostProved)
      .number(placement.isLimitHit)
      .number(placement.nodes)
      .number(decision.numPoorPackings);
  add(text, decision.cost);
}

GroupDecision readDecision(CacheReader &text) {
  GroupDecision decision;
  decision.sections = readSections(text);
  decision.hasCopies = text.flag();
  decision.lineChoice =
      static_cast<int>(text.number(0, std::numeric_limits<int>::max()));
  decision.isBalanced = text.flag();
  decision.isReloaded.resize(text.count());
  for (size_t i = 0; i < decision.isReloaded.size(); ++i)
    decision.isReloaded[i] = text.flag();
  LmemPlacement &placement = decision.placement;
  placement.addresses = text.numbers();
  placement.highWaterBytes = text.number(0, kMost);
  placement.lowerBoundBytes = text.number(0, kMost);
  placement.conflicts.count = text.number(0, kMost);
  placement.conflicts.cost = text.number(0, kMost);
  placement.isPeakProved = text.flag();
  placement.isCostProved = text.flag();
  placement.isLimitHit = text.flag();
  placement.nodes = text.number(0, kMost);
  decision.numPoorPackings = text.number(0, kMost);
  decision.cost = readCost(text);
  return decision;
}

/// Tensors of a layer as a number: 0 its result, then its operands; -1: none.
std::vector<TensorId> tensorsOf(const Layer &layer) {
  std::vector<TensorId> tensors{layer.result};
  for (const LayerOperand &operand : layer.operands)
    tensors.push_back(operand.tensor);
  return tensors;
}

void add(CacheWriter &text, const Layer &layer, const GroupRefusal &refusal) {
  const std::vector<TensorId> tensors = tensorsOf(layer);
  const auto largest =
      std::find(tensors.begin(), tensors.end(), refusal.largest);
  text.number(refusal.needBytes).number(refusal.haveBytes);
  add(text, refusal.sections);
  text.number(largest == tensors.end() ? -1 : largest - tensors.begin())
      .number(refusal.isTooMuchWork)
      .number(refusal.isPoorPacking)
      .number(refusal.isNotCheaper);
}

GroupRefusal readRefusal(CacheReader &text, const Layer &layer) {
  const std::vector<TensorId> tensors = tensorsOf(layer);
  GroupRefusal refusal;
  refusal.needBytes = text.number(0, kMost);
  refusal.haveBytes = text.number(0, kMost);
  refusal.sections = readSections(text);
  const int64_t largest = text.number(-1, int64_t(tensors.size()) - 1);
  refusal.largest = largest < 0 ? -1 : tensors[largest];
  refusal.isTooMuchWork = text.flag();
  refusal.isPoorPacking = text.flag();
  refusal.isNotCheaper = text.flag();
  return refusal;
}

/// `order` by places in the stretch; none: it is that of the stretch.
void addOrder(CacheWriter &text, const LayerRange &stretch,
              const LayerRange &order) {
  std::map<LayerId, int64_t> placeOf;
  for (size_t i = 0; i < stretch.size(); ++i)
    placeOf.emplace(stretch[i], int64_t(i));
  std::vector<int64_t> places;
  if (order != stretch)
    for (LayerId id : order)
      places.push_back(placeOf.at(id));
  text.numbers(places);
}

/// Empty when it is none.
LayerRange readOrder(CacheReader &text, const LayerRange &stretch) {
  const std::vector<int64_t> places = text.numbers();
  if (places.empty())
    return stretch;
  LayerRange order;
  std::vector<bool> isThere(stretch.size());
  for (int64_t place : places) {
    if (place < 0 || place >= int64_t(stretch.size()) || isThere[place])
      return {};
    isThere[place] = true;
    order.push_back(stretch[place]);
  }
  return order.size() == stretch.size() ? order : LayerRange();
}

bool isSame(const Cost &a, const Cost &b) {
  return a.loadBytes == b.loadBytes && a.storeBytes == b.storeBytes &&
         a.cycles == b.cycles && a.computeCycles == b.computeCycles;
}

} // namespace

/// Producers run before readers.
bool StretchCache::isOrder(const LayerRange &order) const {
  std::map<LayerId, size_t> placeOf;
  for (size_t i = 0; i < order.size(); ++i)
    placeOf.emplace(order[i], i);
  for (size_t i = 0; i < order.size(); ++i)
    for (const LayerOperand &operand : graph.layers[order[i]].operands)
      if (const auto producer =
              placeOf.find(graph.tensors[operand.tensor].producer);
          producer != placeOf.end() && producer->second >= i)
        return false;
  return !order.empty();
}

std::string StretchCache::keyOf(const LayerRange &stretch) {
  CacheWriter key;
  key.word("layer groups").number(kForm).word(planning::plannerFingerprint());
  layer::add(key, options);
  layer::add(key, chip);
  // Facts that several layers have stand there once; the words say which layer
  // has which, by numbers of the graph.
  std::map<RangeWords, int64_t> known;
  const std::vector<RangeWords> facts = signatures.factsOf(stretch);
  key.number(int64_t(facts.size()));
  for (const RangeWords &one : facts) {
    const auto [it, isNew] = known.emplace(one, int64_t(known.size()));
    key.number(it->second);
    if (isNew)
      key.numbers(one);
  }
  const RangeWords words = signatures.wordsOf(stretch);
  size_t at = 0;
  for (LayerId id : stretch) {
    const size_t length = graph.layers[id].operands.size() + 3;
    for (size_t i = at + 1; i < at + length; ++i)
      key.number(words[i]);
    at += length;
  }
  return key.take();
}

void StretchCache::add(const std::string &key, const LayerRange &stretch,
                       const Grouping &grouping) {
  CacheWriter text;
  addOrder(text, stretch, grouping.order);
  text.number(int64_t(grouping.groups.size()));
  const LayerRange &order = grouping.order;
  size_t at = 0;
  for (const GroupPlan &plan : grouping.groups) {
    const size_t begin =
        std::find(order.begin() + at, order.end(), plan.draft.range.front()) -
        order.begin();
    text.number(int64_t(begin - at)).number(int64_t(plan.draft.range.size()));
    layer::add(text, decisionOf(plan));
    at = begin + plan.draft.range.size();
  }
  text.number(int64_t(grouping.refusals.size()));
  for (size_t i = 0; i < order.size(); ++i)
    if (const auto refused = grouping.refusals.find(order[i]);
        refused != grouping.refusals.end()) {
      text.number(int64_t(i));
      layer::add(text, graph.layers[order[i]], refused->second);
    }
  layer::add(text, grouping.cost);
  cache.add(key, text.take());
  memory.add(key, graph, stretch, grouping);
}

std::optional<Grouping> StretchCache::rebuild(std::string_view text,
                                              const LayerRange &stretch) const {
  CacheReader reader(text);
  Grouping result;
  result.order = readOrder(reader, stretch);
  if (!isOrder(result.order))
    return std::nullopt;
  const auto size = int64_t(stretch.size());
  std::vector<bool> isInGroup(stretch.size());
  int64_t at = 0;
  for (size_t left = reader.count(); left > 0; --left) {
    const int64_t begin = at + reader.number(0, size - at);
    const int64_t length = reader.number(0, size - begin);
    const GroupDecision decision = readDecision(reader);
    if (reader.isBroken() || length < 1)
      return std::nullopt;
    at = begin + length;
    std::optional<GroupPlan> plan = planner.rebuild(
        LayerRange(result.order.begin() + begin, result.order.begin() + at),
        decision);
    if (!plan)
      return std::nullopt;
    result.cost += plan->cost;
    result.groups.push_back(std::move(*plan));
    std::fill(isInGroup.begin() + begin, isInGroup.begin() + at, true);
  }
  for (size_t left = reader.count(); left > 0; --left) {
    const int64_t index = reader.number(0, size - 1);
    const LayerId id = result.order[index];
    result.refusals.emplace(id, readRefusal(reader, graph.layers[id]));
    if (isInGroup[index])
      return std::nullopt;
  }
  for (size_t i = 0; i < stretch.size(); ++i)
    if (!isInGroup[i])
      result.cost += globalCost(graph, result.order[i], chip);
  const Cost said = readCost(reader);
  if (!reader.isWhole() || !isSame(said, result.cost))
    return std::nullopt;
  return result;
}

std::optional<Grouping> StretchCache::find(const std::string &key,
                                           const LayerRange &stretch) {
  if (auto known = memory.find(key, graph, stretch))
    return known;
  const std::optional<std::string> text = cache.find(key);
  if (!text)
    return std::nullopt;
  std::optional<Grouping> known = rebuild(*text, stretch);
  if (known)
    memory.add(key, graph, stretch, *known);
  else
    cache.reject(key);
  return known;
}

} // namespace tpu_mlir::layer
