//===- LmemPlacement.h - Addresses in one lane's memory ---------*- C++ -*-===//
//
// The buffers of one layer group, the rows in which each holds data, and the
// pairs that slow each other down when they lie in one bank; what comes back is
// an address for each. IR-free: passes and searches build the problem.
//
// A lane is cut into banks of equal size. Two accesses of one moment to one
// bank are served one after the other, so the buffers of one op, and a buffer
// that the compute engine touches while the DMA engine touches another, should
// lie in different banks. That is a wish with a cost, never a condition.
//
//   bank     0          1          2          3
//            [ weights ....... ][bias]
//                               ^ shares bank 1 with the weights: one conflict
//            [ weights ....... ]   .  [bias]     none, at a higher peak
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_LMEMPLACEMENT_H
#define TPU_MLIR_LAYERPLANNING_LMEMPLACEMENT_H

#include "tpu_mlir/Planning/Problem.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tpu_mlir::layer {

/// Two buffers that should not touch the same bank, and what it costs if they
/// do (> 0; the unit is the caller's). The order of the two does not matter; a
/// pair that is listed twice counts twice.
struct BankPair {
  planning::BufferId first = 0;
  planning::BufferId second = 0;
  int64_t cost = 1;

  bool operator==(const BankPair &o) const;
};

/// Local memory is a planning::Problem of one pool, the lane, whose alignment
/// every address has, and the wishes for its banks. Buffers have at least one
/// byte; one that is written over another is an alias at its start (see
/// putInPlace). A schedule of several sections repeats: it has a period. The
/// searches know no pins, reserved ranges, forbidden pairs or alignments of
/// single buffers, so checkProblem refuses them.
struct LmemProblem : planning::Problem {
  /// How many banks the lane is cut into; 0: banks do not matter.
  int64_t banks = 0;
  std::vector<BankPair> bankPairs;

  int64_t laneBytes() const { return *pools.front().capacityBytes; }
  int64_t euBytes() const { return pools.front().alignment; }
  void setLane(int64_t laneBytes, int64_t banks, int64_t euBytes);
  /// Takes the lane of `chip`.
  void setChip(const target::ChipSpec &chip);
  /// Adds what holds `sizeBytes` bytes at `lifespans`; its index.
  planning::BufferId add(std::string name, int64_t sizeBytes,
                         std::vector<Interval> lifespans);
  bool operator==(const LmemProblem &o) const;
};

/// The lifespans of a buffer that lives for `rows` (>= 1) steps from `start`
/// (>= 0) on, on a circle of `period` steps: one interval, or two across the
/// wrap; the whole circle when it is that long.
std::vector<Interval> circularLife(int64_t start, int64_t rows, int64_t period);

/// Ops write results over operands of their size: `below[i]` is the buffer
/// whose bytes buffer i takes, -1 for none; no chain (c over b over a) comes
/// back to itself. The first of a chain becomes the root of the others and
/// lives for as long as any of them. The caller answers for two of a chain
/// living together in nothing but the step in which one takes over. O(n log n)
/// for the lives of a chain.
void putInPlace(LmemProblem &problem,
                const std::vector<planning::BufferId> &below);

struct LmemOptions {
  /// Search limit in nodes, for all searches of one call together; counts, not
  /// seconds, so results repeat. 0: one-pass methods only, which is what a
  /// search over many groups asks first. A node takes some 100 ns.
  int64_t nodeLimit = 30'000;
  /// The lowest high-water mark first, then the lowest conflict cost. Otherwise
  /// the other way round.
  bool minimizePeak = false;
  /// No buffer may end above this; at most (and by default) the whole lane.
  std::optional<int64_t> highWaterLimitBytes;
};

/// Pairs that share a bank: how many entries of bankPairs, and the sum of
/// their costs.
struct BankConflicts {
  int64_t count = 0;
  int64_t cost = 0;

  bool operator==(const BankConflicts &o) const;
};

struct LmemPlacement {
  /// One address a buffer, in bytes from the start of the lane.
  std::vector<int64_t> addresses;
  /// The largest end of a buffer.
  int64_t highWaterBytes = 0;
  /// No placement ends lower (planning/Bounds.h).
  int64_t lowerBoundBytes = 0;
  BankConflicts conflicts;
  /// No placement has a lower high-water mark.
  bool isPeakProved = false;
  /// No placement within the limit has a lower conflict cost (with
  /// minimizePeak: none of the same high-water mark).
  bool isCostProved = false;
  /// A search stopped at nodeLimit: more nodes might give a better placement.
  bool isLimitHit = false;
  int64_t nodes = 0;
};

/// Why there is no placement.
struct LmemInfeasible {
  /// What the best attempt (or, when `boundExceeds`, any placement) needs, and
  /// what there is: needBytes > haveBytes.
  int64_t needBytes = 0;
  int64_t haveBytes = 0;
  /// The step at which most bytes are live, and who lives then: indices of
  /// buffers, largest first, without those that are in place of another.
  int64_t peakStep = 0;
  std::vector<int64_t> alive;
  /// The live bytes alone are too many.
  bool boundExceeds = false;
  /// No placement exists, be it by the bound or by search. False: none was
  /// found within the node limit.
  bool isProved = false;

  int64_t overBytes() const { return needBytes - haveBytes; }
};

/// The problem makes no sense: one message each way.
struct LmemInvalid {
  std::vector<std::string> errors;
};

using LmemResult = std::variant<LmemPlacement, LmemInfeasible, LmemInvalid>;

/// Finds addresses: within the limit, no two live buffers sharing a byte, every
/// address a multiple of euBytes, then by the order of LmemOptions. Every
/// placement it returns has passed planning::validate.
///
/// One-pass methods first (several orders; lowest address that stays clear of
/// the banks of the placed neighbours); when none of them fits, the exact
/// search of the planning core over the same circle or line, so that a
/// placement is found whenever that search finds one within the limit; then a
/// branch and bound on the conflict cost. Deterministic. O(b^2 log b) for b
/// buffers plus the nodes.
LmemResult placeLmem(const LmemProblem &problem,
                     const LmemOptions &options = {});

/// What `addresses` (one a buffer, of the search or of anybody else) cost in
/// banks. Looks at the problem's pairs alone: knows no search. O(pairs).
BankConflicts countConflicts(const LmemProblem &problem,
                             const std::vector<int64_t> &addresses);

/// All ways in which `addresses` break the rules of placeLmem but for the
/// order, in words: the invariants P1 to P8 of planning/Validate.h. Empty:
/// none.
std::vector<std::string> checkAddresses(const LmemProblem &problem,
                                        const std::vector<int64_t> &addresses);

/// All ways in which `problem` makes no sense, be it to planning::check or to
/// the searches here. Empty: fine.
std::vector<std::string> checkProblem(const LmemProblem &problem);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_LMEMPLACEMENT_H
