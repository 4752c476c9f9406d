//===- Recipe.h - What each op of a function becomes ------------*- C++ -*-===//
//
// Everything that can go wrong goes wrong here, before any op is lowered.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_RECIPE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_RECIPE_H

#include "lib/Transforms/Tpu/ConvertTopToTpu/OpRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

namespace tpu_mlir::lowering {

struct FloatMode;

/// One Top op in the words of the Tpu dialect; types follow from the rule when
/// the operands are known.
struct Recipe {
  const OpRule *rule = nullptr;
  std::string tpuName;
  Compute compute = Compute::Mode;
  mlir::NamedAttrList attributes;
  std::string operandTyping;
  std::string resultTyping;
  /// The op's own, or that of the Relu it absorbs: tensors are named by it.
  mlir::LocationAttr location;
  /// The Relu it absorbs; null for none.
  mlir::Operation *fusedRelu = nullptr;
  /// A Relu that its producer computes: the result is operand 0.
  bool isForward = false;
  /// Its numbers are integers of the model: they stay exact, in f32, whatever
  /// the mode.
  bool isWhole = false;

  /// The letter of `typing` for operand `index`.
  char typingOf(unsigned index) const;
};

class RecipeBook {
public:
  RecipeBook(const OpRules &rules, const FloatMode &mode)
      : rules(rules), mode(mode) {}

  /// Adds all ops of `function`. Fails, with one error at the first of them,
  /// when an op is quantised, has regions that are not known, or an attribute
  /// that says what cannot be lowered. Remarks on ops without a rule. O(ops).
  llvm::LogicalResult add(mlir::func::FuncOp function);

  /// Null for ops that stay: inputs, weights, none, returns. O(1).
  const Recipe *find(mlir::Operation *op) const { return byOp.lookup(op); }

private:
  llvm::LogicalResult add(mlir::Operation *op);
  llvm::FailureOr<const OpRule *> ruleOfOther(mlir::Operation *op);
  void translateEnums(Recipe &recipe);
  bool fuseRelu(mlir::Operation *relu, Recipe &recipe);

  const OpRules &rules;
  const FloatMode &mode;
  std::deque<Recipe> recipes;
  llvm::StringSet<> remarked;
  llvm::DenseMap<mlir::Operation *, Recipe *> byOp;
};

/// What elements of 8 bits with a range (f8E4M3FN) are multiplied by to be the
/// numbers that they stand for; nullopt for other elements.
std::optional<double> float8Scale(mlir::Type element);

/// The element type of a tensor without its calibration; null when that is
/// neither a float nor an integer, and for what is no tensor.
mlir::Type plainElement(mlir::Type type);
/// The same, or integers that stand for floats as they are.
mlir::Type elementOf(mlir::Type type);

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_RECIPE_H
