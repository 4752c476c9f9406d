//===- Slicing.h - Cutting the tensors of a group into sections -*- C++ -*-===//
//
// A group runs section by section over a grid of nsecs x dsecs x hsecs x wsecs
// x csecs. Outputs are cut evenly (with line buffers the first part is
// shorter); every other tensor's part is what the parts that are computed from
// it need, operand by operand.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_SLICING_H
#define TPU_MLIR_LAYERPLANNING_SLICING_H

#include "tpu_mlir/LayerPlanning/LayerGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>

namespace tpu_mlir::layer {

/// Layers of one group in the order in which they run.
using LayerRange = std::vector<LayerId>;

/// Number of parts in each dimension.
using Sections = std::array<int64_t, kNumDims>;

/// The product of all five.
int64_t countSections(const Sections &sections);
/// The part of dimension `dim` that section `index` (0 <= index < product) is
/// in: the loops are n, d, h, w, c with c innermost.
std::array<int64_t, kNumDims> sectionIndex(const Sections &sections,
                                           int64_t index);

/// From one section to the next one; from the last to the first.
void moveOn(const Sections &sections, std::array<int64_t, kNumDims> &index);

/// Which tensors a group loads, keeps inside and stores.
struct GroupTensors {
  std::vector<TensorId> inputs;  ///< Made outside; first use order.
  std::vector<TensorId> results; ///< One a layer, in range order.
  std::vector<TensorId> outputs; ///< Results that somebody outside reads.
};
GroupTensors groupTensors(const LayerGraph &graph, const LayerRange &range);

/// The parts of one tensor: for each dimension one interval a section of that
/// dimension, or a single one that all sections share. Somebody else owns them.
struct TensorSlices {
  TensorId tensor = 0;
  std::array<llvm::ArrayRef<Interval>, kNumDims> parts;
  /// Of each dimension; both follow from the parts.
  Shape5 longest{0, 0, 0, 0, 0};
  std::array<bool, kNumDims> isSameAlong{true, true, true, true, true};

  Interval part(int dim, int64_t section) const {
    return parts[dim].size() == 1 ? parts[dim][0] : parts[dim][section];
  }
  /// Extents of the part that section `index` of each dimension has.
  Shape5 extents(const std::array<int64_t, kNumDims> &index) const {
    Shape5 result = longest;
    for (int dim = 0; dim < kNumDims; ++dim)
      if (!isSameAlong[dim])
        result[dim] = parts[dim][index[dim]].length();
    return result;
  }
  /// The largest extent in each dimension: with a full grid this is also the
  /// largest part.
  const Shape5 &maxExtents() const { return longest; }
  /// Every section has the same part: a single load would do.
  bool isSame() const;
  /// `list` has to live on.
  void setParts(int dim, llvm::ArrayRef<Interval> list);
};

/// Where each of some tensors is in a list. As large as the list, whatever the
/// size of the graph, and shared by all copies.
class TensorIndex {
public:
  TensorIndex() = default;
  /// Each tensor of `list` once. O(list).
  explicit TensorIndex(const std::vector<TensorId> &list);

  /// The position of `tensor`; -1: it is not in the list. O(1).
  int operator[](TensorId tensor) const {
    for (size_t slot = slotOf(tensor);; slot = (slot + 1) & mask)
      if (slots[slot].position < 0 || slots[slot].tensor == tensor)
        return slots[slot].position;
  }

private:
  struct Slot {
    TensorId tensor = 0;
    int position = -1;
  };

  size_t slotOf(TensorId tensor) const {
    return (static_cast<uint32_t>(tensor) * size_t{2654435769u} >> 7) & mask;
  }

