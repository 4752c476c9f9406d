//===- Checks.h - The invariants of a layer group, one function each ------===//
//
// Each function appends what is broken; all they share is what readGroup()
// read.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_CHECKS_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_CHECKS_H

#include "lib/Analysis/Local/Check/LocalGroup.h"

namespace tpu_mlir::local {

/// I1: the sections of a store follow one another and leave no gap. Where the
/// tensor has other readers, too, its sections may overlap: such rows are
/// computed and stored twice, with the same values. O(sections).
void checkCoverage(const LocalGroup &group, Violations &violations);

/// I2, I3: what a section of an op reads lies inside the section that its
/// operand stores, and padding beyond the tensor is read only where that
/// section ends at the tensor's border. O(elements of all sections * taps).
void checkNeeds(const LocalGroup &group, Violations &violations);

/// I2, I4 of a line buffer: each row of its section comes from its operand's or
/// is one that it kept of the section before, for which its scratch has room;
/// nothing is cut inside the rows, and one core runs all sections. O(sections).
void checkLineBuffer(const LocalGroup &group, const Member &line,
                     Violations &violations);

/// I4: room for the largest section, alignment, the end of local memory, and
/// layouts that readers and writers agree on. O(ops).
void checkSizes(const LocalGroup &group, Violations &violations);

/// I6, I10: operands are there when they are read, and stages grow from
/// operand to reader. O(ops * operands).
void checkOrder(const LocalGroup &group, Violations &violations);

/// I9: stores and what the group yields are the same. O(ops).
void checkStores(const LocalGroup &group, Violations &violations);

/// I5, I7, I8: what is alive at the same time lies in different bytes.
/// O(buffers^2).
void checkMemory(const LocalGroup &group, Violations &violations);

/// I5, I6, I10 for transfers that this group and the one before it in the
/// block run for each other: none where several cores run sections, as nothing
/// but the barrier between groups orders these. O(buffers * transfers).
void checkNeighbours(const LocalGroup &group, Violations &violations);

/// All of them. Empty if and only if the group is right, as far as the
/// invariants say.
Violations checkGroup(tpu::GroupOp op, const target::ChipSpec &chip);

} // namespace tpu_mlir::local

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_CHECKS_H
