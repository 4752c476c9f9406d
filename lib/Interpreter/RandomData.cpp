//===- RandomData.cpp - Make up inputs and weights ------------------------===//
//
// In ranges that suit the op that reads them, so that sums neither vanish nor
// overflow.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/RandomData.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Quantization/PackedMatrix.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tpu_mlir::interpreter {

namespace {

/// Numbers are in [least, most), whole ones in [least, most].
struct Range {
  double least = -1, most = 1;
  bool isWhole = false; ///< In floats, too: what is counted.
};

/// Independent of the library's version: results are compared between runs.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state(seed) {}
  /// In [0, 1), 24 bits.
  double next() {
    state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return static_cast<double>((mixed ^ mixed >> 31) >> 40) * 0x1p-24;
  }

private:
  uint64_t state;
};

} // namespace

/// The use that says what the value means: the first one, seen through what
/// only hands it on.
static OpOperand *meaningfulUse(Value value) {
  // As deep as calls may nest, and one more for each that hands on.
  for (int depth = 0; depth < 64; ++depth) {
    if (value.use_empty())
      return nullptr;
    // Uses are listed last first.
    OpOperand *use = nullptr;
    for (OpOperand &each : value.getUses())
      use = &each;
    Operation *op = use->getOwner();
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || callee.isExternal() ||
          use->getOperandNumber() >= callee.getNumArguments())
        return nullptr;
      value = callee.getArgument(use->getOperandNumber());
      continue;
    }
    StringRef name = op->getName().stripDialect();
    bool handsOn = llvm::StringSwitch<bool>(name)
                       .Cases({"Input", "Cast", "Load", "LineBuffer", "Reshape",
                               "Squeeze", "Unsqueeze"},
                              true)
                       .Default(false);
    if (!handsOn || op->getNumResults() != 1)
      return use;
    value = op->getResult(0);
  }
  return nullptr;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// Whether it scales what a state is multiplied with by exp: that has to
/// shrink the state, or no number is left of it.
static bool scalesDecay(Operation *op) {
  if (op->getName().stripDialect() != "Mul" || op->getNumResults() != 1)
    return false;
  OpOperand *use = meaningfulUse(op->getResult(0));
  return use && use->getOperandNumber() == 3 &&
         use->getOwner()->getName().stripDialect().ends_with("GatedDeltaRule");
}

/// For sums of `terms` products: they are as large as what they are made of.
static Range forSums(int64_t terms) {
  const double most = std::sqrt(4.5 / std::max<int64_t>(terms, 1));
  return {-most, most};
}

/// Terms of a sum that a right operand of that shape makes: of a filter, in
/// whatever order it is stored, its elements shared among the channels.
static int64_t termsOf(Operation *op, ArrayRef<int64_t> shape) {
  const int64_t elements = execution::countOf(shape, 0, shape.size());
  if (op->getName().stripDialect() != "MatMul") {
    ArrayRef<int64_t> result = shapeOf(op->getResult(0));
    return result.size() < 2 || result[1] < 1 ? elements : elements / result[1];
  }
  const bool transposed =
      readFlag(op->getAttr("right_transpose")).value_or(false);
  return shape.size() < 2 ? elements
                          : shape[shape.size() - (transposed ? 1 : 2)];
}

/// Of which nothing is known.
static Range anyOf(const execution::TensorType &type) {
  if (execution::isFloat(type.element))
    return {};
  return {double(std::max<int64_t>(execution::leastOf(type.element), -100)),
          double(std::min<int64_t>(execution::largestOf(type.element), 100)),
          true};
}

/// The largest index that is one into the first operand, along every dimension
/// that an op without an axis may mean.
static int64_t lastIndex(Operation *op) {
  ArrayRef<int64_t> sizes = shapeOf(op->getOperand(0));
  std::optional<int64_t> axis = execution::wholeAxis(
      readInteger(op->getAttr("axis")).value_or(0), sizes.size());
  if (!axis)
    return 0;
  const int64_t size = op->getName().getStringRef().ends_with("ND")
                           ? *llvm::min_element(sizes)
                           : sizes[*axis];
  return std::max<int64_t>(size - 1, 0);
}

