//===- LocalReport.h - Layer groups in local memory -------------*- C++ -*-===//
//
// What the layer groups of a module keep in a lane's memory, what they move and
// compute, and what the layers outside of groups do. A report is a value;
// renderers turn it into text, JSON, or a map of each group:
//
//     engines   compute  | conv | pool |      |
//               DMA      | load |      | store|
//     bytes    ^ - - - - - - - - - - - - - - - -  lane
//              |         +------+               - peak
//              |  -+     | out  +------+  +---
//              |  x|     |      | pool |  |x       x goes on in the next round
//              +--------------------------------> steps
//
// Definitions (a lane is one of the chip's identical memories):
//
//   peak         the largest end of a buffer
//   lower bound  the largest sum of buffers that are alive at one step, each
//                padded to whole execution units but for the one on top; a
//                result may take its operand's bytes where that is possible
//   conflicts    pairs of buffers that share a bank although one op uses both,
//                or the compute engine one and the DMA the other in one step
//   traffic      bytes loaded and stored, all sections together
//   recompute    work of all sections / work of the whole results; a unit of
//                work is one operation of the cost model
//   cores        of several, those that have sections; cycles, waits and rounds
//                are those of the slowest one, cycles with the barriers around
//   reload       bytes of activations loaded / bytes of these tensors
//   cycles       of the open cost model (LayerPlanning/CostModel.h), as if
//   banks
//                did not matter
//   bound        bytes that move however layers are grouped, cut and ordered:
//   each
//                weight and input of the network that is needed once, as far as
//                it is needed, and each output once
//   layer by layer   the traffic when each layer reads and writes global memory
//   waits        cycles that conflicts add when each access waits for the other
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_REPORT_LOCALREPORT_H
#define TPU_MLIR_REPORT_LOCALREPORT_H

#include "tpu_mlir/Support/Interval.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::report {

/// Why something is in local memory.
enum class LocalKind {
  Activation,     ///< Loaded, each section its own part.
  Weight,         ///< Loaded once.
  ReloadedWeight, ///< Loaded anew for every section.
  Result,         ///< Computed in the group.
  Scratch,        ///< Of one op, while it runs.
};
/// "activation", "weight", "reloaded weight", "result", "scratch".
const char *kindName(LocalKind kind);

/// One buffer of a lane.
struct LocalBufferRow {
  std::string name;
  LocalKind kind = LocalKind::Result;
  Interval bytes; ///< Addresses in the lane.
  /// Steps, ascending. In a loop a life that passes the end of a round is two
  /// intervals, the first of which begins at 0 and the second ends at numSteps.
  std::vector<Interval> life;
  /// Its life passes the end of a round.
  bool isWrapped = false;
  /// Index of the buffer that it is written over.
  std::optional<size_t> inPlaceOf;
};

enum class LocalEngine { Compute, Load, Store };
/// "compute", "load", "store".
const char *engineName(LocalEngine engine);

/// One op of a group.
struct LocalOpRow {
  std::string name; ///< Of what it makes or stores.
  std::string op;   ///< "tpu.Conv2D".
  LocalEngine engine = LocalEngine::Compute;
  int64_t id = 0, stage = 0, row = 0;
  int64_t step = 0; ///< On the axis of the buffers' lives.
  /// A load that runs for the first section only, for all of them.
  bool isHeld = false;
};

/// Bytes of global memory and cycles.
struct LocalCost {
  int64_t loadBytes = 0;
  int64_t storeBytes = 0;
  int64_t cycles = 0;
  /// Of computation alone, without set-up.
  int64_t computeCycles = 0;
  /// On top of `cycles`, when each access to a bank waits for the other one.
  int64_t waitCycles = 0;

  int64_t trafficBytes() const;
  LocalCost &operator+=(const LocalCost &o);
};

/// Bytes that any way to run the network moves.
struct TrafficBound {
  int64_t loadBytes = 0;  ///< Weights and inputs of the network, once.
  int64_t storeBytes = 0; ///< Its outputs, once.
  /// On top of these, since local memory is too small for what is needed again
  /// after something that depends on all of it.
  int64_t barrierBytes = 0;

  int64_t bytes() const;
};

/// What of all traffic is moved where.
struct TrafficByMemory {
  int64_t weightBytes = 0; ///< Weights, loaded.
  /// From and to second-level memory: of tensors that have an address there.
  int64_t l2Bytes = 0;

