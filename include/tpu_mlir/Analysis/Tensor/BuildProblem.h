//===- BuildProblem.h - From a module to a planning problem -----*- C++ -*-===//
//
// The bridge between IR and the IR-free core: one buffer for each storage
// class that needs global memory, in the pools that the chip and the I/O mode
// ask for.
//
//   I/O mode   inputs live      outputs live     where inputs and outputs are
//   basic      whole run        to the end       neuron region
//   in_reuse   to their last    to the end       neuron region
//              reader
//   io_alone   whole run        whole run        a region of their own
//   io_tag     whole run        whole run        the largest in one memory tag
//                                                each, the rest as in basic
//   io_reloc   whole run        whole run        after the neuron region, to
//                                                be moved by the runtime
//
// Pools of the user (see UserPools.h) come before the neuron region: every
// neuron tensor that is no scratch for L2 and not pinned may be in those that
// are read-write; inputs and outputs only on request, and where the mode leaves
// them in the neuron region. Without costs the first pool that has room is
// taken, else what costs least in all.
//
// L2 is for scratch that asks for it, which has to fit. A line for "l2" among
// the pools of the user or of the chip opens it to other tensors, too, but to
// none that is an input or output of a function or that the host reads or
// writes.
//
// On chips with base registers every mode puts the first inputs and outputs
// into one register each, what crosses functions into the private region and
// the rest into the shared region.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_TENSOR_BUILDPROBLEM_H
#define TPU_MLIR_ANALYSIS_TENSOR_BUILDPROBLEM_H

#include "tpu_mlir/Analysis/Tensor/BufferAliases.h"
#include "tpu_mlir/Analysis/Tensor/LiveRanges.h"
#include "tpu_mlir/Planning/Plan.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <limits>
#include <optional>

namespace tpu_mlir {

enum class IoMode { Basic, InReuse, IoAlone, IoTag, IoReloc };
/// "basic", "in_reuse", "io_alone", "io_tag", "io_reloc".
std::optional<IoMode> parseIoMode(llvm::StringRef name);
llvm::StringRef ioModeName(IoMode mode);

/// What the planner was told and addresses do not show:
/// GlobalProblem::alignment and, where it is so, GlobalPlanOptions::poolIo. On
/// the module of functions.
inline constexpr llvm::StringLiteral kNeuronAlign = "module.neuron_align";
inline constexpr llvm::StringLiteral kPoolIo = "module.pool_io";

struct GlobalPlanOptions {
  IoMode ioMode = IoMode::Basic;
  /// Of neuron tensors, in bytes; nullopt: the chip's.
  std::optional<int64_t> alignment;
  /// Bytes of global memory on the board, for weights, I/O and neurons
  /// together; nullopt: only the chip's address windows limit.
  std::optional<int64_t> gmemBytes;
  /// L2 is open to tensors that do not ask for it where a pool line says so.
  bool l2 = true;
  /// Inputs and outputs of the network may be in the pools of the user, too.
  bool poolIo = false;
  /// Pairs (input, output), by position, that share an address.
  llvm::SmallVector<std::pair<int64_t, int64_t>> sameAddress;
};

/// What a pool of the problem is in the memory map.
enum class RegionRole { Neuron, Io, IoTag, Private, L2, User };

/// A pool and where it begins. `base` of a region after another one is only
/// known once that one is planned; see placeRegions().
struct PlannedRegion {
  RegionRole role = RegionRole::Neuron;
  int64_t base = 0;
};

/// The problem and what its buffers stand for.
struct GlobalProblem {
  planning::Problem problem;
  /// By buffer: the storage class.
  std::vector<int64_t> classOf;
  /// By pool.
  std::vector<PlannedRegion> regions;
  /// Of storage in the regions of the chip.
  int64_t alignment = 1;
  /// The mode that is in force; differs from the request where a mode falls
  /// back to another one.
  IoMode ioMode = IoMode::Basic;
};

/// All facts about one module of functions.
struct GlobalFacts {
  OpSchedule schedule;
  BufferAliases aliases;
  std::vector<ClassLife> lives;
  /// Values of the network's inputs and outputs, in order.
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> outputs;
};

/// A `top.Input` of anything but an argument of a function that nobody calls
/// names what is there: whoever reads it reads its operand instead, and it
/// goes. Front ends write them into bodies of loops and functions that are
/// called. Emits E008 and fails where one has another type than its operand.
mlir::LogicalResult forwardInnerInputs(mlir::ModuleOp module);

/// Emits an error and fails as the three analyses do.
mlir::FailureOr<GlobalFacts> analyzeModule(mlir::ModuleOp module, bool fourN);

/// Weight addresses that stand in the module: module.coeff_addr and
/// module.coeff_size, absolute end.
struct WeightRegion {
  int64_t base = 0;
  int64_t sizeBytes = 0;
};

/// Makes each pair (input, output) one piece of storage: `facts` changes. Emits
/// E009 and fails when that would lose a byte.
llvm::LogicalResult
shareAddresses(mlir::ModuleOp module, GlobalFacts &facts,
               llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs);

/// Emits E005 (pools, pins), E007 (mode), E009 (same address), E001 (weights
/// alone do not fit) and fails. `facts.aliases` changes when addresses are
/// shared on request. O(values log values).
mlir::FailureOr<GlobalProblem>
buildGlobalProblem(mlir::ModuleOp module, GlobalFacts &facts,
                   const target::ChipSpec &chip, const WeightRegion &weights,
                   const GlobalPlanOptions &options);

/// What a plan takes of the chip's memory; more than any plan where there is
/// none. L2 and the pools of the user do not count.
struct MemoryNeed {
  /// Of the neuron region, and of all regions of the chip, each rounded up to
  /// the chip's alignment.
  int64_t neuronBytes = std::numeric_limits<int64_t>::max();
  int64_t totalBytes = std::numeric_limits<int64_t>::max();
  int64_t accessCost = std::numeric_limits<int64_t>::max();

  bool isKnown() const {
    return totalBytes != std::numeric_limits<int64_t>::max();
  }
  /// Nothing of it is more than in `other`.
  bool isWithin(const MemoryNeed &other) const {
    return neuronBytes <= other.neuronBytes && totalBytes <= other.totalBytes &&
           accessCost <= other.accessCost;
  }
  /// And one of the regions' bytes is less.
  bool isBetterThan(const MemoryNeed &other) const {
    return isWithin(other) &&
           (totalBytes < other.totalBytes || neuronBytes < other.neuronBytes);
  }
};

/// Of regions that take `bytesOf` each, rounded up to a multiple of
/// `alignment`.
MemoryNeed needOf(const GlobalProblem &global, int64_t alignment,
                  llvm::function_ref<int64_t(planning::PoolId)> bytesOf);
/// Of the answer to `global`. Where nothing fits it is the live ranges that
/// compare, all of them above what any plan takes.
MemoryNeed needOf(const GlobalProblem &global,
                  const planning::SolveResult &result,
                  const target::ChipSpec &chip);

/// Fixes the base of regions that follow other ones, from the plan's high-
/// water marks. False when an address would leave 63 bits.
bool placeRegions(GlobalProblem &global, const planning::Plan &plan,
                  const target::ChipSpec &chip, const WeightRegion &weights);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_TENSOR_BUILDPROBLEM_H
