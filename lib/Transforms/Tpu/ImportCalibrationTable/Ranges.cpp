//===- Ranges.cpp - Ranges of tensors that have to agree ------------------===//

#include "lib/Transforms/Tpu/ImportCalibrationTable/Ranges.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Quantization/Factors.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::calibration {

using quantization::Scheme;
using quantization::ValueRange;
using Calibrated = quant::CalibratedQuantizedType;

static StringRef layerOf(Operation *op) {
  return op && op->getName().getDialectNamespace() == "top"
             ? op->getName().stripDialect()
             : StringRef();
}

static double realOr(Operation *op, StringRef name, double absent) {
  auto real = op->getAttrOfType<FloatAttr>(name);
  return real ? real.getValueAsDouble() : absent;
}

static Calibrated rangeOf(Value value) {
  auto tensor = dyn_cast<TensorType>(value.getType());
  return tensor ? dyn_cast<Calibrated>(tensor.getElementType()) : Calibrated();
}

static void setRange(Value value, double min, double max) {
  auto tensor = cast<TensorType>(value.getType());
  Type element = tensor.getElementType();
  if (auto old = dyn_cast<Calibrated>(element))
    element = old.getExpressedType();
  value.setType(tensor.clone(Calibrated::get(element, min, max)));
}

//===----------------------------------------------------------------------===//
// One range
//===----------------------------------------------------------------------===//

/// All of its numbers are between 0 and 1.
static bool isFraction(Operation *op) {
  StringRef layer = layerOf(op);
  if (layer != "Sigmoid" && layer != "Softmax")
    return false;
  return !readFlag(op->getAttr("log")).value_or(false) &&
         realOr(op, "scale", 1) == 1 && realOr(op, "bias", 0) == 0;
}

/// The product is no negative number.
static bool isProductOfPositives(Operation *op) {
  if (layerOf(op) != "Mul" || op->getNumOperands() != 2)
    return false;
  if (op->getOperand(0) == op->getOperand(1))
    return true;
  return llvm::all_of(op->getOperands(), [](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return isFraction(producer) || layerOf(producer) == "Relu";
  });
}

/// What the op cannot give is not in the range.
static void bound(Operation *op, ValueRange &range) {
  if (isFraction(op))
    range = {1, 0, 1};
  const bool hasRelu =
      layerOf(op) == "Relu" || readFlag(op->getAttr("do_relu")).value_or(false);
  if (hasRelu || isProductOfPositives(op)) {
    range.min = 0;
    range.max = std::max(range.max, 0.);
  }
  const double limit = realOr(op, "relu_limit", -1);
  if (hasRelu && limit > 0) {
    range.max = std::min(range.max, limit);
    range.threshold = std::min(range.threshold, limit);
  }
}

Type rangedType(Value result, const ValueRange &given,
                const RangeRules &rules) {
  auto tensor = dyn_cast<TensorType>(result.getType());
  if (!tensor || !isa<FloatType>(tensor.getElementType()))
    return {};
  ValueRange range = given;
  if (range.min == 0 && range.max == 0)
    return {};
  Operation *op = result.getDefiningOp();
  bound(op, range);
  double min = range.min, max = range.max;
  if (!rules.asymmetric) {
    max = range.threshold;
    min = range.min < 0 ? -max : 0;
  }
  if (layerOf(op) == "Sub" && min >= 0)
    min = -1e-5;
  if (rules.scheme == Scheme::Qdm)
    min = -(max = std::max(std::abs(min), std::abs(max)));
  if (!(min < max) || !quantization::hasScale(min, max))
    return {};
  return tensor.clone(Calibrated::get(tensor.getElementType(), min, max));
}

//===----------------------------------------------------------------------===//
// Agreement
//===----------------------------------------------------------------------===//

/// What is put around is in the range, too; zero is in every one.
static bool padsWithin(Operation *pad, Calibrated range) {
  const double number = realOr(pad, "val", 0);
  StringRef mode = readWord(pad->getAttr("mode")).value_or("constant");
  return !mode.equals_insensitive("constant") || number == 0 ||
         (range.getMin() <= number && number <= range.getMax());
}

/// Each number of the result is one of operand 0, or else in its range: a fact
/// of the op. Whatever computes others, be they smaller, keeps its own range.
static bool keepsNumbers(Operation *op, Calibrated range) {
  static const llvm::StringSet<> kMoves = {"Copy",        "Depth2Space",
                                           "Expand",      "Flatten",
                                           "Gather",      "GatherElements",
                                           "GatherND",    "MaxPool",
                                           "Permute",     "Repeat",
                                           "Reshape",     "Reverse",
                                           "Roll",        "ShuffleChannel",
                                           "Slice",       "SliceAxis",
                                           "Squeeze",     "StridedSlice",
                                           "SwapChannel", "SwapDimInner",
                                           "Tile",        "Transpose",
                                           "Trilu",       "Unsqueeze",
                                           "Upsample",    "View"};
  StringRef layer = layerOf(op);
  if (layer == "Relu")
    return realOr(op, "relu_limit", -1) <= 0;
  if (layer == "Pad")
    return padsWithin(op, range);
  if (layer == "Reduce") {
    StringRef mode = readWord(op->getAttr("mode")).value_or("");
    return mode == "ReduceMax" || mode == "ReduceMin";
  }
  return kMoves.contains(layer);
}

/// Its operands can as well have the range of the result: cutting them off
/// there is cutting off the result, as none of these ops changes which of two
/// numbers is the larger one.
static bool givesToOperands(Operation *op) {
  static const llvm::StringSet<> kGivers = {"Concat", "Min",     "Max",
                                            "Relu",   "MaxPool", "Depth2Space"};
  return kGivers.contains(layerOf(op));
}

static void takeFromOperand(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return;
  Calibrated from = rangeOf(op->getOperand(0));
  if (from && rangeOf(op->getResult(0)) && keepsNumbers(op, from))
    setRange(op->getResult(0), from.getMin(), from.getMax());
}

static void giveToOperands(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  Calibrated range = rangeOf(op->getResult(0));
  for (Value operand : op->getOperands())
    if (range && rangeOf(operand) && operand.hasOneUse())
      setRange(operand, range.getMin(), range.getMax());
}

/// A range that begins at 0 begins as far below it instead.
static void giveSign(Value value) {
  if (Calibrated range = rangeOf(value); range && range.getMin() >= 0)
    setRange(value, -range.getMax(), range.getMax());
}

/// Operands and result of one op have a sign, or none of them has.
static void agreeOnSign(Operation *op) {
  static const llvm::StringSet<> kSameSign = {"AvgPool", "MaxPool", "Add"};
  if (!kSameSign.contains(layerOf(op)) || op->getNumResults() != 1)
    return;
  const bool isSigned = llvm::any_of(op->getOperands(), [](Value operand) {
    Calibrated range = rangeOf(operand);
    return range && range.getMin() < 0;
  });
  if (isSigned)
    giveSign(op->getResult(0));
}

void agreeOnRanges(FunctionOpInterface function, const RangeRules &rules) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (givesToOperands(op))
      giveToOperands(op);
  for (Operation *op : ops) {
    takeFromOperand(op);
    if (!rules.asymmetric)
      agreeOnSign(op);
  }
}

} // namespace tpu_mlir::calibration
