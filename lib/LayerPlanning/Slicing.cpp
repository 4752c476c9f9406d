//===- Slicing.cpp - Cutting the tensors of a group into sections ---------===//

#include "tpu_mlir/LayerPlanning/Slicing.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tpu_mlir::layer {

namespace {

/// The loops from the outermost to the innermost.
constexpr Dim kLoopOrder[] = {N, D, H, W, C};

/// Part `index` of `count` of [0, length) in multiples of `unit`: even, the
/// first ones take the rest.
Interval evenPart(int64_t length, int64_t count, int64_t index, int64_t unit) {
  const int64_t units = ceilDiv(length, unit);
  const int64_t base = units / count, rest = units % count;
  const int64_t begin = index * base + std::min(index, rest);
  const int64_t size = base + (index < rest);
  return {begin * unit, std::min((begin + size) * unit, length)};
}

/// The same of `ahead` more in front, which the first part goes without; the
/// last ones take the rest.
Interval laterPart(int64_t length, int64_t count, int64_t index,
                   int64_t ahead) {
  const Interval part = evenPart(length + ahead, count, count - 1 - index, 1);
  return {std::max<int64_t>(0, length - part.end), length - part.begin};
}

void growTo(Interval &box, Interval part) {
  if (box.empty())
    box = part;
  box.begin = std::min(box.begin, part.begin);
  box.end = std::max(box.end, part.end);
}

/// Nothing at all cannot be loaded or computed: one element next to it can.
Interval atLeastOne(Interval need, int64_t length) {
  if (!need.empty())
    return need;
  const int64_t begin = std::clamp<int64_t>(need.begin, 0, length - 1);
  return {begin, begin + 1};
}

/// A kernel pads where its part of the operand begins or ends with the operand:
/// a part whose windows reach beyond a border reaches that border, also with
/// strides that step over what lies next to it.
Interval withBorders(Interval need, const DimRule &rule, Interval part,
                     int64_t length) {
  if (rule.kind != DimRule::Kind::Window)
    return need;
  if (part.begin * rule.stride < rule.before)
    need.begin = 0;
  if ((part.end - 1) * rule.stride - rule.before + rule.extent > length)
    need.end = length;
  return need;
}

/// What is loaded or computed of an operand. Most windows move on by one, and
/// need something: what is clipped reaches the border.
Interval neededPart(const DimRule &rule, Interval part, int64_t length) {
  if (rule.kind == DimRule::Kind::Window && rule.stride == 1 && !part.empty()) {
    const Interval need{
        std::max<int64_t>(0, part.begin - rule.before),
        std::min(length, part.end - 1 - rule.before + rule.extent)};
    if (!need.empty())
      return need;
  }
  const Interval need = neededInterval(rule, part, length);
  return atLeastOne(withBorders(need, rule, part, length), length);
}

} // namespace

int64_t countSections(const Sections &sections) {
  int64_t count = 1;
  for (int64_t parts : sections)
    count *= parts;
  return count;
}

std::array<int64_t, kNumDims> sectionIndex(const Sections &sections,
                                           int64_t index) {
  std::array<int64_t, kNumDims> result{};
  for (int i = kNumDims - 1; i >= 0; --i) {
    result[kLoopOrder[i]] = index % sections[kLoopOrder[i]];
    index /= sections[kLoopOrder[i]];
  }
  return result;
}

void moveOn(const Sections &sections, std::array<int64_t, kNumDims> &index) {
  for (int i = kNumDims - 1; i >= 0; --i) {
    int64_t &part = index[kLoopOrder[i]];
    if (++part < sections[kLoopOrder[i]])
      return;
    part = 0;
  }
}

GroupTensors groupTensors(const LayerGraph &graph, const LayerRange &range) {
  GroupTensors tensors;
  std::vector<bool> isInside(graph.layers.size());
  for (LayerId layer : range)
    isInside[layer] = true;
  std::vector<bool> isKnown(graph.tensors.size());
  for (LayerId id : range) {
    const Layer &layer = graph.layers[id];
    for (const LayerOperand &operand : layer.operands) {
      const LayerId producer = graph.tensors[operand.tensor].producer;
      if (isKnown[operand.tensor] || (producer >= 0 && isInside[producer]))
        continue;
      isKnown[operand.tensor] = true;
      tensors.inputs.push_back(operand.tensor);
    }
    tensors.results.push_back(layer.result);
    const Tensor &result = graph.tensors[layer.result];
    if (result.isReadOutside ||
        std::any_of(result.readers.begin(), result.readers.end(),
                    [&](LayerId reader) { return !isInside[reader]; }))
      tensors.outputs.push_back(layer.result);
  }
  return tensors;
}

