//===- LowerFunction.cpp - Lower one function -----------------------------===//
//
// Walks the ops once, creates the Tpu ops and the casts between element types,
// and erases the old ops at the end.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/LowerFunction.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::lowering {

static bool isInteger(Type element) {
  return isa_and_nonnull<IntegerType>(element);
}

/// The same tensor with other elements; `none` stays.
static Type withElement(Type type, Type element) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor ? Type(tensor.clone(element)) : type;
}

/// Without any range.
Type FunctionLowering::plainType(Type type) {
  const Type element = plainElement(type);
  return element ? withElement(type, element) : type;
}

/// With the range that the type has, where ranges count.
Type FunctionLowering::withRange(Type type, Type element) const {
  auto tensor = dyn_cast<TensorType>(type);
  auto range =
      tensor && hasIntegers()
          ? dyn_cast<quant::CalibratedQuantizedType>(tensor.getElementType())
          : quant::CalibratedQuantizedType();
  if (range && isa<FloatType>(element))
    element = quant::CalibratedQuantizedType::get(element, range.getMin(),
                                                  range.getMax());
  return withElement(type, element);
}

FunctionLowering::FunctionLowering(const RecipeBook &book,
                                   const FloatMode &mode, bool highPrecision,
                                   MLIRContext *context)
    : book(book), modeType(mode.type(context)), f32(Float32Type::get(context)),
      i32(IntegerType::get(context, 32)),
      halfMode(mode.kind == FloatMode::Kind::F16), highPrecision(highPrecision),
      builder(context), castRounding(tpu::RoundModeAttr::get(
                            context, tpu::RoundMode::HalfAwayFromZero)) {}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// What a value of this type becomes where it only passes through.
Type FunctionLowering::carried(Type type) {
  Type element = elementOf(type);
  return element && !isInteger(element) ? withElement(type, modeType) : type;
}

/// The op has data operands, and none of them is a float by now.
bool FunctionLowering::allIntegers(Operation *op, const Recipe &recipe) const {
  bool any = false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    char how = recipe.typingOf(i);
    Type element = elementOf(lowered(operand).getType());
    if (!element || (how != typing::kValue && how != typing::kMask))
      continue;
    if (!isInteger(element))
      return false;
    any = true;
  }
  return any;
}

FunctionLowering::WorkTypes FunctionLowering::workTypes(Operation *op,
                                                        const Recipe &recipe) {
  if (Type type = floatType(op, recipe))
    return {type, type};
  const Type floats = recipe.isWhole ? f32 : modeType;
  switch (recipe.compute) {
  case Compute::F32:
    return {f32, f32};
  case Compute::Precise:
    if (highPrecision)
      return {f32, f32};
    return {floats, floats};
  case Compute::View: {
    Value input = op->getOperand(0);
    Type element = elementOf(lowered(input).getType());
    // Those of 8 bits would take the scale of another range.
    if (element && !isa<Float8E4M3FNType>(element) &&
        (isInteger(element) || !input.getDefiningOp<top::WeightOp>()))
      return {element, element};
    return {floats, floats};
  }
  case Compute::Move:
    if (allIntegers(op, recipe)) {
      Type element = elementOf(lowered(op->getOperand(0)).getType());
      return {Type(), element};
    }
    return {floats, floats};
  case Compute::Mode: {
    bool onlyIntegers = llvm::all_of(op->getResultTypes(), [](Type type) {
      return !elementOf(type) || isInteger(elementOf(type));
    });
    if (onlyIntegers && allIntegers(op, recipe))
      return {Type(), Type()};
    return {floats, floats};
  }
  case Compute::Regions:
  case Compute::Keep:
    break;
  }
  return {};
}

