//===- ReorderWeights.cpp - Store coefficients in the chip's order --------===//
//
// The pass: permutes the numbers of convolution weights and puts the new ones
// beside the old.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h"

#include "lib/Transforms/Tpu/ReorderWeights/BlockFilters.h"
#include "lib/Transforms/Tpu/ReorderWeights/PackCoefficients.h"
#include "lib/Transforms/Tpu/ReorderWeights/PackFloat8.h"
#include "lib/Transforms/Tpu/ReorderWeights/ReorderScales.h"
#include "lib/Transforms/Tpu/WeightFile/WeightFile.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"

using namespace mlir;

namespace tpu_mlir {

using namespace reorder_weights;

using namespace weight_files;

#define GEN_PASS_DEF_REORDERWEIGHTS
#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h.inc"

namespace {

class ReorderWeightsPass : public impl::ReorderWeightsBase<ReorderWeightsPass> {
public:
  using ReorderWeightsBase::ReorderWeightsBase;
  ReorderWeightsPass(const ReorderWeightsOptions &options,
                     std::shared_ptr<quantization::WeightStore> weights)
      : ReorderWeightsBase(options), numbers(std::move(weights)) {}

  void runOnOperation() override {
    if (failed(reorder(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult reorder(ModuleOp module);

  std::shared_ptr<quantization::WeightStore> numbers;
};

} // namespace

/// Of chips that store four images in a slot it is not known.
static bool hasOrder(const target::ChipSpec &chip) {
  return chip.batchLayout == target::BatchLayout::OneN;
}

Reordering reorder_weights::reorderingOf(ModuleOp module,
                                         const target::ChipSpec &chip) {
  Reordering found = Reordering::None;
  if (hasOrder(chip))
    module.walk([&](Operation *op) {
      if (hasFactors(op, chip) || hasFloat8Filter(op, chip) ||
          hasScalesInRows(op)) {
        found = Reordering::Numbers;
        return WalkResult::interrupt();
      }
      auto weight = dyn_cast<top::WeightOp>(op);
      if (weight && hasPlainFilter(weight, chip))
        found = Reordering::Types;
      return WalkResult::advance();
    });
  return found;
}

LogicalResult ReorderWeightsPass::reorder(ModuleOp module) {
  auto spec = resolveChip(module, chip, chipFile);
  if (failed(spec))
    return failure();
  if (!weightsOut.empty() && weights.empty() && !numbers)
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          "'weights-out' needs 'weights': there are no numbers "
                          "to write");
  if (!numbers && !weights.empty()) {
    auto opened = openWeights(module, weights);
    if (failed(opened))
      return failure();
    numbers = *opened;
  }
  if (hasOrder(*spec))
    module.walk([&](Operation *op) {
      packCoefficients(op, *spec, numbers.get());
      packFloat8(op, *spec, numbers.get());
      reorderScales(op, *spec, numbers.get());
      if (auto weight = dyn_cast<top::WeightOp>(op))
        blockFilter(weight, *spec, numbers.get());
    });
  return weightsOut.empty() ? success()
                            : writeWeights(module, *numbers, weightsOut);
}

std::unique_ptr<Pass>
createReorderWeights(const ReorderWeightsOptions &options,
                     std::shared_ptr<quantization::WeightStore> weights) {
  return std::make_unique<ReorderWeightsPass>(options, std::move(weights));
}

} // namespace tpu_mlir
