//===- Moves.cpp - Ops that move elements ---------------------------------===//
//
// Elements stay what they are, so the result has the scale of the operand.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

using namespace mlir;

namespace tpu_mlir::lowering {

/// The other operands are what says how: shapes, which only Shape ops give.
static bool hasOneMovedOperand(const IntegerOp &op) {
  for (unsigned i = 1; i < op.top->getNumOperands(); ++i)
    if (op.has(i))
      return false;
  return op.isRanged(0) && op.hasRangedResult() && !op.resultShape().empty();
}

/// Floats under another shape that are handed out: integers in between would
/// only cost.
static bool isFloatToReturn(const IntegerOp &op) {
  return op.recipe.compute == Compute::View && op.isFloatByNow(0) &&
         llvm::all_of(op.top->getUsers(), [](Operation *user) {
           return user->hasTrait<OpTrait::IsTerminator>();
         });
}

static bool lowerMove(IntegerOp &op) {
  if (!hasOneMovedOperand(op) || isFloatToReturn(op))
    return false;
  Value input = op.operand(0);
  SmallVector<Value> operands = {input};
  for (unsigned i = 1;
       i < op.top->getNumOperands() && i < op.recipe.rule->maxOperands; ++i)
    operands.push_back(op.none());
  while (operands.size() < op.recipe.rule->minOperands)
    operands.push_back(op.none());
  op.make(op.recipe.tpuName, operands, op.resultLike(input));
  return true;
}

/// What is put around is a number of floats; zero is the same in integers
/// without a zero point.
static bool lowerPad(IntegerOp &op) {
  StringRef mode = readWord(op.top->getAttr("mode")).value_or("constant");
  const bool isZero =
      op.real("val", 0) == 0 && op.isRanged(0) && op.scale(0).zeroPoint == 0;
  if (mode.equals_insensitive("constant") && !isZero)
    return false;
  return lowerMove(op);
}

void addMoveRules(IntegerRules &rules) {
  for (const char *name :
       {"Reshape", "Squeeze", "Unsqueeze", "View", "Flatten", "Slice",
        "StridedSlice", "Permute", "Transpose", "Depth2Space", "Tile", "Expand",
        "ShuffleChannel", "SwapChannel"})
    rules[std::string("top.") + name] = lowerMove;
  rules["top.Pad"] = lowerPad;
  rules["top.Reverse"] = [](IntegerOp &op) {
    return op.isQdm() && lowerMove(op);
  };
}

} // namespace tpu_mlir::lowering
