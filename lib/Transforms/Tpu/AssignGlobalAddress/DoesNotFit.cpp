//===- DoesNotFit.cpp - What is over a pool or a board --------------------===//

#include "lib/Transforms/Tpu/AssignGlobalAddress/DoesNotFit.h"

#include "lib/Transforms/Tpu/BeyondMemory/BeyondMemory.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::global_addresses {

static std::string describeBuffer(const Buffer &buffer) {
  const Interval life = buffer.lifespans.front();
  const int64_t idle = longestIdle(buffer);
  std::string text = " alive for steps [" + std::to_string(life.begin) + "," +
                     std::to_string(life.end) + "): '" + buffer.name + "' (" +
                     std::string(kindName(buffer.kind));
  if (idle > 0)
    text += ", unused for " + std::to_string(idle) + " steps";
  return text + ")";
}

InFlightDiagnostic emitDoesNotFit(ModuleOp module, const GlobalFacts &facts,
                                  const GlobalProblem &global,
                                  const Infeasible &infeasible) {
  const Problem &problem = global.problem;
  Operation *op = facts.schedule.opAt(infeasible.peakStep);
  ShortageWords words;
  words.subject = op ? ("'" + op->getName().getStringRef() + "' op").str()
                     : std::string("the module");
  words.memory = "pool '" + problem.pools[infeasible.pool].name + "'";
  words.peak = ("peak is step " + Twine(infeasible.peakStep) + " of " +
                Twine(facts.schedule.numSteps()) +
                "; what is alive there already sums to ")
                   .str();
  words.buffer = [&](BufferId id) {
    return describeBuffer(problem.buffers[id]);
  };
  words.more = "more buffers";
  const auto placeOf = [&](BufferId id) {
    Value value = facts.aliases.classes()[global.classOf[id]].representative();
    return shownLocation(value.getLoc());
  };
  return emitShortage(describeShortage(problem, infeasible, words),
                      {op ? op->getLoc() : module.getLoc(), module.getLoc(),
                       placeOf, module.getLoc()});
}

void BoardUse::addPart(StringRef name, int64_t bytes) {
  const bool isShared =
      name == "neuron" || name == "shared" || name == "private";
  for (Part &part : parts)
    if (part.name == name) {
      part.bytes = isShared ? std::max(part.bytes, bytes)
                            : saturatedAdd(part.bytes, bytes);
      return;
    }
  if (bytes > 0)
    parts.push_back({name.str(), bytes});
}

void BoardUse::add(const GlobalProblem &global, const planning::Plan &plan,
                   const target::ChipSpec &chip, const WeightRegion &weights) {
  ++numModules;
  int64_t end = saturatedAdd(weights.base, weights.sizeBytes);
  int64_t inRegions = weights.sizeBytes;
  addPart("coeff", weights.sizeBytes);
  for (auto [pool, region] : llvm::enumerate(global.regions)) {
    if (region.role == RegionRole::L2 || region.role == RegionRole::User)
      continue;
    int64_t size =
        checkedAlignUp(plan.pools[pool].usedBytes, chip.neuronAlignment)
            .value_or(std::numeric_limits<int64_t>::max());
    addPart(global.problem.pools[pool].name, size);
    inRegions = saturatedAdd(inRegions, size);
    if (size > 0)
      end = std::max(end, saturatedAdd(region.base, size));
  }
  // In one flat memory regions follow each other, with the larger alignment
  // between them.
  if (chip.addressForm == target::AddressForm::Linear)
    addPart("padding", std::max<int64_t>(0, end - weights.base - inRegions));
}

int64_t BoardUse::bytes() const {
  int64_t total = 0;
  for (const Part &part : parts)
    total = saturatedAdd(total, part.bytes);
  return total;
}

std::string BoardUse::describe() const {
  std::string list;
  for (const Part &part : parts)
    if (part.bytes > 0)
      list += (list.empty() ? "" : ", ") + part.name + " " +
              formatExactBytes(part.bytes);
  return list;
}

LogicalResult BoardUse::check(ModuleOp module, int64_t boardBytes) const {
  if (bytes() <= boardBytes)
    return success();
  return emitCodedError(
      module.getLoc(), ErrorCode::DoesNotFit,
      (numModules > 1
           ? "the modules of one device do not fit: together they "
           : std::string("the module does not fit: all regions together ")) +
          formatShortage(bytes(), boardBytes, /*isPlural=*/true) + ": " +
          describe());
}

SolveResult solveWithRoom(GlobalProblem &global, const SolveOptions &options,
                          PlanCache &plans, Capacities &opened) {
  opened.clear();
  while (true) {
    SolveResult result = solveCached(global.problem, options, plans);
    const auto *over = std::get_if<Infeasible>(&result);
    if (!over || !global.problem.pools[over->pool].capacityBytes)
      return result;
    // Each time one pool more has room.
    std::optional<int64_t> &capacity =
        global.problem.pools[over->pool].capacityBytes;
    opened[over->pool] = *capacity;
    capacity.reset();
  }
}

void recordBeyond(ModuleOp module, const GlobalFacts &facts,
                  const GlobalProblem &global, const Plan &plan,
                  const Capacities &opened) {
  module->removeAttr(kBeyondMemory);
  MLIRContext *context = module.getContext();
  SmallVector<NamedAttribute> memories;
  for (const auto &[pool, capacity] : opened) {
    SmallVector<Attribute> names;
    for (auto [buffer, id] : llvm::enumerate(global.classOf)) {
      const Placement &placement = plan.placements[buffer];
      if (placement.pool == pool &&
          placement.offsetBytes + global.problem.buffers[buffer].sizeBytes >
              capacity)
        names.push_back(StringAttr::get(
            context, valueName(facts.aliases.classes()[id].representative())));
    }
    if (!names.empty())
      memories.emplace_back(
          StringAttr::get(context, global.problem.pools[pool].name),
          ArrayAttr::get(context, names));
  }
  if (!memories.empty())
    module->setAttr(kBeyondMemory, DictionaryAttr::get(context, memories));
}

} // namespace tpu_mlir::global_addresses
