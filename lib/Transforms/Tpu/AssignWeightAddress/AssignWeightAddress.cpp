//===- AssignWeightAddress.cpp - Assign addresses to weights --------------===//
//
// The pass: addresses grow in walk order; equal contents may share one when
// asked to.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/AssignWeightAddress/AssignWeightAddress.h"

#include "lib/Transforms/Tpu/ApplyPlan/ApplyPlan.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Log/Decisions.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <limits>
#include <map>
#include <numeric>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

using namespace addressing;

#define GEN_PASS_DEF_ASSIGNWEIGHTADDRESS
#include "lib/Transforms/Tpu/AssignWeightAddress/AssignWeightAddress.h.inc"

namespace {

/// The weights of one module in walk order, static functions first.
struct WeightList {
  std::vector<Value> weights;
  size_t numStatic = 0;
};

WeightList collectWeights(ModuleOp module) {
  WeightList list;
  for (bool dynamic : {false, true}) {
    for (auto function : module.getOps<func::FuncOp>())
      if (isDynamicFunction(function) == dynamic)
        function.walk<WalkOrder::PreOrder>([&](top::WeightOp op) {
          if (isa<TensorType>(op->getResult(0).getType()))
            list.weights.push_back(op->getResult(0));
        });
    if (!dynamic)
      list.numStatic = list.weights.size();
  }
  return list;
}

/// Adds what a weight is called on the other side of a call: the argument of
/// the callee, the result of the caller. The types of both ends have to agree.
void followCalls(ModuleOp module, std::vector<AddressedValue> &addresses) {
  SymbolTable symbols(module);
  llvm::DenseMap<Operation *, SmallVector<func::CallOp>> callsOf;
  module.walk([&](func::CallOp call) {
    callsOf[symbols.lookup(call.getCallee())].push_back(call);
  });
  llvm::DenseSet<Value> seen;
  auto add = [&](Value value, int64_t address) {
    if (seen.insert(value).second)
      addresses.push_back({value, address});
  };
  for (size_t i = 0; i < addresses.size(); ++i)
    for (OpOperand &use : addresses[i].value.getUses()) {
      int64_t address = addresses[i].address;
      unsigned position = use.getOperandNumber();
      Operation *user = use.getOwner();
      if (auto call = dyn_cast<func::CallOp>(user)) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        if (callee && !callee.isExternal())
          add(callee.getArgument(position), address);
      } else if (isa<func::ReturnOp>(user)) {
        for (func::CallOp call : callsOf.lookup(user->getParentOp()))
          add(call.getResult(position), address);
      }
    }
}

/// What makes two weights the same bytes: only inline data can be compared.
using InlineKey = std::tuple<const void *, const void *, const void *>;

std::optional<InlineKey> inlineKey(Value weight) {
  Operation *op = weight.getDefiningOp();
  Attribute bytes = op->getAttr("inline_bytes");
  // Split and indexed weights are views of larger ones: leave them alone.
  if (!bytes || op->hasAttr("allow_split") || op->hasAttr("indices"))
    return std::nullopt;
  auto type = cast<RankedTensorType>(weight.getType());
  Type plain = RankedTensorType::get(type.getShape(), type.getElementType());
  return InlineKey{bytes.getAsOpaquePointer(), plain.getAsOpaquePointer(),
                   op->getAttr("store_mode").getAsOpaquePointer()};
}

