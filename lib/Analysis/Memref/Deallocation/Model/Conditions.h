//===- Conditions.h - What i1 values say of each other ----------*- C++ -*-===//
//
// Of conditions that are always equal, or always contrary, one stands for all,
// the root: what was there first. So a flag that goes unchanged through loops,
// branches and blocks is the one that went in. Roots may depend on each other:
//
//     %n = arith.xori %c, %true                        not %c
//     %r = scf.for iter_args(%q = %n) { yield %q }     not %c
//     %d = arith.andi %c, %e                           %c ? %e : false
//     %z = scf.if %c { yield %r } else { yield %e }    %c ? false : %e
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_CONDITIONS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_CONDITIONS_H

#include "lib/Analysis/Memref/Deallocation/Model/Flow.h"

#include "mlir/IR/Dominance.h"

#include <array>

namespace tpu_mlir::verify_deallocation {

/// True when the root is `is`; without root a constant.
struct Literal {
  mlir::Value root;
  bool is = true;

  Literal operator!() const { return {root, !is}; }
  bool operator==(const Literal &other) const {
    return root == other.root && is == other.is;
  }
  bool operator!=(const Literal &other) const { return !(*this == other); }
};

/// `condition ? then : otherwise`.
struct Choice {
  Literal condition;
  Literal then;
  Literal otherwise;
};

class Conditions {
public:
  /// O(ops), and a few times that where flags go round loops and change there.
  Conditions(mlir::Operation *function, const Flow &flow,
             mlir::DominanceInfo &dominance);

  /// An op of arith on i1 values that choiceOf() knows.
  static bool isLogic(mlir::Operation *op);
  /// Of an i1.
  Literal literalOf(mlir::Value condition) const;
  /// What a root is made of; null: nothing is known of that.
  const Choice *choiceOf(mlir::Value root) const;
  /// Other values with that root.
  llvm::ArrayRef<mlir::Value> namesOf(mlir::Value root) const;
  /// Roots whose choice it is part of.
  llvm::ArrayRef<mlir::Value> dependents(mlir::Value root) const;

private:
  using Values = llvm::SmallVector<mlir::Value, 2>;

  void collect(mlir::Region &region, const Flow &flow);
  void collectPasses(mlir::Operation *op, const Flow &flow);
  void collectSides(mlir::Operation *branch, const Flow &flow);
  void solve();
  void update(mlir::Value condition);
  bool isPassed(mlir::Value condition) const;
  bool isConfirmed(mlir::Value condition) const;
  std::optional<Literal> known(mlir::Value condition) const;
  std::optional<Choice> choiceMade(mlir::Value condition) const;
  std::optional<Literal> passed(mlir::Value condition) const;
  bool isThere(Literal literal, mlir::Value condition) const;
  void index();

  mlir::DominanceInfo &dominance;
  /// Conditions that may be equal to others, operands before results.
  std::vector<mlir::Value> order;
  /// What branches and loops pass on to them; null is something else.
  llvm::DenseMap<mlir::Value, Values> sources;
  /// Condition and both values of those that one branch alone decides.
  llvm::DenseMap<mlir::Value, std::array<mlir::Value, 3>> sides;
  /// Of those in `order`; nullopt: not found out yet.
  llvm::DenseMap<mlir::Value, std::optional<Literal>> literals;
  /// What is passed on to these is not always the same, or may not be.
  llvm::DenseSet<mlir::Value> merges;
  llvm::DenseMap<mlir::Value, Choice> choices;
  llvm::DenseMap<mlir::Value, Values> names;
  llvm::DenseMap<mlir::Value, Values> users;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_CONDITIONS_H
