//===- RandomOps.cpp - Leaf ops and the families that share storage -------===//

#include "tests/property/global/ModuleGenerator.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tpu_mlir::test {

void ModuleGenerator::anyOp() {
  int64_t kind = draw.between(1, 100);
  if (kind <= 35)
    compute(randomType());
  else if (kind <= 42)
    severalResults();
  else if (kind <= 50)
    reshapes();
  else if (kind <= 57)
    slice();
  else if (kind <= 65)
    mergedConcat();
  else if (kind <= 68)
    identity();
  else if (kind <= 76)
    update();
  else if (kind <= 79)
    runningStatistics();
  else if (kind <= 81)
    weightAsActivation();
  else if (kind <= 88)
    group(randomTypes(3));
  else if (shape.structure && depth < 3)
    structureOp();
}

/// Scratch belongs in front of its op.
SmallVector<Value> ModuleGenerator::operandsWithScratch(Values operands) {
  if (draw.chance(20))
    for (int64_t i = draw.between(1, 3); i > 0; --i)
      operands.push_back(scratch());
  return operands;
}

/// A fresh tensor of this type, from an op that computes.
Value ModuleGenerator::compute(Tensor type) {
  int64_t kind = draw.between(1, 100);
  Operation *made = nullptr;
  if (scope.empty() || kind <= 3) {
    made = op("tpu.Custom", operandsWithScratch({}), type);
  } else if (kind <= 30) {
    made = op("tpu.Active", pick(), type);
  } else if (kind <= 55) {
    Value a = pick();
    made = op("tpu.Add", {a, draw.chance(20) ? a : pick()}, type);
  } else if (kind <= 70) {
    auto bits = builder.getIntegerType(draw.chance(50) ? 4 : 8);
    Value w =
        weight(Tensor::get({draw.between(1, 9), draw.between(1, 300)}, bits));
    made =
        op("tpu.MatMul",
           operandsWithScratch({pick(), w, draw.chance(50) ? none() : pick()}),
           type);
  } else if (kind <= 80) {
    made = op("tpu.Softmax", operandsWithScratch({pick()}), type);
  } else if (kind <= 90) {
    Values operands;
    for (int64_t i = draw.between(1, 4); i > 0; --i)
      operands.push_back(pick());
    made = op("tpu.Custom", operandsWithScratch(operands), type);
  } else if (shape.unknownOps && draw.chance(30)) {
    made = op("tpu.FromTheFuture", {pick(), pick()}, type);
  } else if (kind <= 95) {
    made = op("tpu.GenericCpu", {pick(), pick()}, type);
  } else {
    made = op("tpu.Gather", {pick(), weight(randomType()), none()}, type);
  }
  add(made->getResult(0));
  return made->getResult(0);
}

/// A tensor of this type from anywhere; it may share storage with others.
Value ModuleGenerator::produce(Tensor type) {
  int64_t kind = draw.between(1, 100);
  bool canNest = shape.structure && depth < 3 && opsLeft > 0;
  if (kind <= 65 || (kind > 80 && !canNest))
    return compute(type);
  if (kind <= 72)
    return reshape(compute(sameElements(type)), type);
  if (kind <= 80)
    return group(type).front();
  if (kind <= 87)
    return call(type).front();
  if (kind <= 93)
    return branch(type).front();
  if (kind <= 97)
    return loop(type).front();
  return partsInParallel(type).front();
}

