//===- IntegerOp.h - One op on its way to integers --------------*- C++ -*-===//
//
// What a rule sees of a Top op, and by what it makes the Tpu op: ranges and
// scales, numbers of weights, operands as integers. A rule looks first and
// makes then: what it has made stays.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERS_INTEGEROP_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERS_INTEGEROP_H

#include "lib/Transforms/Tpu/ConvertTopToTpu/IntegerMode.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/LowerFunction.h"
#include "tpu_mlir/Quantization/Weights.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace tpu_mlir::lowering {

/// The type of elements in this range, whose numbers an op of `expressed`
/// computed, or of f32 where that type cannot have its scale; null without a
/// range.
mlir::Type storedOf(mlir::quant::CalibratedQuantizedType range,
                    mlir::Type expressed, const IntegerMode &mode);

class IntegerOp {
public:
  IntegerOp(mlir::Operation *top, const Recipe &recipe, const IntegerMode &mode,
            FunctionLowering &lowering)
      : top(top), recipe(recipe), mode(mode), lowering(lowering),
        attributes(recipe.attributes) {}

  mlir::Operation *const top;
  const Recipe &recipe;
  const IntegerMode &mode;

  // Looking.
  bool isQdm() const { return mode.scheme == quantization::Scheme::Qdm; }
  /// An operand that is there.
  bool has(unsigned index) const;
  bool isWeight(unsigned index) const;
  /// A tensor with a range, or of integers that stand for floats already.
  bool isRanged(unsigned index) const;
  /// An activation that an op of floats computed.
  bool isFloatByNow(unsigned index) const;
  /// The one result is a tensor of a static shape with dimensions and a range.
  bool hasRangedResult() const {
    return resultRange() && !resultShape().empty();
  }
  /// Of a static shape; empty for an operand that is no tensor.
  llvm::ArrayRef<int64_t> shape(unsigned index) const;
  llvm::ArrayRef<int64_t> resultShape() const;
  /// Of the operand as integers, and of the result.
  quantization::ElementScale scale(unsigned index) const;
  quantization::ElementScale resultScale() const;
  /// Of a weight; nullopt when nobody knows them.
  std::optional<std::vector<float>> numbers(unsigned index) const;
  /// Numbers of the op itself.
  double real(llvm::StringRef name, double absent) const;

  // Making.
  /// The operand as integers.
  mlir::Value operand(unsigned index);
  /// The operand, which may be a weight, in the elements of a type.
  mlir::Value operandAs(unsigned index, mlir::Type element);
  /// As an op of floats reads it, by a letter of `typing`.
  mlir::Value floatOperand(unsigned index, mlir::Type element, char how);
  mlir::Value none();
  /// Says at the end why the op stays a float.
  void leave(std::string why);
  /// A weight called <op><suffix>; without bytes nobody knows its numbers.
  mlir::Value weight(llvm::StringRef suffix, llvm::ArrayRef<int64_t> shape,
                     mlir::Type element,
                     const std::optional<std::vector<uint8_t>> &bytes);
  /// An op of one operand right behind its producer.
  mlir::Value behind(mlir::Value value, llvm::StringRef name,
                     llvm::StringRef tpuName, mlir::Type type,
                     mlir::NamedAttrList attributes);
  /// An op in front of the op, called <op><suffix>.
  mlir::Value part(llvm::StringRef suffix, llvm::StringRef tpuName,
                   mlir::ValueRange operands, mlir::Type type,
                   mlir::NamedAttrList attributes);
  /// The op itself, whose result stands for the Top op's from now on.
  void make(llvm::StringRef tpuName, mlir::ValueRange operands,
            mlir::Type type);
  /// The result as integers of its range.
  mlir::Type resultType() const;
  /// The result's shape with the elements of `like`.
  mlir::Type resultLike(mlir::Value like) const;
  /// The result as floats, with its range.
  mlir::Type resultAs(mlir::Type floats) const;
  mlir::MLIRContext *context() const { return top->getContext(); }
  mlir::Type integerType(unsigned bits, bool isSigned) const;

private:
  mlir::quant::CalibratedQuantizedType resultRange() const;
  mlir::Type typeOf(unsigned index) const;

  FunctionLowering &lowering;

public:
  /// Of the Tpu op: those of the recipe, to which rules add.
  mlir::NamedAttrList attributes;
  // What rules add most.
  void setIntegers(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  void setFactors(llvm::StringRef multipliers, llvm::StringRef shifts,
                  llvm::ArrayRef<quantization::Factor> factors);
  void setInteger32(llvm::StringRef name, int64_t value);
  void setQdm();
  void setReals(llvm::StringRef name, llvm::ArrayRef<double> values);
  void setScaleOnly();
};

/// Makes the Tpu op; false, and nothing is made, where the op stays floats.
using IntegerRule = bool (*)(IntegerOp &op);
using IntegerRules = llvm::StringMap<IntegerRule>;

/// The largest of a window is an element of the operand.
bool lowerMaxPool(IntegerOp &op);

// The families, each in a file of its own.
void addWindowRules(IntegerRules &rules);
void addMatrixRules(IntegerRules &rules);
void addArithmeticRules(IntegerRules &rules);
void addTableRules(IntegerRules &rules);
void addMoveRules(IntegerRules &rules);
/// Of floats of 8 bits that have a scale.
void addFloat8Rules(IntegerRules &rules);
/// Of modes in which only matrices are packed.
void addPackingRules(IntegerRules &rules);

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERS_INTEGEROP_H