class AssignWeightAddressPass
    : public impl::AssignWeightAddressBase<AssignWeightAddressPass> {
public:
  using AssignWeightAddressBase::AssignWeightAddressBase;

  LogicalResult initialize(MLIRContext *context) override {
    const Location location = UnknownLoc::get(context);
    return success(
        succeeded(checkAtLeast(location, "gmem-bytes", gmemBytes, 0)) &&
        succeeded(checkNetworkOptions(location, pools, pins)));
  }

  void runOnOperation() override {
    for (ModuleOp module : functionModules(getOperation()))
      if (failed(assign(module)))
        return signalPassFailure();
  }

private:
  LogicalResult assign(ModuleOp module);
  FailureOr<Problem> buildProblem(ModuleOp module, const WeightList &list,
                                  const target::ChipSpec &spec);
  LogicalResult checkBase(Location location,
                          const target::ChipSpec &spec) const;
  LogicalResult addPools(ModuleOp module, const target::ChipSpec &spec,
                         Problem &problem);
  LogicalResult pinWeights(ModuleOp module, const WeightList &list,
                           Problem &problem);
  FailureOr<Plan> plan(ModuleOp module, const WeightList &list,
                       const Problem &problem, StringRef strategy);
  FailureOr<Plan> planPools(ModuleOp module, const WeightList &list,
                            const Problem &problem);
  LogicalResult write(ModuleOp module, const WeightList &list,
                      const target::ChipSpec &spec, const Problem &problem,
                      const Plan &plan);
  int64_t alignmentOn(const target::ChipSpec &spec) const;

  /// The size of the weight region is a multiple of it.
  int64_t regionUnit = 1;
};

} // namespace

/// Kernels load weights into local memory by whole execution units; that of the
/// chip's runtime is for one file that holds them one by one.
int64_t
AssignWeightAddressPass::alignmentOn(const target::ChipSpec &spec) const {
  const bool isFiner = spec.weightAlignment % spec.euBytes == 0;
  return pack && isFiner ? spec.euBytes : spec.weightAlignment;
}

LogicalResult
AssignWeightAddressPass::checkBase(Location location,
                                   const target::ChipSpec &spec) const {
  if (spec.weightBase % alignmentOn(spec) == 0)
    return success();
  return emitCodedError(location, ErrorCode::BadAttribute,
                        "alignment " + Twine(alignmentOn(spec)) +
                            " of weights is not possible: on chip '" +
                            spec.name + "' they begin at " +
                            Twine(spec.weightBase) +
                            ", which is no multiple of it");
}

FailureOr<Problem>
AssignWeightAddressPass::buildProblem(ModuleOp module, const WeightList &list,
                                      const target::ChipSpec &spec) {
  Problem problem;
  if (failed(addPools(module, spec, problem)) ||
      (!list.weights.empty() && failed(checkBase(module.getLoc(), spec))))
    return failure();
  std::vector<PoolId> anywhere(problem.pools.size());
  std::iota(anywhere.begin(), anywhere.end(), PoolId(0));

  bool fourN = spec.batchLayout == target::BatchLayout::FourN;
  std::map<InlineKey, BufferId> firstOf;
  for (Value weight : list.weights) {
    auto footprint = cast<MemoryFootprintOpInterface>(weight.getDefiningOp());
    std::optional<int64_t> bytes = footprint.getResultBytes(0, fourN);
    if (!bytes)
      return emitNoStaticSize(weight, "weight ");
    BufferId id = problem.buffers.size();
    Buffer buffer;
    buffer.name = valueName(weight);
    buffer.kind = BufferKind::Weight;
    buffer.sizeBytes = *bytes;
    buffer.lifespans = {{0, 1}};
    buffer.pools.clear();
    for (PoolId pool : anywhere)
      if (isReached(problem.pools[pool], weight))
        buffer.pools.push_back(pool);
    buffer.accesses = std::distance(weight.use_begin(), weight.use_end());
    problem.buffers.push_back(std::move(buffer));
    if (auto key = dedup ? inlineKey(weight) : std::nullopt) {
      auto [first, isNew] = firstOf.try_emplace(*key, id);
      if (!isNew)
        problem.aliases.push_back({id, first->second, 0});
    }
  }
  if (dedup && problem.aliases.empty())
    emitRemark(module.getLoc()) << "'dedup' has no effect: no two weights have "
                                   "equal inline data";
  if (pack && alignmentOn(spec) == spec.weightAlignment)
    emitRemark(module.getLoc())
        << "'pack' has no effect: chip '" << spec.name << "' aligns weights to "
        << formatExactBytes(spec.weightAlignment) << " anyway";
  if (failed(pinWeights(module, list, problem)))
    return failure();
  const PoolId coeff = problem.pools.size() - 1;
  for (PoolId pool = 0; pool < coeff; ++pool)
    remarkIfUnused(module, problem, pool);
  FailureOr<std::vector<Pool>> lines = readUserPools(module);
  if (succeeded(lines) && llvm::any_of(*lines, [&](const Pool &line) {
        return line.name == problem.pools[coeff].name;
      }))
    remarkIfAlone(module, problem, coeff);
  return problem;
}

