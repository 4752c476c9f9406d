#include "lib/Transforms/MergeAlloc/DeadAllocs.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir {

/// The alloc, views of it and deallocs, users behind what they use; empty when
/// anything else uses it.
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
    // A view of a view may have been found before its source's other users.
    while (!tree.empty())
      for (Operation *op : llvm::to_vector(llvm::reverse(tree)))
        if (op->use_empty()) {
          tree.remove(op);
          op->erase();
        }
  }
}

} // namespace tpu_mlir
