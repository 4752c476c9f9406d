//===- SharingPairs.h - Buffers that may meet in the same bytes -*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_SHARING_SHARINGPAIRS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_SHARING_SHARINGPAIRS_H

#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/Sharing/SharingFacts.h"

namespace tpu_mlir::sharing {

/// Fills `facts.inPlacePairs`, in the order of the ops. `usesOf`: of each
/// buffer of the facts. A pair is proved when
///
///   * the op is a memref.copy, or a linalg op on buffers whose loops are all
///     parallel and whose body touches no memory but the operands;
///   * both operands are whole buffers of the same shape and element width;
///   * they are indexed by the same map, a permutation, so that the element
///     that is written is the one that was read in the same iteration;
///   * no other operand stands for either buffer, but for one that reads the
///     dying one with the same map;
///   * the one is not in use after the op, and the other's life begins there:
///     their lives have nothing else in common.
///
/// O(uses).
void findInPlacePairs(SharingFacts &facts,
                      llvm::ArrayRef<const MemrefUses *> usesOf,
                      const OpTicks &ticks);

/// Whether lives allow it or not: `op` may have both operands in the same
/// bytes. O(operands + body).
bool mayMeetInPlace(mlir::Operation *op, mlir::Value dying, mlir::Value born);

/// Fills `facts.exclusivePairs`. A buffer that is allocated in a region of an
/// op is not in use when the op starts again: a name that held it then would be
/// there when it is allocated, and for that it would have been left alone. So
/// of two in regions that exclude each other only one is ever in use. O(uses).
void findExclusivePairs(SharingFacts &facts,
                        llvm::ArrayRef<const MemrefUses *> usesOf,
                        const OpTicks &ticks);

/// Why no bytes can be planned for the alloc, whatever its memory: its size is
/// known at run time only, or its layout is not the plain one.
std::optional<Stay> examineShape(mlir::memref::AllocOp alloc);

} // namespace tpu_mlir::sharing

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_SHARING_SHARINGPAIRS_H
