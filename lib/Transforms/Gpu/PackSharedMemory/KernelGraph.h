//===- KernelGraph.h - The way that all threads take ------------*- C++ -*-===//
//
// Ops as nodes, in the order of the text, with an edge wherever control may go
// on; without those that compute numbers from numbers. A divergent op is one
// node with all that is inside: nobody knows where in it a thread is. An op
// with uniform control has a node for its start and another for its end. So all
// threads of a workgroup pass the same nodes in the same order, though not at
// the same time.
//
//     scf.for            2 --> 3, 6        (no iteration: 6)
//       memref.store     3
//       scf.if %tid..    4                 (one node)
//       scf.yield        5 --> 3, 6
//     (end of scf.for)   6
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_KERNELGRAPH_H
#define TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_KERNELGRAPH_H

#include "lib/Transforms/Gpu/PackSharedMemory/Uniformity.h"

#include <vector>

namespace tpu_mlir::shared_memory {

struct KernelNode {
  mlir::Operation *op;
  bool isEnd = false; ///< Of an op with regions.
  std::vector<int64_t> successors;
};

class KernelGraph {
public:
  /// `kernel` is not divergent. O(ops).
  KernelGraph(mlir::Operation *kernel, const Uniformity &uniformity);

  mlir::Operation *kernel() const { return kernelOp; }
  const std::vector<KernelNode> &nodes() const { return all; }
  /// The node of `op`, or of the divergent op that it is in.
  int64_t nodeOf(mlir::Operation *op) const;
  /// The nodes that belong to `op` and all that is inside: a range.
  std::pair<int64_t, int64_t> rangeOf(mlir::Operation *op) const;

private:
  int64_t addNode(mlir::Operation *op, bool isEnd);
  void addRegion(mlir::Region &region);
  void connect(int64_t from, int64_t to) { all[from].successors.push_back(to); }

  mlir::Operation *kernelOp;
  const Uniformity &uniformity;
  std::vector<KernelNode> all;
  llvm::DenseMap<mlir::Operation *, int64_t> startOf;
  llvm::DenseMap<mlir::Operation *, int64_t> endOf;
};

} // namespace tpu_mlir::shared_memory

#endif // TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_KERNELGRAPH_H
