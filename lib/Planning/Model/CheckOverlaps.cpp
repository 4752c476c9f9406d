//===- CheckOverlaps.cpp - Which overlaps make sense ----------------------===//

#include "lib/Planning/Model/CheckOverlaps.h"

#include <algorithm>
#include <set>

namespace tpu_mlir::planning {
namespace {

class OverlapRound {
public:
  OverlapRound(const Problem &problem, const std::vector<StorageClass> &classes)
      : problem(problem), isMember(problem.buffers.size(), false),
        isPinned(problem.buffers.size(), false) {
    for (const Alias &alias : problem.aliases)
      isMember[alias.member] = true;
    for (const StorageClass &storage : classes)
      isPinned[storage.root] = storage.pin.has_value();
  }

  /// What is wrong with it, or "". Both buffers exist.
  std::string flawOf(const Overlap &pair) {
    const auto [a, b] = std::minmax(pair.lower, pair.upper);
    if (a == b)
      return "itself";
    const std::string with = "'" + nameOf(pair.upper) + "', ";
    if (!seen.insert({a, b}).second)
      return with + "with which it has one already";
    if (pair.distanceBytes < 0)
      return with + "of the negative distance " +
             std::to_string(pair.distanceBytes);
    if (isMember[a] || isMember[b])
      return with + "but one of them is an alias; its root says where it is";
    if (isPinned[a] || isPinned[b])
      return with + "but one of them is pinned";
    if (const int64_t steps = commonSteps(a, b); steps != 1)
      return with + "but they are alive together in " + std::to_string(steps) +
             " steps, where it has to be 1";
    if (!changesHands(pair))
      return with + "but in their common step it does not begin, or the other "
                    "one does not end: what is written over would be read "
                    "again";
    return "";
  }
  std::string nameOf(BufferId id) const {
    const std::string &name = problem.buffers[id].name;
    return name.empty() ? "#" + std::to_string(id) : name;
  }

private:
  const std::vector<Interval> &livesOf(BufferId id) const {
    return problem.buffers[id].lifespans;
  }
  /// In a schedule that repeats a life may go on from its last step at 0.
  bool goesOn(BufferId id) const {
    const std::vector<Interval> &lives = livesOf(id);
    return problem.period && lives.front().begin == 0 &&
           lives.back().end == *problem.period;
  }
  /// The lower one begins, and the upper one ends, in the common step.
  bool changesHands(const Overlap &pair) const {
    for (const Interval &made : livesOf(pair.lower))
      for (const Interval &read : livesOf(pair.upper))
        if (made.overlaps(read))
          return made.begin + 1 == read.end &&
                 !(made.begin == 0 && goesOn(pair.lower)) &&
                 !(read.end == problem.period && goesOn(pair.upper));
    return false;
  }
  int64_t commonSteps(BufferId a, BufferId b) const {
    int64_t steps = 0;
    for (const Interval &x : problem.buffers[a].lifespans)
      for (const Interval &y : problem.buffers[b].lifespans)
        steps += std::max<int64_t>(0, std::min(x.end, y.end) -
                                          std::max(x.begin, y.begin));
    return steps;
  }

  const Problem &problem;
  std::vector<bool> isMember, isPinned;
  std::set<std::pair<BufferId, BufferId>> seen;
};

} // namespace

void checkOverlaps(const Problem &problem,
                   const std::vector<StorageClass> &classes,
                   std::vector<ProblemError> &errors) {
  if (problem.overlaps.empty() || !errors.empty())
    return;
  const BufferId count = BufferId(problem.buffers.size());
  const auto exists = [&](BufferId id) { return id >= 0 && id < count; };
  OverlapRound round(problem, classes);
  for (const Overlap &pair : problem.overlaps) {
    if (!exists(pair.lower) || !exists(pair.upper))
      errors.push_back({"an overlap names a buffer that does not exist"});
    else if (const std::string flaw = round.flawOf(pair); !flaw.empty())
      errors.push_back({"buffer '" + round.nameOf(pair.lower) +
                            "' has an overlap with " + flaw,
                        pair.lower});
  }
}

} // namespace tpu_mlir::planning
