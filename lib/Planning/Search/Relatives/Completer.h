//===- Completer.h - Gluing with pieces that are missing --------*- C++ -*-===//
//
// What is missing (Completion.h) is guessed, and glued with what is there.
// Where the guess was wrong blocks are left that fit nothing. So a few of them
// that are near each other are taken apart, the missing pieces among them are
// cut anew and all is glued again, over and over; what leaves more blocks is
// undone. A large neighbourhood search (Shaw 1998), whose cost for each round
// does not depend on the size of the problem but for a look at all blocks.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_COMPLETER_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_COMPLETER_H

#include "lib/Planning/Search/Blocks.h"
#include "lib/Planning/Search/Relatives/Completion.h"

#include <random>

namespace tpu_mlir::planning {

class Completer {
public:
  /// `problem`: of items that live without gaps, all of one alignment that
  /// their sizes are multiples of, so that nothing is padded; `total` as of
  /// Completion.h.
  Completer(const PackingProblem &problem, int64_t total, uint64_t seed,
            llvm::function_ref<bool()> isLate);

  /// Pieces that are missing and were glued to nothing count, too.
  size_t blockCount() const { return roots.size(); }
  /// With about so many nodes; ends where everything is one block, where many
  /// rounds in a row have brought nothing, and when it is late.
  void improve(int64_t nodeLimit, llvm::function_ref<bool()> isLate);
  /// About 100 ns each.
  int64_t nodes() const { return nodeCount; }

  /// The blocks that have items in them, and the way back. Their live sum is no
  /// higher than the total. O(n + blocks).
  BlockedProblem blocked() const;

private:
  using Part = BlockedProblem::Part;
  /// An item, a piece that is missing, or a block of others.
  struct Node {
    Interval life;
    int64_t bytes = 0;
    bool isMissing = false; ///< Nothing else.
    bool hasMissing = false;
    std::vector<Part> parts;
  };

  int32_t add(Node node);
  /// Glues `ids`; the roots of what comes of it.
  std::vector<int32_t> glue(const std::vector<int32_t> &ids, uint64_t seed);
  /// One round; undone where it leaves more blocks.
  void changeOnce();
  /// Roots near a step, the first ones of them taken apart.
  void choose(std::vector<int32_t> &kept, std::vector<int32_t> &taken);
  void takeApart(int32_t id, int depth, std::vector<int32_t> &pieces);
  int64_t below(int64_t count) { return int64_t(random() % uint64_t(count)); }
  /// Forgets what is in no root.
  void collect();

  const PackingProblem &problem;
  std::mt19937_64 random;
  const Interval whole;
  const int64_t alignment;
  std::vector<bool> staysAlone; ///< By item: pinned, or forbidden a partner.
  std::vector<Node> forest;     ///< First the items; parts come before blocks.
  std::vector<int32_t> roots;
  size_t liveNodes = 0; ///< After the last collect().
  int64_t nodeCount = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_COMPLETER_H
