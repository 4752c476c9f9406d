//===- AssignGlobalAddress.cpp - Assign addresses to neurons --------------===//
//
// The pass: builds the problem of a module, solves it, places the regions and
// applies the plan.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/AssignGlobalAddress/AssignGlobalAddress.h"

#include "lib/Transforms/Tpu/ApplyPlan/ApplyPlan.h"
#include "lib/Transforms/Tpu/AssignGlobalAddress/DoesNotFit.h"
#include "lib/Transforms/Tpu/AssignGlobalAddress/PoolRemarks.h"
#include "lib/Transforms/Tpu/AssignGlobalAddress/ShareStorage.h"
#include "lib/Transforms/Tpu/Updates/InOrder.h"
#include "lib/Transforms/Tpu/Updates/Marks.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Analysis/Tensor/PlanOptionsOf.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Log/Decisions.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/PlanCache.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace tpu_mlir::planning;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir {

using namespace addressing;

#define GEN_PASS_DEF_ASSIGNGLOBALADDRESS
#include "lib/Transforms/Tpu/AssignGlobalAddress/AssignGlobalAddress.h.inc"

/// What an input and an output share is in no type: the referee of addresses
/// has to know that it is meant.

using namespace global_addresses;
using namespace updates;

namespace {

class AssignGlobalAddressPass
    : public impl::AssignGlobalAddressBase<AssignGlobalAddressPass> {
public:
  using AssignGlobalAddressBase::AssignGlobalAddressBase;

  RecordSink sink;
  PlanCache *cache = nullptr; ///< The caller's.

  LogicalResult initialize(MLIRContext *context) override {
    const Location location = UnknownLoc::get(context);
    return success(
        succeeded(checkAtLeast(location, "alignment", alignment, 0)) &&
        succeeded(checkAtLeast(location, "gmem-bytes", gmemBytes, 0)) &&
        succeeded(checkNetworkOptions(location, pools, pins)));
  }

  void runOnOperation() override {
    PlanCache own(planCache);
    plans = cache ? cache : &own;
    assignEverything();
    for (const std::string &text : plans->takeRemarks())
      log::warning(text);
  }

private:
  void assignEverything() {
    if (hasFiles() && functionModules(getOperation()).size() > 1) {
      emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                     "'problem-file', 'plan-file' and 'pool-data' are for one "
                     "module of functions, here are several");
      return signalPassFailure();
    }
    if (failed(checkKnownOps(getOperation(), strict)))
      return signalPassFailure();
    fallBack.reset();
    if (failed(assignAll()))
      return signalPassFailure();
    // The outer module names one mode for all: one that falls back takes the
    // others along.
    if (fallBack && functionModules(getOperation()).size() > 1 &&
        failed(assignAll()))
      signalPassFailure();
  }

  LogicalResult assignAll() {
    boards.clear();
    for (ModuleOp module : functionModules(getOperation()))
      if (failed(forwardInnerInputs(module)) || failed(assign(module)))
        return failure();
    return success();
  }
  LogicalResult assign(ModuleOp module);
  bool hasFiles() const {
    return !problemFile.empty() || !planFile.empty() || !poolData.empty();
  }
  LogicalResult record(ModuleOp module, const BoardUse &board,
                       const GlobalFacts &facts, const GlobalProblem &global,
                       const Plan &plan, const target::ChipSpec &spec,
                       const WeightRegion &weights);
  LogicalResult writeFiles(ModuleOp module, const GlobalRecord &record);
  FailureOr<GlobalPlanOptions> readOptions(ModuleOp module);
  LogicalResult checkL2(ModuleOp module, const target::ChipSpec &spec);
  FailureOr<WeightRegion> readWeights(ModuleOp module,
                                      const target::ChipSpec &spec,
                                      const GlobalFacts &facts);
  void noteBoard(InFlightDiagnostic &diagnostic, ModuleOp module,
                 GlobalProblem global, const Infeasible &infeasible,
                 const target::ChipSpec &spec, const WeightRegion &weights);
  FailureOr<Plan> makePlan(ModuleOp module, const GlobalFacts &facts,
                           GlobalProblem &global, const target::ChipSpec &spec,
                           const WeightRegion &weights);
  LogicalResult writeAddresses(ModuleOp module, const GlobalFacts &facts,
                               const GlobalProblem &global, const Plan &plan);
  void writeAttributes(ModuleOp module, const GlobalProblem &global,
                       const Plan &plan, const target::ChipSpec &spec);

