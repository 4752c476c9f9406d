//===- PeakReasons.h - Why bytes are alive at a peak ------------*- C++ -*-===//
//
//     bytes
//     ^        peak
//     |         |  +----+        out   is made here: the op itself
//     | +-------|--|--+          skip  waits for a reader: recomputing it, or
//     | | skip  |  |  |                another order, would free it
//     | +-------|--|--+
//     | [ input |======= - - -   in    is done with, but kept for the whole run
//     +---------|-----------> steps
//
// Each piece of storage gets one reason; then single changes are made to the
// problem, one at a time, and the peak is computed again.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_PEAKREASONS_H
#define TPU_MLIR_PLANNING_PEAKREASONS_H

#include "tpu_mlir/Planning/Problem.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tpu_mlir::planning {

enum class WhyAlive {
  Made,   ///< Its life begins at the peak.
  Read,   ///< Something reads it at the peak.
  Pinned, ///< An input or output that nothing uses then.
  Alias,  ///< Part of it, or nothing: it shares storage with what is in use.
  Waits,  ///< Used before, and later again.
};
/// "made", "read", "pinned", "alias", "waits".
std::string_view whyAliveName(WhyAlive why);

/// Storage that is alive at the peak.
struct PeakPart {
  BufferId root = 0;
  int64_t sizeBytes = 0;
  /// What rounding up to the alignment adds.
  int64_t paddingBytes = 0;
  WhyAlive why = WhyAlive::Waits;
  /// Bytes of no alias that is alive: of a class with aliases.
  int64_t idleBytes = 0;
  /// Made or read last, up to the peak; read first after it.
  int64_t lastUse = 0;
  std::optional<int64_t> nextUse;
};

enum class PeakRemedy {
  FreeInputs, ///< Every input goes after its last reader.
  Recompute,  ///< Computed again before its next reader, its operands kept.
  KeepLocal,  ///< It never is in this pool.
  SplitAlias, ///< Pieces get storage of their own, and are copied.
  NoPadding,  ///< Alignment is one byte.
};
/// "free-inputs", "recompute", "keep-local", "split-alias", "no-padding".
std::string_view peakRemedyName(PeakRemedy remedy);

/// A change, and the largest live sum with it alone.
struct PeakChange {
  PeakRemedy remedy = PeakRemedy::KeepLocal;
  /// What it is about; nullopt: all of them.
  std::optional<BufferId> root = {};
  int64_t peakBytes = 0;
};

struct PeakReasons {
  int64_t peakStep = 0;
  /// Largest sum of live storage, each rounded up to its alignment.
  int64_t peakBytes = 0;
  /// Largest first.
  std::vector<PeakPart> parts;
  /// Those that lower the peak, the lowest peak first.
  std::vector<PeakChange> changes;
};

/// Of the storage whose only candidate is `pool`, at `peakStep` (see
/// LiveBound). A change is about one of the `maxParts` largest parts, or about
/// all storage. The problem has passed check(). O(n log n + maxParts * n).
PeakReasons explainPeak(const Problem &problem, PoolId pool, int64_t peakStep,
                        size_t maxParts = 32);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_PEAKREASONS_H
