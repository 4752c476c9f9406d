//===- FitBounds.cpp - What no recipe needs less than ---------------------===//
//
// Three sums: inputs and outputs that are there at one time; the layers one by
// one in any order; and the layers that no recipe takes apart, each with what
// it reads and makes.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/model_deploy/fit/FitMeasure.h"

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "lib/Transforms/Tpu/BlockProblem/BlockProblem.h"
#include "lib/Transforms/Tpu/Section/CutOps.h"
#include "lib/Transforms/Tpu/Updates/Updates.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"
#include "tpu_mlir/LayerPlanning/GroupPlan.h"
#include "tpu_mlir/Ordering/FindOrder.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/MapVector.h"

#include <set>

using namespace mlir;

namespace tpu_mlir::deploy {

namespace {

/// Where inputs and outputs of the network are, and what kernels do.
struct BoundCase {
  const target::ChipSpec &chip;
  std::string mode;
  /// They are among the neurons.
  bool isIoHere = false;
  bool kernelsInOrder = false;
};

/// Bytes of a network's inputs or outputs, storage that is shared once.
int64_t bytesOfStorage(const GlobalFacts &facts, ArrayRef<Value> values,
                       llvm::DenseSet<int64_t> &counted) {
  int64_t bytes = 0;
  for (Value value : values) {
    const ValueStorage &storage = *facts.aliases.lookup(value);
    if (counted.insert(storage.classId).second)
      bytes = saturatedAdd(bytes, storage.sizeBytes);
  }
  return bytes;
}

} // namespace

/// All inputs are there before the first op, all outputs after the last.
static int64_t pinnedBytes(const GlobalFacts &facts, StringRef mode) {
  llvm::DenseSet<int64_t> counted;
  const int64_t inputs = bytesOfStorage(facts, facts.inputs, counted);
  if (mode == "in_reuse") {
    llvm::DenseSet<int64_t> again;
    return std::max(inputs, bytesOfStorage(facts, facts.outputs, again));
  }
  return saturatedAdd(inputs, bytesOfStorage(facts, facts.outputs, counted));
}

/// The most that any order of the ops of one function needs at least.
static int64_t orderBound(const GlobalFacts &facts,
                          const reorder::TensorRules &rules) {
  int64_t bound = 0;
  for (func::FuncOp function : facts.schedule.functions()) {
    if (!function.getBody().hasOneBlock())
      continue;
    const reorder::BlockProblem block =
        reorder::makeBlockProblem(function, facts, rules);
    if (checkProblem(block.problem).empty())
      bound = std::max(bound, ordering::lowerBound(block.problem, {}));
  }
  return bound;
}

/// By itself in no grid of sections that groups are looked for with.
static bool fitsNoGroup(const grouping::BlockLayers &layers, layer::LayerId id,
                        const target::ChipSpec &chip) {
  if (!layers.graph.layers[id].isLocal())
    return true;
  layer::GroupOptions options;
  options.objective = layer::Objective::Traffic;
  options.maxRecomputePercent = 1'000'000;
  const auto draft =
      layer::GroupPlanner(layers.graph, chip, options).draft({id});
  const auto *refusal = std::get_if<layer::GroupRefusal>(&draft);
  // A group of one layer is never cheaper than the layer.
  return refusal && !refusal->isNotCheaper &&
         refusal->needBytes > refusal->haveBytes;
}

/// Neither parts through global memory nor a result over an operand make less
/// of what the op needs.
static bool isWhole(Operation *op, const BoundCase &where) {
  if (op->getNumRegions() > 0 || isa<CallOpInterface>(op) ||
      op->hasTrait<InPlaceOpInterface::Trait>())
    return false;
  for (Value result : op->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (const auto plan = section::planCut({op}, dim);
            std::holds_alternative<section::Cut>(plan) &&
            std::get<section::Cut>(plan).length > 1)
          return false;
  const bool fourN = where.chip.batchLayout == target::BatchLayout::FourN;
  return llvm::none_of(tpu::sweepEdges(op, fourN), [&](const auto &edge) {
    return where.kernelsInOrder || edge.distanceBytes == 0;
  });
}

/// Chips with base registers have it in a region of its own.
static bool isPrivate(const AliasClass &storage) {
  const auto isFar = [](Operation *op) {
    return isa<CallOpInterface, func::ReturnOp>(op) ||
           op->getName().getStringRef().ends_with("Cpu");
  };
  return llvm::any_of(storage.values, [&](Value value) {
    Operation *made = value.getDefiningOp();
    return !made || isFar(made) || llvm::any_of(value.getUsers(), isFar);
  });
}

/// What an op reads and makes of the neuron region, with the inputs that wait
/// beside it.
static int64_t bytesAt(Operation *op, const GlobalFacts &facts,
                       const BoundCase &where) {
  llvm::DenseSet<int64_t> io;
  llvm::MapVector<int64_t, int64_t> bytes;
  const auto add = [&](Value value) {
    const ValueStorage *storage = facts.aliases.lookup(value);
    if (!storage || (!where.isIoHere && io.contains(storage->classId)))
      return;
    const AliasClass &all = facts.aliases.classes()[storage->classId];
    if (all.weight ||
        (where.chip.addressForm == target::AddressForm::BaseRegister &&
         isPrivate(all)))
      return;
    int64_t &most = bytes[storage->classId];
    most = std::max(most, storage->sizeBytes);
  };
  for (Value value : llvm::concat<const Value>(facts.inputs, facts.outputs))
    if (const ValueStorage *storage = facts.aliases.lookup(value))
      io.insert(storage->classId);
  if (where.isIoHere && where.mode == "basic")
    llvm::for_each(facts.inputs, add);
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);
  int64_t sum = 0;
  for (const auto &[id, size] : bytes)
    sum = saturatedAdd(sum, size);
  return sum;
}

/// The most that a layer needs which no group holds and nothing takes apart.
static int64_t layerBound(const GlobalFacts &facts, const BoundCase &where) {
  int64_t bound = 0;
  for (func::FuncOp function : facts.schedule.functions())
    for (Block &block : function.getBody()) {
      const grouping::BlockLayers layers =
          grouping::buildLayers(block, where.chip);
      for (auto [id, op] : llvm::enumerate(layers.ops)) {
        const int64_t bytes = bytesAt(op, facts, where);
        if (bytes > bound && isWhole(op, where) &&
            fitsNoGroup(layers, layer::LayerId(id), where.chip))
          bound = bytes;
      }
    }
  return bound;
}

static std::string modeOf(ModuleOp module, const Options &options) {
  if (options.addressMode != "auto" && !options.addressMode.empty())
    return options.addressMode;
  auto own =
      dyn_cast_or_null<StringAttr>(findSharedAttr(module, "module.addr_mode"));
  return own ? own.getValue().str() : "basic";
}

/// Other memories than the neurons' may hold anything.
static bool hasOneMemory(const Options &options, const target::ChipSpec &chip) {
  return options.pools.empty() && chip.pools.empty();
}

static LogicalResult addBounds(ModuleOp module, const Options &options,
                               FitResult &result) {
  auto chip = resolveChip(module, options.chip, options.chipFile);
  if (failed(chip))
    return failure();
  auto facts =
      analyzeModule(module, chip->batchLayout == target::BatchLayout::FourN);
  if (failed(facts))
    return failure();
  BoundCase where{*chip, modeOf(module, options)};
  where.kernelsInOrder = options.inOrder || chip->kernelsInOrder;
  // In other modes, and on chips with a register for each of them, they are
  // elsewhere.
  where.isIoHere = (where.mode == "basic" || where.mode == "in_reuse") &&
                   chip->addressForm != target::AddressForm::BaseRegister &&
                   !options.poolIo && options.sameAddr.empty();
  if (options.layerGroup && hasOneMemory(options, *chip))
    result.layerBoundBytes =
        std::max(result.layerBoundBytes, layerBound(*facts, where));
  if (!where.isIoHere)
    return success();
  result.floorBytes =
      saturatedAdd(result.floorBytes, pinnedBytes(*facts, where.mode));
  const bool shares = options.share != "none";
  const bool merges =
      shares &&
      module.walk([](tpu::ConcatOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  // Results over operands and pieces in place make less of it.
  if (where.kernelsInOrder || merges)
    return success();
  std::optional<updates::Updates> inPlace;
  if (shares)
    inPlace.emplace(module).mark(true);
  const int64_t bound =
      orderBound(*facts, {1, where.mode == "in_reuse", shares, {}});
  result.orderBoundBytes = std::max(result.orderBoundBytes, bound);
  return success();
}

LogicalResult findBounds(ModuleOp module, const Options &options,
                         FitResult &result) {
  std::set<int64_t> devices;
  for (ModuleOp inner : functionModules(module))
    devices.insert(readInteger(inner->getAttr("module.device_id")).value_or(0));
  // Memories of their own.
  if (devices.size() > 1)
    return success();
  // Ops are marked as what they may be.
  const OwningOpRef<ModuleOp> copy(module.clone());
  for (ModuleOp inner : functionModules(*copy))
    if (failed(addBounds(inner, options, result)))
      return failure();
  return success();
}

} // namespace tpu_mlir::deploy
