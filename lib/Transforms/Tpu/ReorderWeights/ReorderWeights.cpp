//===- ReorderWeights.cpp - Store coefficients in the chip's order --------===//
//
// The pass: permutes the numbers of convolution weights and puts the new ones
// beside the old.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h"

#include "lib/Transforms/Tpu/ReorderWeights/PackCoefficients.h"
#include "lib/Transforms/Tpu/ReorderWeights/ReorderScales.h"
#include "lib/Transforms/Tpu/WeightFile/WeightFile.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Quantization/Scheme.h"

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
  const bool hasIntegers =
      quantization::schemeOf(spec->requantBytes).has_value();
  if (spec->batchLayout == target::BatchLayout::OneN)
    module.walk([&](Operation *op) {
      if (hasIntegers)
        packCoefficients(op, *spec, numbers.get());
      reorderScales(op, *spec, numbers.get());
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
