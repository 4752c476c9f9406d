//===- PoolProblem.cpp - Build the planning problem of a module -----------===//
//
// One buffer for each alloc and call path on the common axis, with the pools
// that may hold it.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/AssignPools/PoolProblem.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::pools {

ModulePools makePools(std::vector<Pool> pools, int64_t alignment) {
  ModulePools result;
  bool isWritable = llvm::any_of(pools, [](const Pool &pool) {
    return pool.access == PoolAccess::ReadWrite;
  });
  if (!isWritable) {
    Pool workspace;
    workspace.name = "workspace";
    workspace.alignment = alignment;
    // The user may have a read-only pool of that name.
    while (llvm::any_of(
        pools, [&](const Pool &pool) { return pool.name == workspace.name; }))
      workspace.name += "_";
    result.internal = 0;
    pools.insert(pools.begin(), std::move(workspace));
  }
  for (auto [id, pool] : llvm::enumerate(pools))
    (pool.access == PoolAccess::ReadOnly ? result.readOnly : result.writable)
        .push_back(id);
  result.pools = std::move(pools);
  return result;
}

/// The first of `targets` that cannot reach the pool.
static std::optional<std::string>
firstWithoutReach(const std::vector<std::string> &targets, const Pool &pool) {
  for (const std::string &target : targets)
    if (!pool.targets.empty() && !llvm::is_contained(pool.targets, target))
      return target;
  return std::nullopt;
}

static std::vector<PoolId> reachable(const std::vector<PoolId> &ids,
                                     const std::vector<std::string> &targets,
                                     const ModulePools &pools) {
  std::vector<PoolId> result;
  for (PoolId id : ids)
    if (!firstWithoutReach(targets, pools.pools[id]))
      result.push_back(id);
  return result;
}

FailureOr<std::vector<PoolId>> candidatesOf(const PoolAlloc &planned,
                                            const ModulePools &pools) {
  memref::AllocOp alloc = planned.alloc;
  const std::vector<std::string> &targets = planned.accessors.targets;
  Attribute attribute = alloc->getAttr(kCandidatePools);
  if (!attribute) {
    std::vector<PoolId> all = reachable(pools.writable, targets, pools);
    if (all.empty())
      return emitCodedError(alloc.getLoc(), ErrorCode::BadAttribute,
                            "no pool that can be written is reached by all "
                            "targets that access this buffer: " +
                                llvm::join(targets, ", "));
    return all;
  }
  auto fail = [&](const Twine &message) {
    return emitCodedError(alloc.getLoc(), ErrorCode::BadAttribute,
                          "attribute '" + kCandidatePools + "' " + message);
  };
  std::vector<std::string> names;
  for (PoolId id : pools.writable)
    names.push_back(pools.pools[id].name);
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list || list.empty())
    return fail("has to be an array of names of pools");
  std::vector<PoolId> result;
  for (Attribute entry : list) {
    auto name = dyn_cast<StringAttr>(entry);
    if (!name)
      return fail("has to be an array of names of pools");
    auto found = llvm::find_if(pools.writable, [&](PoolId id) {
      return pools.pools[id].name == name.getValue();
    });
    if (found == pools.writable.end())
      return fail("names '" + name.getValue() +
                  "'; pools that can be written: " + llvm::join(names, ", "));
    if (auto target = firstWithoutReach(targets, pools.pools[*found]))
      return fail("names '" + name.getValue() + "', which target '" + *target +
                  "' cannot reach");
    if (llvm::is_contained(result, *found))
      return fail("names '" + name.getValue() + "' twice");
    result.push_back(*found);
  }
  return result;
}

llvm::DenseMap<Operation *, int64_t> countRuns(const CallTree &tree,
                                               const AllFacts &facts) {
  llvm::DenseMap<Operation *, int64_t> runs;
  for (func::FuncOp function : llvm::reverse(tree.calleesFirst())) {
    int64_t &own = runs[function];
    own = addCapped(own, tree.node(function).isEntry);
    int64_t times = own;
    for (const CallAt &call : facts.find(function)->second.calls) {
      int64_t &callee = runs[call.callee];
      callee = addCapped(callee, multiplyCapped(times, call.times));
    }
  }
  return runs;
}

static int64_t accessesIn(const PoolAlloc &planned, int64_t runs) {
  memref::AllocOp alloc = planned.alloc;
  int64_t elements = std::max<int64_t>(alloc.getType().getNumElements(), 1);
  return multiplyCapped(
      runs, addCapped(planned.accesses.wholes,
                      ceilDiv(planned.accesses.elements, elements)));
}

