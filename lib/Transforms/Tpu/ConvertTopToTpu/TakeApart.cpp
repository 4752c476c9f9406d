//===- TakeApart.cpp - Expand Top ops that Tpu does not have --------------===//
//
// Replaces Split, Pack and Unpack by slices, concats and reshapes.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/TakeApart.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/Recipe.h"
#include "tpu_mlir/Dialect/Interfaces/Form.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tpu_mlir::lowering {

/// The types, where all of them are tensors of numbers and of static shape.
static std::optional<SmallVector<RankedTensorType>>
plainTypes(TypeRange types) {
  SmallVector<RankedTensorType> plain;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !plainElement(type))
      return std::nullopt;
    plain.push_back(tensor);
  }
  return plain;
}

static std::optional<int64_t> axisOf(Operation *op, int64_t rank) {
  std::optional<int64_t> axis = readInteger(op->getAttr("axis"));
  if (axis && *axis < 0)
    *axis += rank;
  return axis && *axis >= 0 && *axis < rank ? axis : std::nullopt;
}

static SmallVector<int64_t> without(ArrayRef<int64_t> shape, int64_t axis) {
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + axis);
  return rest;
}

/// Each result of an op with several has a name of its own.
static Location locationOf(OpResult result) {
  Operation *op = result.getOwner();
  if (op->getNumResults() == 1)
    return op->getLoc();
  auto fused = dyn_cast<FusedLoc>(op->getLoc());
  if (fused && fused.getLocations().size() == op->getNumResults())
    return fused.getLocations()[result.getResultNumber()];
  return renamed(op->getLoc(),
                 nameOf(op->getLoc()) + "_" + Twine(result.getResultNumber()));
}

static Location partOf(Location location, const Twine &suffix) {
  return renamed(location, nameOf(location) + suffix);
}

static Value create(OpBuilder &builder, Location location, StringRef name,
                    ValueRange operands, Type type,
                    ArrayRef<NamedAttribute> attributes) {
  OperationState state(location, name);
  state.addOperands(operands);
  state.addTypes(type);
  state.addAttributes(attributes);
  return builder.create(state)->getResult(0);
}

/// The part [from, from + the type's) along the axis.
static Value slice(OpBuilder &builder, Location location, Value input,
                   int64_t axis, int64_t from, RankedTensorType type) {
  SmallVector<int64_t> offset(type.getRank(), 0), steps(type.getRank(), 1);
  SmallVector<int64_t> ends(type.getShape());
  offset[axis] = from;
  ends[axis] += from;
  return create(
      builder, location, "top.Slice", input, type,
      {builder.getNamedAttr("offset", builder.getI64ArrayAttr(offset)),
       builder.getNamedAttr("steps", builder.getI64ArrayAttr(steps)),
       builder.getNamedAttr("ends", builder.getI64ArrayAttr(ends)),
       builder.getNamedAttr("axes", builder.getI64ArrayAttr({}))});
}

static NamedAttribute axes(OpBuilder &builder, int64_t axis) {
  return builder.getNamedAttr("axes", builder.getI64ArrayAttr({axis}));
}

/// Whether the parts are all of the whole, one after the other.
static bool isSplit(Operation *op, RankedTensorType whole, int64_t axis,
                    ArrayRef<RankedTensorType> parts) {
  SmallVector<int64_t> sizes;
  int64_t sum = 0;
  for (RankedTensorType part : parts) {
    if (part.getRank() != whole.getRank() ||
        without(part.getShape(), axis) != without(whole.getShape(), axis))
      return false;
    sizes.push_back(part.getDimSize(axis));
    sum += sizes.back();
  }
  Attribute said = op->getAttr("split_size");
  return sum == whole.getDimSize(axis) &&
         (!said || readIntegers(said) == sizes);
}

static bool takeSplit(Operation *op, OpBuilder &builder) {
  auto from = plainTypes(op->getOperandTypes());
  auto to = plainTypes(op->getResultTypes());
  if (!from || !to || from->size() != 1)
    return false;
  RankedTensorType whole = from->front();
  auto axis = axisOf(op, whole.getRank());
  if (!axis || !isSplit(op, whole, *axis, *to))
    return false;
  int64_t start = 0;
  for (OpResult result : op->getResults()) {
    RankedTensorType type = (*to)[result.getResultNumber()];
    result.replaceAllUsesWith(slice(builder, locationOf(result),
                                    op->getOperand(0), *axis, start, type));
    start += type.getDimSize(*axis);
  }
  return true;
}

/// What lies along a new axis in a whole: one part each.
struct Stack {
  RankedTensorType whole;
  SmallVector<RankedTensorType> parts;
  int64_t axis;

  /// The type of a part that has the axis, too.
  RankedTensorType withAxis(size_t part) const {
    SmallVector<int64_t> shape(whole.getShape());
    shape[axis] = 1;
    return RankedTensorType::get(shape, parts[part].getElementType());
  }
};

/// Of an op with an axis; nothing where the types do not fit together.
static std::optional<Stack> stackOf(Operation *op, TypeRange wholes,
                                    TypeRange parts) {
  auto whole = plainTypes(wholes), each = plainTypes(parts);
  if (!whole || !each || whole->size() != 1)
    return std::nullopt;
  Stack stack = {whole->front(), *each, 0};
  auto axis = axisOf(op, stack.whole.getRank());
  if (!axis ||
      stack.whole.getDimSize(*axis) != static_cast<int64_t>(each->size()))
    return std::nullopt;
  stack.axis = *axis;
  const SmallVector<int64_t> rest = without(stack.whole.getShape(), *axis);
  for (RankedTensorType part : stack.parts)
    if (part.getShape() != ArrayRef(rest))
      return std::nullopt;
  return stack;
}

static bool takeUnpack(Operation *op, OpBuilder &builder) {
  auto stack = stackOf(op, op->getOperandTypes(), op->getResultTypes());
  if (!stack)
    return false;
  for (OpResult result : op->getResults()) {
    const unsigned number = result.getResultNumber();
    Location location = locationOf(result);
    Value part = slice(builder, partOf(location, "_slice"), op->getOperand(0),
                       stack->axis, number, stack->withAxis(number));
    result.replaceAllUsesWith(create(builder, location, "top.Squeeze", part,
                                     stack->parts[number],
                                     axes(builder, stack->axis)));
  }
  return true;
}

static bool takePack(Operation *op, OpBuilder &builder) {
  auto stack = stackOf(op, op->getResultTypes(), op->getOperandTypes());
  if (!stack)
    return false;
  SmallVector<Value> parts;
  for (auto [number, part] : llvm::enumerate(op->getOperands()))
    parts.push_back(create(builder, partOf(op->getLoc(), "_" + Twine(number)),
                           "top.Unsqueeze", part, stack->withAxis(number),
                           axes(builder, stack->axis)));
  auto i32 = builder.getIntegerType(32, /*isSigned=*/true);
  Value packed = create(
      builder, op->getLoc(), "top.Concat", parts, stack->whole,
      builder.getNamedAttr("axis", builder.getIntegerAttr(i32, stack->axis)));
  op->getResult(0).replaceAllUsesWith(packed);
  return true;
}

void takeApart(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  SmallVector<Operation *> old;
  function.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    auto *take = name == "top.Split"    ? takeSplit
                 : name == "top.Unpack" ? takeUnpack
                 : name == "top.Pack"   ? takePack
                                        : nullptr;
    builder.setInsertionPoint(op);
    if (take && whyUnfit(op).empty() && take(op, builder))
      old.push_back(op);
  });
  for (Operation *op : old)
    op->erase();
}

} // namespace tpu_mlir::lowering