/// The read-only pools of the user, then the weight region.
LogicalResult AssignWeightAddressPass::addPools(ModuleOp module,
                                                const target::ChipSpec &spec,
                                                Problem &problem) {
  recordUserPools(module, pools, pins);
  FailureOr<std::vector<Pool>> lines = readPools(module, spec);
  if (failed(lines) || failed(checkPinNames(module)))
    return failure();
  Pool coeff;
  coeff.name = "coeff";
  for (Pool &line : *lines) {
    if (line.name == coeff.name) {
      coeff.accessCost = line.accessCost;
    } else if (line.access == PoolAccess::ReadOnly) {
      if (line.alignment == 1)
        line.alignment = alignmentOn(spec);
      if (failed(checkPoolBase(module.getLoc(), line)))
        return failure();
      problem.pools.push_back(line);
    }
  }
  coeff.baseAddress = spec.weightBase;
  coeff.alignment = alignmentOn(spec);
  regionUnit = spec.weightAlignment;
  coeff.capacityBytes = spec.windowBytes;
  // The region is as large as its size rounded up.
  if (gmemBytes > 0)
    coeff.capacityBytes = std::min<int64_t>(
        {gmemBytes - gmemBytes % spec.weightAlignment,
         spec.windowBytes.value_or(gmemBytes),
         std::numeric_limits<int64_t>::max() - spec.weightBase});
  problem.pools.push_back(coeff);
  return success();
}

LogicalResult AssignWeightAddressPass::pinWeights(ModuleOp module,
                                                  const WeightList &list,
                                                  Problem &problem) {
  FailureOr<std::vector<NamedPin>> requests = readPins(module);
  if (failed(requests))
    return failure();
  llvm::StringMap<BufferId> named;
  for (const NamedPin &pin : *requests)
    named[pin.buffer] = -1;
  for (auto [id, weight] : llvm::enumerate(list.weights)) {
    auto name = named.find(problem.buffers[id].name);
    if (name == named.end())
      continue;
    if (name->second >= 0)
      return emitCodedError(weight.getLoc(), ErrorCode::BadAttribute,
                            "attribute 'module.pins': several weights are "
                            "called '" +
                                name->first() + "'");
    name->second = id;
  }
  for (const NamedPin &pin : *requests) {
    BufferId id = named[pin.buffer];
    if (id < 0)
      continue; // Of a tensor.
    FailureOr<PoolId> pool =
        findPool(list.weights[id].getLoc(), pin, problem.pools,
                 [](PoolId) { return true; });
    if (failed(pool))
      return failure();
    problem.buffers[id].pools = {*pool};
    if (!pin.offsetBytes)
      continue;
    if (failed(checkPinOffset(list.weights[id].getLoc(), pin,
                              problem.pools[*pool], *pin.offsetBytes,
                              problem.buffers[id].sizeBytes)))
      return failure();
    problem.buffers[id].pin = Pin{*pool, *pin.offsetBytes};
  }
  return success();
}