static Range rangeOf(Value value, const execution::TensorType &type) {
  const bool isInteger = !execution::isFloat(type.element);
  const int64_t limit = execution::largestOf(type.element);
  const Range any = anyOf(type);
  OpOperand *use = meaningfulUse(value);
  if (!use)
    return any;
  Operation *op = use->getOwner();
  const unsigned index = use->getOperandNumber();
  StringRef name = op->getName().stripDialect();
  if (index == 1 && (name.starts_with("Gather") || name.starts_with("Scatter")))
    return {0, double(lastIndex(op)), true};
  // A branch or the other; a loop that runs more than once.
  if (name == "If")
    return {0, 1, true};
  if (name == "Loop" && index < 2)
    return {index == 0 ? 2. : 1., index == 0 ? 3. : 1., true};
  if (name == "A16MatMul" && index == 1)
    return {0, double(limit), true};
  if (name == "A16MatMul" && index == 3)
    return {0, 15, true};
  if (isInteger)
    return any;
  // Packed numbers are up to 15 or 255, less a zero point of that size.
  if (name == "A16MatMul" && index == 2) {
    ArrayRef<int64_t> left = shapeOf(op->getOperand(0));
    const Range range = forSums(left.empty() ? 1 : left.back());
    return {range.least / 16, range.most / 16};
  }
  if (scalesDecay(op))
    return {-1, -0.1};
  const bool sums = name == "MatMul" || name.starts_with("Conv") ||
                    name.starts_with("Deconv");
  if (sums && index == 1)
    return forSums(termsOf(op, shapeOf(value)));
  if (sums && index == 2)
    return {-0.1, 0.1};
  if ((name == "Scale" || name.ends_with("Norm")) && index == 1)
    return {0.5, 1.5};
  return any;
}

/// In parts: as floats an embedding takes twice its bytes.
static std::vector<uint8_t> fill(const execution::TensorType &type,
                                 const Range &range, uint64_t seed) {
  Numbers numbers(seed);
  const bool isWhole = range.isWhole || !execution::isFloat(type.element);
  auto next = [&] {
    const double random = numbers.next();
    return static_cast<float>(
        isWhole
            ? std::floor(range.least + random * (range.most - range.least + 1))
            : range.least + random * (range.most - range.least));
  };
  std::vector<uint8_t> bytes(*type.bytes());
  std::vector<float> part(4096);
  const int64_t count = *type.elements();
  for (int64_t first = 0; first < count; first += part.size()) {
    const int64_t length =
        std::min<int64_t>(count - first, static_cast<int64_t>(part.size()));
    std::generate_n(part.begin(), length, next);
    execution::writeFloats(type.element, bytes.data(), first, length,
                           part.data());
  }
  return bytes;
}

/// The op that reads scales and zero points of packed weights in pairs.
static Operation *pairReader(Value value, const execution::TensorType &type) {
  OpOperand *use = meaningfulUse(value);
  if (!use || use->getOperandNumber() != 2 || type.shape.empty() ||
      type.shape.back() % 2 != 0 || execution::isFloat(type.element))
    return nullptr;
  Operation *op = use->getOwner();
  return op->getName().stripDialect() == "A16MatMul" &&
                 op->getNumOperands() > 3 &&
                 isa<NoneType>(op->getOperand(3).getType())
             ? op
             : nullptr;
}

std::vector<uint8_t> randomBytes(Value value, const execution::TensorType &type,
                                 uint64_t seed) {
  seed ^= llvm::xxh3_64bits(valueName(value));
  Operation *reader = pairReader(value, type);
  if (!reader)
    return fill(type, rangeOf(value, type), seed);
  auto left = dyn_cast<ShapedType>(reader->getOperand(0).getType());
  execution::TensorType scales = type, zeroPoints = type;
  scales.shape.back() /= 2;
  zeroPoints.shape.back() /= 2;
  scales.element = left && left.getElementType().isF16()
                       ? execution::ElementType::F16
                       : execution::ElementType::BF16;
  zeroPoints.element = execution::ElementType::U8;
  return quantization::pairScales(fill(scales, rangeOf(value, scales), seed),
                                  fill(zeroPoints, {0, 15, true}, ~seed));
}

std::vector<uint8_t> numbersFrom(uint64_t seed,
                                 const execution::TensorType &type) {
  return fill(type, anyOf(type), seed);
}

} // namespace tpu_mlir::interpreter
