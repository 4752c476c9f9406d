//===- TimeSteps.h - When a group loads, computes and stores ----*- C++ -*-===//
//
// A section takes T timesteps (rows). In a row the computing engine runs one
// layer while the DMA engine loads and stores; all engines join between rows.
// With more than one section the rows are a loop that is software-pipelined in
// three stages: stage 0 works one section ahead of stage 1, stage 2 one after.
// A buffer has one copy, so it lives for at most T rows.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_TIMESTEPS_H
#define TPU_MLIR_LAYERPLANNING_TIMESTEPS_H

#include "tpu_mlir/LayerPlanning/Slicing.h"

namespace tpu_mlir::layer {

/// One transfer between global and local memory.
struct Transfer {
  TensorId tensor = 0;
  int64_t row = 0;
  int stage = 1;
  /// Loads only: for the first section, kept until the last.
  bool isHeld = false;
};

/// One piece of local memory. Times are stage * T + row, of section 0.
struct LocalBuffer {
  /// The tensor, or -1 and the layer for scratch.
  TensorId tensor = -1;
  LayerId scratchOf = -1;
  int64_t start = 0;
  int64_t last = 0; ///< Inclusive; held: T rows, whatever these say.
  /// A load for all sections, or what a line buffer keeps.
  bool isHeld = false;
  int64_t sizeBytes = 0; ///< Of one lane.
  /// Index of the buffer that it is written over; -1: it has its own bytes.
  int overwrites = -1;
};

/// The schedule of a group and what is alive in it.
struct TimeSteps {
  int64_t numRows = 0;
  /// More than one section: rows repeat, lives wrap.
  bool isLoop = false;
  /// The row in which layer i of the range runs; stage 1 always.
  std::vector<int64_t> rowOfLayer;
  std::vector<Transfer> loads;  ///< By first use.
  std::vector<Transfer> stores; ///< In the order of the outputs.
  std::vector<LocalBuffer> buffers;
};

struct TimeStepOptions {
  /// For each tensor of GroupTensors::inputs: load it anew for every section,
  /// though all sections have the same part.
  std::vector<bool> isReloaded;
  /// Let layers write over operands that nobody reads afterwards.
  bool inPlace = true;
};

/// The layer-nearest schedule: each layer in a row of its own, what it reads is
/// loaded one row ahead, outputs are stored one row after. One section: rows
/// T = layers + 2, nothing wraps. Otherwise T = layers, the first layer's loads
/// are one section ahead in the last row, the last layer's stores one section
/// after in the first; a row without a layer is added when the first layer's
/// input is still read in the last row, and for a layer by itself, whose result
/// is still stored then. Inputs that are the same in all sections are held
/// unless `options` says that they are reloaded.
/// O(layers * operands).
TimeSteps assignTimeSteps(const LayerGraph &graph, const LayerRange &range,
                          const GroupTensors &tensors,
                          const GroupSlices &slices,
                          const target::ChipSpec &chip,
                          const TimeStepOptions &options);

/// Buffers that are written over one another, all of a chain together, hold
/// data for no more rows than there are, so that the next section finds their
/// bytes free. Holds for what assignTimeSteps returns; loads that move to
/// earlier rows may end it. O(buffers * longest chain).
bool chainsLeaveRoom(const TimeSteps &steps);

/// The sum of bytes, in whole execution units, that live at each time: of a
/// loop for each row, otherwise for each of stage * numRows + row below 2 *
/// numRows. O(buffers + rows).
std::vector<int64_t> liveBytes(const TimeSteps &steps,
                               const target::ChipSpec &chip);

/// No placement can end below this: the largest of liveBytes.
int64_t liveBound(const TimeSteps &steps, const target::ChipSpec &chip);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_TIMESTEPS_H
