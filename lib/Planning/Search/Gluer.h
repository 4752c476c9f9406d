//===- Gluer.h - Putting blocks together ------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_GLUER_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_GLUER_H

#include "lib/Planning/Search/BlockForest.h"

#include "tpu_mlir/Support/Bytes.h"

#include <deque>
#include <random>

namespace tpu_mlir::planning {

/// Puts blocks together until nothing fits any more.
class Gluer : protected BlockForest {
public:
  Gluer(const PackingProblem &problem, uint64_t seed)
      : BlockForest(problem.items), problem(problem), seed(seed), random(seed) {
  }
  /// Glues all items.
  void start();

  size_t blockCount() const { return roots.size(); }
  void improve(int64_t rounds);
  BlockedProblem blocked() const;

protected:
  /// With a block that ends where it begins, or the other way round.
  /// `takeAny`: whatever else would fit. Otherwise a block that could go to
  /// several waits in `ambiguous`.
  virtual bool tryJoin(int32_t id, bool takeAny);
  /// The block may be any of the five pieces of a wheel: each place has its
  /// own set of blocks that may be the hub.
  void tryWheels(int32_t id);
  /// `hub` is m of the figure. a and b follow from d and c.
  virtual bool tryWheel(int32_t hub);
  virtual void glue(const Block &block, const std::vector<Part> &parts);
  /// Of the piles that end where the block begins, or the other way round, one
  /// of which some fit beside it.
  virtual bool splitPileBeside(int32_t id);

  static constexpr int kMostTried = 64;
  std::deque<int32_t> ambiguous;

private:
  void glueAll() {
    while (glueOnce())
      ;
  }

  void addItems() {
    std::vector<bool> mustStayAlone(problem.items.size(), false);
    for (const auto &[a, b] : problem.forbiddenSharing)
      mustStayAlone[size_t(a)] = mustStayAlone[size_t(b)] = true;
    for (size_t id = 0; id < problem.items.size(); ++id) {
      const Item &item = problem.items[id];
      const auto padded = checkedAlignUp(item.sizeBytes, item.alignment);
      const bool isFree = !mustStayAlone[id] && !item.pinOffset && padded &&
                          item.lifespans.size() == 1 && item.sizeBytes > 0;
      blocks.push_back({stepIndex(item.lifespans.front().begin),
                        stepIndex(item.lifespans.back().end),
                        isFree ? *padded : 0, item.sizeBytes, item.alignment});
      addRoot(int32_t(id));
      if (isFree)
        waiting.push_back(int32_t(id));
    }
    if (seed != 0)
      shuffleWaiting();
    for (int32_t id : waiting)
      enter(id);
  }
  /// Fisher and Yates; the library's may differ from machine to machine.
  void shuffleWaiting() {
    for (size_t i = waiting.size(); i > 1; --i)
      std::swap(waiting[i - 1], waiting[random() % i]);
  }

  /// False when nothing is left to try.
  bool glueOnce() {
    if (waiting.empty() && ambiguous.empty())
      return false;
    const bool isLastResort = waiting.empty();
    std::deque<int32_t> &queue = isLastResort ? ambiguous : waiting;
    const int32_t id = queue.front();
    queue.pop_front();
    if (!isRoot(id))
      return true;
    if (isLastResort) {
      if (!tryStack(id, true))
        tryJoin(id, true);
      return true;
    }
    const size_t before = ambiguous.size();
    if (!tryStack(id, !isPatient()) && !tryJoin(id, false) &&
        ambiguous.size() == before)
      tryWheels(id);
    return true;
  }

  /// On top of a block of the same life; `takeAny` as above.
  bool tryStack(int32_t id, bool takeAny);
  /// Which of several equal lives belong together shows when the others have
  /// gone; small problems are glued again and again instead.
  bool isPatient() const { return int64_t(itemCount) > kManyToGlue; }
  /// A block of `bytes` that begins (or ends) at a step; `count` says whether
  /// there is more than one.
  std::optional<int32_t> findAt(const Buckets &buckets, bool isBegin,
                                int32_t step, int64_t bytes, int64_t alignment,
                                int &count) const;
  bool tryWheelOfAny(const Buckets &buckets, int32_t step, int32_t needed);
  bool closeWheel(int32_t hub, int32_t d, int32_t c);
  /// A block of blocks that have its life, one on top of the other.
  bool isPile(int32_t id) const;
  struct Pile {
    std::vector<int32_t> members, stacks; ///< The latter from the top down.
  };
  Pile pileOf(int32_t id);
  int32_t stack(const std::vector<int32_t> &members);
  /// Puts those of the pile beside the neighbour that are as many bytes; false:
  /// none were found.
  bool splitPile(int32_t id, int32_t neighbour);
  /// A block into its parts, and each of these by chance, `depth` levels.
  void scatter(int32_t id, int depth);
  void scatterAround(int32_t id);
  std::vector<int32_t> neighboursOf(int32_t id);
  void undoAll(size_t blocksBefore);

  const PackingProblem &problem;
  const uint64_t seed;
  std::mt19937_64 random;
  /// A block was put together, or taken apart.
  struct Change {
    int32_t block;
    bool isGluing;
  };

  size_t mostBlocks = 0;
  std::vector<Change> changes;
  std::deque<int32_t> waiting;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_GLUER_H