  /// The mode of a module that cannot have the one that was asked for.
  std::optional<IoMode> fallBack;
  /// Plans of equal problems.
  PlanCache *plans = nullptr;
  /// Memories of the last module that are too small; see solveWithRoom().
  Capacities opened;
  /// By device: what the modules before this one need of its memory.
  std::map<int64_t, BoardUse> boards;
};

} // namespace

FailureOr<GlobalPlanOptions>
AssignGlobalAddressPass::readOptions(ModuleOp module) {
  GlobalPlanOptions result;
  FailureOr<IoMode> mode = ioModeOf(module, ioMode, /*remarks=*/true);
  if (failed(mode))
    return failure();
  result.ioMode = fallBack.value_or(*mode);
  result.poolIo = poolIo;
  result.l2 = l2;
  if (alignment > 0)
    result.alignment = alignment;
  if (gmemBytes > 0)
    result.gmemBytes = gmemBytes;
  auto pairs = sameAddressOf(module, sameAddr);
  if (failed(pairs))
    return failure();
  result.sameAddress = std::move(*pairs);
  return result;
}

/// Keeping tensors out of L2 contradicts a line of the user that opens it, and
/// says nothing where it is closed.
LogicalResult AssignGlobalAddressPass::checkL2(ModuleOp module,
                                               const target::ChipSpec &spec) {
  FailureOr<std::vector<Pool>> users = readUserPools(module);
  if (failed(users))
    return failure();
  FailureOr<std::vector<Pool>> all = readPools(module, spec);
  if (failed(all))
    return failure();
  auto isL2 = [](const Pool &pool) { return pool.name == "l2"; };
  if (l2)
    return success();
  if (llvm::any_of(*users, isL2))
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          "'l2=false' keeps tensors out of L2, but the pool "
                          "'l2' opens it; leave out one of the two");
  if (llvm::none_of(*all, isL2))
    emitRemark(module.getLoc()) << "'l2=false' has no effect: on chip '"
                                << spec.name << "' L2 is for scratch only";
  return success();
}

FailureOr<WeightRegion> AssignGlobalAddressPass::readWeights(
    ModuleOp module, const target::ChipSpec &spec, const GlobalFacts &facts) {
  auto base = moduleInteger(module, "module.coeff_addr");
  auto size = moduleInteger(module, "module.coeff_size");
  if (failed(base) || failed(size))
    return failure();
  for (const AliasClass &aliasClass : facts.aliases.classes())
    if (aliasClass.weight &&
        (!*size || !getAddress(aliasClass.weight.getType())))
      return emitCodedError(aliasClass.weight.getLoc(), ErrorCode::WeightsFirst,
                            "weight '" + valueName(aliasClass.weight) +
                                "' has no address; run "
                                "'tpu-assign-weight-address' first");
  return WeightRegion{(*base).value_or(spec.weightBase), (*size).value_or(0)};
}

/// What the board would have to have for what did not fit, and all else.
void AssignGlobalAddressPass::noteBoard(InFlightDiagnostic &diagnostic,
                                        ModuleOp module, GlobalProblem global,
                                        const Infeasible &infeasible,
                                        const target::ChipSpec &spec,
                                        const WeightRegion &weights) {
  Plan least;
  for (PoolId pool = 0; pool < PoolId(global.regions.size()); ++pool) {
    PoolUse use;
    use.usedBytes = pool == infeasible.pool
                        ? infeasible.needBytes
                        : liveBound(global.problem, pool).bytes;
    least.pools.push_back(use);
  }
  if (!placeRegions(global, least, spec, weights))
    return;
  BoardUse board;
  board.add(global, least, spec, weights);
  diagnostic.attachNote(module.getLoc())
      << "the board has " << formatExactBytes(gmemBytes)
      << ", all regions together need " << formatExactBytes(board.bytes())
      << ": " << board.describe();
}

