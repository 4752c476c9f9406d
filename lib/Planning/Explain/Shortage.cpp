//===- Shortage.cpp - What people are told about too little room ----------===//

#include "tpu_mlir/Planning/Shortage.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::planning {

bool hasChoice(const Problem &problem, const Infeasible &infeasible) {
  return std::any_of(infeasible.witness.begin(), infeasible.witness.end(),
                     [&](BufferId id) {
                       return problem.buffers[size_t(id)].pools.size() > 1;
                     });
}

int64_t longestIdle(const Buffer &buffer) {
  if (buffer.lifespans.empty())
    return 0;
  int64_t last = buffer.lifespans.front().begin, idle = 0;
  for (int64_t step : buffer.readSteps) {
    idle = std::max(idle, step - last - 1);
    last = std::max(last, step);
  }
  return std::max(idle, buffer.lifespans.back().end - 1 - last);
}

static std::string whyNoLayout(const Infeasible &infeasible,
                               const std::string &planner) {
  if (infeasible.boundExceeds)
    return ", so no layout can fit";
  if (infeasible.isProved)
    return ", which would fit, but it is proved that no layout can";
  return ", which would fit: only the packing by '" + infeasible.strategy +
         "' failed; try another " + planner;
}

/// "1.0 KiB, so no layout can fit", or that it would fit and what failed.
static std::string describePeak(const Problem &problem,
                                const Infeasible &infeasible,
                                const std::string &planner) {
  const LiveBound bound = liveBound(problem, infeasible.pool);
  const std::string sum =
      formatSum(bound.leaves63Bits ? std::numeric_limits<int64_t>::max()
                                   : bound.liveSumBytes);
  if (infeasible.boundExceeds || !hasChoice(problem, infeasible))
    return sum + whyNoLayout(infeasible, planner);
  return sum + ", which would fit; of what may be in other pools, too, some " +
         "finds no room in any of them" +
         (infeasible.isProved ? ", as a search has shown"
                              : ": try another " + planner);
}

void tellBuffers(Shortage &shortage, const std::vector<BufferId> &witness,
                 const BufferNotes &notes) {
  const size_t told = std::min(notes.most, witness.size());
  for (size_t i = 0; i < told; ++i)
    shortage.buffers.emplace_back(witness[i], notes.text(witness[i]));
  if (told == witness.size())
    return;
  shortage.others =
      std::to_string(witness.size() - told) + " " + std::string(notes.more);
  if (!notes.sizeBytes)
    return;
  int64_t restBytes = 0;
  for (size_t i = told; i < witness.size(); ++i)
    restBytes = saturatedAdd(restBytes, notes.sizeBytes(witness[i]));
  shortage.others += ", " + formatSum(restBytes) + " in all";
}

Shortage describeShortage(const Problem &problem, const Infeasible &infeasible,
                          const ShortageWords &words) {
  Shortage shortage;
  shortage.isCertain = infeasible.isCertain();
  shortage.message =
      words.subject +
      (shortage.isCertain ? " does not fit: "
                          : " got no plan, though one may exist: ") +
      words.memory + " " +
      formatShortage(infeasible.needBytes, infeasible.haveBytes,
                     words.isMemoryPlural);
  if (!words.peak.empty())
    shortage.peak = words.peak + describePeak(problem, infeasible,
                                              std::string(words.planner));
  const auto sizeBytes = [&](BufferId id) {
    return problem.buffers[size_t(id)].sizeBytes;
  };
  const auto text = [&](BufferId id) {
    return formatBytes(sizeBytes(id)) + words.buffer(id);
  };
  tellBuffers(shortage, infeasible.witness, {text, sizeBytes, words.more});
  return shortage;
}

} // namespace tpu_mlir::planning
