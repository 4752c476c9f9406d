//===- AssignPools.cpp - Plan all memory of a program into pools ----------===//
//
// The pass: builds the call tree and its problem, solves it, and rewrites the
// functions; networks go through the pipeline that it was made with.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Transforms/AssignPools.h"

#include "lib/Transforms/Memref/AssignPools/CallersMemory.h"
#include "lib/Transforms/Memref/AssignPools/ThreadPools.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/BufferPass.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Log/Decisions.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

#define GEN_PASS_DEF_ASSIGNPOOLS
#include "lib/Transforms/Memref/AssignPools/AssignPools.h.inc"

namespace {

constexpr llvm::StringLiteral kModulePools = "module.pools";

class AssignPoolsPass
    : public BufferPass<impl::AssignPoolsBase<AssignPoolsPass>> {
public:
  using BufferPass::BufferPass;
  NetworkPipeline network;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(UnknownLoc::get(context));
  }

  void runOnOperation() override {
    SmallVector<ModuleOp> modules;
    bool hasNetwork = false;
    getOperation()->walk<WalkOrder::PreOrder>([&](ModuleOp module) {
      if (hasAllocs(module) ||
          ((poolIo || hasFiles()) && hasMemrefArguments(module)))
        modules.push_back(module);
      else
        hasNetwork |= isNetwork(module);
    });
    if (hasNetwork) {
      if (!modules.empty())
        emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                       "networks and functions on memrefs have pools of their "
                       "own: run the pass on one of them at a time");
      if (!modules.empty() || failed(assignNetwork()))
        signalPassFailure();
      return;
    }
    if (!pins.empty() && !modules.empty()) {
      emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                     "'pins' is for networks; an alloc says by "
                     "'candidate_pools' where it wants to be");
      return signalPassFailure();
    }
    if (hasFiles() && modules.size() > 1) {
      emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                     "'problem-file', 'plan-file' and 'pool-data' are for one "
                     "module of functions, here are several");
      return signalPassFailure();
    }
    // Before the first module is another one; the lines of the option also
    // where there is nothing to plan.
    const auto canHavePools = [this](ModuleOp module) {
      return module->hasAttr(pools::kPoolSizes) ||
             succeeded(readModulePools(module));
    };
    if (!canHavePools(getOperation()) || !llvm::all_of(modules, canHavePools))
      return signalPassFailure();
    for (ModuleOp module : modules)
      if (failed(assign(module)))
        return signalPassFailure();
  }

private:
  bool hasFiles() const {
    return !problemFile.empty() || !planFile.empty() || !poolData.empty();
  }
  static bool hasAllocs(ModuleOp module);
  static bool hasMemrefArguments(ModuleOp module);
  static bool isNetwork(ModuleOp module);
  LogicalResult assignNetwork();
  LogicalResult checkOptions(Location location);
  FailureOr<pools::ModulePools> readModulePools(ModuleOp module);
  LogicalResult keepPools(ModuleOp module);
  LogicalResult assign(ModuleOp module);
  /// nullopt: the module is left as it is.
  FailureOr<std::optional<Plan>> makePlan(ModuleOp module,
                                          pools::PoolProblem &global);
  static pools::AllFacts collectAll(const pools::CallTree &tree,
                                    const CallSummaries &calls, bool remarks);
  LogicalResult writeFiles(ModuleOp module, const pools::PoolRecord &record,
                           const pools::PoolProblem &global);
  void remarkPools(ModuleOp module, const pools::PoolProblem &global,
                   const Plan &plan);
};

} // namespace

/// Functions of its own, with allocs or constants to plan.
bool AssignPoolsPass::hasAllocs(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function
            ->walk([](Operation *op) {
              return isa<memref::AllocOp, memref::GetGlobalOp>(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted())
      return true;
  return false;
}

bool AssignPoolsPass::hasMemrefArguments(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    return !function.isExternal() &&
           llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<MemRefType>);
  });
}

/// Functions of its own, with ops of Top or Tpu.
bool AssignPoolsPass::isNetwork(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      for (Operation &op : block)
        if (llvm::is_contained({"top", "tpu"},
                               op.getName().getDialectNamespace()))
          return true;
  return false;
}

/// Tensors and weights of a network have addresses, not offsets in arguments.
LogicalResult AssignPoolsPass::assignNetwork() {
  const AssignPoolsOptions plain;
  const auto isSet = [](const auto &option, const auto &other) {
    return option.hasValue() || option.getValue() != other;
  };
  for (auto [isGiven, name] :
       {std::pair(isSet(poolPolicy, plain.poolPolicy), "pool-policy"),
        {isSet(alignment, plain.alignment), "alignment"},
        {isSet(inPlace, plain.inPlace), "in-place"},
        {isSet(maxTicks, plain.maxTicks), "max-ticks"},
        {isSet(remarks, plain.remarks), "remarks"}})
    if (isGiven)
      return emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                            "'" + Twine(name) +
                                "' is for functions on "
                                "memrefs, here is a network");
  if (!network)
    return emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                          "the pass is here for functions on memrefs only, "
                          "and this is a network");
  AssignPoolsOptions options;
  options.pools = pools;
  options.pins = pins;
  options.poolIo = poolIo;
  options.strategy = strategy;
  options.problemFile = problemFile;
  options.planFile = planFile;
  options.poolData = poolData;
  OpPassManager manager(ModuleOp::getOperationName());
  network(manager, options);
  return runPipeline(manager, getOperation());
}

