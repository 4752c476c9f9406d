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

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_OWNERS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_OWNERS_H

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/NameFlow.h"
#include "tpu_mlir/Analysis/Memref/Nests.h"

#include "mlir/IR/Dominance.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <string>

namespace tpu_mlir::deallocation {

enum class UseKind {
  Read,
  Write,   ///< Or unknown.
  Pass,    ///< An edge hands it to a critical phi.
  Return,  ///< The function ends with it.
  Dealloc, ///< It is freed already.
};

struct BufferUse {
  ControlPoint point;
  mlir::OpOperand *operand;
  UseKind kind;
  /// It may look at the form of the memref: see seesForm().
  bool seesForm = false;
};

enum class RootKind {
  Alloc, ///< Allocated here: it has to be freed.
  Phi,   ///< Critical.
  Local, ///< A function argument or an alloca: never freed, a name of its own.
  Other, ///< Anything else.
};

struct Root {
  mlir::Value value;
  /// Whose buffer a phi may have without owning it; they outlive it.
  llvm::SmallVector<int, 2> lenders;
  RootKind kind = RootKind::Other;
  ControlPoint definition;
  int scope = 0;
  /// By order; of a lender also those of whom it lends to.
  std::vector<BufferUse> uses;
  /// An allocation, or what one may be handed to.
  bool mayOwn = false;
  /// The pass sees to it that it is freed or handed on.
  bool managed = false;
  /// Somebody else may have it: uses are not complete.
  bool escapes = false;
  /// Why it is not, or escapes. Empty for what the program frees itself.
  std::string reason;
  mlir::Operation *blame = nullptr;
};

/// A local root that is an argument of the function.
bool isArgument(const Root &root);

/// An operand that edges hand on to critical phis.
struct PassedOperand {
  mlir::OpOperand *operand = nullptr;
  std::vector<int> edges;
  std::vector<int> targets; ///< Roots, by edge.
};

class Owners {
public:
  /// Phis of `critical` are critical in any case. About O(names + uses); a phi
  /// whose incoming roots change is looked at again.
  Owners(mlir::Operation *function, const FlowGraph &graph, CallFacts calls,
         const llvm::DenseSet<mlir::Value> &critical = {});

  std::vector<Root> roots;
  /// In the order of the edges.
  std::vector<PassedOperand> passed;
  /// Memrefs that the function returns, in the order of the text.
  std::vector<mlir::OpOperand *> returned;
  /// Its uses are writes that may be to what an argument is, under a name that
  /// is no argument: a global, a memref that was loaded. No root of any name.
  Root elsewhere;

  llvm::ArrayRef<int> rootsOf(mlir::Value value) const;
  /// Selects and phis by which one of the names may be one of several roots,
  /// and all that may be one of too many; each once.
  std::vector<mlir::Value> joins(llvm::ArrayRef<mlir::Value> names) const;
  /// The program frees the buffer under a name of this root.
  bool isFreed(int root) const;
  /// Callers, and functions that are called, may look at forms.
  bool formMatters() const { return calls.module.formMatters; }
  /// nullopt: the value is no root.
  std::optional<int> rootOf(mlir::Value value) const;
  /// Nobody sees to `root` any more, nor to what is handed to it.
  void giveUp(int root, llvm::StringRef reason, mlir::Operation *blame);
  /// Operands of `passed` that are handed to `root`.
  llvm::ArrayRef<int> passedTo(int root) const;
  /// The root is defined above `phi`, so that it is the same instance for as
  /// long as the phi is.
  bool standsAbove(int root, mlir::Value phi) const;
  /// `phi` may have the buffer of `lender` from now on, which is then needed
  /// where the phi is. Roots that have more uses than before are added to
  /// `longer`.
  void lend(int lender, int phi, std::vector<int> &longer);
  /// The buffer of `root` is needed there, whoever owns it.
  void addUse(int root, const BufferUse &use, std::vector<int> &longer);

private:
  using RootSet = llvm::SmallVector<int, 2>;

  RootKind kindOf(mlir::Value value) const;
  bool isCutOff(mlir::Value name) const;
  void makeRoot(mlir::Value value, RootKind kind);
  void resolve();
  std::vector<mlir::Value> update(mlir::Value value);
  std::vector<mlir::Value> makeCritical(mlir::Value phi);
  RootSet unite(mlir::Value value) const;
  void manage();

  // Uses.cpp
  void collectUses();
  void collectElsewhere();
  bool mayWriteElsewhere(mlir::Operation *op) const;
  void classify(mlir::Value value, mlir::OpOperand &operand);
  void escape(mlir::Value value, llvm::StringRef reason, mlir::Operation *op);
  void use(mlir::Value value, mlir::OpOperand &operand, UseKind kind,
           bool seesForm = false);
  std::optional<BufferUse> useOfLender(int lender, BufferUse use) const;

  mlir::Operation *function;
  const FlowGraph &graph;
  CallFacts calls;
  const llvm::DenseSet<mlir::Value> &critical;
  const NameFlow names;
  mutable mlir::DominanceInfo dominance;
  InnermostAround asynchronous;
  llvm::DenseMap<mlir::Value, RootSet> sets;
  llvm::DenseMap<mlir::Value, int> rootIndex;
  llvm::DenseMap<mlir::OpOperand *, int> passedIndex;
  std::vector<llvm::SmallVector<int, 2>> passedOf;
  /// Of roots that lend, so that no use is there twice: root, operand or null,
  /// node.
  llvm::DenseSet<std::pair<int, std::pair<mlir::OpOperand *, int>>> knownUses;
  llvm::DenseSet<int> lending;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_OWNERS_H
