//===- TimeAxis.h - One axis for a tree of calls ----------------*- C++ -*-===//
//
// A call takes one tick and after it all the ticks of its callee; entries
// follow one another.
//
//     main  1  2  3  call f            4  call f            5
//                         1  2  3  4           1  2  3  4
//     axis  0  1  2  3    4  5  6  7   8  9    10 ...
//
// A buffer of f lives once in each call. Where the axis would get too long, a
// call is one tick at which all that it may allocate lives.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_TIMEAXIS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_TIMEAXIS_H

#include "lib/Transforms/Memref/AssignPools/FunctionFacts.h"

namespace tpu_mlir::pools {

/// The result: when the allocs live, by function as in FunctionFacts::allocs.
struct AxisLives {
  llvm::DenseMap<mlir::Operation *, std::vector<std::vector<Interval>>> of;
  int64_t numTicks = 0;
  /// Calls in the text that count as one tick.
  int64_t foldedCalls = 0;
};

/// `facts` in an order of callees first. At most about `maxTicks` ticks, but
/// for functions that have more by themselves. O(ticks log ticks).
AxisLives placeOnAxis(const CallTree &tree, const AllFacts &facts,
                      int64_t maxTicks);

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_TIMEAXIS_H
