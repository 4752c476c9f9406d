#include "lib/Transforms/AssignGlobalAddress/DoesNotFit.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"

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

} // namespace tpu_mlir