void ModuleGenerator::severalResults() {
  SmallVector<Type> types;
  for (Tensor type : randomTypes(3))
    types.push_back(type);
  const char *names[] = {"tpu.Custom", "tpu.GenericCpu"};
  Operation *made =
      op(draw.oneOf(names), operandsWithScratch({pick(), pick()}), types);
  for (Value result : made->getResults())
    add(result);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Value ModuleGenerator::reshape(Value value, Tensor type) {
  const char *names[] = {"tpu.Reshape", "tpu.Unsqueeze", "tpu.Squeeze"};
  Value view = op(draw.oneOf(names), value, type)->getResult(0);
  addView(view, value, true);
  return view;
}

void ModuleGenerator::reshapes() {
  Value value = pick();
  for (int64_t i = draw.between(1, 3); i > 0; --i)
    value = reshape(value, sameElements(cast<Tensor>(value.getType())));
}

/// Mostly one run of the operand's bytes, sometimes not.
void ModuleGenerator::slice() {
  Value input = pick();
  auto type = cast<Tensor>(input.getType());
  int64_t dim = 0;
  while (dim + 1 < type.getRank() &&
         (type.getDimSize(dim) == 1 || draw.chance(10)))
    ++dim;
  int64_t size = type.getDimSize(dim);
  int64_t from = draw.between(0, size - 1);
  int64_t length = draw.between(1, size - from);
  int64_t step = draw.chance(10) && length > 1 ? 2 : 1;
  SmallVector<int64_t> dims(type.getShape()), offset(type.getRank(), 0),
      steps(type.getRank(), 1), ends(type.getShape());
  dims[dim] = (length + step - 1) / step;
  offset[dim] = draw.chance(30) ? from - size : from;
  ends[dim] = from + length;
  steps[dim] = step;
  Value nothing = none();
  Value result = op("tpu.Slice", {input, nothing, nothing, nothing, nothing},
                    Tensor::get(dims, type.getElementType()),
                    {attr("axes", builder.getI64ArrayAttr({})),
                     attr("ends", builder.getI64ArrayAttr(ends)),
                     attr("offset", builder.getI64ArrayAttr(offset)),
                     attr("steps", builder.getI64ArrayAttr(steps))})
                     ->getResult(0);
  addView(result, input, false);
}

void ModuleGenerator::identity() {
  Values operands;
  for (int64_t i = draw.between(1, 3); i > 0; --i)
    operands.push_back(pick());
  bool counts = operands.size() == 1 && draw.chance(30);
  Operation *made = op(counts ? "tpu.AutoIncrease" : "tpu.Identity", operands,
                       ValueRange(operands).getTypes());
  for (auto [view, of] : llvm::zip(made->getResults(), operands))
    addView(view, of, true);
}

Value ModuleGenerator::weightAsActivation() {
  Value source = weight(randomType());
  Value view =
      op("tpu.Weight2Activation", source, source.getType())->getResult(0);
  addView(view, source, true);
  return view;
}

//===----------------------------------------------------------------------===//
// Merges and updates
//===----------------------------------------------------------------------===//

/// A concat that emits nothing: its operands are different pieces of storage,
/// none of them a weight, a part of something, or merged elsewhere.
bool ModuleGenerator::mergedConcat() {
  SmallVector<Type> elements = {builder.getF32Type(), builder.getI32Type()};
  if (!shape.fourN)
    elements.append({builder.getF16Type(), builder.getI8Type(),
                     builder.getI8Type(), builder.getIntegerType(4)});
  Type element = draw.oneOf(elements);
  const int64_t widths[] = {2, 30, 250, 1024, 4096};
  int64_t width = draw.oneOf(widths), height = 0;
  bool hasBatch = draw.chance(70);
  auto typeOf = [&](int64_t rows) {
    return hasBatch ? Tensor::get({1, rows, width}, element)
                    : Tensor::get({rows, width}, element);
  };
  Values pieces;
  llvm::SmallPtrSet<Storage *, 4> taken;
  for (int64_t i = draw.between(2, 4); i > 0; --i) {
    Tensor type = typeOf(draw.between(1, 5));
    std::optional<Value> old = pickOfType(type);
    Value piece = old && isFresh(*old) ? *old : produce(type);
    if (!isFresh(piece) || taken.count(known[piece].storage.get()))
      piece = compute(type);
    taken.insert(known[piece].storage.get());
    pieces.push_back(piece);
    height += type.getDimSize(hasBatch);
  }
  // Making a piece may have merged an earlier one into something else.
  if (!llvm::all_of(pieces, [&](Value piece) { return isFresh(piece); }))
    return false;
  for (Value piece : pieces)
    known[piece].storage->isMerged = true;
  auto axis = IntegerAttr::get(
      IntegerType::get(builder.getContext(), 32, IntegerType::Signed),
      draw.chance(20) ? -2 : int64_t(hasBatch));
  Value whole =
      op("tpu.Concat", pieces, typeOf(height),
         {attr("axis", axis), attr("only_merge", builder.getBoolAttr(true))})
          ->getResult(0);
  add(whole);
  return true;
}

/// Ops that may overwrite their first operand.
void ModuleGenerator::update() {
  Value state = pick();
  Value news = draw.chance(20) ? state : pick();
  Operation *made = draw.chance(60)
                        ? op("tpu.Insert", operandsWithScratch({state, news}),
                             state.getType())
                        : op("tpu.ConcatSlice", {state, news}, state.getType());
  add(made->getResult(0));
}

void ModuleGenerator::runningStatistics() {
  Value mean = pick(), variance = draw.chance(20) ? mean : pick();
  Value x = pick();
  Operation *made = op("tpu.BatchNormTrain", {x, mean, variance},
                       {x.getType(), mean.getType(), variance.getType(),
                        mean.getType(), variance.getType()});
  for (Value result : made->getResults())
    add(result);
}

} // namespace tpu_mlir::test
