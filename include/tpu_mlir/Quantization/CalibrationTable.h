//===- CalibrationTable.h - Ranges of a network's tensors -------*- C++ -*-===//
//
// The text file that says how large the numbers of each tensor get:
//
//   # histogram number: 2048
//   # op_name    threshold    min    max
//   images 1.0000000 0.0000000 1.0000000
//   conv1 59.5296965 -55.1000000 59.6000000
//
// Names are those of the tensors of the Top module. Lines with '#' begin a
// block or are comments; the toolchain's other blocks (4 bits, scales of
// weights, single ops) are read over, and named.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_CALIBRATIONTABLE_H
#define TPU_MLIR_QUANTIZATION_CALIBRATIONTABLE_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tpu_mlir::quantization {

/// What numbers of a tensor are kept: up to `threshold` on both sides of zero,
/// or from `min` to `max` where zero need not be in the middle.
struct ValueRange {
  double threshold = 0, min = 0, max = 0;
  bool operator==(const ValueRange &o) const {
    return threshold == o.threshold && min == o.min && max == o.max;
  }
};

struct CalibrationTable {
  struct Entry {
    std::string name;
    ValueRange range;
    int64_t line = 0; ///< Of the file; 0: from nowhere.
  };
  std::vector<Entry> entries; ///< In the order of the file.
  /// Headlines of blocks that were read over: "#int4_th".
  std::vector<std::string> otherBlocks;
  /// Lines whose infinite numbers count as 65,000.
  std::vector<int64_t> infiniteLines;

  /// Null for a name that is not there. O(log entries).
  const Entry *find(std::string_view name) const;
  /// Adds an entry; false when another range of that name is there.
  bool add(Entry entry);

private:
  std::map<std::string, size_t, std::less<>> byName;
};

/// What is wrong, and in which line, counted from 1; 0: with the whole.
struct TableError {
  int64_t line = 0;
  std::string message;
};

/// Reads a table. A line of the first block is a name and three numbers with
/// blanks between, of the block "#tpu-mlir-fp8" a name and one; the name may
/// have blanks itself. Infinite numbers count as 65,000, thresholds below 1e-5
/// as that. Errors: a line of another form, a number that is none or beyond
/// f32, min above max, a negative threshold, two ranges of one name, no entry
/// at all. O(size).
std::variant<CalibrationTable, TableError>
parseCalibrationTable(std::string_view text);

/// Why no line can be about a tensor of that name: "begins with '#', as
/// comments do"; null when one can. What reads a table drops blanks around
/// names and knows no escapes.
const char *whyNoLine(std::string_view name);

/// The other way, numbers with seven places; `comments` without '#' in front,
/// names such that whyNoLine() is null. The same bytes for the same table.
std::string
printCalibrationTable(const CalibrationTable &table,
                      const std::vector<std::string> &comments = {});

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_CALIBRATIONTABLE_H
