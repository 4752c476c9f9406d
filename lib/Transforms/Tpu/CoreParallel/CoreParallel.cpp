//===- CoreParallel.cpp - Layers in pieces, one a core --------------------===//

#include "lib/Transforms/Tpu/CoreParallel/CoreParallel.h"

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "lib/Analysis/Local/Layers/CutOperand.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Choice.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/LayerPlanning/CostModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_COREPARALLEL
#include "lib/Transforms/Tpu/CoreParallel/CoreParallel.h.inc"

using namespace grouping;

namespace {

/// Puts one op into pieces.
class Divider {
public:
  Divider(Operation *op, const CoreCut &cut)
      : op(op), cut(cut), length(typeOf(op->getResult(0)).getDimSize(cut.dim)),
        builder(op) {}

  void run() {
    OperationState state(op->getLoc(), tpu::CoreParallelOp::getOperationName());
    state.addOperands(activations());
    state.addTypes(withoutAddress(op->getResult(0).getType()));
    state.addAttribute("offset", builder.getI64IntegerAttr(0));
    state.addAttribute("size", builder.getI64IntegerAttr(cut.pieces));
    state.addRegion()->push_back(new Block());
    Operation *parallel = builder.create(state);
    builder.setInsertionPointToStart(&parallel->getRegion(0).front());
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      splits.push_back(splitOf(i));
    SmallVector<Value> made;
    for (int64_t piece = 0; piece < cut.pieces; ++piece)
      made.push_back(addPiece(piece));
    const Value joined =
        create(tpu::CoreJoinOp::getOperationName(), op->getLoc(), made,
               withoutAddress(op->getResult(0).getType()), cut.dim)
            ->getResult(0);
    OperationState yield(op->getLoc(), tpu::YieldOp::getOperationName());
    yield.addOperands(joined);
    builder.create(yield);
    op->replaceAllUsesWith(parallel);
    op->erase();
  }

private:
  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(withoutAddress(value.getType()));
  }
  Type pieceOf(Value whole, int64_t dim, int64_t piece) const {
    const RankedTensorType type = typeOf(whole);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = std::min(cut.length, length - piece * cut.length);
    return type.clone(shape);
  }
  Location named(Value value, int64_t piece) {
    return NameLoc::get(
        builder.getStringAttr(valueName(value) + "_" + std::to_string(piece)));
  }

  /// What the region reads from outside, but for weights.
  SmallVector<Value> activations() const {
    llvm::SetVector<Value> values;
    for (Value operand : op->getOperands())
      if (!isa<NoneType>(operand.getType()) && !isWeight(operand))
        values.insert(operand);
    return values.takeVector();
  }

  Operation *create(StringRef name, Location location, ValueRange operands,
                    TypeRange types, int64_t axis) {
    OperationState state(location, name);
    state.addOperands(operands);
    state.addTypes(types);
    state.addAttribute("axis", builder.getSI32IntegerAttr(int32_t(axis)));
    return builder.create(state);
  }

  /// Null for an operand that is read as a whole. What two operands read in
  /// the same way has one split.
  Operation *splitOf(unsigned index) {
    const auto dimOf = [&](unsigned operand) {
      return std::get<PartOf>(cutOperand(op, operand, cut.dim));
    };
    const PartOf dim = dimOf(index);
    if (!dim)
      return nullptr;
    const Value whole = op->getOperand(index);
    for (unsigned other = 0; other < index; ++other)
      if (op->getOperand(other) == whole && dimOf(other) == dim)
        return splits[other];
    SmallVector<Type> types;
    for (int64_t piece = 0; piece < cut.pieces; ++piece)
      types.push_back(pieceOf(whole, *dim, piece));
    return create(tpu::CoreSplitOp::getOperationName(),
                  NameLoc::get(builder.getStringAttr(valueName(whole))), whole,
                  types, *dim);
  }

  Value addPiece(int64_t piece) {
    Operation *copy = builder.clone(*op);
    for (auto [operand, split] : llvm::enumerate(splits))
      if (split)
        copy->setOperand(operand, split->getResult(piece));
    copy->setLoc(named(op->getResult(0), piece));
    copy->getResult(0).setType(pieceOf(op->getResult(0), cut.dim, piece));
    return copy->getResult(0);
  }

  Operation *op;
  const CoreCut cut;
  const int64_t length;
  OpBuilder builder;
  std::vector<Operation *> splits; ///< By operand.
};

class CoreParallelPass : public impl::CoreParallelBase<CoreParallelPass> {
public:
  using CoreParallelBase::CoreParallelBase;

  void runOnOperation() override {
    if (failed(chooseByWord(getOperation().getLoc(), "objective", objective,
                            layer::kObjectives, minimised)))
      return signalPassFailure();
    for (ModuleOp module : functionModules(getOperation())) {
      FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
      if (failed(spec))
        return signalPassFailure();
      if (spec->usedCores == 1)
        continue;
      FailureOr<int64_t> l2Bytes = openL2Bytes(module, *spec);
      if (failed(l2Bytes))
        return signalPassFailure();
      for (auto function : module.getOps<func::FuncOp>())
        if (!isDynamicFunction(function))
          for (Block &block : function.getBody())
            divide(block, *spec, l2 ? *l2Bytes : 0);
    }
  }

private:
  layer::Objective minimised = layer::Objective::Balanced;

  void divide(Block &block, const target::ChipSpec &spec, int64_t l2Bytes) {
    BlockLayers layers = buildLayers(block, spec);
    expectL2(layers, l2Bytes);
    if (minimised == layer::Objective::Traffic)
      layer::readEachOperandOnce(layers.graph);
    for (size_t i = 0; i < layers.ops.size(); ++i)
      if (layer::isDivided(layers.graph, layer::LayerId(i), spec))
        Divider(layers.ops[i], *coreCutOf(layers.ops[i], spec.usedCores)).run();
  }
};

} // namespace

} // namespace tpu_mlir
