//===- Plan.h - Where buffers are copied and freed --------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_PLAN_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_PLAN_H

#include "lib/Transforms/Memref/DeallocateBuffers/Carriers.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Lives.h"

namespace tpu_mlir::deallocation {

/// What an operand that is handed to a critical phi hands on.
enum class HandOver {
  Nothing, ///< Nobody owns the phi, or the buffer.
  Move,    ///< The buffer, and with it the duty to free it if there is one.
  Copy,    ///< A copy that is made for it.
  Lend,    ///< The buffer, which stays somebody else's.
  Keep,    ///< The buffer if it is owned, a copy of it otherwise.
  /// The buffer. When it is only lent its owner hands over the duty, too; else
  /// the owner frees its own.
  MoveWithLender,
};

/// Whether a root has to free what it holds.
enum class Owned { Never, Sometimes, Always };

enum class FreePlace {
  After,     ///< After `op`.
  NodeStart, ///< Before the first op of the node `index`.
  NodeEnd,   ///< Before the last op of the node `index`, after copies.
  Edge,      ///< In a block of its own on the edge `index`.
};

struct Free {
  int root = 0;
  FreePlace place = FreePlace::After;
  mlir::Operation *op = nullptr;
  std::optional<int> index; ///< Of a node or an edge, where the place is one.
};

struct DeallocationPlan {
  std::vector<HandOver> handOvers; ///< By index into Owners::passed.
  /// By root. An i1 goes beside a phi that owns its buffer sometimes.
  std::vector<Owned> owned;
  /// Operands of returns that give the caller a copy.
  std::vector<mlir::OpOperand *> returnedCopies;
  /// Operands of returns that give the caller a copy of what is lent.
  std::vector<mlir::OpOperand *> returnedUnlessLent;
  /// Operands of returns that hand over what the function owns.
  llvm::DenseSet<mlir::OpOperand *> given;
  std::vector<Free> frees;
};

/// Decides what every owner does, and gives up those that cannot be one.
class Planner {
public:
  /// `mayReturnCopies`: no caller minds that it gets a copy of an argument.
  /// `prefersFlags`: a buffer is lent rather than copied.
  Planner(const FlowGraph &graph, Owners &owners,
          llvm::function_ref<bool()> mayReturnCopies, bool prefersFlags)
      : graph(graph), owners(owners), liveness(graph, owners),
        mayReturnCopies(mayReturnCopies), prefersFlags(prefersFlags) {}
  DeallocationPlan plan();
  /// Names of several roots that were given up where one owner might not have
  /// been.
  const std::vector<mlir::Value> &joined() const { return joinedNames; }

private:
  // Decide.cpp
  void dropUnreached();
  void findPrograms();
  void findComponents();
  void findReturnedTwice();
  void decide();
  void decidePass(int index);
  void findMovers();
  bool isMover(int index) const;
  bool decideMove(int index);
  bool mayTakeAlong(int lender, int root, const PassedOperand &pass);
  bool decideTaking(int index);
  bool decideKeeping(int index);
  void markMoved(const PassedOperand &pass, int root);
  bool mayCopy(int index);
  bool isFormSeen(int group) const;
  bool borrowsAlways(int target) const;
  bool isWrittenBehind(const Root &root, const LiveNodes &written,
                       const PassedOperand &pass) const;
  bool isWrittenBehind(int root, const PassedOperand &pass);
  bool isDeadBehind(int root, const PassedOperand &pass);
  bool isPassedTwice(int root, const PassedOperand &pass) const;
  bool isUnseenBehind(int root, int index);
  bool mayBePrograms(llvm::ArrayRef<int> roots) const;
  void giveUpMeeting(llvm::ArrayRef<int> roots, llvm::ArrayRef<int> met,
                     llvm::StringRef reason, mlir::Operation *blame);

  // Returns.cpp
  void decideReturns();
  void decideReturn(int root, const BufferUse &use,
                    llvm::DenseSet<mlir::Operation *> &returnedAt);
  void returnOnlyOwned();

  // Lend.cpp
  std::vector<int> holders(llvm::ArrayRef<int> roots, int without = -1) const;
  std::optional<int> holderBehind(int root, const PassedOperand &pass,
                                  size_t edge) const;
  bool mayLend(llvm::ArrayRef<int> roots, const PassedOperand &pass) const;
  void lend(llvm::ArrayRef<int> roots, const PassedOperand &pass);
  void findOwned();
  void lengthen(const std::vector<int> &longer);
  /// Alive at the start of where the edge leads.
  bool isLive(int root, int edge) {
    return liveness.isLive(root, graph.edge(edge).to);
  }
  bool isMoved(int edge, int root) const {
    return moved.contains({edge, root});
  }
  void giveUp(int root, llvm::StringRef reason, mlir::Operation *blame);

  // PlaceFrees.cpp
  void place(int root);
  bool isFreedByOwner(int root) const;
  bool checkDeallocs(int root);
  void placeInNode(int root, int node, std::vector<int> &deadEdges);
  void placeAtEnd(int root, int node, std::vector<int> &deadEdges);
  void placeOnEdges(int root, const std::vector<int> &deadEdges);
  void placeOnEdge(int root, int edge);
  bool isVisible(int root, int node) const;

  const FlowGraph &graph;
  Owners &owners;
  BufferLives liveness;
  llvm::function_ref<bool()> mayReturnCopies;
  bool prefersFlags;
  DeallocationPlan result;
  llvm::DenseSet<std::pair<int, int>> moved; ///< Edge and root.
  /// The operand that moves a root on an edge, by index into Owners::passed;
  /// other operands of the edge that are the same buffer borrow from its phi.
  llvm::DenseMap<std::pair<int, int>, int> movers;
  llvm::DenseSet<int> cannotMove;
  llvm::DenseSet<int> cannotTake; ///< Not even with its lender's duty.
  /// By root: what it holds the program may free or hand on. The duty goes with
  /// that very buffer, of which nobody gets a copy instead.
  std::vector<bool> isPrograms;
  /// Of these, those that it does free, or may.
  std::vector<bool> isFreedByProgram;
  mutable FlagCarriers carriers;
  std::vector<int> component;
  /// By component: somebody writes through a phi.
  std::vector<bool> phiIsWritten;
  /// By component: somebody may look at the form of a phi.
  std::vector<bool> phiFormIsSeen;
  /// By component: a phi is returned.
  std::vector<bool> phiIsReturned;
  /// By root: what it may hold one op may return twice. The caller sees that
  /// both are one buffer, so it has to be asked before one becomes a copy.
  std::vector<bool> isReturnedTwice;
  std::vector<std::vector<int>> members;
  std::vector<mlir::Value> joinedNames;
  bool changed = false;
};

/// A copy can be allocated for a memref of this type.
bool canAllocate(mlir::Type type);

void applyPlan(mlir::Operation *function, const FlowGraph &graph,
               const Owners &owners, const DeallocationPlan &plan);

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_PLAN_H
