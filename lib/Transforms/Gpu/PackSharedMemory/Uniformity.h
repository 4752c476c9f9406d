//===- Uniformity.h - What is the same for all threads ----------*- C++ -*-===//
//
// A value is uniform when it is proved that all threads of a workgroup compute
// the same one: constants, arguments of the kernel, ids and sizes of blocks,
// and arithmetic on those. An op with regions is divergent unless it is proved
// that all threads take the same way through its regions:
//
//   * what decides about the way is uniform, or
//   * a gpu.barrier lies in a region, under no condition of its own: either no
//     thread or all of them execute it, so all come or none.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_UNIFORMITY_H
#define TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_UNIFORMITY_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseSet.h"

namespace tpu_mlir::shared_memory {

class Uniformity {
public:
  /// `kernel`: a gpu.func or gpu.launch. O(ops * depth of what depends on what
  /// round loops).
  explicit Uniformity(mlir::Operation *kernel);

  bool isUniform(mlir::Value value) const { return !varying.contains(value); }
  /// Of an op with regions, or the kernel itself.
  bool isDivergent(mlir::Operation *op) const { return divergent.contains(op); }
  /// The outermost divergent op that is `op` or around it, but not the kernel;
  /// nullptr when all threads come to `op` if one does.
  mlir::Operation *divergentAround(mlir::Operation *op) const;

private:
  void visit(mlir::Operation *op);
  void visitRegions(mlir::Operation *op);
  void visitControl(mlir::Operation *op);
  void forward(mlir::Operation *op);
  bool branchesVary(mlir::Region &region) const;
  bool controlVaries(mlir::Operation *op) const;
  bool anyVaries(mlir::ValueRange values) const;
  void mark(mlir::Value value) { changed |= varying.insert(value).second; }
  void markDivergent(mlir::Operation *op);

  mlir::Operation *kernel;
  llvm::DenseSet<mlir::Value> varying;
  llvm::DenseSet<mlir::Operation *> divergent;
  bool changed = false;
};

} // namespace tpu_mlir::shared_memory

#endif // TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_UNIFORMITY_H
