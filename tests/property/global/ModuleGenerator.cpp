//===- ModuleGenerator.cpp - Ops, values and the network around them ------===//

#include "tests/property/global/ModuleGenerator.h"

#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

#include <cstdlib>

using namespace mlir;

namespace tpu_mlir::test {

Location ModuleGenerator::newName() {
  return NameLoc::get(builder.getStringAttr("v" + Twine(names++)));
}

Operation *ModuleGenerator::op(StringRef name, ValueRange operands,
                               TypeRange results,
                               ArrayRef<NamedAttribute> attributes,
                               unsigned regions) {
  OperationState state(newName(), name);
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttributes(attributes);
  for (unsigned i = 0; i < regions; ++i)
    state.addRegion();
  --opsLeft;
  return builder.create(state);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type ModuleGenerator::randomElement() {
  Type i8 = builder.getI8Type(), f32 = builder.getF32Type();
  Type elements[] = {
      f32,
      f32,
      builder.getF16Type(),
      builder.getBF16Type(),
      i8,
      builder.getIntegerType(8, /*isSigned=*/false),
      builder.getIntegerType(16),
      builder.getI32Type(),
      builder.getIntegerType(4),
      quant::UniformQuantizedType::get(quant::QuantizationFlags::Signed, i8,
                                       f32, 0.5, 0, -128, 127)};
  return draw.oneOf(elements);
}

RankedTensorType ModuleGenerator::randomType() {
  if (shape.huge && hugeLeft > 0 && draw.chance(2)) {
    --hugeLeft;
    return Tensor::get({1, draw.between(4, 5), int64_t(1) << 30},
                       builder.getI8Type());
  }
  SmallVector<int64_t> dims;
  const int64_t inner[] = {1, 3, 16, 100, 256, 1000, 1024, 4096};
  const int64_t outer[] = {1, 1, 1, 2, 3, 4, 5, 8};
  for (int64_t rank = draw.between(0, 3); rank > 0; --rank)
    dims.push_back(draw.oneOf(outer));
  dims.push_back(draw.oneOf(inner));
  return Tensor::get(dims, randomElement());
}

SmallVector<RankedTensorType> ModuleGenerator::randomTypes(int64_t atMost) {
  SmallVector<Tensor> types;
  for (int64_t i = draw.between(1, atMost); i > 0; --i)
    types.push_back(types.size() && draw.chance(30) ? types.front()
                                                    : randomType());
  return types;
}

/// The same number of elements under another shape.
RankedTensorType ModuleGenerator::sameElements(Tensor type) {
  SmallVector<int64_t> dims(type.getShape());
  int64_t count = type.getNumElements();
  switch (draw.between(0, 3)) {
  case 0:
    dims = {count};
    break;
  case 1:
    dims.insert(dims.begin(), 1);
    break;
  case 2:
    std::reverse(dims.begin(), dims.end());
    break;
  default:
    dims = count % 2 == 0 ? SmallVector<int64_t>{1, 2, count / 2}
                          : SmallVector<int64_t>{1, count};
  }
  return Tensor::get(dims, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void ModuleGenerator::add(Value value) {
  scope.push_back(value);
  known[value] = {std::make_shared<Storage>(), true};
}

void ModuleGenerator::addView(Value view, Value of, bool isWhole) {
  scope.push_back(view);
  Known source = known[of];
  known[view] = {source.storage, source.isWhole && isWhole};
}

bool ModuleGenerator::isFresh(Value value) const {
  auto found = known.find(value);
  if (found == known.end())
    return false;
  const Known &facts = found->second;
  return facts.isWhole && !facts.storage->isWeight && !facts.storage->isMerged;
}

Value ModuleGenerator::none() {
  return op("top.None", {}, builder.getNoneType())->getResult(0);
}

Value ModuleGenerator::weight(Tensor type, bool hasStoreMode) {
  SmallVector<NamedAttribute> attributes;
  const char *contents[] = {"AAAA", "BBBB", "CCCC"};
  if (draw.chance(40))
    attributes.push_back(
        attr("inline_bytes", builder.getStringAttr(draw.oneOf(contents))));
  if (hasStoreMode && draw.chance(5))
    attributes.push_back(attr(
        "store_mode", builder.getStringAttr(draw.chance(50) ? "2N" : "4N")));
  Value value = op("top.Weight", {}, type, attributes)->getResult(0);
  auto storage = std::make_shared<Storage>();
  storage->isWeight = true;
  known[value] = {storage, true};
  return value;
}

Value ModuleGenerator::scratch() {
  bool inL2 = shape.l2Scratch && draw.chance(30);
  Tensor type =
      Tensor::get({draw.between(1, inL2 ? 4096 : 20000)}, builder.getI8Type());
  auto kind = inL2 ? tpu::BufferType::L2 : tpu::BufferType::GMEM;
  return op("tpu.Buffer", {}, type,
            attr("buffer_type",
                 tpu::BufferTypeAttr::get(builder.getContext(), kind)))
      ->getResult(0);
}

/// Mostly something new, sometimes something old.
Value ModuleGenerator::pick() {
  if (scope.empty())
    return compute(randomType());
  int64_t last = scope.size() - 1;
  int64_t back = draw.chance(70) ? std::min<int64_t>(last, 5) : last;
  return scope[last - draw.between(0, back)];
}

std::optional<Value> ModuleGenerator::pickOfType(Tensor type) {
  Values fitting;
  for (Value value : scope)
    if (value.getType() == type)
      fitting.push_back(value);
  if (fitting.empty())
    return std::nullopt;
  return draw.oneOf(fitting);
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

void ModuleGenerator::makeEntry(StringRef name) {
  SmallVector<Type> argumentTypes;
  SmallVector<Location> places;
  for (int64_t i = draw.between(1, 4); i > 0; --i)
    argumentTypes.push_back(randomType());
  builder.setInsertionPointToEnd(module.getBody());
  auto main =
      func::FuncOp::create(builder, newName(), name,
                           builder.getFunctionType(argumentTypes, TypeRange()));
  Block *body = main.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  for (BlockArgument argument : body->getArguments()) {
    // Without a use; read by ops directly; read as two inputs.
    int64_t kind = draw.between(1, 100);
    if (kind <= 5)
      continue;
    if (kind <= 15)
      add(argument);
    for (int64_t i = kind <= 15 ? 0 : kind <= 20 ? 2 : 1; i > 0; --i)
      add(op("top.Input", argument, argument.getType())->getResult(0));
  }
  while (opsLeft > 0)
    anyOp();
  Values returned;
  for (int64_t i = draw.between(1, 4); i > 0; --i)
    returned.push_back(draw.chance(80) ? pick() : draw.oneOf(scope));
  if (draw.chance(10))
    returned.push_back(returned.front());
  func::ReturnOp::create(builder, newName(), returned);
  main.setFunctionType(
      builder.getFunctionType(argumentTypes, ValueRange(returned).getTypes()));
}

void ModuleGenerator::makeNetwork() {
  opsLeft = draw.between(shape.ops / 2, shape.ops);
  makeEntry("main");
  // One that nothing calls is run like main, after it.
  if (draw.chance(5)) {
    scope.clear();
    opsLeft = 10;
    makeEntry("other");
  }
}

OwningOpRef<ModuleOp> randomModule(MLIRContext &context, uint64_t seed,
                                   const ModuleShape &shape) {
  Draw draw(seed * 7919 + 17);
  OpBuilder builder(&context);
  auto named = [&](const char *name) {
    return ModuleOp::create(builder, builder.getUnknownLoc(), StringRef(name));
  };
  OwningOpRef<ModuleOp> outer = named("net");
  int64_t inner = draw.chance(30) ? draw.between(1, 2) : 0;
  if (inner == 0)
    ModuleGenerator(*outer, draw, shape).makeNetwork();
  for (int64_t i = 0; i < inner; ++i) {
    builder.setInsertionPointToEnd(outer->getBody());
    ModuleOp device = named(i == 0 ? "device0" : "device1");
    ModuleGenerator(device, draw, shape).makeNetwork();
  }
  return outer;
}

uint64_t seedCount(uint64_t usual) {
  const char *wanted = std::getenv("TPU_MEMORY_SEEDS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : usual;
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->allowUnregisteredDialects();
  return context;
}

} // namespace tpu_mlir::test
