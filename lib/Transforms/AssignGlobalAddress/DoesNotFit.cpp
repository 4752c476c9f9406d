//===- DoesNotFit.cpp - What is over a pool or a board --------------------===//

#include "lib/Transforms/AssignGlobalAddress/DoesNotFit.h"

#include "lib/Transforms/AssignGlobalAddress/BoardUse.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

/// How many tensors get a note of their own.
static constexpr size_t kNotes = 4;

/// The longest stretch without a reader: a hint at what to recompute or move.
static int64_t longestIdle(const Buffer &buffer) {
  if (buffer.lifespans.empty())
    return 0;
  int64_t last = buffer.lifespans.front().begin, idle = 0;
  for (int64_t step : buffer.readSteps) {
    idle = std::max(idle, step - last - 1);
    last = std::max(last, step);
  }
  return std::max(idle, buffer.lifespans.back().end - 1 - last);
}

static StringRef kindName(BufferKind kind) {
  switch (kind) {
  case BufferKind::Activation:
    return "activation";
  case BufferKind::Weight:
    return "weight";
  case BufferKind::Input:
    return "input";
  case BufferKind::Output:
    return "output";
  case BufferKind::Scratch:
    return "scratch";
  }
  return "";
}

static void noteBuffer(InFlightDiagnostic &diagnostic, const GlobalFacts &facts,
                       const GlobalProblem &global, BufferId id) {
  const Buffer &buffer = global.problem.buffers[id];
  Interval life = buffer.lifespans.front();
  int64_t idle = longestIdle(buffer);
  Value value = facts.aliases.classes()[global.classOf[id]].representative();
  Diagnostic &note = diagnostic.attachNote(shownLocation(value.getLoc()));
  note << formatBytes(buffer.sizeBytes) << " alive for steps [" << life.begin
       << "," << life.end << "): '" << buffer.name << "' ("
       << kindName(buffer.kind);
  if (idle > 0)
    note << ", unused for " << idle << " steps";
  note << ")";
}

InFlightDiagnostic emitDoesNotFit(ModuleOp module, const GlobalFacts &facts,
                                  const GlobalProblem &global,
                                  const Infeasible &infeasible) {
  const Pool &pool = global.problem.pools[infeasible.pool];
  Operation *op = facts.schedule.opAt(infeasible.peakStep);
  Location location = op ? op->getLoc() : module.getLoc();
  std::string what = op ? ("'" + op->getName().getStringRef() + "' op").str()
                        : std::string("the module");
  InFlightDiagnostic diagnostic = emitCodedError(
      location, codeOf(infeasible),
      what + " " + wordsOf(infeasible) + ": pool '" + pool.name + "' " +
          formatShortage(infeasible.needBytes, infeasible.haveBytes));
  Diagnostic &peak = diagnostic.attachNote(module.getLoc());
  peak << "peak is step " << infeasible.peakStep << " of "
       << facts.schedule.numSteps() << "; what is alive there already sums to "
       << describePeak(global.problem, infeasible, "strategy");

  int64_t restBytes = 0;
  for (size_t i = 0; i < infeasible.witness.size(); ++i) {
    if (i < kNotes)
      noteBuffer(diagnostic, facts, global, infeasible.witness[i]);
    else
      restBytes = saturatedAdd(
          restBytes, global.problem.buffers[infeasible.witness[i]].sizeBytes);
  }
  if (infeasible.witness.size() > kNotes)
    diagnostic.attachNote(module.getLoc())
        << infeasible.witness.size() - kNotes << " more buffers, "
        << formatSum(restBytes) << " in all";
  return diagnostic;
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

} // namespace tpu_mlir