FailureOr<Plan> AssignGlobalAddressPass::makePlan(ModuleOp module,
                                                  const GlobalFacts &facts,
                                                  GlobalProblem &global,
                                                  const target::ChipSpec &spec,
                                                  const WeightRegion &weights) {
  if (!StrategyRegistry::find(strategy))
    return emitCodedError(module.getLoc(), ErrorCode::BadStrategy,
                          "unknown strategy '" + strategy +
                              "'; strategies: " + StrategyRegistry::names());
  SolveOptions options;
  options.strategy = strategy;
  SolveResult result = unlimited
                           ? solveWithRoom(global, options, *plans, opened)
                           : solveCached(global.problem, options, *plans);
  log::decision("neurons", global.problem, result);
  if (auto *plan = std::get_if<Plan>(&result))
    return std::move(*plan);
  if (auto *over = std::get_if<Infeasible>(&result)) {
    InFlightDiagnostic diagnostic =
        emitDoesNotFit(module, facts, global, *over);
    if (gmemBytes > 0)
      noteBoard(diagnostic, module, global, *over, spec, weights);
    return diagnostic;
  }
  Location location = module.getLoc();
  if (auto *invalid = std::get_if<InvalidProblem>(&result))
    if (const auto id = invalid->errors.front().buffer)
      location =
          facts.aliases.classes()[global.classOf[*id]].values.front().getLoc();
  return emitNoPlan(location, result, strategy);
}

LogicalResult AssignGlobalAddressPass::writeAddresses(
    ModuleOp module, const GlobalFacts &facts, const GlobalProblem &global,
    const Plan &plan) {
  std::vector<int64_t> baseOf(facts.aliases.classes().size(), 0);
  for (auto [buffer, id] : llvm::enumerate(global.classOf)) {
    const Placement &placement = plan.placements[buffer];
    baseOf[id] = global.regions[placement.pool].base + placement.offsetBytes;
  }
  for (auto [id, aliasClass] : llvm::enumerate(facts.aliases.classes()))
    if (aliasClass.weight)
      baseOf[id] = *getAddress(aliasClass.weight.getType()) -
                   facts.aliases.lookup(aliasClass.weight)->offsetBytes;
  std::vector<AddressedValue> addresses;
  for (Value value : facts.aliases.values()) {
    const ValueStorage *storage = facts.aliases.lookup(value);
    if (!value.getDefiningOp<top::WeightOp>())
      addresses.push_back(
          {value, baseOf[storage->classId] + storage->offsetBytes});
  }
  return applyAddresses(module, addresses);
}

void AssignGlobalAddressPass::writeAttributes(ModuleOp module,
                                              const GlobalProblem &global,
                                              const Plan &plan,
                                              const target::ChipSpec &spec) {
  bool isBaseRegister = spec.addressForm == AddressForm::BaseRegister;
  const StringRef stale[] = {"module.neuron_addr", "module.io_addr",
                             "module.io_size", "module.private_size", kPoolIo};
  for (StringRef name : stale)
    module->removeAttr(name);
  setModuleInteger(module, kNeuronAlign, global.alignment);
  if (poolIo)
    module->setAttr(kPoolIo, UnitAttr::get(&getContext()));
  for (auto [pool, region] : llvm::enumerate(global.regions)) {
    int64_t bytes = alignUp(plan.pools[pool].usedBytes, spec.neuronAlignment);
    if (region.role == RegionRole::Neuron) {
      if (!isBaseRegister)
        setModuleInteger(module, "module.neuron_addr", region.base);
      setModuleInteger(module, "module.neuron_size", bytes);
    } else if (region.role == RegionRole::Io) {
      setModuleInteger(module, "module.io_addr", region.base);
      setModuleInteger(module, "module.io_size", bytes);
    } else if (region.role == RegionRole::Private) {
      setModuleInteger(module, "module.private_size", bytes);
    }
  }
  MLIRContext *context = &getContext();
  setModuleAttr(module, "module.addr_mode",
                StringAttr::get(context, ioModeName(global.ioMode)));
  setModuleAttr(module, "module.state",
                StringAttr::get(context, "TPU_ADDRESSED"));
  if (!sameAddr.empty())
    setModuleAttr(module, kSameAddress, StringAttr::get(context, sameAddr));
  recordChip(module, spec);
}

