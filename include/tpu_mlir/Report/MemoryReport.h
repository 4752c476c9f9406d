//===- MemoryReport.h - What stands where, for people and tools -*- C++ -*-===//
//
// A report is a value; renderers turn it into text or JSON. Definitions:
//
//   used         end of the highest tensor in the region (the "packed peak"),
//                from the region's base
//   lower bound  of a region, given what is in it and not elsewhere: the
//                largest sum of that storage that is alive at one step; sizes
//                padded to the alignment, views counted once with what they
//                lie in, scratch included
//   gap          used - lower bound
//   served       bytes that ops move to and from the region in one run: size
//                x accesses, an access being a write by the op that makes a
//                tensor or a read by one that uses it
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_REPORT_MEMORYREPORT_H
#define TPU_MLIR_REPORT_MEMORYREPORT_H

#include "tpu_mlir/Support/Interval.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::report {

/// One tensor in global memory.
struct TensorRow {
  std::string name;
  std::string kind; ///< weight, input, output, activation, scratch.
  std::string region;
  Interval bytes; ///< Absolute addresses.
  Interval life;  ///< Steps; empty for weights, which live always.
  /// Steps for which its storage is kept: with all that shares it, and for the
  /// whole run where the I/O mode says so. Empty for weights. In maps only.
  Interval held;
  /// The tensor whose bytes these are, with the distance from its start; empty
  /// for storage of its own.
  std::string aliasOf;
  int64_t aliasOffsetBytes = 0;
  std::string location;
};

/// Storage that is alive at a peak.
struct PeakTensor {
  std::string name;
  int64_t sizeBytes = 0;
  /// Added by rounding up to the alignment.
  int64_t paddingBytes = 0;
  /// "op" or "group": the op, or layer group, that runs then makes or reads it;
  /// "pinned": an input or output that is kept; "alias": it shares storage with
  /// what is in use; "order": made before, used later. Empty: not known.
  std::string reason;
  /// The same in words.
  std::string why;
};

/// A change that lowers the largest live sum.
struct PeakChange {
  std::string change; ///< In words.
  int64_t savedBytes = 0;
};

/// One region of memory.
struct RegionRow {
  std::string name;
  int64_t base = 0;
  int64_t usedBytes = 0;
  std::optional<int64_t> capacityBytes;
  /// In the board's global memory: neither L2 nor a memory of the user.
  bool isOnBoard = true;
  int64_t lowerBoundBytes = 0;
  /// What reference counts alone (planning::classicUse()) would take.
  std::optional<int64_t> classicBytes = {};
  int64_t peakStep = 0;
  int64_t servedBytes = 0;
  /// What is alive at the peak step, largest first, and the op that runs then.
  std::vector<PeakTensor> peakSet;
  std::string peakOp;
  /// What alone lowers the lower bound, by most first.
  std::vector<PeakChange> changes;
};

/// What runs in a step.
struct StepRow {
  std::string op;   ///< "tpu.Conv2D".
  std::string name; ///< Of what it makes; empty for nothing.
  /// Of a layer group its number in the module, from 0, as in LocalReport.
  std::optional<int64_t> group;
};

struct MemoryReport {
  std::string module;
  std::string chip;
  std::string ioMode;
  int64_t numSteps = 0;
  /// By step; in maps only.
  std::vector<StepRow> steps;
  /// What the board has, where that is known, and what it has to have: its
  /// regions, rounded up, with what lies between them.
  std::optional<int64_t> gmemBytes;
  int64_t boardBytes = 0;
  std::vector<RegionRow> regions;
  std::vector<TensorRow> tensors;
};

/// The region table alone: pool, used, capacity, %, peak step, lower bound,
/// gap, served. Ends in a newline.
std::string renderRegionTable(const MemoryReport &report);
/// Region table, peak sets and all tensors by address.
std::string renderText(const MemoryReport &report);
/// All of it, versioned; the schema is tpu_mlir/schema/report.schema.json.
std::string renderJson(const MemoryReport &report);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_REPORT_MEMORYREPORT_H
