//===- HoleChoice.h - In which hole what comes and goes stays ---*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_HOLECHOICE_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_HOLECHOICE_H

#include "lib/Planning/Strategies/Woven/PassLoads.h"

namespace tpu_mlir::planning {

/// Chooses holes for what comes and goes in a period. Each stays in one hole
/// while it lives; in a hole there is room for as many bytes as it has at each
/// step. Of those that are alive at a step the smallest are left out where
/// there are more than six.
class HoleChoice {
public:
  static constexpr size_t kHoles = std::tuple_size<HoleBytes>::value;
  /// Bytes by hole.
  using Holes = HoleBytes;

  explicit HoleChoice(const PassPeriod &period);

  /// Least bytes beside the holes, given by step, that all needs; `most` where
  /// it is no less, or would take more than 65,536 states. Dynamic programming
  /// over the steps that hang together: O(steps) for those that need no choice,
  /// else 6^k states a step, k alive.
  int64_t bytesBeside(const std::vector<Holes> &holes, int64_t most);
  /// Steps that decided the last answer; none where it is 0.
  Interval decidingSteps() const { return lastDeciding; }
  /// States that were looked at.
  int64_t nodes() const { return nodeCount; }
  /// What is alive at a step.
  const std::vector<PassPeriod::Temporary> &passing() const { return list; }
  const std::vector<size_t> &aliveAt(size_t step) const { return alive[step]; }

private:
  static constexpr size_t kLanes = 6;
  /// Steps that are connected by what lives at several of them.
  struct Chain {
    Interval steps;
    int64_t mostBytes = 0; ///< At a step.
  };
  struct State {
    /// By lane 3 bits: 0 nothing, then holes, then beside them.
    uint32_t code = 0;
    int64_t bytes = 0; ///< Most beside the holes up to now.
  };

  void addChains(size_t steps);
  bool needsChoice(const Chain &chain, const std::vector<Holes> &holes) const;
  int64_t bytesOf(const Chain &chain, const std::vector<Holes> &holes,
                  int64_t least, int64_t most);
  void enter(size_t id, const Holes &holes);
  void leave(size_t step);
  void check(size_t step, const Holes &holes, int64_t most);
  void join();

  std::vector<PassPeriod::Temporary> list;
  std::vector<size_t> laneOf;             ///< By place in `list`.
  std::vector<std::vector<size_t>> alive; ///< By step, places in `list`.
  std::vector<int64_t> sums;              ///< By step.
  std::vector<Chain> chains;              ///< The fullest first.
  std::vector<State> states, next;
  Interval lastDeciding = {0, 0};
  int64_t nodeCount = 0, lastNode = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_HOLECHOICE_H
