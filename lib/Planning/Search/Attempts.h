//===- Attempts.h - Many short searches instead of a long one ---*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_ATTEMPTS_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_ATTEMPTS_H

#include "lib/Planning/Search/Blocks.h"
#include "lib/Planning/Search/SkylineSearch.h"

#include <memory>

namespace tpu_mlir::planning {

/// What a placement counts in nodes, which are meant to take about 100 ns; in
/// problems of many pieces, each of which it looks at, a multiple of this.
constexpr int64_t kNodesOfPlacement = 8;
/// So few items may well be searched to the end: as they are, before anything
/// is glued.
constexpr size_t kTinyProblem = 24;

/// Looks for packings of one problem below changing targets. Searches go in
/// rounds; a round tries a few gluings of the problem (Blocks.h) and the
/// problem as it is, each from several orders with a node limit that grows from
/// round to round, so that in the end one of the searches is complete.
///
/// The searches of a round are independent: with several threads they run at
/// the same time, and the first in order that decides the matter counts, so the
/// answer is that of a single thread.
class Attempts {
public:
  Attempts(const PackingProblem &problem, const SolveOptions &options);
  ~Attempts();

  /// Exhausted: proved that nothing ends at or below the target. Stops after
  /// about `nodes` more nodes.
  SearchOutcome run(int64_t targetBytes, int64_t nodes);
  /// After Found: one offset an item.
  const std::vector<int64_t> &offsets() const { return found; }
  /// Of all searches and gluings.
  int64_t nodes() const { return nodeCount; }
  /// The time limit of the options is over.
  bool isLate() const;
  /// Nothing can be searched: too many pieces even when glued.
  bool isTooLarge();

private:
  struct View;
  struct Task;
  View *gluedView(int64_t round);
  bool isTiling() const;
  /// Some rounds of BlockBuilder::improve(), fewer when it is late: how many it
  /// would have been.
  int64_t improveGluing();
  void improveFirst();
  /// What making a view costs.
  int64_t nodesOfView() const { return 2 * int64_t(problem.items.size()); }
  std::unique_ptr<View> makeView(const BlockBuilder &from);
  View *wholeView();
  std::vector<Task> tasksOfRound(int64_t round);
  void addTasks(View *view, size_t count, double nodesEach,
                std::vector<Task> &tasks);
  const Task *runTasks(std::vector<Task> &tasks, int64_t target);
  void runTask(Task &task, int64_t target,
               const std::function<bool()> &mustStop) const;
  void runInParallel(std::vector<Task> &tasks, int64_t target);
  SearchOrder nextOrder();

  const PackingProblem &problem;
  const SolveOptions options;
  std::unique_ptr<View> whole, improved;
  std::vector<std::unique_ptr<View>> glued;
  std::unique_ptr<BlockBuilder> builder;
  std::vector<int64_t> found;
  int64_t nodeCount = 0;
  size_t neighboursKept = 0; ///< In `glued`.
  uint64_t ordersUsed = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_ATTEMPTS_H
