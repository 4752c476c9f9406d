//===- DeadAllocs.cpp - Erase allocations without accesses ----------------===//
//
// With their deallocations and the views that nothing reads.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/MergeAlloc/DeadAllocs.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir::merging {

/// The alloc, views of it and deallocs; empty when anything else uses it.
static llvm::SetVector<Operation *> deadTree(memref::AllocOp alloc) {
  llvm::SetVector<Operation *> tree;
  tree.insert(alloc);
  for (size_t next = 0; next < tree.size(); ++next)
    for (Operation *user : tree[next]->getUsers()) {
      bool isView = isa<ViewLikeOpInterface>(user) && isPure(user);
      if (!isView && !isa<memref::DeallocOp>(user))
        return {};
      tree.insert(user);
    }
  return tree;
}

void removeDeadAllocs(Operation *function,
                      const MergeAllocationOptions &options) {
  SmallVector<memref::AllocOp> allocs;
  function->walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (type.hasStaticShape() &&
        (options.memorySpaces.empty() ||
         llvm::is_contained(options.memorySpaces,
                            spaceName(type.getMemorySpace()))))
      allocs.push_back(alloc);
  });
  for (memref::AllocOp alloc : allocs) {
    llvm::SetVector<Operation *> tree = deadTree(alloc);
    if (!tree.empty() && options.remarks)
      emitRemark(alloc.getLoc()) << "buffer removed: it is never accessed";
    // All users of these ops are among them, in code that is never reached
    // maybe in a circle.
    for (Operation *op : tree)
      op->dropAllReferences();
    for (Operation *op : tree)
      op->erase();
  }
}

} // namespace tpu_mlir::merging
