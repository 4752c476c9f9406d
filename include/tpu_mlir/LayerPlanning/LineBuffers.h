//===- LineBuffers.h - Rows that stay from section to section ---*- C++ -*-===//
//
// Sections along h need rows in common: a window looks beyond the rows of its
// own section, and what is added far behind lags after what was made early. A
// line buffer is a layer that keeps such rows in local memory:
//
//   section j            new rows of its operand            |  n .. b
//                        rows of section j - 1, kept   a .. n  |
//                        its result                    a .. .. b
//
// so that nothing is loaded or computed twice. It copies: new and kept rows to
// the result, the rows that the next section will want to the side.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_LINEBUFFERS_H
#define TPU_MLIR_LAYERPLANNING_LINEBUFFERS_H

#include "tpu_mlir/LayerPlanning/Slicing.h"

namespace tpu_mlir::layer {

/// The tensors of a group that have a line buffer each, ascending.
using Lines = std::vector<TensorId>;

/// What may be worth it, for groups that run in several sections along h: all
/// tensors of which two sections need a row in common once those computed from
/// them have line buffers; and all of these but the group's inputs, which may
/// as well be loaded again. None: no choices. O(layers * operands).
std::vector<Lines> lineBufferChoices(const LayerGraph &graph,
                                     const LayerRange &range,
                                     const target::ChipSpec &chip);

/// Adds a layer and a tensor, its result, for each of `lines` after those of
/// `graph`, in this order: the readers in the range read that, everybody else
/// the tensor itself. Results in the range with the new layers, each in front
/// of its first reader. O(range + readers).
LayerRange addLineBuffers(LayerGraph &graph, const LayerRange &range,
                          const Lines &lines);
/// Takes back what addLineBuffers did last, with the same lines.
void removeLineBuffers(LayerGraph &graph, const Lines &lines);

/// The most rows that a line buffer holds from one section to the next, of the
/// parts along h of its operand and its result.
int64_t keptRows(llvm::ArrayRef<Interval> operand,
                 llvm::ArrayRef<Interval> result);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_LINEBUFFERS_H
