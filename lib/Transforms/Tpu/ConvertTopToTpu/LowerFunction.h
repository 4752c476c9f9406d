//===- LowerFunction.h - Rewrites a Top function op by op -------*- C++ -*-===//
//
// Element types follow the data:
//   - an op works in the type its rule says (see OpRules.h); an operand of
//     another type gets a tpu.Cast right after its producer, one for each
//     value and type however many ops read it;
//   - a float weight is not cast but stored in the type that is read, under
//     its name with the suffix of the type, right in front of its first
//     reader; its attribute `origin` is the name that it had. Shapes stay:
//     reordering for the hardware is the backend's;
//   - integers stay integers where nothing is computed with them; ops on
//     integers of the model (`whole_numbers`) compute in f32 in every mode;
//   - in INT8 a rule of integers comes first (see Integers/IntegerOp.h). An op
//   without
//     one computes in floats as above, and its result keeps its range.
//
// A cast is called <producer><reader>_<type>, after the last op
// <producer>_<type>.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_LOWERFUNCTION_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_LOWERFUNCTION_H

#include "lib/Transforms/Tpu/ConvertTopToTpu/FloatMode.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/Recipe.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#include <functional>

namespace tpu_mlir::lowering {

struct IntegerMode;
class FunctionLowering;

/// Makes the Tpu op of integers for an op; false, and nothing is made, where it
/// stays floats.
using IntegerLowering = std::function<bool(
    mlir::Operation *top, const Recipe &recipe, FunctionLowering &lowering)>;

/// Lowers one function in place, after those that it calls. `book` has a recipe
/// for every op of it, so nothing can fail. Linear in ops and operands.
class FunctionLowering {
public:
  FunctionLowering(const RecipeBook &book, const FloatMode &mode,
                   bool highPrecision, mlir::MLIRContext *context);
  /// From now on to integers where `lowering` makes some; `mode` outlives this.
  void setIntegers(const IntegerMode &mode, IntegerLowering lowering) {
    integers = &mode;
    toIntegers = std::move(lowering);
  }

  void run(mlir::func::FuncOp function);
  /// Weights that are made of ones whose numbers nobody knows.
  int64_t numUnknownWeights() const { return unknownWeights; }
  /// A clause for each op that a rule left to floats: "'y' (why)".
  llvm::ArrayRef<std::string> leftToFloats() const { return left; }

  // For rules of integers.

  void leave(llvm::StringRef name, std::string why) {
    left.push_back(
        (name.empty() ? "one without a name" : "'" + name.str() + "'") + " (" +
        std::move(why) + ")");
  }
  /// What an old value is by now.
  mlir::Value lowered(mlir::Value old) const;
  /// The range that an old value had; null for none.
  mlir::quant::CalibratedQuantizedType rangeOf(mlir::Value old) const {
    return ranges.lookup(old);
  }
  /// The value in other elements, by a cast behind its producer.
  mlir::Value cast(mlir::Value value, mlir::Type element,
                   llvm::StringRef readerName);
  mlir::Value none();
  /// In front of the op that is lowered now. Without a name or bytes it counts
  /// as unknown.
  mlir::Value newWeight(const std::string &name, mlir::Location location,
                        mlir::RankedTensorType type,
                        const std::optional<std::vector<uint8_t>> &bytes);
  /// An operand as an op of floats reads it.
  mlir::Value readFloat(mlir::Operation *top, unsigned index,
                        mlir::Type element, char how, llvm::StringRef name) {
    return read(top->getOperand(index), element, how, top, name);
  }
  /// An op of one operand right behind its producer.
  mlir::Value behind(mlir::Value value, llvm::StringRef name,
                     llvm::StringRef tpuName, mlir::Type type,
                     mlir::NamedAttrList attributes);
  /// An op in front of the one that is lowered now.
  mlir::Value newOp(const std::string &name, mlir::Location location,
                    llvm::StringRef tpuName, mlir::ValueRange operands,
                    mlir::Type type, mlir::NamedAttrList attributes);
  /// Makes the Tpu op that stands for `top` from now on.
  void replace(mlir::Operation *top, mlir::Location location,
               llvm::StringRef tpuName, mlir::ValueRange operands,
               mlir::Type type, const mlir::NamedAttrList &attributes);

private:
  /// The types in which an op reads and writes `typing::kValue`; null reading
  /// type: as the operand is.
  struct WorkTypes {
    mlir::Type read, write;
  };

  void lowerBlock(mlir::Block &block);
  void lowerOp(mlir::Operation *op, const Recipe &recipe);
  bool lowerToIntegers(mlir::Operation *op, const Recipe &recipe);
  const FloatMode *chosenFloat(const Recipe &recipe) const;
  mlir::Type floatType(mlir::Operation *op, const Recipe &recipe) const;
  void rememberRanges();
  static mlir::Type plainType(mlir::Type type);
  /// Tensors with a range are integers.
  bool hasIntegers() const;
  mlir::Value quantizedInput(mlir::Value input, mlir::Type type,
                             mlir::Location location);
  mlir::Value scaledFloat8(mlir::Value value, mlir::Type type,
                           mlir::StringRef readerName);
  void keepOp(mlir::Operation *op);
  void lowerRegions(mlir::Operation *op, const Recipe &recipe);
  void lowerRegionBlock(mlir::Block &block, mlir::Operation *parent);
  void lowerYield(mlir::Operation *yield, const Recipe &recipe);
  void lowerInput(top::InputOp input);
  void lowerReturn(mlir::func::ReturnOp ret);
  void lowerUnusedWeight(top::WeightOp weight);

  WorkTypes workTypes(mlir::Operation *op, const Recipe &recipe);
  bool allIntegers(mlir::Operation *op, const Recipe &recipe) const;
  mlir::Type carried(mlir::Type type);
  llvm::SmallVector<mlir::Type>
  resultTypes(mlir::Operation *op, const Recipe &recipe, mlir::Type work);
  llvm::SmallVector<mlir::Value>
  operands(mlir::Operation *op, const Recipe &recipe, mlir::Type work);

  mlir::Value read(mlir::Value old, mlir::Type wanted, char how,
                   mlir::Operation *reader, llvm::StringRef readerName);
  mlir::Value weight(top::WeightOp weight, mlir::Type element, char how,
                     mlir::Operation *reader, llvm::StringRef readerName);
  mlir::Type withRange(mlir::Type type, mlir::Type element) const;
  void finish(mlir::Operation *op, mlir::ValueRange results);

  const RecipeBook &book;
  mlir::Type modeType;
  mlir::Type f32;
  mlir::Type i32;
  bool halfMode;
  bool highPrecision;
  mlir::OpBuilder builder;
  mlir::Attribute castRounding;
  const IntegerMode *integers = nullptr;
  IntegerLowering toIntegers;
  int64_t unknownWeights = 0;
  std::vector<std::string> left;

  mlir::SymbolTableCollection symbols;
  mlir::func::FuncOp function;
  mlir::Value noneValue;
  /// Old value -> new value, where they differ.
  llvm::DenseMap<mlir::Value, mlir::Value> replaced;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> casts;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> weights;
  /// Of old values, where they have one.
  llvm::DenseMap<mlir::Value, mlir::quant::CalibratedQuantizedType> ranges;
  /// In the order of the text; erased from the end.
  llvm::SmallVector<mlir::Operation *> old;
};

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_LOWERFUNCTION_H