SmallVector<Type>
FunctionLowering::resultTypes(Operation *op, const Recipe &recipe, Type work) {
  bool moves =
      recipe.compute == Compute::Move || recipe.compute == Compute::View;
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    char how = i < recipe.resultTyping.size() ? recipe.resultTyping[i]
                                              : typing::kValue;
    Type element = elementOf(type);
    if (!element) {
      types.push_back(type);
      continue;
    }
    if (how == typing::kIndex)
      element = i32;
    else if (how == typing::kFloat32)
      element = f32;
    else if (moves || !isInteger(element))
      element = work;
    types.push_back(element ? withRange(type, element) : type);
  }
  return types;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value FunctionLowering::lowered(Value value) const {
  auto found = replaced.find(value);
  return found == replaced.end() ? value : found->second;
}

Value FunctionLowering::cast(Value value, Type element, StringRef readerName) {
  if (elementOf(value.getType()) == element ||
      mlir::cast<TensorType>(value.getType()).getElementType() == element)
    return value;
  Value &result = casts[{value, element}];
  if (result)
    return result;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Location location =
      renamed(value.getLoc(), nameOf(value) + readerName + typeSuffix(element));
  Type type = withElement(value.getType(), element);
  if (Value quantized = quantizedInput(value, type, location))
    return result = quantized;
  if (Value scaled = scaledFloat8(value, type, readerName))
    return result = scaled;
  OperationState state(location, "tpu.Cast");
  state.addOperands(value);
  state.addTypes(type);
  state.addAttribute("round_mode", castRounding);
  state.addAttribute("with_scale", builder.getBoolAttr(true));
  return result = builder.create(state)->getResult(0);
}

/// The name under which a weight is stored for a reader.
static std::string weightName(top::WeightOp weight, Type element, char how,
                              StringRef readerName) {
  if (how == typing::kPacked && !readerName.empty())
    return (readerName + "_weight").str();
  if (how == typing::kZeroPoint && !readerName.empty())
    return (readerName + "_zp").str();
  std::string name = nameOf(weight->getResult(0)).str();
  if (!name.empty() && element != elementOf(weight->getResult(0).getType()))
    name += typeSuffix(element);
  return name;
}

/// Under the new name, with the old one beside it where that is another.
static void rename(Operation *weight, const std::string &name) {
  const StringRef old = nameOf(weight->getResult(0));
  if (old.empty() || old == name)
    return;
  if (!weight->hasAttr("origin"))
    weight->setAttr("origin", StringAttr::get(weight->getContext(), old));
  weight->setLoc(renamed(weight->getLoc(), name));
}

Value FunctionLowering::weight(top::WeightOp weight, Type element, char how,
                               Operation *reader, StringRef readerName) {
  Value value = weight->getResult(0);
  // Integers are indices or packed data: never converted.
  if (!element || isInteger(elementOf(value.getType())))
    element = elementOf(value.getType());
  Value &result = weights[{value, element}];
  if (result)
    return result;
  OpBuilder::InsertionGuard guard(builder);
  // From inside a region the next reader may not see what stands there.
  if (reader->getBlock() == weight->getBlock())
    builder.setInsertionPoint(reader);
  else
    builder.setInsertionPoint(weight);
  Operation *copy = builder.clone(*weight.getOperation());
  copy->getResult(0).setType(withElement(value.getType(), element));
  rename(copy, weightName(weight, element, how, readerName));
  return result = copy->getResult(0);
}

Value FunctionLowering::read(Value oldValue, Type wanted, char how,
                             Operation *reader, StringRef readerName) {
  Value value = lowered(oldValue);
  Type element = elementOf(value.getType());
  if (!element)
    return value;
  auto source = value.getDefiningOp<top::WeightOp>();
  bool keepsF32 =
      how == typing::kConvBias || (how == typing::kMatMulBias && halfMode);
  if (how == typing::kFloat32 || (source && keepsF32 && wanted))
    wanted = f32;
  else if (how == typing::kIndex)
    wanted = isInteger(element) ? element : i32;
  else if (how == typing::kAsIs || (how == typing::kMask && isInteger(element)))
    wanted = Type();
  if (source)
    return weight(source, wanted, how, reader, readerName);
  return wanted ? cast(value, wanted, readerName) : value;
}

