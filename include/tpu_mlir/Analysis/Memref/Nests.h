//===- Nests.h - What the ops around a region make of it --------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_NESTS_H
#define TPU_MLIR_ANALYSIS_MEMREF_NESTS_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace tpu_mlir {

/// A fact about regions of which each follows from that of the region around
/// it, such as how often it runs, or which op around it is asynchronous. It is
/// found out once for each region: to ask in a deep nest costs no more than
/// elsewhere. The op of a region must not change while it is known.
template <typename Fact> class NestFact {
public:
  /// The fact about a region in an op, when the one about the region that the
  /// op is in is known.
  using Step = std::function<Fact(const Fact &around, mlir::Region &region)>;

  /// What is outside of `root`, and directly in it, has the fact `outermost`.
  NestFact(mlir::Operation *root, Fact outermost, Step step)
      : root(root), outermost(std::move(outermost)), step(std::move(step)) {}

  /// Of the region that `op` is in. Amortized O(1).
  Fact around(mlir::Operation *op) {
    mlir::SmallVector<mlir::Region *, 8> open;
    Fact fact = outermost;
    for (mlir::Region *region = op->getParentRegion();
         region && region->getParentOp() != root;
         region = region->getParentRegion()) {
      if (auto found = known.find(region); found != known.end()) {
        fact = found->second;
        break;
      }
      open.push_back(region);
    }
    for (mlir::Region *region : llvm::reverse(open))
      known[region] = fact = step(fact, *region);
    return fact;
  }

private:
  mlir::Operation *root;
  Fact outermost;
  Step step;
  llvm::DenseMap<mlir::Region *, Fact> known;
};

/// The innermost region around in an op of some kind; null: there is none.
class InnermostAround : public NestFact<mlir::Region *> {
public:
  /// `root` itself is not asked.
  InnermostAround(mlir::Operation *root,
                  std::function<bool(mlir::Operation *)> isIt)
      : NestFact(root, nullptr,
                 [isIt = std::move(isIt)](mlir::Region *around,
                                          mlir::Region &region) {
                   return isIt(region.getParentOp()) ? &region : around;
                 }) {}

  /// nullptr: there is none.
  mlir::Operation *opAround(mlir::Operation *op) {
    mlir::Region *region = around(op);
    return region ? region->getParentOp() : nullptr;
  }
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_NESTS_H