LogicalResult AssignPoolsPass::checkOptions(Location location) {
  if (failed(checkAlignment(location, "option 'alignment'", alignment)) ||
      failed(checkPoolOption(location, pools)))
    return failure();
  if (!StrategyRegistry::find(strategy.getValue()))
    return emitCodedError(location, ErrorCode::BadStrategy,
                          "unknown strategy '" + strategy +
                              "'; strategies: " + StrategyRegistry::names());
  if (!poolPolicyOfName(poolPolicy.getValue()))
    return emitCodedError(location, ErrorCode::BadOption,
                          "unknown pool policy '" + poolPolicy +
                              "'; policies: auto, order, value, exact");
  return checkAtLeast(location, "max-ticks", maxTicks, 1);
}

/// Cost, then bytes of all pools together.
static bool isBetter(const SolveResult &result, const SolveResult &other) {
  auto *plan = std::get_if<Plan>(&result), *second = std::get_if<Plan>(&other);
  // Where nothing fits, what is joined needs less.
  if (!plan || !second)
    return plan || (!second && std::holds_alternative<Infeasible>(result));
  auto key = [](const Plan &plan) {
    int64_t bytes = 0;
    for (const PoolUse &use : plan.pools)
      bytes = saturatedAdd(bytes, use.usedBytes);
    return std::pair(plan.accessCost, bytes);
  };
  return key(*plan) < key(*second);
}

/// Joins what may be joined where that helps.
FailureOr<std::optional<Plan>>
AssignPoolsPass::makePlan(ModuleOp module, pools::PoolProblem &global) {
  SolveOptions options;
  options.strategy = strategy;
  options.poolPolicy = *poolPolicyOfName(poolPolicy.getValue());
  SolveResult result = solve(global.problem, options);
  if (inPlace && !global.joins.empty()) {
    Problem joined = pools::withJoins(global);
    SolveResult second = solve(joined, options);
    if (isBetter(second, result)) {
      result = std::move(second);
      global.problem = std::move(joined);
    }
  }
  log::decision("pools", global.problem, result);
  if (auto *plan = std::get_if<Plan>(&result)) {
    // solve() has asked the referee, too; what it says is what counts here.
    std::vector<Violation> violations = validate(global.problem, *plan);
    if (violations.empty())
      return std::optional(std::move(*plan));
    InvalidPlan invalid{strategy, {violations.front().message}};
    emitNoPlan(module.getLoc(), SolveResult(std::move(invalid)), strategy);
    return failure();
  }
  if (auto *over = std::get_if<Infeasible>(&result)) {
    bool isLimited = llvm::any_of(global.problem.pools, [](const Pool &pool) {
      return pool.capacityBytes.has_value();
    });
    // A file that is asked for has to have a plan.
    if (!isLimited && !hasFiles()) {
      if (remarks)
        emitRemark(pools::locationOf(global, over->witness.front()))
            << "no buffer is put into a pool: what has to be there at once has "
               "more bytes than any memory has";
      return std::optional<Plan>();
    }
    pools::emitDoesNotFit(module, global, *over, options);
    return failure();
  }
  emitNoPlan(module.getLoc(), result, strategy);
  return failure();
}

LogicalResult AssignPoolsPass::writeFiles(ModuleOp module,
                                          const pools::PoolRecord &record,
                                          const pools::PoolProblem &global) {
  const Plan &plan = record.plan;
  std::vector<FileToWrite> files;
  if (!problemFile.empty())
    files.push_back({problemFile, printProblemJson(record.problem, &plan)});
  if (!planFile.empty())
    files.push_back({planFile, printPlanJson(record.problem, plan)});
  if (!poolData.empty() && global.pools.readOnly.empty())
    emitRemark(module.getLoc())
        << "'pool-data' has no effect: there is no read-only pool";
  if (!poolData.empty())
    for (PoolId pool : global.pools.readOnly) {
      std::string image(plan.pools[pool].usedBytes, '\0');
      for (auto [index, constant] : llvm::enumerate(global.constants)) {
        const Placement &at = plan.placements[global.allocs.size() + index];
        if (at.pool == pool)
          image.replace(at.offsetBytes, constant.bytes.size(), constant.bytes);
      }
      files.push_back(
          {poolData + "." + global.problem.pools[pool].name + ".bin",
           std::move(image)});
    }
  if (auto error = writeFilesAtomically(files))
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                          error->message);
  return success();
}

