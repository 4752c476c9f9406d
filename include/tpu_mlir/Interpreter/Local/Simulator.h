//===- Simulator.h - Runs layer groups byte by byte -------------*- C++ -*-===//
//
// The proof of a plan. Executes groups as their attributes say: loops over the
// sections with prologue and epilogue, timesteps in order, loads and stores
// against computation in one of three orders within a timestep, every number
// in the bytes of local memory and nowhere else.
//
// The rules, in loop i of numSections + 2:
//   * An op of stage s is about section i - s and does nothing when there is
//     none.
//   * A Load that no cut concerns runs for section 0 only and its bytes stay.
//   * A section lies in local memory with that section's own extents, at the
//     address that all sections share.
//   * A result is alive until the timestep of its last reader has ended; then
//     its bytes are filled with rubbish. Scratch is alive in its own timestep.
//   * Of several cores each has a local memory of its own and runs sections in
//     a row (Target/Dealing.h), with its own prologue and epilogue; what is
//     held it loads itself. Nothing orders the timesteps of two cores within a
//     group.
//   * Padding of a layout and lanes without a channel belong to the buffer, as
//     plans are made for one lane.
//
// What is an error: an address that leaves the lane or is not aligned as its
// layout says, a result larger than the plan says, a read of bytes that are not
// that operand's, of that section, a read of elements that are not stored, a
// result over an operand of an op that is not elementwise, an element that is
// stored twice or never, a result that differs from the reference;
// with several cores, transfers that neighbours run for each other.
//
// The chip's transfers that put one channel into several lanes for small
// filters (`use_3ic_optimize`) are taken as plain ones: they do not change the
// bytes of a lane.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_INTERPRETER_LOCAL_SIMULATOR_H
#define TPU_MLIR_INTERPRETER_LOCAL_SIMULATOR_H

#include "tpu_mlir/Interpreter/Local/GroupModel.h"

#include <unordered_map>

namespace tpu_mlir::execution {

/// What the two engines do first in a timestep. Within an engine ops run in
/// the order of the flow. With several cores also which of them goes on: the
/// first one until it is done, the last one, or any.
enum class EngineOrder { ComputeFirst, TransferFirst, Interleaved };

/// What the groups of a chain compute as a whole: for each group, for each
/// item, its result. A Load's is what is loaded, a Store's what it stores.
struct ChainReference {
  std::vector<std::vector<TensorPart>> results;
};

/// Results of kernels by op, section and all that they read (64-bit hash): one
/// group is run in three orders, and with many changes of its plan, and
/// computes the same most of the time.
using KernelCache = std::unordered_map<uint64_t, std::vector<int32_t>>;

/// What the simulator looks at besides a chain.
struct LocalMachine {
  const target::ChipSpec &chip;
  const SectionKernels &kernels;
};

/// Runs one chain of groups. nullopt: every result of every group is, bit for
/// bit, the reference's. `cache` must come from the same chain's ops and
/// inputs. O(bytes moved + work of the kernels + sections * items).
std::optional<LocalFault> simulate(const std::vector<GroupModel> &chain,
                                   const LocalMachine &machine,
                                   const ChainReference &reference,
                                   EngineOrder order, KernelCache &cache);

/// All three orders; the first error.
std::optional<LocalFault>
simulateAllOrders(const std::vector<GroupModel> &chain,
                  const LocalMachine &machine, const ChainReference &reference,
                  KernelCache &cache);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_INTERPRETER_LOCAL_SIMULATOR_H
