//===- BruteForce.h - The lowest packing of tiny problems -------*- C++ -*-===//
//
// What an exact search must find, found without anything of the library: no
// sections, no bounds, no cuts. For problems of one pool, without capacity;
// reserved ranges count as things that nothing shares bytes with.
//
// A pair of buffers that must not share bytes keeps their whole alias classes
// apart, as it does for solve().
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_PROPERTY_PLANNING_BRUTEFORCE_H
#define TPU_MLIR_TESTS_PROPERTY_PLANNING_BRUTEFORCE_H

#include "tpu_mlir/Planning/Problem.h"

namespace tpu_mlir::planning {

/// The smallest high-water mark of all packings, by trying all orders. O(n! n)
/// for n buffers that are no aliases: up to about 8. Not with overlaps, for
/// which what follows does not hold.
///
/// Why that is all: among the lowest packings take one whose offsets add up to
/// the least, and look at it from the bottom up. No two things that conflict
/// have the same offset, so each one that is not pinned sits at the first
/// aligned byte after those of smaller offset that conflict with it - else it
/// could come down alone, and the sum would not be the least. Putting the
/// things down in the order of their offsets, each as low as that rule says,
/// hence builds this packing; and no order builds anything but a packing.
int64_t leastBytes(const Problem &problem);

/// Whether something fits into `height` bytes, by trying every byte for every
/// buffer: needs no argument, but more time, up to about 4 buffers. Minds
/// overlaps.
bool fitsAtSomeOffsets(const Problem &problem, int64_t height);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_PROPERTY_PLANNING_BRUTEFORCE_H
