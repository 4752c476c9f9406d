//===- LayerGroup.cpp - Put layers into groups ----------------------------===//
//
// The pass: keeps or dissolves the groups of a module, searches for new ones
// and emits them.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/LayerGroup/LayerGroup.h"

#include "lib/Analysis/Local/Check/Checks.h"
#include "lib/Transforms/Tpu/LayerGroup/DissolveGroups.h"
#include "lib/Transforms/Tpu/LayerGroup/EmitGroup.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Choice.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/Merges.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/LayerPlanning/L2Room.h"
#include "tpu_mlir/LayerPlanning/StretchMemory.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Planning/PlanCache.h"
#include "tpu_mlir/Support/StopToken.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_LAYERGROUP
#include "lib/Transforms/Tpu/LayerGroup/LayerGroup.h.inc"

using namespace grouping;

/// What a byte of a tensor that should stay local counts as.
static constexpr int64_t kPriceOfGlobal = 256;

namespace {

/// "1 x 1 x 1 x 4 x 1 sections (n, c, d, h, w)".
std::string describe(const layer::Sections &sections) {
  std::string text;
  for (int64_t parts : sections)
    text += (text.empty() ? "" : " x ") + std::to_string(parts);
  return text + " sections (n, c, d, h, w)";
}

class LayerGroupPass : public impl::LayerGroupBase<LayerGroupPass> {
public:
  using LayerGroupBase::LayerGroupBase;

  planning::PlanCache *cache = nullptr; ///< The caller's.

  LogicalResult initialize(MLIRContext *context) override {
    return readOptions(UnknownLoc::get(context));
  }

  void runOnOperation() override {
    layer::SearchOptions options = given;
    planning::PlanCache own(planCache);
    options.cache = cache ? cache : &own;
    layer::StretchMemory memory;
    options.memory = &memory;
    if (regroup && remarks && !hasGroups())
      emitRemark(getOperation().getLoc())
          << "'regroup' has no effect: there are no layer groups";
    recordUserPools(getOperation(), pools, /*pins=*/"");
    unknownNames.clear();
    for (StringRef name : namesToKeep())
      unknownNames.insert(name.str());
    opsLeft = countOps();
    for (ModuleOp module : functionModules(getOperation())) {
      FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
      if (failed(spec))
        return signalPassFailure();
      recordChip(module, *spec);
      if (lineBuffers && spec->usedCores > 1)
        emitWarning(module.getLoc())
            << "'line-buffers' has no effect: rows stay on one core, and the "
               "network runs on "
            << spec->usedCores;
      FailureOr<int64_t> open = openL2Bytes(module, *spec);
      if (failed(open))
        return signalPassFailure();
      l2Bytes = l2 ? *open : 0;
      for (auto function : module.getOps<func::FuncOp>())
        groupFunction(function, *spec, options);
    }
    for (const std::string &text : options.cache->takeRemarks())
      log::warning(text);
    if (failed(checkNames()))
      signalPassFailure();
  }

private:
  layer::SearchOptions given; ///< What the options of the pass say.
  std::set<std::string> unknownNames;
  int64_t l2Bytes = 0; ///< Of the module at hand.
  int64_t opsLeft = 0; ///< Whose blocks are still to be searched.

  int64_t countOps() {
    int64_t count = 0;
    for (ModuleOp module : functionModules(getOperation()))
      for (auto function : module.getOps<func::FuncOp>())
        for (Block &block : function.getBody())
          count += block.getOperations().size();
    return count;
  }

  /// Of the time that is left each block has its share.
  layer::SearchOptions optionsFor(Block &block,
                                  const layer::SearchOptions &options) {
    const int64_t ops = block.getOperations().size();
    const auto left = StopToken::ofProcess().secondsLeft();
    const layer::SearchOptions result =
        left ? timed(options, *left * double(ops) / double(opsLeft)) : options;
    opsLeft -= ops;
    return result;
  }