  /// At least half of them are free.
  std::shared_ptr<Slot[]> slots;
  size_t mask = 0;
};

/// The parts of all tensors of a group, inputs first, then results.
struct GroupSlices {
  Sections sections{1, 1, 1, 1, 1};
  std::vector<TensorSlices> tensors;
  /// Index into `tensors` for each tensor of the graph that is in the group.
  TensorIndex indexOf;
  /// The same of all operands, layer by layer.
  std::shared_ptr<const std::vector<int>> operands;
  /// The parts of all tensors along each dimension; copies share what they have
  /// in common.
  std::array<std::shared_ptr<const std::vector<Interval>>, kNumDims> storage;
};

/// The largest number of parts in each dimension: 1 where a layer that makes an
/// output cannot be cut or an operand follows another dimension, at most the
/// extent of every output; channels in whole rows of lanes.
Sections maxSections(const LayerGraph &graph, const LayerRange &range,
                     const GroupTensors &tensors, const target::ChipSpec &chip);

/// Cuts a group into one grid after the other. Holds references to graph and
/// range.
///
/// Every output is cut evenly (the first parts take one more where it does not
/// divide; channels in multiples of the lanes), and what is needed is
/// propagated back to the inputs. A layer that cannot be cut computes all of
/// its result in every section. A tensor with several readers gets the smallest
/// box that holds all that they need and, for an output, its own part. The
/// operand of a line buffer has the rows of its result alone that no earlier
/// section had, one at least. With line buffers the first part of an output
/// along h is shorter than the others, as the first section also makes what the
/// windows of the next one reach for: no tensor has more rows in it than in the
/// second one, as far as one row of the output remains.
class GroupSlicer {
public:
  GroupSlicer(const LayerGraph &graph, const LayerRange &range,
              const GroupTensors &tensors, const target::ChipSpec &chip);

  /// `sections` is at most maxSections. O(layers * operands * parts).
  GroupSlices slice(const Sections &sections) const;
  /// Of each dimension only a few parts, the first and the last among them:
  /// maxExtents() is then a lower bound, while isSame() still holds, as parts
  /// only move on from section to section. O(layers * operands).
  GroupSlices sample(const Sections &sections) const;
  /// Of each layer's result the lengths of all parts of `sections` along each
  /// dimension, one after the other; those along c in whole rows of lanes. What
  /// all sections compute together is their product. O(layers * operands *
  /// parts), and a fraction of slice().
  std::vector<Shape5> computedLengths(const Sections &sections) const;
  /// The tensors, parameters aside, of which two of so many sections along h
  /// need a row in common, if each section needs only new rows of those that
  /// are found; ascending. O(layers * operands * parts).
  std::vector<TensorId> overlapping(int64_t parts) const;

private:
  using Parts = llvm::SmallVector<int64_t, 6>;
  /// The parts of all tensors along one dimension, one after the other.
  struct Cut {
    int dim = 0;
    const Parts &chosen; ///< Which of the dimension's parts.
    std::vector<Interval> parts;

    size_t count() const { return chosen.size(); }
    Interval *of(size_t tensor) { return &parts[tensor * count()]; }
  };

  const int *operandsOf(size_t position) const {
    return whole.operands->data() + operandsBegin[position];
  }
  static Parts allParts(int64_t count);
  bool isFlat(int dim);
  /// The parts of all tensors with the numbers `chosen`; dimensions do not
  /// depend on each other.
  Cut cutOf(int dim, const Parts &chosen, int64_t sections) const;
  void cutAlong(int dim, const Parts &chosen, GroupSlices &slices) const;
  /// All parts; `rowsAhead` is of each output.
  Cut cutAll(int dim, const Parts &chosen, int64_t sections,
             llvm::ArrayRef<int64_t> rowsAhead = {}) const;
  Cut cutOutputs(int dim, const Parts &chosen, int64_t sections,
                 llvm::ArrayRef<int64_t> rowsAhead = {}) const;
  std::vector<int64_t> rowsAhead(const Parts &chosen, int64_t sections) const;
  void shiftToLines(Cut &cut) const;
  void propagate(size_t position, Cut &cut) const;
  void propagateLine(size_t position, Cut &cut) const;

  const LayerGraph &graph;
  const LayerRange &range;
  const std::vector<TensorId> outputs;
  const target::ChipSpec &chip;
  GroupSlices whole; ///< All in one section.
  /// Index into GroupSlices::tensors of the first layer's result; those of the
  /// others follow.
  const size_t firstResult;
  /// Where in GroupSlices::operands each layer's begin.
  std::vector<size_t> operandsBegin;
  bool hasLines = false;
};

/// GroupSlicer::slice for a single grid.
GroupSlices sliceGroup(const LayerGraph &graph, const LayerRange &range,
                       const GroupTensors &tensors, const Sections &sections,
                       const target::ChipSpec &chip);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_SLICING_H