FailureOr<Plan> AssignWeightAddressPass::plan(ModuleOp module,
                                              const WeightList &list,
                                              const Problem &problem,
                                              StringRef strategy) {
  SolveOptions options;
  options.strategy = strategy.str();
  SolveResult result = solve(problem, options);
  log::decision("weights", problem, result);
  if (auto *plan = std::get_if<Plan>(&result))
    return std::move(*plan);
  Location location = module.getLoc();
  if (auto *over = std::get_if<Infeasible>(&result)) {
    Shortage shortage;
    shortage.isCertain = over->isCertain();
    shortage.message =
        std::string("the weights ") +
        (shortage.isCertain ? "do not fit"
                            : "got no plan, though one may exist") +
        ": pool '" + problem.pools[over->pool].name + "' " +
        formatShortage(over->needBytes, over->haveBytes);
    InFlightDiagnostic diagnostic =
        emitShortage(shortage, {location, location, nullptr, location});
    // What is left of the capacity is whole units of the region.
    if (gmemBytes > 0 && size_t(over->pool) + 1 == problem.pools.size())
      diagnostic.attachNote(location)
          << "the board has " << formatExactBytes(gmemBytes)
          << "; the region of the weights takes multiples of "
          << formatExactBytes(regionUnit);
    return diagnostic;
  }
  if (auto *invalid = std::get_if<InvalidProblem>(&result))
    if (const auto id = invalid->errors.front().buffer)
      location = list.weights[*id].getLoc();
  return emitNoPlan(location, result, strategy);
}

/// Which weights are in which pool; those of the weight region, the last one,
/// then go one after the other in the order of the text (W1).
FailureOr<Plan> AssignWeightAddressPass::planPools(ModuleOp module,
                                                   const WeightList &list,
                                                   const Problem &problem) {
  if (problem.pools.size() == 1)
    return plan(module, list, problem, "sequential");
  FailureOr<Plan> chosen = plan(module, list, problem, "auto");
  if (failed(chosen))
    return failure();
  const PoolId coeff = problem.pools.size() - 1;
  Problem fixed = problem;
  for (auto [buffer, placement] :
       llvm::zip_equal(fixed.buffers, chosen->placements)) {
    buffer.pools = {placement.pool};
    if (placement.pool != coeff)
      buffer.pin = Pin{placement.pool, placement.offsetBytes};
  }
  return plan(module, list, fixed, "sequential");
}

LogicalResult AssignWeightAddressPass::write(ModuleOp module,
                                             const WeightList &list,
                                             const target::ChipSpec &spec,
                                             const Problem &problem,
                                             const Plan &plan) {
  const PoolId coeff = problem.pools.size() - 1;
  std::vector<AddressedValue> addresses;
  int64_t staticEnd = 0;
  for (auto [i, weight] : llvm::enumerate(list.weights)) {
    auto [pool, offset] = plan.placements[i];
    addresses.push_back({weight, problem.pools[pool].baseAddress + offset});
    if (pool == coeff && i < list.numStatic)
      staticEnd = std::max(staticEnd, offset + problem.buffers[i].sizeBytes);
  }
  auto total =
      checkedAlignUp(plan.pools[coeff].usedBytes, spec.weightAlignment);
  if (!total || !checkedAdd(spec.weightBase, *total))
    return emitCodedError(module.getLoc(), ErrorCode::NoStaticSize,
                          "the weights need more than 2^63 bytes");
  followCalls(module, addresses);
  if (failed(applyAddresses(module, addresses)))
    return failure();
  recordChip(module, spec);
  setModuleInteger(module, "module.coeff_addr", spec.weightBase);
  setModuleInteger(module, "module.coeff_size", *total);
  const StringRef unit = "module.coeff_align";
  module->removeAttr(unit);
  if (pack)
    setModuleInteger(module, unit, problem.pools[coeff].alignment);
  const StringRef dynamicOffset = "module.dynamic_coeff_offset";
  module->removeAttr(dynamicOffset);
  if (spec.addressForm != target::AddressForm::BaseRegister)
    setModuleInteger(module, dynamicOffset,
                     alignUp(staticEnd, problem.pools[coeff].alignment));
  return success();
}

LogicalResult AssignWeightAddressPass::assign(ModuleOp module) {
  auto spec = resolveChip(module, chip, chipFile);
  if (failed(spec))
    return failure();
  WeightList list = collectWeights(module);
  FailureOr<Problem> problem = buildProblem(module, list, *spec);
  if (failed(problem))
    return failure();
  FailureOr<Plan> plan = planPools(module, list, *problem);
  if (failed(plan))
    return failure();
  return write(module, list, *spec, *problem, *plan);
}

} // namespace tpu_mlir