  bool hasGroups() {
    return getOperation()
        .walk([](tpu::GroupOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  LogicalResult readOptions(Location location) {
    using Method = layer::SearchOptions::Method;
    if (failed(chooseByWord<Method>(
            location, "search", search,
            {{"optimal", Method::Optimal}, {"greedy", Method::Greedy}},
            given.method)) ||
        failed(chooseByWord(location, "objective", objective,
                            layer::kObjectives, given.group.objective)) ||
        failed(checkAtLeast(location, "max-layers", maxLayers, 0)) ||
        failed(checkAtLeast(location, "max-parts", maxParts, 1)) ||
        failed(checkAtLeast(location, "max-recompute", maxRecompute, 100)) ||
        failed(checkAtLeast(location, "node-limit", nodeLimit, 0)) ||
        failed(checkNetworkOptions(location, pools, /*pins=*/"")))
      return failure();
    given.maxLayers = static_cast<int>(std::min<int64_t>(maxLayers, 1 << 20));
    given.group.maxParts = maxParts;
    given.group.maxRecomputePercent = maxRecompute;
    given.group.cutChannels = cutChannels;
    given.group.lineBuffers = lineBuffers;
    given.reorder = reorder;
    given.group.nodeLimit = nodeLimit;
    return success();
  }

  void groupFunction(func::FuncOp function, const target::ChipSpec &spec,
                     const layer::SearchOptions &options) {
    const bool isDynamic = isDynamicFunction(function);
    if (regroup)
      dissolve(function, isDynamic, spec);
    if (!isDynamic)
      for (Block &block : function.getBody())
        groupLayers(block, spec, optionsFor(block, options));
  }

  /// Sections are made for sizes that do not change. Those of a dynamic
  /// function are as good as whoever cut them says, unless they are wrong at
  /// the planned size already: layers one by one run at every size.
  void dissolve(func::FuncOp function, bool isDynamic,
                const target::ChipSpec &spec) {
    const auto isWrong = [&](tpu::GroupOp group) {
      return !local::checkGroup(group, spec).empty();
    };
    int64_t numDissolved = 0;
    for (Block &block : function.getBody())
      if (!isDynamic)
        dissolveGroups(block, [](tpu::GroupOp) { return true; });
      else // A group may run transfers for the one next to it.
        while (int64_t dissolved = dissolveGroups(block, isWrong))
          numDissolved += dissolved;
    if (!remarks)
      return;
    if (numDissolved)
      emitRemark(function.getLoc())
          << "'" << function.getSymName()
          << "' is not TPU_STATIC: of its groups those that cannot run as they "
             "stand are taken apart, "
          << numDissolved << " in all, and their layers become global";
    function.walk([&](tpu::GroupOp group) {
      group.emitRemark("stays as it is: ")
          << (isDynamic ? "its function is not TPU_STATIC, and groups are only "
                          "made of sizes that do not change"
                        : whyNotDissolved(group));
    });
  }

  SmallVector<StringRef> namesToKeep() {
    SmallVector<StringRef> names;
    StringRef(keepLocal).split(names, ';', -1, /*KeepEmpty=*/false);
    return names;
  }

  void priceTensors(layer::LayerGraph &graph) {
    const SmallVector<StringRef> names = namesToKeep();
    for (layer::Tensor &tensor : graph.tensors)
      if (llvm::is_contained(names, tensor.name)) {
        tensor.price = kPriceOfGlobal;
        unknownNames.erase(tensor.name);
      }
  }

  /// A name that nothing has is a mistake.
  LogicalResult checkNames() {
    for (const std::string &name : unknownNames)
      return emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                            "option 'keep-local': no layer makes or reads a "
                            "tensor that is called '" +
                                name + "'");
    return success();
  }

  /// A concat that stays outside of groups and may be merged is, as a rule, and
  /// then moves nothing. Not more than a guess: that may need more memory.
  static void expectMerges(BlockLayers &layers) {
    for (auto [op, layer] : llvm::zip_equal(layers.ops, layers.graph.layers))
      if (auto concat = dyn_cast<tpu::ConcatOp>(op))
        layer.isFreeGlobally |= mayBeMerged(concat);
  }

  void groupLayers(Block &block, const target::ChipSpec &spec,
                   const layer::SearchOptions &options) {
    BlockLayers layers = buildLayers(block, spec);
    expectL2(layers, l2Bytes);
    priceTensors(layers.graph);
    if (merges)
      expectMerges(layers);
    if (options.group.objective == layer::Objective::Traffic)
      layer::readEachOperandOnce(layers.graph);
    std::vector<layer::LayerId> order(layers.graph.layers.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<layer::LayerId>(i);
    const layer::Grouping grouping =
        layer::searchGroupsInRoom(layers.graph, order, spec, options, l2Bytes);
    if (remarks)
      for (const auto &[id, refusal] : grouping.refusals)
        remarkRefusal(layers, id, refusal);
    moveOps(layers, order, grouping.order);
    for (const layer::GroupPlan &plan : grouping.groups)
      emitGroup(layers, plan);
  }

  /// Moves the ops of layers from one order to another one. What lies between
  /// them makes no layers, so nothing there reads what they make.
  static void moveOps(const BlockLayers &layers,
                      const std::vector<layer::LayerId> &from,
                      const std::vector<layer::LayerId> &to) {
    for (size_t begin = 0, end; begin < from.size(); begin = end) {
      end = begin + 1;
      if (from[begin] == to[begin])
        continue;
      // As short a run as has the same layers in both.
      std::set<layer::LayerId> differ;
      for (end = begin; end == begin || !differ.empty(); ++end)
        for (layer::LayerId id : {from[end], to[end]})
          if (!differ.insert(id).second)
            differ.erase(id);
      Operation *last = layers.ops[from[end - 1]];
      Operation *behind = last->getNextNode();
      for (size_t i = begin; i < end; ++i)
        layers.ops[to[i]]->moveBefore(behind);
    }
  }

  void remarkRefusal(const BlockLayers &layers, layer::LayerId id,
                     const layer::GroupRefusal &refusal) {
    InFlightDiagnostic remark = layers.ops[id]->emitRemark("stays global: ");
    if (refusal.needBytes > refusal.haveBytes) {
      remark << "needs " << refusal.needBytes
             << " bytes of a lane's local memory, have " << refusal.haveBytes
             << ", over by " << refusal.needBytes - refusal.haveBytes << ", in "
             << describe(refusal.sections);
      if (refusal.largest >= 0)
        remark << "; the largest tensor is '"
               << layers.graph.tensors[refusal.largest].name << "'";
      else
        remark << "; its scratch is the largest buffer";
    } else if (refusal.isTooMuchWork) {
      remark << "fits only when rows are computed more often than "
                "'max-recompute' allows";
    }
  }
};

} // namespace

std::unique_ptr<Pass> createLayerGroup(LayerGroupOptions options,
                                       planning::PlanCache *cache) {
  auto pass = std::make_unique<LayerGroupPass>(std::move(options));
  pass->cache = cache;
  return pass;
}

} // namespace tpu_mlir
