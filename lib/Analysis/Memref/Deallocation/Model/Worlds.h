//===- Worlds.h - What may have become of a buffer --------------*- C++ -*-===//
//
// A world is what is known of one instance of a buffer at one point: whether it
// is free, the SSA values that hold it, and the truth of i1 values that
// somebody asks for later. Worlds are explored from each allocation on; values
// that nothing uses any more are dropped, so that worlds meet again.
//
//     %a = alloc              live, held by a
//     cond_br %c              c: live, a             not c: live, a
//     br ^j(%a, true)         live, m; own           br ^j(%b, false): nobody
//   ^j(%m, %own):             holds it: leaked
//     if %own { dealloc %m }  freed
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_WORLDS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_WORLDS_H

#include "lib/Analysis/Memref/Deallocation/Model/Names.h"

#include <map>

namespace tpu_mlir::verify_deallocation {

enum class Fault {
  UseAfterFree,
  FreedTwice,
  NotOwned, ///< Freed, but the caller's, or not from the heap.
  Leak,
};

struct Event {
  Fault fault;
  /// The op that uses or frees; of a leak, the last one before it.
  mlir::Operation *op = nullptr;
  mlir::Operation *freedBy = nullptr;
};

/// Keeps a list sorted, with each number once.
inline void insertOnce(llvm::SmallVectorImpl<int> &sorted, int number) {
  auto at = llvm::lower_bound(sorted, number);
  if (at == sorted.end() || *at != number)
    sorted.insert(at, number);
}

struct World {
  Point point;
  mlir::Operation *freedBy = nullptr; ///< Null: it is not free.
  bool escaped = false;               ///< Others may hold it, too.
  bool borrowed = false;              ///< Nobody may free it.
  /// Goes on with it, and nothing has waited for it; null: nothing does.
  mlir::Operation *atWork = nullptr;
  llvm::SmallVector<int, 2> names; ///< Of Names, ascending.
  llvm::SmallVector<int, 2> facts; ///< 2 * number + truth, ascending.

  bool operator<(const World &other) const;
};

/// A world, and where it leads.
struct WorldNode {
  World world;
  /// The op at `world.point`; null: after the last one.
  mlir::Operation *at = nullptr;
  enum class End {
    Open,  ///< Not explored.
    Goes,  ///< To `next`.
    Done,  ///< Nothing more can happen to the buffer, or nobody can tell.
    Error, ///< `event`.
  };
  End end = End::Open;
  /// Place of the op from which it leads on.
  int endPlace = 0;
  /// What has freed the buffer by then; null: it is not free.
  mlir::Operation *freedBy = nullptr;
  /// In a call that does not come back.
  bool hasNoEnd = false;
  /// An op may have freed it: what becomes of it is not followed.
  bool isLost = false;
  /// Numbers of the results of the function that it becomes.
  std::vector<unsigned> returned;
  /// It is not free, and nobody here can free it, but others may hold it.
  bool isLeft = false;
  llvm::SmallVector<int, 2> next;
  Event event = {Fault::Leak};
};

class Worlds {
public:
  Worlds(const Flow &flow, Names &names, Callees callees)
      : flow(flow), names(names), callees(callees) {}

  /// Explores all that may become of what an op makes, at most `limit` new
  /// worlds; others wait for finish(). The number of the first one. An argument
  /// of the function cannot leak, as its caller has it, too; nor can what was
  /// not allocated on the heap. `isBorrowed`: to free it is a fault.
  /// `isForeign`: others may hold it. `others`: arguments that are the same
  /// buffer.
  int explore(mlir::Value buffer, size_t limit, bool isBorrowed = false,
              bool isForeign = false, llvm::ArrayRef<mlir::Value> others = {});
  /// Explores what waits, at most `limit` new worlds.
  void finish(size_t limit);
  /// All worlds to which that one leads, each once.
  std::vector<int> reachable(llvm::ArrayRef<int> starts) const;
  /// By number: worlds that lead to one of these, and these themselves.
  std::vector<bool>
  leadingTo(llvm::function_ref<bool(const WorldNode &)> isIt) const;
  /// On which paths from that world the buffer is freed, under what is known
  /// of flags. A path that goes wrong counts as none.
  Frees freesFrom(int start) const;
  /// On which paths from that world something goes wrong.
  SharedFate::Fault faultFrom(int start) const;
  int size() const { return static_cast<int>(nodes.size()); }
  const WorldNode &operator[](int index) const { return nodes[index]; }

private:
  int add(World world, mlir::Operation *at);
  int addEnd(World world, mlir::Operation *at, const Event *event);
  void run(int index);
  void runOut(World &world, mlir::Operation *last, WorldNode &node);
  void runOpen(size_t limit);
  bool step(World &world, mlir::Operation *op, WorldNode &node);
  bool stepFree(World &world, mlir::Operation *op, WorldNode &node);
  SharedFate fateOf(const World &world, mlir::Operation *op, Frees frees) const;
  bool stepTouch(World &world, mlir::Operation *op, const Touch &touch,
                 Frees frees, WorldNode &node);
  bool addFault(World before, const World &world, mlir::Operation *op,
                bool goesOn, WorldNode &node);
  bool stepCall(World &world, mlir::Operation *op, Frees frees,
                WorldNode &node);
  void nameResults(World &world, mlir::Operation *op, bool orPerhaps);
  bool stepPerhaps(const World &world, mlir::Operation *op, WorldNode &node);
  bool stepSelect(World &world, mlir::Operation *op, WorldNode &node);
  Returns returned(const World &world, mlir::OpResult result) const;
  bool stepUnknown(const World &world, mlir::Operation *op, WorldNode &node);
  void stepForward(World &world, mlir::Operation *op);
  void goOn(const World &world, mlir::Operation *op, llvm::ArrayRef<Edge> edges,
            WorldNode &node);
  void leave(const World &world, mlir::Operation *op, WorldNode &node);
  int enter(World world, const Edge &edge, mlir::Operation *via);
  const Names::Use *nextUse(const World &world);
  bool passMarkers(World &world, int until, WorldNode &node);
  bool isPassedOver(const World &world, mlir::Operation *op);

  bool holds(const World &world, mlir::Value value) const;
  bool holdsOperand(const World &world, mlir::Operation *op) const;
  std::optional<bool> fact(const World &world, mlir::Value root) const;
  std::optional<bool> truth(const World &world, mlir::Value value) const;
  std::optional<bool> truth(const World &world, Literal literal) const;
  std::optional<bool> truth(const World &world, Literal literal,
                            int &steps) const;
  bool learn(World &world, Literal literal);
  bool learn(World &world, mlir::Value value, bool truth);
  bool learnPasses(World &world, const Edge &edge);
  void infer(const World &world, mlir::Value root,
             llvm::SmallVectorImpl<Literal> &found) const;
  void inferFrom(const World &world, mlir::Value root,
                 llvm::SmallVectorImpl<Literal> &found) const;
  void learnAround(World &world, mlir::Operation *op);
  bool stays(const World &next, const Edge &edge, mlir::Value root);
  bool bindsOthers(const World &world, const World &next, const Edge &edge,
                   mlir::Value root);
  void passFacts(const World &world, World &next, const Edge &edge);
  void handOn(const World &world, World &next, const Edge &edge,
              mlir::Value root);

  const Flow &flow;
  Names &names;
  Callees callees;
  std::vector<WorldNode> nodes;
  std::vector<int> open;
  std::vector<int> postponed;
  /// The last search that has come to a world, by world.
  mutable std::vector<int64_t> seenBy;
  mutable int64_t search = 0;
  std::map<World, int> known;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_WORLDS_H