Value FunctionLowering::none() {
  if (noneValue)
    return noneValue;
  Block &entry = function.front();
  auto nones = entry.getOps<top::NoneOp>();
  if (!nones.empty()) {
    // In front of everything, so that it is seen from everywhere.
    Operation *first = *nones.begin();
    first->moveBefore(&entry, entry.begin());
    return noneValue = first->getResult(0);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry);
  OperationState state(builder.getUnknownLoc(), "top.None");
  state.addTypes(builder.getNoneType());
  return noneValue = builder.create(state)->getResult(0);
}

SmallVector<Value> FunctionLowering::operands(Operation *op,
                                              const Recipe &recipe, Type work) {
  StringRef name = nameOf(Location(recipe.location));
  SmallVector<Value> values;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (i < recipe.rule->maxOperands)
      values.push_back(read(operand, work, recipe.typingOf(i), op, name));
  while (values.size() < recipe.rule->minOperands)
    values.push_back(none());
  return values;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void FunctionLowering::finish(Operation *op, ValueRange results) {
  for (auto [from, to] : llvm::zip_equal(op->getResults(), results))
    replaced[from] = to;
}

void FunctionLowering::lowerOp(Operation *op, const Recipe &recipe) {
  old.push_back(op);
  if (recipe.isForward)
    return finish(op, lowered(op->getOperand(0)));
  builder.setInsertionPoint(op);
  if (lowerToIntegers(op, recipe))
    return;
  WorkTypes work = workTypes(op, recipe);
  OperationState state(recipe.location, recipe.tpuName);
  state.addOperands(operands(op, recipe, work.read));
  state.addTypes(resultTypes(op, recipe, work.write));
  // A cast to the type that the operand has by now.
  if (recipe.tpuName == "tpu.Cast" && state.operands.size() == 1 &&
      state.types.size() == 1 && state.operands[0].getType() == state.types[0])
    return finish(op, state.operands[0]);
  state.attributes = recipe.attributes;
  builder.setInsertionPoint(op);
  finish(op, builder.create(state)->getResults());
}

void FunctionLowering::keepOp(Operation *op) {
  StringRef name = nameOf(op->getLoc());
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(read(operand.get(), elementOf(operand.get().getType()),
                     typing::kValue, op, name));
  auto call = dyn_cast<func::CallOp>(op);
  // What is a float here may still say its range.
  if (call)
    for (Value operand : call.getOperands())
      operand.setType(plainType(operand.getType()));
  // What the callee returns as an index it has made an integer by now.
  auto callee = call ? symbols.lookupNearestSymbolFrom<func::FuncOp>(
                           call, call.getCalleeAttr())
                     : func::FuncOp();
  if (callee)
    for (auto [result, type] :
         llvm::zip(call.getResults(), callee.getResultTypes()))
      result.setType(type);
}

// The condition of an If, the trip count and the condition of a Loop keep the
// types that they are declared with; the other operands and results are
// carried.
void FunctionLowering::lowerRegions(Operation *op, const Recipe &recipe) {
  old.push_back(op);
  unsigned numControl = isa<top::IfOp>(op) ? 1 : 2;
  StringRef name = nameOf(op->getLoc());
  OperationState state(recipe.location, recipe.tpuName);
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Type type = operand.getType();
    Type wanted = elementOf(i < numControl ? type : carried(type));
    state.operands.push_back(read(operand, wanted, typing::kValue, op, name));
  }
  for (Type type : op->getResultTypes())
    state.types.push_back(carried(type));
  state.attributes = recipe.attributes;
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  builder.setInsertionPoint(op);
  Operation *created = builder.create(state);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), created->getRegions())) {
    to.takeBody(from);
    for (Block &block : to)
      lowerRegionBlock(block, created);
  }
  finish(op, created->getResults());
}