/// Inputs and outputs of entries where they are in pools.
static BufferKind kindOf(memref::AllocOp alloc) {
  const auto use = readInteger(alloc->getAttr(kCallersUse));
  if (!use)
    return BufferKind::Activation;
  return *use & kSeenAfterwards ? BufferKind::Output : BufferKind::Input;
}

/// "main/buffer3", or the name in the location.
static std::string nameOf(const PoolAlloc &planned, func::FuncOp function,
                          size_t index) {
  memref::AllocOp alloc = planned.alloc;
  if (alloc->hasAttr(kCallersUse)) // Has the name of an argument.
    return valueName(alloc.getResult());
  std::string own = alloc->getLoc()->findInstanceOf<NameLoc>()
                        ? valueName(alloc.getResult())
                        : "buffer" + std::to_string(index);
  return function.getName().str() + "/" + own;
}

static Buffer makeBuffer(const ConstantBytes &constant,
                         const ModulePools &pools, int64_t numTicks) {
  Buffer buffer;
  memref::GlobalOp global = constant.globals.front();
  buffer.name = global.getName().str();
  buffer.kind = BufferKind::Weight;
  buffer.sizeBytes = constant.bytes.size();
  buffer.alignment = constant.alignment;
  buffer.lifespans = {{0, std::max<int64_t>(numTicks, 1)}};
  buffer.accesses = constant.accesses;
  buffer.pools = reachable(pools.readOnly, constant.readers.targets, pools);
  return buffer;
}

/// Groups of one function, whose first buffer is `first`.
static void addJoins(const FunctionFacts &facts, BufferId first,
                     PoolProblem &result) {
  const std::vector<Buffer> &buffers = result.problem.buffers;
  for (const std::vector<int64_t> &group : facts.joins) {
    std::vector<BufferId> ids;
    for (int64_t index : group)
      if (ids.empty() ||
          buffers[first + index].pools == buffers[ids.front()].pools)
        ids.push_back(first + index);
    if (ids.size() > 1)
      result.joins.push_back(std::move(ids));
  }
}

Problem withJoins(const PoolProblem &global) {
  Problem result = global.problem;
  for (const std::vector<BufferId> &group : global.joins) {
    Buffer &root = result.buffers[group.front()];
    for (BufferId member : ArrayRef(group).drop_front()) {
      llvm::append_range(root.lifespans, result.buffers[member].lifespans);
      result.aliases.push_back({member, group.front(), 0});
    }
    root.lifespans = normalize(std::move(root.lifespans));
  }
  llvm::sort(result.aliases, [](const Alias &a, const Alias &b) {
    return a.member < b.member;
  });
  return result;
}

/// An offset says nothing of an address in a pool whose base is less aligned
/// than the buffer.
static LogicalResult dropMisaligned(Location location, Buffer &buffer,
                                    const ModulePools &pools) {
  if (buffer.pools.empty())
    return success();
  PoolId last = buffer.pools.back();
  llvm::erase_if(buffer.pools, [&](PoolId pool) {
    return pools.pools[pool].baseAddress % buffer.alignment != 0;
  });
  if (!buffer.pools.empty())
    return success();
  return emitCodedError(location, ErrorCode::BadAttribute,
                        "no pool has an address for this buffer: '" +
                            pools.pools[last].name + "' begins at " +
                            Twine(pools.pools[last].baseAddress) +
                            ", which is no multiple of " +
                            Twine(buffer.alignment) + ", its alignment");
}

/// The buffers of what read-only pools hold, after those of all allocs.
LogicalResult addConstants(const ModulePools &pools, int64_t numTicks,
                           PoolProblem &result) {
  for (const ConstantBytes &constant : result.constants) {
    result.problem.buffers.push_back(makeBuffer(constant, pools, numTicks));
    if (result.problem.buffers.back().pools.empty()) {
      memref::GlobalOp global = constant.globals.front();
      return emitCodedError(global.getLoc(), ErrorCode::BadAttribute,
                            "no read-only pool is reached by all targets that "
                            "read this constant: " +
                                llvm::join(constant.readers.targets, ", "));
    }
    if (failed(
            dropMisaligned(memref::GlobalOp(constant.globals.front()).getLoc(),
                           result.problem.buffers.back(), pools)))
      return failure();
  }
  return success();
}

