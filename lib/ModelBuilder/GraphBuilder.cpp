//===- GraphBuilder.cpp - The module around the layers --------------------===//

#include "tpu_mlir/ModelBuilder/GraphBuilder.h"
#include "Layer.h"

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tpu_mlir {

static void setTexts(ModuleOp module, Builder &builder,
                     ArrayRef<std::pair<StringRef, std::string>> texts) {
  for (const auto &[name, text] : texts)
    module->setAttr(name, builder.getStringAttr(text));
}

static void setTopAttributes(ModuleOp module, Builder &builder,
                             StringRef network) {
  setTexts(
      module, builder,
      {{"module.chip", "ALL"},
       {"module.state", "TOP_F32"},
       {"module.weight_file", (network + "_top_f32_all_weight.npz").str()}});
}

static void setTpuAttributes(ModuleOp module, Builder &builder,
                             StringRef network) {
  setTexts(module, builder,
           {{"module.addr_mode", "basic"},
            {"module.chip", "bm1684x"},
            {"module.mode", "F32"},
            {"module.state", "TPU_LOWERED"},
            {"module.weight_file",
             (network + "_tpu_lowered_bm1684x_f32_weight.npz").str()}});
  for (StringRef flag :
       {"module.asymmetric", "module.high_precision", "module.q_symmetric"})
    module->setAttr(flag, builder.getBoolAttr(false));
  module->setAttr("module.cores", builder.getI64IntegerAttr(1));
  module->setAttr("module.devices", builder.getI64IntegerAttr(1));
  module->setAttr("module.q_group_size", builder.getI64IntegerAttr(0));
}

GraphBuilder::GraphBuilder(MLIRContext &context, StringRef network, Level level,
                           StringRef platform)
    : builder(&context), level(level) {
  context.loadDialect<func::FuncDialect, top::TopDialect, tpu::TpuDialect>();
  Location unknown = builder.getUnknownLoc();
  module = ModuleOp::create(unknown, network);
  (*module)->setAttr("module.platform", builder.getStringAttr(platform));
  (*module)->setAttr("module.top_run_mode", builder.getStringAttr("STATIC"));
  level == Level::Top ? setTopAttributes(*module, builder, network)
                      : setTpuAttributes(*module, builder, network);

  builder.setInsertionPointToEnd(module->getBody());
  // The type follows in finish(), when inputs and outputs are known.
  auto function = func::FuncOp::create(builder, unknown, "main",
                                       builder.getFunctionType({}, {}));
  body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  none = top::NoneOp::create(builder, unknown, builder.getNoneType(),
                             ValueRange());
}

void GraphBuilder::fuseRelus() {
  if (level == Level::Top)
    return;
  for (Operation &op : llvm::make_early_inc_range(*body)) {
    const bool isRelu = op.getName().getStringRef() == "tpu.Relu";
    Operation *made = isRelu ? op.getOperand(0).getDefiningOp() : nullptr;
    auto own = made ? made->getAttrOfType<BoolAttr>("do_relu") : BoolAttr();
    if (!own || own.getValue() || !made->getResult(0).hasOneUse())
      continue;
    made->setAttr("do_relu", BoolAttr::get(op.getContext(), true));
    made->setAttr("relu_limit", op.getAttr("relu_limit"));
    made->setLoc(op.getLoc());
    op.getResult(0).replaceAllUsesWith(made->getResult(0));
    op.erase();
  }
}

OwningOpRef<ModuleOp> GraphBuilder::finish(ValueRange outputs, bool fuses) {
  func::ReturnOp::create(builder, builder.getUnknownLoc(), outputs);
  if (fuses)
    fuseRelus();
  auto function = cast<func::FuncOp>(body->getParentOp());
  Operation *end = body->getTerminator();
  function.setFunctionType(builder.getFunctionType(body->getArgumentTypes(),
                                                   end->getOperandTypes()));
  return std::move(module);
}

GraphBuilder::Shape GraphBuilder::shapeOf(Value value) {
  return Shape(cast<RankedTensorType>(value.getType()).getShape());
}

//===----------------------------------------------------------------------===//
// Inputs and weights
//===----------------------------------------------------------------------===//

Value GraphBuilder::argument(const Twine &name, Dims shape, Type outside,
                             Type inside) {
  Value argument = body->addArgument(RankedTensorType::get(shape, outside),
                                     builder.getUnknownLoc());
  return top::InputOp::create(builder, named(name),
                              RankedTensorType::get(shape, inside), argument,
                              attributes().flag("do_preprocess", false).get());
}

Value GraphBuilder::input(const Twine &name, Dims shape) {
  return argument(name, shape, builder.getF32Type(), builder.getF32Type());
}

Value GraphBuilder::indexInput(const Twine &name, Dims shape) {
  Type whole = builder.getIntegerType(32, /*isSigned=*/true);
  return argument(name, shape, whole, indexType(whole));
}

Value GraphBuilder::input(const Twine &name, Dims shape, Type outside) {
  return argument(name, shape, outside, indexType(outside));
}

Value GraphBuilder::weight(const Twine &name, Dims shape) {
  return top::WeightOp::create(builder, named(name), tensor(shape),
                               ValueRange());
}

Value GraphBuilder::indexWeight(const Twine &name, Dims shape) {
  Type element = indexType(builder.getI32Type());
  return top::WeightOp::create(builder, named(name),
                               RankedTensorType::get(shape, element),
                               ValueRange());
}

Type GraphBuilder::indexType(Type whole) {
  return level == Level::Top ? builder.getF32Type() : whole;
}

//===----------------------------------------------------------------------===//
// What every layer needs
//===----------------------------------------------------------------------===//

Value GraphBuilder::append(const Twine &name, Dims shape, const Layer &layer) {
  bool isTop = level == Level::Top;
  OperationState state(named(name), isTop ? layer.topOp : layer.tpuOp);
  state.addOperands(layer.operands);
  state.addTypes(tensor(shape));
  state.addAttributes(layer.common);
  if (!isTop) {
    state.addOperands(SmallVector<Value>(layer.noneCount, none));
    for (NamedAttribute attribute : layer.tpuOnly)
      state.attributes.set(attribute.getName(), attribute.getValue());
  }
  return builder.create(state)->getResult(0);
}

Operation *GraphBuilder::layer(StringRef op, ArrayRef<std::string> names,
                               ArrayRef<Value> operands, TypeRange types,
                               ArrayRef<NamedAttribute> attributes) {
  SmallVector<Location> locations;
  for (const std::string &name : names)
    locations.push_back(named(name));
  OperationState state(locations.size() == 1 ? locations.front()
                                             : builder.getFusedLoc(locations),
                       op);
  for (Value operand : operands)
    state.operands.push_back(operand ? operand : none);
  state.addTypes(types);
  state.addAttributes(attributes);
  return builder.create(state);
}

GraphBuilder::Attributes GraphBuilder::attributes() {
  return Attributes(builder);
}

Location GraphBuilder::named(const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name));
}

Type GraphBuilder::tensor(Dims shape) {
  return RankedTensorType::get(shape, builder.getF32Type());
}

} // namespace tpu_mlir
