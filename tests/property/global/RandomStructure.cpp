//===- RandomStructure.cpp - Groups, control flow, calls, cores -----------===//

#include "tests/property/global/ModuleGenerator.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tpu_mlir::test {

void ModuleGenerator::structureOp() {
  switch (draw.between(0, shape.unknownOps ? 5 : 4)) {
  case 0:
    branch(randomTypes(2));
    break;
  case 1:
    loop(randomTypes(2));
    break;
  case 2:
    partsInParallel(randomTypes(3));
    break;
  case 3:
    cores();
    break;
  case 5:
    unknownRegions(randomTypes(2));
    break;
  default:
    call(randomTypes(3));
  }
}

/// Runs `body` with the place of insertion in a new block of `region`; what it
/// makes goes out of scope with it.
template <typename Body>
void ModuleGenerator::inRegion(Region &region, Body body) {
  OpBuilder::InsertionGuard guard(builder);
  size_t visible = scope.size();
  ++depth;
  Block &block = region.emplaceBlock();
  builder.setInsertionPointToEnd(&block);
  body(block);
  --depth;
  scope.resize(visible);
}

/// A few ops, and then one value of each type: a new one, one from outside,
/// or the same twice.
SmallVector<Value> ModuleGenerator::bodyResults(ArrayRef<Tensor> types) {
  for (int64_t i = draw.between(0, 4); i > 0 && opsLeft > 0; --i)
    anyOp();
  Values results;
  for (Tensor type : types) {
    std::optional<Value> old = pickOfType(type);
    Value value;
    if (!results.empty() && results.front().getType() == type &&
        draw.chance(25))
      value = results.front();
    else if (old && draw.chance(40))
      value = *old;
    else
      value = produce(type);
    results.push_back(value);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Layer groups
//===----------------------------------------------------------------------===//

SmallVector<Value> ModuleGenerator::group(ArrayRef<Tensor> types) {
  Values outside;
  for (int64_t i = draw.between(1, 3); i > 0; --i)
    outside.push_back(pick());
  Values weights, buffers;
  if (draw.chance(50))
    weights.push_back(weight(randomType()));
  if (draw.chance(15))
    buffers.push_back(scratch());
  // Dumps list what a group loads as its operands; it may be one short.
  Values listed(outside);
  if (draw.chance(10))
    listed.pop_back();
  SmallVector<Type> resultTypes(types.begin(), types.end());
  Operation *made = op("tpu.Group", listed, resultTypes, {}, 1);
  inRegion(made->getRegion(0), [&](Block &) {
    Values local;
    for (Value value : outside)
      local.push_back(op("tpu.Load", value, value.getType())->getResult(0));
    for (Value value : weights)
      local.push_back(op("tpu.Load", value, value.getType())->getResult(0));
    for (int64_t i = draw.between(0, 3); i > 0; --i)
      local.push_back(
          op("tpu.Add", {draw.oneOf(local), draw.oneOf(local)}, randomType())
              ->getResult(0));
    Values stored;
    for (Tensor type : types) {
      Value result = op("tpu.Active", draw.oneOf(local), type)->getResult(0);
      Values operands = {result};
      operands.append(buffers);
      stored.push_back(op("tpu.Store", operands, type)->getResult(0));
    }
    op("tpu.Yield", stored, {});
  });
  Values results(made->getResults());
  for (Value result : results)
    add(result);
  return results;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> ModuleGenerator::branch(ArrayRef<Tensor> types) {
  Tensor flag = Tensor::get({1}, builder.getI32Type());
  std::optional<Value> old = pickOfType(flag);
  Value condition = old && draw.chance(70) ? *old : compute(flag);
  SmallVector<Type> resultTypes(types.begin(), types.end());
  Operation *made = op("tpu.If", condition, resultTypes, {}, 2);
  for (Region &region : made->getRegions())
    inRegion(region, [&](Block &) { op("tpu.Yield", bodyResults(types), {}); });
  Values results(made->getResults());
  for (Value result : results)
    add(result);
  return results;
}

SmallVector<Value> ModuleGenerator::loop(ArrayRef<Tensor> types) {
  Tensor flag = Tensor::get({1}, builder.getI32Type());
  Values operands = {weight(flag), draw.chance(50) ? none() : compute(flag)};
  for (Tensor type : types) {
    std::optional<Value> old = pickOfType(type);
    operands.push_back(old && draw.chance(50) ? *old : compute(type));
  }
  SmallVector<Type> resultTypes(types.begin(), types.end());
  Operation *made = op("tpu.Loop", operands, resultTypes, {}, 1);
  inRegion(made->getRegion(0), [&](Block &block) {
    block.addArgument(flag, newName());
    block.addArgument(operands[1].getType(), newName());
    for (Tensor type : types)
      block.addArgument(type, newName());
    for (BlockArgument argument : block.getArguments())
      if (isa<Tensor>(argument.getType()))
        add(argument);
    Values next = bodyResults(types);
    // A state that stays what it is.
    for (size_t i = 0; i < next.size(); ++i)
      if (draw.chance(15))
        next[i] = block.getArgument(i + 2);
    Value condition = block.getArgument(1);
    if (isa<Tensor>(condition.getType()) && draw.chance(70))
      condition = compute(flag);
    Values yielded = {condition};
    yielded.append(next);
    op("tpu.Yield", yielded, {});
  });
  Values results(made->getResults());
  for (Value result : results)
    add(result);
  return results;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

SmallVector<Value> ModuleGenerator::call(ArrayRef<Tensor> types) {
  Values operands;
  for (int64_t i = draw.between(0, 4); i > 0; --i)
    operands.push_back(draw.chance(10) ? none()
                       // A weight's footprint is not always that of its type.
                       : draw.chance(5) && !shape.fourN
                           ? weight(randomType(), /*hasStoreMode=*/false)
                           : pick());
  OpBuilder::InsertionGuard guard(builder);
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  SmallVector<Type> resultTypes(types.begin(), types.end());
  builder.setInsertionPointToEnd(module.getBody());
  std::string name = "subfunc_" + std::to_string(functions);
  auto function = func::FuncOp::create(
      builder, newName(), name,
      builder.getFunctionType(ValueRange(operands).getTypes(), resultTypes));
  const tpu::RunMode modes[] = {
      tpu::RunMode::TPU_STATIC,  tpu::RunMode::TPU_STATIC,
      tpu::RunMode::TPU_DYNAMIC, tpu::RunMode::CPU,
      tpu::RunMode::SWITCH,      tpu::RunMode::LOOP,
      tpu::RunMode::MERGE};
  function->setAttr(
      "mode", tpu::RunModeAttr::get(builder.getContext(), draw.oneOf(modes)));
  function->setAttr("id", builder.getI64IntegerAttr(functions++));
  function->setAttr("next_index", builder.getDenseI32ArrayAttr({-1}));

  std::vector<Value> callerScope;
  callerScope.swap(scope);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  for (auto [argument, operand] : llvm::zip(body->getArguments(), operands))
    if (isa<Tensor>(argument.getType()))
      addView(argument, operand, true);
  ++depth;
  Values returned = bodyResults(types);
  --depth;
  func::ReturnOp::create(builder, newName(), returned);
  scope.swap(callerScope);

  builder.restoreInsertionPoint(here);
  auto made = func::CallOp::create(builder, newName(), function, operands);
  Values results(made.getResults());
  for (auto [result, value] : llvm::zip(results, returned))
    addView(result, value, true);
  return results;
}

//===----------------------------------------------------------------------===//
// Several cores
//===----------------------------------------------------------------------===//

SmallVector<Value> ModuleGenerator::partsInParallel(ArrayRef<Tensor> types) {
  Values operands = {pick()};
  int64_t parts = std::min<int64_t>(draw.between(1, 3), types.size());
  SmallVector<Type> resultTypes(types.begin(), types.end());
  Operation *made = op("tpu.GroupParallel", operands, resultTypes, {}, parts);
  size_t first = 0;
  for (auto [i, region] : llvm::enumerate(made->getRegions())) {
    size_t count = int64_t(i) + 1 == parts ? types.size() - first : 1;
    inRegion(region, [&](Block &) {
      op("tpu.Yield", bodyResults(types.slice(first, count)), {});
    });
    first += count;
  }
  Values results(made->getResults());
  for (Value result : results)
    add(result);
  return results;
}

/// An op of which nothing is known: its regions may run in any way, and what
/// they yield may mean anything.
void ModuleGenerator::unknownRegions(ArrayRef<Tensor> types) {
  SmallVector<Type> resultTypes(types.begin(), types.end());
  Operation *made = op("tpu.AlsoFromTheFuture", {pick(), pick()}, resultTypes,
                       {}, draw.between(1, 2));
  for (Region &region : made->getRegions())
    inRegion(region, [&](Block &block) {
      if (draw.chance(50))
        add(block.addArgument(randomType(), newName()));
      op("tpu.Yield", bodyResults(randomTypes(2)), {});
    });
  for (Value result : made->getResults())
    add(result);
}

/// One layer on several cores: split, compute, join; or just some ops.
void ModuleGenerator::cores() {
  int64_t pieces = draw.between(2, 4), rows = draw.between(1, 3);
  int64_t width = draw.between(1, 40) * 50;
  Type element =
      draw.chance(50) ? Type(builder.getF32Type()) : Type(builder.getF16Type());
  // Columns of several rows are no runs of bytes.
  const bool isRows = draw.chance(70);
  Tensor whole = isRows ? Tensor::get({pieces * rows, width}, element)
                        : Tensor::get({rows, pieces * width}, element),
         part = Tensor::get({rows, width}, element);
  Value input = produce(whole);
  bool splits = !shape.fourN && draw.chance(80);
  Operation *made = op("tpu.CoreParallel", input, Type(whole), {}, 1);
  inRegion(made->getRegion(0), [&](Block &) {
    if (!splits) {
      op("tpu.Yield", bodyResults(whole), {});
      return;
    }
    SmallVector<Type> partTypes(pieces, part);
    auto attributes = {attr("axis", builder.getI64IntegerAttr(isRows ? 0 : 1)),
                       attr("size", builder.getI64IntegerAttr(pieces))};
    Operation *split = op("tpu.CoreSplit", input, partTypes, attributes);
    Values computed;
    for (Value value : split->getResults()) {
      for (int64_t i = draw.between(1, 3); i > 0; --i)
        value =
            op("tpu.Softmax", operandsWithScratch({value}), part)->getResult(0);
      computed.push_back(value);
    }
    Value joined =
        op("tpu.CoreJoin", computed, whole, attributes)->getResult(0);
    op("tpu.Yield", joined, {});
  });
  add(made->getResult(0));
}

} // namespace tpu_mlir::test