TensorIndex::TensorIndex(const std::vector<TensorId> &list) {
  mask = llvm::PowerOf2Ceil(2 * list.size() + 1) - 1;
  slots.reset(new Slot[mask + 1]);
  for (size_t i = 0; i < list.size(); ++i) {
    size_t slot = slotOf(list[i]);
    while (slots[slot].position >= 0)
      slot = (slot + 1) & mask;
    slots[slot] = {list[i], static_cast<int>(i)};
  }
}

void TensorSlices::setParts(int dim, llvm::ArrayRef<Interval> list) {
  parts[dim] = list;
  longest[dim] = list.front().length();
  isSameAlong[dim] = true;
  // Most tensors are whole in each part.
  for (const Interval &part : list.drop_front())
    if (!(part == list.front())) {
      isSameAlong[dim] = false;
      longest[dim] = std::max(longest[dim], part.length());
    }
}

bool TensorSlices::isSame() const {
  return std::all_of(isSameAlong.begin(), isSameAlong.end(),
                     [](bool isSame) { return isSame; });
}

Sections maxSections(const LayerGraph &graph, const LayerRange &range,
                     const GroupTensors &tensors,
                     const target::ChipSpec &chip) {
  Sections limit;
  limit.fill(std::numeric_limits<int64_t>::max());
  for (LayerId id : range)
    for (const LayerOperand &operand : graph.layers[id].operands)
      for (int dim = 0; dim < kNumDims; ++dim)
        if (const int follows = operand.rules[dim].resultDim;
            follows >= 0 && follows != dim)
          limit[follows] = limit[dim] = 1;
  for (TensorId id : tensors.outputs) {
    const Tensor &tensor = graph.tensors[id];
    for (int dim = 0; dim < kNumDims; ++dim) {
      const int64_t parts =
          dim == C ? ceilDiv(tensor.shape[dim], chip.lanes) : tensor.shape[dim];
      const bool isCuttable = graph.layers[tensor.producer].isCuttable[dim];
      limit[dim] = std::min(limit[dim], isCuttable ? parts : 1);
    }
  }
  return limit;
}

GroupSlicer::GroupSlicer(const LayerGraph &graph, const LayerRange &range,
                         const GroupTensors &tensors,
                         const target::ChipSpec &chip)
    : graph(graph), range(range), outputs(tensors.outputs), chip(chip),
      firstResult(tensors.inputs.size()) {
  std::vector<TensorId> all = tensors.inputs;
  all.insert(all.end(), tensors.results.begin(), tensors.results.end());
  whole.indexOf = TensorIndex(all);
  std::vector<int> operandIndices;
  for (TensorId tensor : all)
    whole.tensors.emplace_back().tensor = tensor;
  for (LayerId layer : range) {
    hasLines |= graph.layers[layer].isLineBuffer;
    operandsBegin.push_back(operandIndices.size());
    for (const LayerOperand &operand : graph.layers[layer].operands)
      operandIndices.push_back(whole.indexOf[operand.tensor]);
  }
  whole.operands =
      std::make_shared<const std::vector<int>>(std::move(operandIndices));
  for (int dim = 0; dim < kNumDims; ++dim)
    if (!isFlat(dim))
      cutAlong(dim, {0}, whole);
}

/// Nothing is longer than one along `dim`: each tensor has all of it.
bool GroupSlicer::isFlat(int dim) {
  static const Interval kAll{0, 1};
  for (const TensorSlices &tensor : whole.tensors)
    if (graph.tensors[tensor.tensor].shape[dim] != 1)
      return false;
  for (TensorSlices &tensor : whole.tensors)
    tensor.setParts(dim, kAll);
  return true;
}