void AssignPoolsPass::remarkPools(ModuleOp module,
                                  const pools::PoolProblem &global,
                                  const Plan &plan) {
  for (auto [pool, use] : llvm::enumerate(plan.pools)) {
    int64_t count = 0, bytes = 0;
    for (auto [id, buffer] : llvm::enumerate(global.problem.buffers))
      if (plan.placements[id].pool == PoolId(pool)) {
        ++count;
        bytes = saturatedAdd(bytes, buffer.sizeBytes);
      }
    emitRemark(module.getLoc())
        << "pool '" << global.problem.pools[pool].name << "': " << count
        << (count == 1 ? " buffer of " : " buffers of ") << bytes
        << " bytes in " << use.usedBytes << " bytes, lower bound "
        << use.lowerBoundBytes;
  }
}

pools::AllFacts AssignPoolsPass::collectAll(const pools::CallTree &tree,
                                            const CallSummaries &calls,
                                            bool remarks) {
  pools::AllFacts facts;
  for (func::FuncOp function : tree.calleesFirst())
    facts[function] =
        pools::collectFacts(tree.node(function), tree, calls, facts, remarks);
  if (!remarks)
    return facts;
  for (auto &[function, node] : tree.nodes())
    if (const auto &barrier = node.barrier)
      function->walk<WalkOrder::PreOrder>([&](memref::AllocOp alloc) {
        pools::remarkStays(alloc, barrier->why, barrier->op);
      });
  return facts;
}

LogicalResult AssignPoolsPass::keepPools(ModuleOp module) {
  // Where things are in the pools is known to offsets alone by now.
  if (hasFiles())
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          "attribute '" + pools::kPoolSizes +
                              "' says that this module has its pools: the "
                              "problem and the plan were written when it got "
                              "them, and are not known any more");
  if (remarks)
    emitRemark(module.getLoc()) << "attribute '" << pools::kPoolSizes
                                << "' says that this module has its pools";
  return success();
}

/// The option wins, and becomes the attribute once there is a plan.
FailureOr<pools::ModulePools>
AssignPoolsPass::readModulePools(ModuleOp module) {
  FailureOr<std::vector<Pool>> users = readUserPools(module, alignment, pools);
  if (failed(users))
    return failure();
  for (const Pool &pool : *users)
    if (failed(checkAlignment(module.getLoc(),
                              "'align' of pool '" + pool.name + "'",
                              pool.alignment)) ||
        failed(checkPoolBase(module.getLoc(), pool)))
      return failure();
  return pools::makePools(std::move(*users), alignment);
}

LogicalResult AssignPoolsPass::assign(ModuleOp module) {
  if (module->hasAttr(pools::kPoolSizes))
    return keepPools(module);
  FailureOr<pools::ModulePools> modulePools = readModulePools(module);
  if (failed(modulePools))
    return failure();
  if (poolIo && modulePools->internal && hasMemrefArguments(module))
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          "'pool-io' asks for a pool that can be written, and "
                          "'pools' and attribute 'module.pools' have none");
  pools::CallTree tree(module, getOperation());
  const CallSummaries calls(getOperation());
  pools::AllFacts facts;
  std::optional<pools::PooledArguments> pooled;
  if (poolIo) {
    facts = collectAll(tree, calls, /*remarks=*/false);
    pooled.emplace(tree, facts);
  }
  facts = collectAll(tree, calls, remarks);
  FailureOr<pools::PoolProblem> global = pools::buildPoolProblem(
      module, tree, facts, std::move(*modulePools), maxTicks, remarks);
  if (succeeded(global) && pooled)
    pooled->keepPlanned(*global);
  // A file of an earlier run would be taken for this one's.
  if (succeeded(global) && global->problem.buffers.empty() && !hasFiles())
    return success();
  FailureOr<std::optional<Plan>> made;
  if (succeeded(global))
    made = makePlan(module, *global);
  const bool isLeft = succeeded(made) && !*made;
  if (failed(made) || isLeft ||
      failed(writeFiles(module,
                        pools::recordPools(tree, facts,
                                           pooled ? &*pooled : nullptr, *global,
                                           **made),
                        *global))) {
    if (pooled)
      pooled->undo();
    return success(isLeft);
  }
  const Plan &plan = **made;
  if (remarks)
    remarkPools(module, *global, plan);
  if (!pools.empty()) {
    SmallVector<StringRef> lines;
    StringRef(pools).split(lines, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    module->setAttr(kModulePools,
                    Builder(&getContext()).getStrArrayAttr(lines));
  }
  pools::threadPools(module, tree, *global, plan);
  if (pooled)
    pooled->finish();
  return success();
}

std::unique_ptr<Pass> createAssignPools(NetworkPipeline network) {
  auto pass = std::make_unique<AssignPoolsPass>();
  pass->network = std::move(network);
  return pass;
}

} // namespace tpu_mlir
