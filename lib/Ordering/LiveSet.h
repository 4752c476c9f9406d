//===- LiveSet.h - What is alive once some ops have run ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ORDERING_LIVESET_H
#define TPU_MLIR_LIB_ORDERING_LIVESET_H

#include "tpu_mlir/Ordering/OrderProblem.h"

namespace tpu_mlir::ordering {

/// What the ops of a problem use, in one place for all who ask. The problem has
/// to live longer.
class Uses {
public:
  explicit Uses(const OrderProblem &problem);

  struct Use {
    int tensor;
    bool writes;
  };
  /// Each tensor once.
  const std::vector<Use> &of(int op) const { return uses[op]; }
  /// Ops that use a tensor, each once, ascending.
  const std::vector<int> &users(int tensor) const { return byTensor[tensor]; }
  /// Ops that have to come after it, each once, ascending.
  const std::vector<int> &before(int op) const { return successors[op]; }
  /// Those that it has to come after, likewise.
  const std::vector<int> &after(int op) const { return predecessors[op]; }
  /// The op may make the tensor in the place of another one.
  bool mayBeInPlace(int op, int tensor) const;
  const OrderProblem &problem;

private:
  std::vector<std::vector<Use>> uses;
  std::vector<std::vector<int>> byTensor, successors, predecessors;
};

/// A set of ops that have run, and the bytes that are alive then.
class LiveSet {
public:
  explicit LiveSet(const Uses &uses);

  struct Step {
    /// Alive while the op runs.
    int64_t during;
    /// Alive once it has.
    int64_t after;
  };
  /// If `op`, which has not run, were next. O(uses of the op).
  Step look(int op) const;
  void run(int op);
  /// The reverse; `op` is the last one that has run.
  void undo(int op);
  int64_t level() const { return bytes; }
  bool hasRun(int op) const { return done[op]; }

private:
  struct State {
    int usersLeft;
    int writersRun;
  };
  bool isAlive(int tensor) const;
  int64_t savedInPlace(int op) const;
  void move(int op, int by);

  const Uses &uses;
  std::vector<State> states;
  std::vector<bool> done;
  int64_t bytes = 0;
};

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_LIB_ORDERING_LIVESET_H
