//===- TpuLocalSliceElementwise.cpp - Ops that work place by place --------===//

#include "LocalFactsBuilder.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tpu_mlir::tpu {

namespace {

/// What a function of one number costs. Functions that are computed from a
/// table of coefficients have `entries` of the type they are computed in.
struct FunctionCost {
  int64_t tiles = 0, entries = 0, ops = 1;
};

} // namespace

/// Tables: 32 coefficients for the exponential and its like, 16 more where a
/// logarithm follows (tpu-mlir's plans show both).
static FunctionCost functionCost(ActiveMode mode) {
  switch (mode) {
  case ActiveMode::RELU:
  case ActiveMode::RELU6:
  case ActiveMode::ABSVAL:
  case ActiveMode::SQUARE:
  case ActiveMode::NEG:
  case ActiveMode::SIGN:
  case ActiveMode::CEIL:
  case ActiveMode::FLOOR:
  case ActiveMode::ROUND:
  case ActiveMode::IS_FINITE:
    return {};
  case ActiveMode::HSWISH:
  case ActiveMode::HSIGMOID:
  case ActiveMode::SOFT_SIGN:
    return {1, 0, 3};
  case ActiveMode::SQRT:
  case ActiveMode::RSQRT:
    return {1, 0, 4};
  case ActiveMode::SOFT_PLUS:
  case ActiveMode::LOG_SIGMOID:
  case ActiveMode::MISH:
  case ActiveMode::ARCSINH:
  case ActiveMode::ARCCOSH:
  case ActiveMode::ARCTANH:
    return {2, 48, 16};
  default:
    return {2, 32, 8};
  }
}

/// The scratch and the work of a function that is computed in floating point.
static void stateFunction(LocalFactsBuilder &builder, FunctionCost cost) {
  int64_t bits = std::max<int64_t>(builder.operandBits(), 16);
  builder.scratch(cost.tiles, bits, cost.entries * bits / 8);
  builder.work(cost.ops);
}

/// Elements of 8 bits are scaled in 16 bits, two values at a time.
static void stateArithmetic(LocalFactsBuilder &builder, int64_t ops) {
  if (builder.operandBits() == 8)
    builder.scratch(2, 16);
  builder.work(ops);
}

static void stateCosts(LocalFactsBuilder &builder, Operation *op) {
  int64_t terms = llvm::count_if(
      op->getOperandTypes(), [](Type type) { return !isa<NoneType>(type); });
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ActiveOp active) {
        stateFunction(builder, functionCost(active.getMode()));
      })
      .Case<PowOp, Pow2Op, Pow3Op>(
          [&](auto) { stateFunction(builder, {2, 48, 16}); })
      .Case<AddOp, SubOp, MulOp, MaxOp, MinOp, AddConstOp, SubConstOp,
            MulConstOp, MaxConstOp, MinConstOp, MulShiftOp, BinaryShiftOp,
            BinaryConstShiftOp>(
          [&](auto) { stateArithmetic(builder, terms - 1); })
      .Case<DivOp, DivConstOp, ReciprocalOp, ModOp>(
          [&](auto) { stateArithmetic(builder, 4); })
      .Case<PReluOp, PReluOpOp, LeakyReluOp>(
          [&](auto) { stateArithmetic(builder, 2); })
      .Default([&](Operation *) { builder.work(terms - 1); });
}

LocalFacts elementwiseFacts(Operation *op) {
  LocalFactsBuilder builder(op);
  // After the data of a selection there may be scratch.
  unsigned data = isa<WhereOp>(op) ? 3 : builder.numOperands();
  for (unsigned i = 0; i < data; ++i) {
    if (i == 1 && isa<PReluOp, PReluOpOp>(op))
      builder.followChannels(i);
    else
      builder.broadcast(i);
  }
  stateCosts(builder, op);
  return builder.take();
}

/// Operand 1 has some numbers for each place along `rq_axis` (1 when absent).
static void stateRows(LocalFactsBuilder &builder, Operation *op) {
  Attribute attribute = op->getAttr("rq_axis");
  std::optional<int64_t> along = attribute ? readInteger(attribute) : 1;
  if (!along)
    return builder.refuse("its axis is not known");
  int axis = builder.axisOf(*along, builder.rank());
  if (!builder.ok())
    return;
  if (builder.rank(1) == builder.rank() &&
      builder.operand(1)[axis] == builder.result()[axis])
    builder.follow(1, axis, axis);
  else
    builder.keepWhole(axis);
}

LocalFacts tableFacts(Operation *op) {
  LocalFactsBuilder builder(op);
  builder.followAll();
  // Here the table has a row for each place along an axis.
  if (isa<RequantIntAxisOp, RequantFpAxisOp, DequantIntAxisOp, ScaleLutOp>(op))
    stateRows(builder, op);
  return builder.take();
}

LocalFacts LineBufferOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  builder.followAll();
  builder.work(kLineBufferOps);
  return builder.take();
}

LocalFacts ScaleOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  builder.followAll();
  for (unsigned i = 1, e = builder.numOperands(); i < e; ++i)
    builder.followChannels(i);
  stateArithmetic(builder, 2);
  return builder.take();
}

} // namespace tpu_mlir::tpu
