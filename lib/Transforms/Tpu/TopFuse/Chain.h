//===- Chain.h - The layers that become one ---------------------*- C++ -*-===//
//
// What the rules of fusion have in common: finding the layers in front of one,
// constants in every form that front ends write them, and what takes their
// place. Layers are known by name and attributes, read in any of their
// spellings.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_CHAIN_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_CHAIN_H

#include "lib/Transforms/Tpu/TopFuse/WeightValues.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <array>

namespace tpu_mlir::fusion {

/// A ranked tensor of static shape of floats that stand for themselves, without
/// an address.
bool isPlain(mlir::Type type);
/// The shape of a plain value; empty for others.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
/// The product; the largest number where it is none of 63 bits.
int64_t countOf(llvm::ArrayRef<int64_t> shape);

/// "Mul" of a top.Mul with one plain result and a plain operand 0; "" for
/// everything else.
llvm::StringRef layerName(mlir::Operation *op);
bool isWeight(mlir::Value value);
bool isNone(mlir::Value value);
/// Operand `index`; null where there is none or it is `none`.
mlir::Value operandOf(mlir::Operation *op, unsigned index);

double realOf(mlir::Operation *op, llvm::StringRef name, double absent);
int64_t integerOf(mlir::Operation *op, llvm::StringRef name, int64_t absent);
bool flagOf(mlir::Operation *op, llvm::StringRef name, bool absent = false);
/// The list; empty where there is none.
llvm::SmallVector<int64_t> listOf(mlir::Operation *op, llvm::StringRef name);
/// A word in small and capital letters; "" where there is none.
llvm::StringRef wordOf(mlir::Operation *op, llvm::StringRef name);
/// do_relu.
bool hasRelu(mlir::Operation *op);
/// An axis counted from the front; nullopt: there is no such dimension.
std::optional<int64_t> axisOf(int64_t axis, int64_t rank);

/// The bytes of the operand, seen under another shape.
inline constexpr llvm::StringRef kViews[] = {"Reshape", "Unsqueeze", "Squeeze",
                                             "Flatten"};

/// Equal but for the rounding of constants: numbers that are finite, to one
/// part in a million.
bool isNear(double a, double b);

/// Patterns look at so many layers in a row, more than any front end writes: a
/// long network of one kind must not be looked at as a whole from every layer.
inline constexpr unsigned kMostSteps = 8;

/// factor * x + offset.
struct Affine {
  mlir::Value x;
  double factor = 1, offset = 0;
};

/// c[0] + c[1] x + c[2] x^2 + c[3] x^3.
using Polynomial = std::array<double, 4>;

/// A layer and those in front of it that would go with it. A rule that tries
/// several ways copies it.
class Chain {
public:
  Chain(mlir::Operation *root, WeightValues &weights)
      : root(root), weights(weights) {
    ops.insert(root);
  }

  mlir::Operation *const root;
  WeightValues &weights;

  /// The layer of one of these names that computes `value`, in the block of the
  /// root; null where it is another one. One with a relu only with `anyRelu`.
  mlir::Operation *find(mlir::Value value,
                        llvm::ArrayRef<llvm::StringRef> names,
                        bool anyRelu = false);
  mlir::Operation *find(mlir::Value value, llvm::StringRef name) {
    return find(value, llvm::ArrayRef(name));
  }
  /// Nobody but these layers reads what they compute, the root's result apart.
  bool isClosed() const;

  /// Operands of an arithmetic layer of two, in the order of the formula;
  /// nullopt for one with coefficients or with another number of operands.
  static std::optional<std::array<mlir::Value, 2>> sides(mlir::Operation *op);
  /// What a layer with one number does to its operand, which is of the type of
  /// its result; nullopt: it is none. Does not look at its relu.
  std::optional<Affine> step(mlir::Operation *op);
  /// `value` as such steps from a value that has other users, or is computed
  /// otherwise; at most up to `stop`. The root may have any users.
  Affine affine(mlir::Value value, mlir::Value stop = nullptr);
  /// The number that stands on one side of a layer of type `type`, when its
  /// shape does not matter there.
  std::optional<double> constant(mlir::Value value, mlir::Type type);
  /// `value` as a polynomial in `x`, which is of its type.
  std::optional<Polynomial> polynomial(mlir::Value value, mlir::Value x,
                                       unsigned depth = kMostSteps);

private:
  llvm::SmallPtrSet<mlir::Operation *, 16> ops;
};

/// A layer `name` of Top in the root's place, with its type and location.
mlir::Operation *
replaceRoot(mlir::PatternRewriter &rewriter, mlir::Operation *root,
            llvm::StringRef name, mlir::ValueRange operands,
            llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
/// A `none` that can be an operand of the op.
mlir::Value noneFor(mlir::PatternRewriter &rewriter, mlir::Operation *op);

/// Whether a weight can have another shape: nobody else reads it, and it says
/// nothing of its dimensions.
bool canReshape(mlir::Value weight);
/// Such a weight under another shape of as many elements; its numbers are found
/// by its name.
mlir::Value reshapeWeight(mlir::PatternRewriter &rewriter, mlir::Value weight,
                          llvm::ArrayRef<int64_t> shape);

/// A pattern: what it does to a layer of one of its names. The layer has one
/// plain result.
using Rule = llvm::LogicalResult (*)(mlir::Operation *root,
                                     WeightValues &weights,
                                     mlir::PatternRewriter &rewriter);
void addRule(mlir::RewritePatternSet &patterns, WeightValues &weights,
             llvm::ArrayRef<llvm::StringRef> roots, Rule rule,
             unsigned benefit = 1);

// The families, a file each.
void addActivations(mlir::RewritePatternSet &patterns, WeightValues &weights);
void addNorms(mlir::RewritePatternSet &patterns, WeightValues &weights);
void addRotations(mlir::RewritePatternSet &patterns, WeightValues &weights);
void addPixelShuffles(mlir::RewritePatternSet &patterns, WeightValues &weights);
void addMoves(mlir::RewritePatternSet &patterns, WeightValues &weights);
void addAffine(mlir::RewritePatternSet &patterns, WeightValues &weights);
void addPads(mlir::RewritePatternSet &patterns, WeightValues &weights);
void addRelus(mlir::RewritePatternSet &patterns, WeightValues &weights);

} // namespace tpu_mlir::fusion

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_CHAIN_H
