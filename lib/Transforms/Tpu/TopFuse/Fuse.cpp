//===- Fuse.cpp - Run the fusion patterns ---------------------------------===//
//
// Rounds of the families, moves before the second one and ReLU last; weights
// that nothing reads any more are erased.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/TopFuse/Fuse.h"

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tpu_mlir::fusion {

/// What one rewrite makes possible for those after it is done in its round;
/// another one finds nothing, as a rule.
static constexpr unsigned kMostRounds = 8;

using Family = void (*)(RewritePatternSet &, WeightValues &);

/// Rewrites with the patterns of these families until none applies. Only the
/// layers of Top are looked at: what else a module has is nobody's to tidy up.
static void rewrite(ModuleOp module, WeightValues &weights,
                    ArrayRef<Family> families) {
  RewritePatternSet patterns(module.getContext());
  for (Family family : families)
    family(patterns, weights);
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  config.setScope(&module.getBodyRegion());
  const FrozenRewritePatternSet frozen(std::move(patterns));
  bool changed = true;
  for (unsigned round = 0; changed && round < kMostRounds; ++round) {
    SmallVector<Operation *> layers;
    module.walk([&](Operation *op) {
      if (!layerName(op).empty())
        layers.push_back(op);
    });
    // The last one is taken first.
    std::reverse(layers.begin(), layers.end());
    (void)applyOpPatternsGreedily(layers, frozen, config, &changed);
  }
}

static SmallVector<Operation *> readWeights(ModuleOp module) {
  SmallVector<Operation *> read;
  module.walk([&](top::WeightOp weight) {
    if (!weight->use_empty())
      read.push_back(weight);
  });
  return read;
}

void fuseTop(ModuleOp module, WeightValues &weights) {
  const SmallVector<Operation *> read = readWeights(module);
  // Moves before the second round take away what stood between layers; relus
  // come last, as with them layers are no longer what patterns look for.
  const Family functions[] = {addActivations, addNorms, addRotations,
                              addPixelShuffles};
  rewrite(module, weights, functions);
  rewrite(module, weights, addMoves);
  rewrite(module, weights, functions);
  rewrite(module, weights, {addAffine, addPads});
  rewrite(module, weights, addRelus);
  // Patterns never erase weights, so that all of these are still there.
  for (Operation *weight : read)
    if (weight->use_empty())
      weight->erase();
  // Those that were made on the way and taken over again.
  module.walk([&](top::WeightOp weight) {
    if (weight->use_empty() && weights.isNew(weight))
      weight->erase();
  });
}

void fuseTop(ModuleOp module, std::vector<execution::NpyArray> &arrays) {
  WeightValues weights(module, std::move(arrays));
  fuseTop(module, weights);
  arrays = weights.take();
}

} // namespace tpu_mlir::fusion
