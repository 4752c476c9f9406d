#include "lib/Transforms/AssignWeightAddress/AssignWeightAddress.h"

#include "lib/Transforms/ApplyPlan/ApplyPlan.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/OpSchedule.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

#define GEN_PASS_DEF_ASSIGNWEIGHTADDRESS
#include "lib/Transforms/AssignWeightAddress/AssignWeightAddress.h.inc"

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

  void runOnOperation() override {
    for (ModuleOp module : functionModules(getOperation()))
      if (failed(assign(module)))
        return signalPassFailure();
  }

private:
  LogicalResult assign(ModuleOp module);
  FailureOr<Problem> buildProblem(ModuleOp module, const WeightList &list,
                                  const target::ChipSpec &spec);
  LogicalResult write(ModuleOp module, const WeightList &list,
                      const target::ChipSpec &spec, const Plan &plan);
};

} // namespace

FailureOr<Problem>
AssignWeightAddressPass::buildProblem(ModuleOp module, const WeightList &list,
                                      const target::ChipSpec &spec) {
  Problem problem;
  Pool pool;
  pool.name = "coeff";
  pool.baseAddress = spec.weightBase;
  pool.capacityBytes = spec.windowBytes;
  if (gmemBytes > 0)
    pool.capacityBytes = std::min<int64_t>(
        gmemBytes, spec.windowBytes.value_or(gmemBytes));
  problem.pools.push_back(pool);

  bool fourN = spec.batchLayout == target::BatchLayout::FourN;
  std::map<InlineKey, BufferId> firstOf;
  for (Value weight : list.weights) {
    auto footprint = cast<MemoryFootprintOpInterface>(weight.getDefiningOp());
    std::optional<int64_t> bytes = footprint.getResultBytes(0, fourN);
    if (!bytes)
      return emitCodedError(weight.getLoc(), ErrorCode::NoStaticSize,
                            "weight '" + valueName(weight) +
                                "' has no static size in bytes");
    BufferId id = problem.buffers.size();
    Buffer buffer;
    buffer.name = valueName(weight);
    buffer.kind = BufferKind::Weight;
    buffer.sizeBytes = *bytes;
    buffer.alignment = spec.weightAlignment;
    buffer.lifespans = {{0, 1}};
    problem.buffers.push_back(std::move(buffer));
    if (auto key = dedup ? inlineKey(weight) : std::nullopt) {
      auto [first, isNew] = firstOf.try_emplace(*key, id);
      if (!isNew)
        problem.aliases.push_back({id, first->second, 0});
    }
  }
  return problem;
}

LogicalResult AssignWeightAddressPass::write(ModuleOp module,
                                             const WeightList &list,
                                             const target::ChipSpec &spec,
                                             const Plan &plan) {
  std::vector<AddressedValue> addresses;
  bool fourN = spec.batchLayout == target::BatchLayout::FourN;
  int64_t staticEnd = 0;
  for (auto [i, weight] : llvm::enumerate(list.weights)) {
    int64_t offset = plan.placements[i].offsetBytes;
    addresses.push_back({weight, spec.weightBase + offset});
    if (i < list.numStatic)
      staticEnd = std::max(
          staticEnd,
          offset + *cast<MemoryFootprintOpInterface>(weight.getDefiningOp())
                        .getResultBytes(0, fourN));
  }
  auto total = checkedAlignUp(plan.pools[0].usedBytes, spec.weightAlignment);
  if (!total || !checkedAdd(spec.weightBase, *total))
    return emitCodedError(module.getLoc(), ErrorCode::NoStaticSize,
                          "the weights need more than 2^63 bytes");
  followCalls(module, addresses);
  applyAddresses(module, addresses);
  setModuleInteger(module, "module.coeff_addr", spec.weightBase);
  setModuleInteger(module, "module.coeff_size", *total);
  if (spec.addressForm != target::AddressForm::BaseRegister)
    setModuleInteger(module, "module.dynamic_coeff_offset",
                     alignUp(staticEnd, spec.weightAlignment));
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
  SolveOptions options;
  options.strategy = "sequential";
  SolveResult result = solve(*problem, options);
  if (auto *plan = std::get_if<Plan>(&result))
    return write(module, list, *spec, *plan);
  if (auto *over = std::get_if<Infeasible>(&result))
    return emitCodedError(
        module.getLoc(), ErrorCode::DoesNotFit,
        "the weights do not fit: pool 'coeff' needs " +
            formatBytes(over->needBytes) + ", has " +
            formatBytes(over->haveBytes) + ", over by " +
            formatBytes(over->needBytes - over->haveBytes));
  if (auto *invalid = std::get_if<InvalidProblem>(&result))
    return emitCodedError(module.getLoc(), ErrorCode::NoStaticSize,
                          "the weights cannot be planned: " +
                              invalid->errors.front().message);
  return emitCodedError(
      module.getLoc(), ErrorCode::PlanRejected,
      "the plan of the weights was rejected: " +
          std::get<InvalidPlan>(result).violations.front());
}

} // namespace tpu_mlir
