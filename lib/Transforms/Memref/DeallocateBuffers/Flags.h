//===- Flags.h - An i1 beside each phi that owns sometimes ------*- C++ -*-===//
//
// Whether a phi owns its buffer is known on each edge that leads to it. Where
// edges differ an i1 goes the same ways as the memref: one more argument of the
// block, or one more operand, region argument and result of the op with
// regions.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_FLAGS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_FLAGS_H

#include "lib/Transforms/Memref/DeallocateBuffers/Plan.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/MapVector.h"

namespace tpu_mlir::deallocation {

class Flags {
public:
  Flags(mlir::Operation *function, const FlowGraph &graph, const Owners &owners,
        const DeallocationPlan &plan)
      : builder(function->getContext()), function(function), graph(graph),
        owners(owners), plan(plan) {}

  mlir::Value constant(bool value);
  /// Whether `root` owns its buffer. Valid wherever the root is, from when
  /// connect() has run; until then a stand-in.
  mlir::Value of(int root);
  /// What goes with operand `index` of Owners::passed.
  void set(int index, mlir::Value flag) { handed[index] = flag; }

  /// Puts the flags there. Ops with regions whose results get one are made
  /// anew: no pointer to them or to an operand is valid any more. `splits`:
  /// edges that got a block of their own.
  void connect(const llvm::DenseMap<int, mlir::cf::BranchOp> &splits);

private:
  using Splits = llvm::DenseMap<int, mlir::cf::BranchOp>;
  /// Whose flag it is; nobody's is there for the form of an op alone.
  using RootOrNobody = std::optional<int>;
  /// What an op with regions gets more of: one flag for each phi of a column,
  /// the names that the memref of one place in the lists of operands has.
  struct Additions {
    llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Value>> operands;
    std::vector<RootOrNobody> arguments, results;
  };

  void replace(RootOrNobody root, mlir::Value flag);
  mlir::Value flagOn(int edge, llvm::ArrayRef<int> column) const;
  void addToBlock(int root, const Splits &splits);
  std::vector<int> columnOf(int root) const;
  void collectColumn(const std::vector<int> &column);
  void completeLoop(mlir::Operation *loop, Additions &here,
                    const llvm::DenseSet<mlir::Operation *> &seen);
  void rebuild(mlir::Operation *op, llvm::ArrayRef<RootOrNobody> results);

  mlir::OpBuilder builder;
  mlir::Operation *function;
  const FlowGraph &graph;
  const Owners &owners;
  const DeallocationPlan &plan;
  mlir::Value constants[2];
  llvm::DenseMap<int, mlir::Operation *> standIns;
  llvm::DenseMap<int, mlir::Value> handed;
  llvm::MapVector<int, mlir::Value> blockFlags;
  llvm::MapVector<mlir::Operation *, Additions> additions;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_FLAGS_H
