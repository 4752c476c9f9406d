//===- OpRules.h - Which Tpu op a Top op becomes ----------------*- C++ -*-===//
//
// One table. An entry says how the op is called, in which type it computes,
// how each operand is typed, and which attributes the Tpu op has in addition;
// what a table cannot say is a small function in AdaptAttributes.h.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_OPRULES_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_OPRULES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <string>
#include <utility>

namespace tpu_mlir::lowering {

struct FloatMode;
struct Recipe;

/// The element type in which an op works.
enum class Compute {
  Mode,    ///< The mode's; integers when all operands and results are.
  Precise, ///< As Mode, but f32 when high precision is asked for.
  F32,     ///< f32 always.
  Move,    ///< As Mode, but integers when all moved operands are integers.
  View,    ///< That of its operand: nothing is computed.
  Regions, ///< Runs other ops; see FunctionLowering.
  Keep,    ///< Stays as it is, with operands of the types that it had.
};

/// How one operand or result is typed. `kValue` is the default.
namespace typing {
constexpr char kValue = '.';      ///< The type in which the op works.
constexpr char kMask = 'm';       ///< Integers stay; else as kValue.
constexpr char kIndex = 'i';      ///< Integers stay, else i32. Results: i32.
constexpr char kFloat32 = 'f';    ///< f32.
constexpr char kAsIs = 'k';       ///< Kept as it is.
constexpr char kConvBias = 'c';   ///< A weight stays f32; else as kValue.
constexpr char kMatMulBias = 'b'; ///< As kValue; a weight stays f32 in F16.
constexpr char kPacked = 'w';     ///< Packed weights, named after the op.
constexpr char kZeroPoint = 'z';  ///< Their zero points, likewise.
} // namespace typing

using AdaptFn = void (*)(mlir::Operation *top, const FloatMode &mode,
                         Recipe &recipe);
using FitsFn = bool (*)(mlir::Operation *top);

/// One entry of the table, written as a chain of the setters below.
struct OpRule {
  /// With the dialect: "top.Conv", "tpu.Conv2D".
  std::string topName;
  std::string tpuName;
  Compute compute = Compute::Mode;
  llvm::StringRef operandTyping;
  llvm::StringRef resultTyping;
  /// What the op must have for the rule to be about it.
  unsigned neededOperands = 1;
  unsigned maxOperands = ~0u;
  unsigned minOperands = 0;
  /// Attributes that the Tpu op does not have, which does as with this number
  /// or, of a list, these.
  llvm::SmallVector<std::pair<llvm::StringRef, double>, 2> bounds;
  FitsFn fitsFn = nullptr;
  /// Nobody knows a Tpu op that does the same: it is named like the Top op, as
  /// if there were no rule, which only says how its operands are typed.
  bool isGuess = false;
  bool canFuseRelu = false;
  std::string defaultsText;
  /// Added where the Top op has no attribute of that name.
  mlir::DictionaryAttr defaults;
  llvm::SmallVector<llvm::StringRef, 2> dropped;
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>, 1> renamed;
  AdaptFn adaptFn = nullptr;

  OpRule &in(Compute how) { return compute = how, *this; }
  /// One letter of `typing` an operand; those beyond are `Value`.
  OpRule &operands(llvm::StringRef t) { return operandTyping = t, *this; }
  OpRule &results(llvm::StringRef t) { return resultTyping = t, *this; }
  /// `none` is appended up to this number of operands.
  OpRule &pad(unsigned n) { return minOperands = n, *this; }
  /// Operands beyond this number are left out.
  OpRule &take(unsigned n) { return maxOperands = n, *this; }
  OpRule &needs(unsigned n) { return neededOperands = n, *this; }
  /// The Tpu op does the same without the attribute, or with this value.
  OpRule &only(llvm::StringRef name, double value) {
    return bounds.push_back({name, value}), *this;
  }
  /// The Tpu op does the same as one of which `fn` is true.
  OpRule &when(FitsFn fn) { return fitsFn = fn, *this; }
  OpRule &guess() { return isGuess = true, *this; }
  OpRule &fusesRelu() { return canFuseRelu = true, *this; }
  /// The inside of an attribute dictionary, in pieces.
  template <typename... Pieces> OpRule &with(const Pieces &...pieces) {
    ((defaultsText += pieces), ...);
    return *this;
  }
  OpRule &drop(llvm::StringRef name) { return dropped.push_back(name), *this; }
  OpRule &rename(llvm::StringRef from, llvm::StringRef to) {
    return renamed.push_back({from, to}), *this;
  }
  OpRule &adapt(AdaptFn fn) { return adaptFn = fn, *this; }
};

inline bool fits(const OpRule &rule, mlir::Operation *op) {
  return rule.compute == Compute::Regions ||
         (op->getNumOperands() >= rule.neededOperands &&
          op->getNumResults() > 0);
}
/// Whether the Tpu op does the same; `op` fits the rule. O(attributes).
bool hasTpuOp(const OpRule &rule, mlir::Operation *op);

class OpRules {
public:
  OpRules() = default;
  OpRules(OpRules &&) noexcept = default;
  /// The whole table. Fails, with a diagnostic, only when a default in it is
  /// no attribute. Needs the Tpu dialect to be loaded.
  static llvm::FailureOr<OpRules> create(mlir::MLIRContext *context);

  /// Null when there is no entry for the op name ("top.Conv"). O(1).
  const OpRule *find(llvm::StringRef topName) const;
  /// Of a Top op without an entry: the Tpu op of its name, computed in the
  /// mode's type.
  const OpRule &sameName() const { return sameNameRule; }
  /// Of an op that is not Top's.
  const OpRule &keep() const { return keepRule; }
  const std::deque<OpRule> &all() const { return rules; }

  /// Adds an entry for top.`top`; `tpu` is `top` when empty.
  OpRule &add(llvm::StringRef top, llvm::StringRef tpu = "");

private:
  std::deque<OpRule> rules;
  OpRule sameNameRule, keepRule;
  llvm::StringMap<OpRule *> byName;
};

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_OPRULES_H
