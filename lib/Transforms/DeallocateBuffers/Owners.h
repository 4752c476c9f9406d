//===- Owners.h - Who may hold which buffer ---------------------*- C++ -*-===//
//
// Every memref has roots: the allocations, arguments and critical phis whose
// buffer it may be. A phi is a block argument or the result of an op with
// regions. It is an alias of its incoming roots when every one of them that may
// have to be freed is defined above it, and critical otherwise: then it is a
// root itself. What is true of one instance is true of all: a root that
// dominates a name cannot have been run again since the name was defined.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_OWNERS_H
#define TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_OWNERS_H

#include "lib/Transforms/DeallocateBuffers/FlowGraph.h"

#include "mlir/IR/Dominance.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <string>

namespace tpu_mlir {

enum class UseKind {
  Read,
  Write,   ///< Or unknown.
  Pass,    ///< An edge hands it to a critical phi.
  Return,  ///< The function ends with it.
  Dealloc, ///< It is freed already.
};

struct BufferUse {
  FlowPoint point;
  mlir::OpOperand *operand;
  UseKind kind;
};

enum class RootKind {
  Alloc, ///< Allocated here: it has to be freed.
  Phi,   ///< Critical.
  Local, ///< A function argument or an alloca: never freed, a name of its own.
  Other, ///< Anything else.
};

struct Root {
  mlir::Value value;
  RootKind kind = RootKind::Other;
  FlowPoint definition;
  int scope = 0;
  std::vector<BufferUse> uses;
  /// The pass sees to it that it is freed or handed on.
  bool managed = false;
  /// Why it is not; for the remark. Empty for what the program frees itself.
  std::string reason;
  mlir::Operation *blame = nullptr;
};

/// An operand that edges hand on to critical phis.
struct PassedOperand {
  mlir::OpOperand *operand = nullptr;
  std::vector<int> edges;
  std::vector<int> targets; ///< Roots, by edge.
};

class Owners {
public:
  /// `owns` says whether the caller has to free a result of a call. About
  /// O(names + uses); a phi whose incoming roots change is looked at again.
  Owners(mlir::Operation *function, const FlowGraph &graph,
         llvm::function_ref<bool(mlir::OpResult)> owns);

  std::vector<Root> roots;
  /// In the order of the edges.
  std::vector<PassedOperand> passed;

  llvm::ArrayRef<int> rootsOf(mlir::Value value) const;
  /// -1: the value is no root.
  int rootOf(mlir::Value value) const;
  /// Nobody sees to `root` any more, nor to what is handed to it.
  void giveUp(int root, llvm::StringRef reason, mlir::Operation *blame);
  /// Operands of `passed` that are handed to `root`.
  llvm::ArrayRef<int> passedTo(int root) const;

private:
  using RootSet = llvm::SmallVector<int, 2>;

  void collectValues();
  void addValue(mlir::Value value);
  void collectIncoming();
  bool isPhi(mlir::Value value) const { return incoming.contains(value); }
  RootKind kindOf(mlir::Value value) const;
  bool isFresh(mlir::Operation *op) const;
  void makeRoot(mlir::Value value, RootKind kind);
  void resolve();
  void update(mlir::Value value);
  void makeCritical(mlir::Value phi);
  RootSet unite(mlir::Value value) const;
  bool standsAbove(int root, mlir::Value phi);
  void manage();
  void collectUses();
  void classify(mlir::Value value, mlir::OpOperand &operand);
  void escape(mlir::Value value, llvm::StringRef reason, mlir::Operation *op);
  void use(mlir::Value value, mlir::OpOperand &operand, UseKind kind);

  mlir::Operation *function;
  const FlowGraph &graph;
  llvm::function_ref<bool(mlir::OpResult)> owns;
  mlir::DominanceInfo dominance;
  /// All memrefs in the order of the text.
  std::vector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, int> position;
  /// Names that are other names: what they come from.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> incoming;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> outgoing;
  /// Phis that share an operand; critical together.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> twins;
  llvm::DenseMap<mlir::Value, RootSet> sets;
  llvm::DenseMap<mlir::Value, int> rootIndex;
  llvm::DenseSet<mlir::Value> unknownPhis;
  llvm::DenseMap<mlir::OpOperand *, int> passedIndex;
  llvm::DenseSet<mlir::OpOperand *> forwarded;
  std::vector<llvm::SmallVector<int, 2>> passedOf;
  std::vector<mlir::Value> queue;
  llvm::DenseSet<mlir::Value> queued;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_OWNERS_H
