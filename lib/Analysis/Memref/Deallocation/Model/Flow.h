//===- Flow.h - Where control goes in a function ----------------*- C++ -*-===//
//
// Blocks of one region that always follow on each other are a chain; its ops
// have ascending places, so that of two ops of a chain the one that runs first
// is known at once. What lies between a branch and the block in which all its
// sides meet again is like the regions of an scf.if: chains of their own.
//
//     ^bb0: a, cf.cond_br ^bb1, ^bb2     chain 0:  a  cf.cond_br  d  return
//     ^bb1: b, cf.br ^bb3                          0      1       2     3
//     ^bb2: c, cf.br ^bb3                chain 1:  b  cf.br
//     ^bb3: d, return                    chain 2:  c  cf.br, both around place
//     1
//
// Ops of RegionBranchOpInterface are open: edges lead into their regions. Of
// other ops with regions, and of parallel ones, nobody knows which regions run,
// how often and in which order: edges lead from them and from the end of each
// of their regions into all of their regions and past them.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_FLOW_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_FLOW_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/DenseMap.h"

#include <limits>
#include <optional>
#include <vector>

namespace tpu_mlir::verify_deallocation {

/// In front of the op with this place.
struct Point {
  int chain = -1;
  int place = 0;

  bool operator==(const Point &other) const {
    return chain == other.chain && place == other.place;
  }
};

/// After every op of a chain.
constexpr int kChainEnd = std::numeric_limits<int>::max();

/// One way that control may go from an op.
struct Edge {
  Point target;
  /// False: out of all that is known.
  bool leadsOn() const { return target.chain >= 0; }
  /// The first op there.
  mlir::Operation *at = nullptr;
  /// Values that are defined anew on the way, and the operand that each
  /// becomes; null when it is something else.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>, 4> passes;
  /// The edge is taken only when the condition of the op is this.
  std::optional<bool> when;

  bool defines(mlir::Value value) const {
    return llvm::any_of(passes,
                        [&](const auto &pass) { return pass.first == value; });
  }
};

class Flow {
public:
  /// O(ops).
  explicit Flow(mlir::Operation *function);

  bool contains(mlir::Operation *op) const { return points.contains(op); }
  Point pointOf(mlir::Operation *op) const { return points.lookup(op); }
  Point behind(mlir::Operation *op) const;
  /// From where on a value is there.
  Point definition(mlir::Value value) const;
  /// Chains of one scope lead to each other without leaving a region or one
  /// side of a branch.
  const void *scopeOf(int chain) const;
  /// The op in whose region, or the branch between whose sides and their end a
  /// chain lies.
  mlir::Operation *around(int chain) const;
  /// The point, or the one of an op around it, that is in the scope of `chain`;
  /// nullopt: none is. O(log of the depth).
  std::optional<Point> inScopeOf(int chain, Point point) const;
  /// The same for an op, or the one around it; null: none is.
  mlir::Operation *inScopeOf(int chain, mlir::Operation *op) const;
  /// The same for the chain of an op.
  mlir::Operation *around(mlir::Operation *op) const {
    return around(pointOf(op).chain);
  }
  mlir::Block *headOf(int chain) const { return chains[chain].head; }
  /// The op that ends a chain; null in a block without ops.
  mlir::Operation *lastOf(int chain) const { return chains[chain].last; }
  llvm::ArrayRef<int> before(int chain) const { return chains[chain].before; }
  llvm::ArrayRef<int> after(int chain) const { return chains[chain].after; }

  /// Nothing comes after the op in its block. What is not registered and last
  /// there is taken to be a terminator of which nothing is known.
  static bool endsBlock(mlir::Operation *op);
  /// It ends its block, and nobody knows what becomes of its operands: it is no
  /// branch, return or end of a region that says so.
  static bool leadsAnywhere(mlir::Operation *op);
  /// Control goes into its regions as it says, or to more than one block.
  static bool forks(mlir::Operation *op) {
    return isOpen(op) || op->getNumSuccessors() > 1;
  }
  /// Control goes into the regions of the op as that says.
  static bool isOpen(mlir::Operation *op);
  /// Control goes into the regions of the op in a way that nobody knows.
  static bool isClosed(mlir::Operation *op);
  /// Ways from an op into its regions or past them, from the end of its
  /// regions, or from a branch. None: control leaves what is known.
  llvm::SmallVector<Edge, 2> edgesOf(mlir::Operation *op) const;
  /// Of those, the ways that do not lead into regions of a closed op.
  llvm::SmallVector<Edge, 2> edgesOfEnd(mlir::Operation *op) const;
  /// Ways from the end of a region of a closed op.
  llvm::SmallVector<Edge, 2> edgesBehindRegion(mlir::Operation *closed) const;
  /// Where all sides of a branch to several blocks meet again, nothing else
  /// leading there; null: nowhere.
  mlir::Block *endOfSides(mlir::Operation *branch) const {
    return nextBlock.lookup(branch->getBlock());
  }
  /// The op that leads there on a side of it, and by which successor.
  std::pair<mlir::Operation *, unsigned> lastOfSide(mlir::Operation *branch,
                                                    unsigned side) const;
  /// The i1 that decides between the edges of an op, or null.
  static mlir::Value conditionOf(mlir::Operation *op);

private:
  struct Chain {
    mlir::Block *head = nullptr;
    mlir::Operation *branch = nullptr; ///< It is one side of it.
    mlir::Operation *last = nullptr;
    std::vector<int> before;
    std::vector<int> after;
    /// How many chains are around it, the innermost one, and one further out:
    /// by few of the latter one gets to any of them.
    int depth = -1;
    Point outer;
    Point leap;
  };
  void addRegion(mlir::Region &region);
  void addChain(mlir::Block *head);
  void markSides(mlir::Block *block);
  mlir::Block *next(mlir::Block *block) const;
  mlir::Block *whereSidesMeet(mlir::BranchOpInterface branch) const;
  bool meetAt(mlir::BranchOpInterface branch, mlir::Block *block) const;
  mlir::Block *endOfSide(mlir::Block *block, mlir::Block *from) const;
  void connect(int chain);
  void findOuter(int chain);
  Point climb(Point point, int depth) const;
  Edge regionEdge(mlir::Operation *parent, mlir::RegionSuccessor successor,
                  mlir::OperandRange operands) const;
  Edge blockEdge(mlir::Operation *branch, unsigned index) const;

  std::vector<Chain> chains;
  llvm::DenseMap<mlir::Operation *, Point> points;
  llvm::DenseMap<mlir::Block *, Point> starts;
  /// The block that follows in the chain, and the last one there.
  llvm::DenseMap<mlir::Block *, mlir::Block *> nextBlock;
  llvm::DenseMap<mlir::Block *, mlir::Block *> lastBlock;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_FLOW_H
