//===- UserPools.h - Memory that the user or the chip file adds -*- C++ -*-===//
//
// Two attributes of the outermost module say what there is besides the chip's
// own regions and who has to be where:
//
//   module.pools = ["name=sram,base=0x20000000,size=2MiB,cost=1", ...]
//   module.pins  = ["conv1=sram", "fc_weight=flash@0x1000", ...]
//
// A pool whose name is that of a region of the chip ("neuron", "coeff", "l2")
// gives that region a cost and nothing else. One for "l2" opens it to tensors
// that do not ask for it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_USERPOOLS_H
#define TPU_MLIR_ANALYSIS_USERPOOLS_H

#include "tpu_mlir/Planning/PoolFlag.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace tpu_mlir {

/// Writes both attributes of the outermost module around `module`: the lines of
/// the options, with ';' between. What stood there stays when they are empty.
/// Pools of the chip file are not written: they go with the chip.
void recordUserPools(mlir::ModuleOp module, llvm::StringRef pools,
                     llvm::StringRef pins);

/// The lines of `option`, with ';' between, in place of `module.pools` if there
/// are any. Emits E005 and fails when a line cannot be read, or two pools have
/// one name. `alignment` is that of pools whose line has none.
mlir::FailureOr<std::vector<planning::Pool>>
readUserPools(mlir::ModuleOp module, int64_t alignment = 1,
              llvm::StringRef option = "");

/// The pools of the chip that no line of the module names, then those of the
/// module. An alignment of 1 leaves it to the chip's. Emits E003 (lines of the
/// chip) and E005 and fails as above.
mlir::FailureOr<std::vector<planning::Pool>>
readPools(mlir::ModuleOp module, const target::ChipSpec &chip);
/// The bytes of L2 that tensors may be in without asking for it:
/// usableL2Bytes() where one of readPools() opens it at no more than neurons
/// cost, else 0. Fails as these do.
mlir::FailureOr<int64_t> openL2Bytes(mlir::ModuleOp module,
                                     const target::ChipSpec &chip);

/// Can all that make or read `values` reach the pool? In a network ops run on
/// "tpu", those that the host takes (tpu.GenericCpu, functions in the mode CPU)
/// on "cpu"; a pool without targets is reached by both.
bool isReached(const planning::Pool &pool, mlir::ValueRange values);

/// A remark when no buffer of `problem` may be in the pool, which a line of the
/// user or of the chip describes, and why.
void remarkIfUnused(mlir::ModuleOp module, const planning::Problem &problem,
                    planning::PoolId pool);

/// A remark when no buffer of `problem` may be in the pool, a region of the
/// chip to which a line gives a cost, and in another one.
void remarkIfAlone(mlir::ModuleOp module, const planning::Problem &problem,
                   planning::PoolId pool);

/// `module.pins`. Emits E005 and fails when a line cannot be read, or pins
/// something twice. Names may be gone with the locations of a module.
mlir::FailureOr<std::vector<planning::NamedPin>>
readPins(mlir::ModuleOp module);

/// Emits E005 and fails when a pin names what nothing in any module is called.
llvm::LogicalResult checkPinNames(mlir::ModuleOp module);

/// Can `sizeBytes` bytes be at `offset` of `pool`, where `pin` wants them?
/// Emits E005 at `location` and fails when that is no multiple of the pool's
/// alignment, or ends after the pool.
llvm::LogicalResult checkPinOffset(mlir::Location location,
                                   const planning::NamedPin &pin,
                                   const planning::Pool &pool, int64_t offset,
                                   int64_t sizeBytes);

/// Offsets are multiples of the alignment, addresses only in a pool that begins
/// at one: emits E005 and fails for another pool. `pool.alignment` is what
/// holds there, be it from the line or from the chip.
llvm::LogicalResult checkPoolBase(mlir::Location location,
                                  const planning::Pool &pool);

/// Lines of pools as an option has them, with ';' between, before there is a
/// module to write them to. Emits E005 and fails as readUserPools() does, and
/// when there is text but no line in it.
llvm::LogicalResult checkPoolOption(mlir::Location location,
                                    llvm::StringRef text);

/// One chip or another has a region of this name, in some I/O mode: a line of
/// pools can give it a cost, but no other pool is called so.
bool isRegionName(llvm::StringRef name);

/// The options of passes on networks: as above, and E005 when a line gives a
/// region of a chip more than a cost, or a pin cannot be read, or is there
/// twice.
llvm::LogicalResult checkNetworkOptions(mlir::Location location,
                                        llvm::StringRef pools,
                                        llvm::StringRef pins);

/// The pool that `pin` names. Emits E005 at `location` and fails when there is
/// none; the message lists those that may hold what is pinned.
mlir::FailureOr<planning::PoolId>
findPool(mlir::Location location, const planning::NamedPin &pin,
         const std::vector<planning::Pool> &pools,
         llvm::function_ref<bool(planning::PoolId)> mayHold);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_USERPOOLS_H
