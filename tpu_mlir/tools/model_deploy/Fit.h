//===- Fit.h - The least memory that a network can do with ------*- C++ -*-===//
//
//     bytes
//     ^ o as it is                 Each row is a module: what is done to get
//     |   o order                  there, what it needs and what it costs. The
//     |     o group                search goes down from row to row by the
//     change |        o keep 'a'          that costs the fewest cycles for a
//     byte. |             o again 'b' | - - - - - - - - - - -      No way leads
//     below: inputs and outputs alone.
//     +-------------------> cycles
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_FIT_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_FIT_H

#include "tpu_mlir/tools/model_deploy/Recipe.h"

namespace tpu_mlir::deploy {

/// A module that was made, and measured.
struct FitRow {
  Recipe recipe;
  /// What was changed last, for people.
  std::string step;
  /// Of activations: the neuron region (module.neuron_size).
  int64_t neuronBytes = 0;
  /// What --gmem-size has to be at least: all regions in global memory, weights
  /// included, as the board keeps them.
  int64_t totalBytes = 0;
  /// Of regions other than the neurons', not rounded up.
  int64_t otherBytes = 0;
  /// Of the cost model: groups, and layers outside of them.
  int64_t cycles = 0;
  int64_t movedBytes = 0;
  /// Multiply-adds and other operations, with all that is done twice.
  int64_t work = 0;
};

struct FitResult {
  /// From "as it is" down. Each later row needs no more than the one before;
  /// one that another one beats in bytes, cycles and work is left out (but for
  /// the first).
  std::vector<FitRow> rows;
  /// The row that was asked for: the first one within the budget, or the last.
  size_t chosen = 0;
  bool fits = false;
  /// Neuron bytes below which nothing leads: inputs and outputs that have to be
  /// there at one time.
  int64_t floorBytes = 0;
  /// The same of any order of the layers one by one, without local memory and
  /// without copies of ops.
  int64_t orderBoundBytes = 0;
  /// The same of recipes with layer groups: what the layer reads and makes that
  /// needs most of those that no group holds and nothing takes apart.
  int64_t layerBoundBytes = 0;
};

/// Looks for recipes that need less, from that of the command line on, until
/// `options.gmemBytes` are enough or nothing helps: on the way of the fewest
/// cycles for a byte, and if that does not do on that of the least work, and on
/// one from the last row there that has at most a tenth more work, without
/// more.
/// `module` is lowered and stays as it is. Each step tries up to fifteen
/// changes, all of which are run and measured; it ends with what it has when
/// `isAsked`, which is asked before each. Emits and fails where the first row
/// does. Deterministic but for that.
mlir::FailureOr<FitResult> findFit(mlir::ModuleOp module,
                                   const Options &options, bool keepsGroups,
                                   llvm::function_ref<bool()> isAsked);

/// Emits E001 where inputs, outputs and weights alone are too many bytes, else
/// E022: nothing that was found is small enough. Fails always.
mlir::LogicalResult refuseFit(mlir::Location location, const FitResult &result,
                              int64_t gmemBytes);

/// The table for people, with the bounds below it.
std::string renderFit(const FitResult &result);
/// The same for programs.
std::string renderFitJson(const FitResult &result);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_FIT_H