  TrafficByMemory &operator+=(const TrafficByMemory &o);
};

/// What one row of one round takes, in cycles of the cost model: the row ends
/// with the engine that takes longer.
struct LocalRowCycles {
  int64_t compute = 0, transfers = 0;
  int64_t cycles() const { return compute > transfers ? compute : transfers; }
  bool operator==(const LocalRowCycles &o) const {
    return compute == o.compute && transfers == o.transfers;
  }
};

/// All rounds of a group, on the slowest core: in round i stage s works on
/// section i - s, where there is one. Few kinds of rounds differ.
struct LocalTimeline {
  std::vector<std::vector<LocalRowCycles>> kinds; ///< One entry a row each.
  std::vector<int> rounds;                        ///< The kind of each.
};

struct LocalGroupRow {
  int64_t index = 0; ///< In the module, from 0.
  std::string name;  ///< Of its first result.
  std::string location, function;
  int64_t numLayers = 0; ///< Ops that compute.
  int64_t numRows = 0;
  std::array<int64_t, 5> sections{1, 1, 1, 1, 1}; ///< n, c, d, h, w.
  /// More than one section: steps are the rows, and lives may pass the end.
  /// Otherwise steps are stage * rows + row.
  bool isLoop = false;
  int64_t numSteps = 0;
  /// Cores that have a section of it.
  int64_t activeCores = 1;
  /// Some of its transfers run in a neighbour's rows, or a neighbour's in its.
  /// Their cycles count where they run, their bytes in their own group.
  bool sharesTransfers = false;

  int64_t peakBytes = 0;
  int64_t lowerBoundBytes = 0;
  int64_t boundStep = 0; ///< The first step whose live sum is the bound.
  int64_t bankConflicts = 0;
  /// The rows of the whole run in which they happen.
  int64_t conflictRows = 0;
  LocalCost cost;
  int64_t work = 0, wholeWork = 0;
  int64_t activationBytes = 0, wholeActivationBytes = 0;

  LocalTimeline timeline;
  std::vector<LocalOpRow> ops;         ///< In the order of the body.
  std::vector<LocalBufferRow> buffers; ///< In the order of the body.

  int64_t numSections() const;
};

/// A layer that runs from global memory.
struct LocalGlobalRow {
  std::string name, op, function;
  LocalCost cost;
  /// Why it cannot be in a group; empty when it could.
  std::string reason;
};

struct LocalReport {
  std::string module, chip;
  int64_t lanes = 0, laneBytes = 0, banks = 0, euBytes = 0;
  int64_t cores = 1; ///< That the program runs on.
  std::vector<LocalGroupRow> groups;
  /// Without those that cost nothing (reshapes, concats and slices in place).
  std::vector<LocalGlobalRow> globals;
  int64_t numFreeLayers = 0;
  TrafficByMemory byMemory;
  TrafficBound bound;
  /// Traffic when each layer of the groups, too, is global.
  int64_t layerByLayerBytes = 0;

  int64_t bankBytes() const { return banks > 0 ? laneBytes / banks : 0; }
  int64_t numGroupedLayers() const;
  LocalCost groupCost() const;
  LocalCost globalCost() const;
  LocalCost totalCost() const;
  /// Activations from and to global memory.
  int64_t globalActivationBytes() const;
};

/// One line a group and the totals.
std::string renderLocalTable(const LocalReport &report);
/// The same, and the ops and buffers of each group, or of `group` only.
std::string renderLocalText(const LocalReport &report,
                            std::optional<size_t> group = {});
/// All of it, versioned; the schema is tpu_mlir/schema/local.schema.json.
std::string renderLocalJson(const LocalReport &report);

/// The map of each group, or of `group` only, as an SVG 1.1 image: addresses
/// over steps, what the engines do in each step, banks, peak, lower bound. A
/// life that passes the end of a round is one thing that leaves at the right
/// and comes in at the left. O(buffers + ops + steps) for each.
std::string renderLocalSvg(const LocalReport &report,
                           std::optional<size_t> group = {});
/// A page with these maps, the table of the groups, a search box, and a table
/// of the largest buffers.
std::string renderLocalHtml(const LocalReport &report,
                            std::optional<size_t> group = {});

} // namespace tpu_mlir::report

#endif // TPU_MLIR_REPORT_LOCALREPORT_H
