//===- CostModel.h - Bytes moved and cycles taken ---------------*- C++ -*-===//
//
// An open model for comparing plans, made of the chip's throughput numbers
// (ChipSpec) alone. It is not a promise about a device.
//
//   compute   computeSetupCycles + work / rate for each op of a section. Work
//             counts whole rows of lanes (channels rounded up to them).
//             Matrix ops: macs of macsPerCycle{8,16,32} by the width of operand
//             0; others: one operation for each byte of lanes * euBytes.
//   transfer  dmaSetupCycles + bytes / dmaBytesPerCycle, or less where several
//             cores share what global memory gives (sharedDmaBytesPerCycle);
//             bytes / l2BytesPerCycle of a tensor in second-level memory, to
//             which each core has a way of its own; a tensor with a price
//             counts as so many times its bytes
//   row       max(sum of its compute, sum of its transfers); with conflicts,
//             an access that shares a bank waits for the other one
//   group     sum over all rows of all loops, pipeline fill and drain included;
//             of several cores the slowest, each with its own fill and drain
//             and a barrier before and after; each loads what is held
//   global    max(compute, transfers), each operand read once and the result
//             written once, as if its kernel overlapped both completely; on
//             several cores, when that is faster, in pieces: evenly where its
//             kernel is said to split itself; else of the result and of what is
//             read like it, while each core reads all of the rest
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_COSTMODEL_H
#define TPU_MLIR_LAYERPLANNING_COSTMODEL_H

#include "tpu_mlir/LayerPlanning/TimeSteps.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <utility>

namespace tpu_mlir::layer {

/// What running something costs. Bytes are those between local memory and the
/// others.
struct Cost {
  int64_t loadBytes = 0;
  int64_t storeBytes = 0;
  int64_t cycles = 0;
  /// Cycles of computation alone, without set-up: a measure of the work, which
  /// grows with every row that is computed twice.
  int64_t computeCycles = 0;
  int64_t l2Bytes = 0; ///< Of those loaded and stored: of second-level memory.

  int64_t trafficBytes() const { return loadBytes + storeBytes; }
  /// Of global memory itself.
  int64_t globalBytes() const { return trafficBytes() - l2Bytes; }
  Cost &operator+=(const Cost &o);
};

/// What a search minimises: bytes of global memory, cycles, or cycles and
/// half of those in which its bytes move by themselves, by all cores in use.
/// The last one gives a few cycles for many bytes, which cost energy and what
/// else wants to move then, even where they hide behind computation. Ties go to
/// cycles, those of cycles to traffic, that of second-level memory included.
enum class Objective { Traffic, Cycles, Balanced };

/// What options call them.
inline constexpr std::pair<llvm::StringRef, Objective> kObjectives[] = {
    {"balanced", Objective::Balanced},
    {"cycles", Objective::Cycles},
    {"traffic", Objective::Traffic}};
std::optional<Objective> findObjective(llvm::StringRef name);

/// The shares of Objective::Balanced: cycles count so many times what transfers
/// do.
constexpr int64_t kCyclesPerTransfer = 2;

/// What `objective` counts; only sums of one objective on one chip compare.
/// `trafficBytes`: of global memory, or as many as take it the same time.
int64_t objectiveCost(int64_t trafficBytes, int64_t cycles, Objective objective,
                      const target::ChipSpec &chip);

/// True when `a` is better than `b`.
bool isBetter(const Cost &a, const Cost &b, Objective objective,
              const target::ChipSpec &chip);

/// Cycles of `layer` for a result of `part` extents, without set-up.
int64_t computeCycles(const LayerGraph &graph, const Layer &layer,
                      const Shape5 &part, const target::ChipSpec &chip);
/// What so many cores that move bytes at once move in a cycle, all together.
int64_t dmaBytesPerCycle(const target::ChipSpec &chip, int64_t activeCores);
/// Cycles of one transfer while so many cores are at work.
int64_t transferCycles(int64_t bytes, const target::ChipSpec &chip,
                       int64_t activeCores = 1, bool isInL2 = false);

/// A layer that runs from global memory. A free one (a reshape) costs nothing.
/// `activeCores`: that are at work beside it and with it; 1: those that it is
/// divided among. O(operands).
Cost globalCost(const LayerGraph &graph, LayerId layer,
                const target::ChipSpec &chip, int64_t activeCores = 1);
/// Whether that is the cost of its pieces (Layer::numPieces), one on each core:
/// they take fewer cycles than the whole on one.
bool isDivided(const LayerGraph &graph, LayerId layer,
               const target::ChipSpec &chip);
/// What all cores wait for one another before and after a step that several of
/// them run.
int64_t barriersAround(const target::ChipSpec &chip);

/// A group on chip.usedCores. O(parts * tensors + sections), and rows and
/// transfers for each kind of section that differs from the others in an
/// extent.
Cost groupCost(const LayerGraph &graph, const LayerRange &range,
               const GroupSlices &slices, const TimeSteps &steps,
               const target::ChipSpec &chip);

/// Bytes of global memory that a transfer of the part of a tensor moves, times
/// its price.
int64_t partBytes(const LayerGraph &graph, const TensorSlices &slices,
                  const std::array<int64_t, kNumDims> &section);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_COSTMODEL_H