GroupSlicer::Parts GroupSlicer::allParts(int64_t count) {
  Parts all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

GroupSlices GroupSlicer::slice(const Sections &sections) const {
  GroupSlices slices = whole;
  slices.sections = sections;
  for (int dim = 0; dim < kNumDims; ++dim)
    if (sections[dim] > 1)
      cutAlong(dim, allParts(sections[dim]), slices);
  return slices;
}

GroupSlices GroupSlicer::sample(const Sections &sections) const {
  GroupSlices slices = whole;
  slices.sections = sections;
  for (int dim = 0; dim < kNumDims; ++dim) {
    const int64_t count = sections[dim];
    Parts some{0, 1, 2, count / 2, count - 2, count - 1};
    if (hasLines) // What is new in a part depends on the one in front of it.
      some = {0, 1, 2, count / 2 - 1, count / 2, count - 2, count - 1};
    if (count <= static_cast<int64_t>(some.size()))
      some = allParts(count);
    if (count > 1)
      cutAlong(dim, some, slices);
  }
  return slices;
}

std::vector<Shape5>
GroupSlicer::computedLengths(const Sections &sections) const {
  std::vector<Shape5> lengths(range.size());
  for (int dim = 0; dim < kNumDims; ++dim) {
    const auto add = [&](size_t layer, const Interval &part) {
      lengths[layer][dim] +=
          dim == C ? alignUp(part.length(), chip.lanes) : part.length();
    };
    if (sections[dim] == 1) {
      for (size_t layer = 0; layer < range.size(); ++layer)
        add(layer, whole.tensors[firstResult + layer].parts[dim][0]);
      continue;
    }
    const Parts all = allParts(sections[dim]);
    Cut cut = cutOf(dim, all, sections[dim]);
    for (size_t layer = 0; layer < range.size(); ++layer)
      for (size_t i = 0; i < cut.count(); ++i)
        add(layer, cut.of(firstResult + layer)[i]);
  }
  return lengths;
}

GroupSlicer::Cut GroupSlicer::cutOf(int dim, const Parts &chosen,
                                    int64_t sections) const {
  std::vector<int64_t> ahead;
  if (hasLines && dim == H && chosen.size() > 1)
    ahead = rowsAhead(chosen, sections);
  return cutAll(dim, chosen, sections, ahead);
}

void GroupSlicer::cutAlong(int dim, const Parts &chosen,
                           GroupSlices &slices) const {
  Cut cut = cutOf(dim, chosen, slices.sections[dim]);
  const size_t count = cut.count();
  auto parts = std::make_shared<std::vector<Interval>>(std::move(cut.parts));
  for (size_t i = 0; i < slices.tensors.size(); ++i)
    slices.tensors[i].setParts(
        dim, llvm::ArrayRef<Interval>(*parts).slice(i * count, count));
  slices.storage[dim] = std::move(parts);
}

GroupSlicer::Cut GroupSlicer::cutAll(int dim, const Parts &chosen,
                                     int64_t sections,
                                     llvm::ArrayRef<int64_t> rowsAhead) const {
  Cut cut = cutOutputs(dim, chosen, sections, rowsAhead);
  if (hasLines && dim == H && cut.count() > 1)
    shiftToLines(cut);
  for (size_t position = range.size(); position-- > 0;)
    propagate(position, cut);
  return cut;
}

GroupSlicer::Cut
GroupSlicer::cutOutputs(int dim, const Parts &chosen, int64_t sections,
                        llvm::ArrayRef<int64_t> rowsAhead) const {
  Cut cut{dim, chosen, {}};
  cut.parts.resize(whole.tensors.size() * chosen.size());
  for (size_t output = 0; output < outputs.size(); ++output) {
    const TensorId tensor = outputs[output];
    const int64_t length = graph.tensors[tensor].shape[dim];
    const int64_t ahead = rowsAhead.empty() ? 0 : rowsAhead[output];
    for (size_t i = 0; i < chosen.size(); ++i)
      cut.of(whole.indexOf[tensor])[i] =
          ahead > 0 ? laterPart(length, sections, chosen[i], ahead)
                    : evenPart(length, sections, chosen[i],
                               dim == C ? chip.lanes : 1);
  }
  return cut;
}

/// By how much the first part of each output should be shorter, for no tensor
/// to have more rows in the first section than in the second one: it has to
/// begin with what the windows of later layers reach for. One row stays.
std::vector<int64_t> GroupSlicer::rowsAhead(const Parts &chosen,
                                            int64_t sections) const {
  Cut cut = cutAll(H, chosen, sections);
  std::vector<int64_t> ahead;
  for (TensorId output : outputs) {
    const int64_t length = graph.tensors[output].shape[H];
    int64_t most = 0;
    for (size_t i = 0; i < whole.tensors.size(); ++i) {
      const Interval *parts = cut.of(i);
      const int64_t more = parts[0].length() - parts[1].length();
      const int64_t rows = graph.tensors[whole.tensors[i].tensor].shape[H];
      if (more > 0)
        most = std::max(most, ceilDiv(saturatedMul(more, length), rows));
    }
    // (length + ahead) / sections rows have to be more than those ahead.
    ahead.push_back(std::min(most, (length - sections) / (sections - 1)));
  }
  return ahead;
}

/// Of an output that has a line buffer new rows are stored: as soon as they are
/// made, but not later than its own part asks for.
void GroupSlicer::shiftToLines(Cut &cut) const {
  for (size_t position = 0; position < range.size(); ++position) {
    if (!graph.layers[range[position]].isLineBuffer)
      continue;
    Interval *full = cut.of(firstResult + position);
    Interval *own = cut.of(operandsOf(position)[0]);
    for (size_t i = 0; i < cut.count() && !own[i].empty(); ++i) {
      full[i] = i == 0 ? own[i] : Interval{own[i].end - 1, own[i].end};
      own[i] = {};
    }
  }
}

/// The rows of part `i` of `parts` that the parts in front of it have not.
/// Where the one in front is not known, the fewest that there may be.
static Interval newRows(llvm::ArrayRef<Interval> parts, size_t i,
                        bool isNextKnown) {
  const Interval part = parts[i];
  if (i == 0)
    return part;
  if (!isNextKnown)
    return {part.end - 1, part.end};
  return {std::clamp(parts[i - 1].end, part.begin, part.end - 1), part.end};
}

void GroupSlicer::propagateLine(size_t position, Cut &cut) const {
  const int operand = operandsOf(position)[0];
  const bool isStored =
      std::find(outputs.begin(), outputs.end(),
                whole.tensors[operand].tensor) != outputs.end();
  Interval *full = cut.of(firstResult + position),
           *needed = cut.of(static_cast<size_t>(operand));
  for (size_t i = 0; i < cut.count(); ++i) {
    const bool isNextKnown = i == 0 || cut.chosen[i] == cut.chosen[i - 1] + 1;
    // Rows that no window reads are stored all the same.
    if (i > 0 && isNextKnown && isStored)
      full[i].begin = std::min(full[i].begin, full[i - 1].end);
    growTo(needed[i], newRows(llvm::ArrayRef<Interval>(full, cut.count()), i,
                              isNextKnown));
  }
}

std::vector<TensorId> GroupSlicer::overlapping(int64_t parts) const {
  const Parts all = allParts(parts);
  Cut cut = cutOutputs(H, all, parts);
  std::vector<TensorId> found;
  const auto overlaps = [&](llvm::ArrayRef<Interval> list) {
    bool isSame = true, overlaps = false;
    for (size_t i = 1; i < list.size(); ++i) {
      isSame &= list[i] == list[0];
      overlaps |= list[i].begin < list[i - 1].end;
    }
    return overlaps && !isSame;
  };
  for (size_t position = range.size(); position-- > 0;) {
    const Layer &layer = graph.layers[range[position]];
    Interval *result = cut.of(firstResult + position);
    const std::vector<Interval> needs(result, result + cut.count());
    if (layer.isCuttable[H] && overlaps(needs)) {
      found.push_back(layer.result);
      for (size_t i = 0; i < needs.size(); ++i)
        result[i] = newRows(needs, i, true);
    }
    propagate(position, cut);
  }
  for (size_t input = 0; input < firstResult; ++input) {
    const TensorId tensor = whole.tensors[input].tensor;
    if (!graph.tensors[tensor].isParameter &&
        overlaps(llvm::ArrayRef<Interval>(cut.of(input), cut.count())))
      found.push_back(tensor);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void GroupSlicer::propagate(size_t position, Cut &cut) const {
  const Layer &layer = graph.layers[range[position]];
  const int dim = cut.dim;
  const size_t count = cut.count();
  if (layer.isLineBuffer && dim == H && count > 1)
    return propagateLine(position, cut);
  Interval *result = cut.of(firstResult + position);
  const int *operandIndex = operandsOf(position);
  const Shape5 &resultShape = graph.tensors[layer.result].shape;
  if (!layer.isCuttable[dim])
    std::fill_n(result, count, Interval{0, resultShape[dim]});
  for (const LayerOperand &operand : layer.operands) {
    Interval *needed = cut.of(*operandIndex++);
    const int64_t length = graph.tensors[operand.tensor].shape[dim];
    const DimRule &rule = operand.rules[dim];
    if (rule.kind == DimRule::Kind::Whole) {
      std::fill_n(needed, count, Interval{0, length});
      continue;
    }
    // A dimension that another one follows is whole (maxSections).
    const bool isOwn = rule.resultDim < 0 || rule.resultDim == dim;
    const Interval other{0, isOwn ? 0 : resultShape[rule.resultDim]};
    for (size_t i = 0; i < count; ++i) {
      const Interval part = isOwn ? result[i] : other;
      growTo(needed[i], neededPart(rule, part, length));
    }
  }
}

GroupSlices sliceGroup(const LayerGraph &graph, const LayerRange &range,
                       const GroupTensors &tensors, const Sections &sections,
                       const target::ChipSpec &chip) {
  return GroupSlicer(graph, range, tensors, chip).slice(sections);
}

} // namespace tpu_mlir::layer