FailureOr<PoolProblem> buildPoolProblem(ModuleOp module, const CallTree &tree,
                                        const AllFacts &facts,
                                        ModulePools pools, int64_t maxTicks,
                                        bool remarks) {
  PoolProblem result;
  AxisLives lives = placeOnAxis(tree, facts, maxTicks);
  if (remarks && lives.foldedCalls > 0)
    emitRemark(module.getLoc())
        << lives.foldedCalls
        << (lives.foldedCalls == 1 ? " call counts" : " calls count")
        << " as one tick; with a larger 'max-ticks' less has to live then";
  llvm::DenseMap<Operation *, int64_t> runs = countRuns(tree, facts);
  result.problem.name = module.getName().value_or("pools").str();
  for (auto &[operation, node] : tree.nodes()) {
    auto found = facts.find(operation);
    if (found == facts.end())
      continue;
    for (auto [index, planned] : llvm::enumerate(found->second.allocs)) {
      memref::AllocOp alloc = planned.alloc;
      FailureOr<std::vector<PoolId>> candidates = candidatesOf(planned, pools);
      if (failed(candidates))
        return failure();
      Buffer buffer;
      buffer.name = nameOf(planned, node.function, index);
      buffer.kind = kindOf(alloc);
      buffer.location = valuePosition(alloc.getResult());
      buffer.sizeBytes = planned.size.sizeBytes;
      buffer.alignment = std::max<int64_t>(planned.size.elementAlignment,
                                           alloc.getAlignment().value_or(1));
      buffer.lifespans = lives.of[operation][index];
      buffer.accesses = accessesIn(planned, runs[operation]);
      buffer.pools = std::move(*candidates);
      if (failed(dropMisaligned(alloc.getLoc(), buffer, pools)))
        return failure();
      result.problem.buffers.push_back(std::move(buffer));
      result.allocs.push_back(&planned);
    }
    addJoins(found->second, result.allocs.size() - found->second.allocs.size(),
             result);
  }
  if (!pools.readOnly.empty())
    result.constants = collectConstants(module, facts, runs, remarks);
  if (failed(addConstants(pools, lives.numTicks, result)))
    return failure();
  result.problem.pools = pools.pools;
  result.pools = std::move(pools);
  return result;
}

//===----------------------------------------------------------------------===//
// No plan
//===----------------------------------------------------------------------===//

Location locationOf(const PoolProblem &global, BufferId id) {
  if (id < int64_t(global.allocs.size())) {
    memref::AllocOp alloc = global.allocs[id]->alloc;
    return alloc.getLoc();
  }
  memref::GlobalOp constant =
      global.constants[id - global.allocs.size()].globals.front();
  return constant.getLoc();
}

static void noteRemedies(InFlightDiagnostic &diagnostic, ModuleOp module,
                         const PoolProblem &global,
                         const Infeasible &infeasible,
                         const SolveOptions &options) {
  Remedies help = remedies(global.problem, infeasible, options);
  for (const PoolRequirement &need : help.capacities) {
    const Pool &pool = global.problem.pools[need.pool];
    if (need.worksWithBytes)
      diagnostic.attachNote(module.getLoc())
          << "it fits when pool '" << pool.name << "' has "
          << *need.worksWithBytes << " bytes instead of " << need.haveBytes;
  }
}

/// The module; one that is not written down has no place in the file, what is
/// alive at the peak may have.
static Location placeOfWhole(ModuleOp module, const PoolProblem &global,
                             const Infeasible &infeasible) {
  auto own = dyn_cast<FileLineColLoc>(module.getLoc());
  if (own && own.getLine() == 0)
    for (BufferId id : infeasible.witness)
      if (locationOf(global, id)->findInstanceOf<FileLineColLoc>())
        return locationOf(global, id);
  return module.getLoc();
}

void emitDoesNotFit(ModuleOp module, const PoolProblem &global,
                    const Infeasible &infeasible, const SolveOptions &options) {
  const Problem &problem = global.problem;
  ShortageWords words;
  words.subject = "the module";
  words.memory = "pool '" + problem.pools[infeasible.pool].name + "'";
  words.peak = "what has to be there at once sums to ";
  words.buffer = [&](BufferId id) {
    return " in use there: '" + problem.buffers[id].name + "'";
  };
  const Location whole = placeOfWhole(module, global, infeasible);
  InFlightDiagnostic diagnostic = emitShortage(
      describeShortage(problem, infeasible, words),
      {whole, whole, [&](BufferId id) { return locationOf(global, id); },
       whole});
  noteRemedies(diagnostic, module, global, infeasible, options);
}

} // namespace tpu_mlir::pools