LogicalResult AssignGlobalAddressPass::writeFiles(ModuleOp module,
                                                  const GlobalRecord &record) {
  std::vector<FileToWrite> files;
  if (!problemFile.empty())
    files.push_back(
        {problemFile, printProblemJson(record.problem, &record.plan)});
  if (!planFile.empty())
    files.push_back({planFile, printPlanJson(record.problem, record.plan)});
  if (!poolData.empty()) {
    for (const auto &[pool, weight] : record.without)
      return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                            "'pool-data' needs the data of all weights in the "
                            "module; that of '" +
                                weight + "' in pool '" + pool +
                                "' is not there");
    if (record.contents.empty())
      emitRemark(module.getLoc())
          << "'pool-data' has no effect: there are no weights";
    for (const auto &[pool, bytes] : record.contents)
      files.push_back({poolData + "." + pool + ".bin", bytes});
  }
  if (auto error = writeFilesAtomically(files))
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                          error->message);
  return success();
}

/// Files are of addresses that the module can have.
LogicalResult AssignGlobalAddressPass::record(
    ModuleOp module, const BoardUse &board, const GlobalFacts &facts,
    const GlobalProblem &global, const Plan &plan, const target::ChipSpec &spec,
    const WeightRegion &weights) {
  if (!hasFiles() && !sink)
    return success();
  FailureOr<GlobalRecord> recorded =
      recordPlan(module, facts, global, plan, spec, weights);
  if (succeeded(recorded))
    recorded->boardBytes = board.bytes();
  if (failed(recorded) || failed(writeFiles(module, *recorded)))
    return failure();
  if (sink)
    sink(module, *recorded);
  return success();
}

LogicalResult AssignGlobalAddressPass::assign(ModuleOp module) {
  FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
  FailureOr<GlobalPlanOptions> options = readOptions(module);
  if (failed(spec) || failed(options))
    return failure();
  if (inOrder && !share)
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          "'in-order' says what kernels do for results that "
                          "share bytes with operands: it needs 'share'");
  recordUserPools(module, pools, pins);
  if (failed(checkPinNames(module)) || failed(checkL2(module, *spec)))
    return failure();
  bool fourN = spec->batchLayout == target::BatchLayout::FourN;
  FailureOr<GlobalFacts> facts = analyzeModule(module, fourN);
  if (failed(facts))
    return failure();
  FailureOr<WeightRegion> weights = readWeights(module, *spec, *facts);
  if (failed(weights))
    return failure();
  recordKernelOrder(module, inOrder && !spec->kernelsInOrder);
  if (share) {
    shareStorage({module, *spec, *weights, *options, strategy, *plans,
                  inOrder || spec->kernelsInOrder});
    facts = analyzeModule(module, fourN);
    if (failed(facts))
      return failure();
  }
  FailureOr<GlobalProblem> global =
      buildGlobalProblem(module, *facts, *spec, *weights, *options);
  if (failed(global))
    return failure();
  if (poolIo && !hasUserPool(*global))
    emitRemark(module.getLoc())
        << "'pool-io' has no effect: there is no pool besides the chip's";
  if (failed(remarkUnused(module, *global)))
    return failure();
  if (global->ioMode != options->ioMode)
    fallBack = global->ioMode;
  FailureOr<Plan> plan = makePlan(module, *facts, *global, *spec, *weights);
  if (failed(plan))
    return failure();
  if (!placeRegions(*global, *plan, *spec, *weights))
    return emitCodedError(module.getLoc(), ErrorCode::NoStaticSize,
                          "the memory map leaves 63 bits");
  FailureOr<std::optional<int64_t>> device =
      moduleInteger(module, "module.device_id");
  if (failed(device))
    return failure();
  BoardUse &board = boards[device->value_or(0)];
  board.add(*global, *plan, *spec, *weights);
  if (gmemBytes > 0 && !unlimited && failed(board.check(module, gmemBytes)))
    return failure();
  if (failed(writeAddresses(module, *facts, *global, *plan)) ||
      failed(record(module, board, *facts, *global, *plan, *spec, *weights)))
    return failure();
  writeAttributes(module, *global, *plan, *spec);
  recordBeyond(module, *facts, *global, *plan, opened);
  if (share)
    dropUnusedMarks(module, fourN);
  return success();
}

std::unique_ptr<Pass>
createAssignGlobalAddress(AssignGlobalAddressOptions options, RecordSink sink,
                          PlanCache *cache) {
  auto pass = std::make_unique<AssignGlobalAddressPass>(std::move(options));
  pass->sink = std::move(sink);
  pass->cache = cache;
  return pass;
}

} // namespace tpu_mlir