void FunctionLowering::lowerRegionBlock(Block &block, Operation *parent) {
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    // A loop's body sees its operands one by one.
    Type element = i < parent->getNumOperands()
                       ? elementOf(parent->getOperand(i).getType())
                       : Type();
    argument.setType(element ? withElement(argument.getType(), element)
                             : carried(argument.getType()));
  }
  lowerBlock(block);
}

void FunctionLowering::lowerYield(Operation *yield, const Recipe &recipe) {
  old.push_back(yield);
  Operation *parent = yield->getParentOp();
  // A loop yields its condition in front of the carried values.
  bool isLoop = !isa<tpu::IfOp>(parent);
  OperationState state(recipe.location, recipe.tpuName);
  for (auto [i, operand] : llvm::enumerate(yield->getOperands())) {
    Type type;
    if (!isLoop || i > 0)
      type = i - isLoop < parent->getNumResults()
                 ? parent->getResult(i - isLoop).getType()
                 : carried(operand.getType());
    else if (parent->getNumOperands() > 1)
      type = parent->getOperand(1).getType();
    state.operands.push_back(read(operand, type ? elementOf(type) : type,
                                  typing::kValue, yield, ""));
  }
  builder.setInsertionPoint(yield);
  builder.create(state);
}

void FunctionLowering::lowerInput(top::InputOp input) {
  Type element = elementOf(input->getOperand(0).getType());
  Value result = input->getResult(0);
  // Front ends call every input f32; the caller passes what the argument is.
  if (element)
    result.setType(withRange(result.getType(), element));
}

void FunctionLowering::lowerReturn(func::ReturnOp ret) {
  const bool isCalled =
      !SymbolTable::symbolKnownUseEmpty(function, function->getParentOp());
  for (OpOperand &operand : ret->getOpOperands()) {
    Type declared =
        elementOf(function.getResultTypes()[operand.getOperandNumber()]);
    Type now = elementOf(lowered(operand.get()).getType());
    // An index is returned as the integer it is.
    bool asIs = isInteger(now) || isInteger(declared);
    operand.set(read(operand.get(), declared,
                     asIs ? typing::kAsIs : typing::kValue, ret, ""));
    if (isCalled)
      operand.get().setType(plainType(operand.get().getType()));
  }
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(),
                                                   ret->getOperandTypes()));
}

void FunctionLowering::lowerUnusedWeight(top::WeightOp weight) {
  Value value = weight->getResult(0);
  Type element = elementOf(value.getType());
  if (!element || isInteger(element))
    return;
  rename(weight, weightName(weight, modeType, typing::kValue, ""));
  value.setType(withElement(value.getType(), modeType));
}

void FunctionLowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    const Recipe *recipe = book.find(&op);
    if (auto weight = dyn_cast<top::WeightOp>(op)) {
      if (weight->use_empty())
        lowerUnusedWeight(weight);
      else if (elementOf(weight->getResult(0).getType()))
        old.push_back(weight);
    } else if (auto input = dyn_cast<top::InputOp>(op)) {
      lowerInput(input);
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      lowerReturn(ret);
    } else if (!recipe) {
      continue; // none
    } else if (recipe->compute == Compute::Keep) {
      keepOp(&op);
    } else if (recipe->compute != Compute::Regions) {
      lowerOp(&op, *recipe);
    } else if (op.hasTrait<OpTrait::IsTerminator>()) {
      lowerYield(&op, *recipe);
    } else {
      lowerRegions(&op, *recipe);
    }
  }
}

void FunctionLowering::run(func::FuncOp toLower) {
  function = toLower;
  noneValue = Value();
  rememberRanges();
  lowerBlock(function.front());
  for (Operation *op : llvm::reverse(old))
    op->erase();
  old.clear();
  replaced.clear();
  casts.clear();
  weights.clear();
  ranges.clear();
}

} // namespace tpu_mlir::lowering
