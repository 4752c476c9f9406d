//===- NearGluer.h - Blocks that nearly fit ---------------------*- C++ -*-===//
//
// Sizes that were equal once, or multiples of one another, and are no more: a
// byte was taken off, each was rounded in its own way, a batch was redrawn.
// What fitted exactly then fits nearly now:
//
//     +--+-----+          Each size is a measurement of one that is not known.
//     |  |  b  |          Stacked blocks add up, and so do their variances;
//     |a +-----+ hole     blocks side by side measure the same height twice,
//     |  |     |          and know it better together. Two blocks fit when they
//     +--+-----+          differ by no more than their variances explain.
//
// The hole is lost until the packing is settled again (Settle.h).
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_NEARGLUER_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_NEARGLUER_H

#include "lib/Planning/Search/Gluer.h"

namespace tpu_mlir::planning {

class NearGluer : public Gluer {
public:
  NearGluer(const PackingProblem &problem, uint64_t seed,
            const Nearness &nearness)
      : Gluer(problem, seed), nearness(nearness) {}

private:
  /// What a block is believed to measure, and how far off that may be.
  struct Belief {
    double bytes = 0;
    double variance = 0;
  };
  Belief beliefOf(int32_t id);
  void believe(size_t id, const Belief &belief);
  void renumbered(const std::vector<int32_t> &now) override;
  static Belief sum(const Belief &a, const Belief &b) {
    return {a.bytes + b.bytes, a.variance + b.variance};
  }
  /// Of two measurements of the same.
  static Belief both(const Belief &a, const Belief &b);
  /// The difference in variances, squared; more than kFar: not the same.
  static double distance(const Belief &a, const Belief &b);

  bool tryJoin(int32_t id, bool takeAny) override;
  bool tryWheel(int32_t hub) override;
  bool closeWheel(int32_t hub, int32_t d, int32_t c);
  void glue(const Block &block, const std::vector<Part> &parts) override;
  /// Some of many sizes that need only fit nearly add up to any other.
  bool splitPileBeside(int32_t id) override { return false; }
  /// The nearest of those in `buckets` at `step`, and how many are near.
  std::optional<int32_t> nearest(const Buckets &buckets, int32_t step,
                                 int32_t id, int &count);
  void glueWheel(int32_t a, int32_t b, int32_t c, int32_t d, int32_t m);

  const Nearness nearness;
  std::vector<Belief> beliefs; ///< By block; variance 0: none yet.
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_NEARGLUER_H
