//===- TextTable.h - Plain aligned tables -----------------------*- C++ -*-===//

#ifndef TPU_MLIR_SUPPORT_TEXTTABLE_H
#define TPU_MLIR_SUPPORT_TEXTTABLE_H

#include <string>
#include <vector>

namespace tpu_mlir {

/// Columns two spaces apart, headings over a line of dashes, no trailing
/// spaces, one newline a row:
///
///     TextTable table({{"pool"}, {"used", TextTable::Align::Right}});
///     table.addRow({"ddr", "1.31 GiB"});
///
///     pool      used
///     ----  --------
///     ddr   1.31 GiB
class TextTable {
public:
  enum class Align { Left, Right };
  struct Column {
    Column(std::string heading, Align align = Align::Left)
        : heading(std::move(heading)), align(align) {}
    std::string heading;
    Align align;
  };

  explicit TextTable(std::vector<Column> columns);

  /// Cells that are missing are empty, surplus ones are dropped. Width counts
  /// columns of a terminal, not bytes; what is not UTF-8 becomes U+FFFD.
  void addRow(const std::vector<std::string> &row);
  /// A line of dashes, before totals.
  void addRule();
  /// O(cells). `indent` spaces in front of each line.
  std::string render(int indent = 0) const;

private:
  /// Calls `visit` with each row's cells; nullptr: a rule.
  template <class F> void forEachRow(F visit) const;
  std::vector<size_t> widths() const;

  std::vector<Column> columns;
  /// All cells one after the other, as tables may have many rows, and where
  /// each of them ends.
  std::string cells;
  std::vector<size_t> ends;
  std::vector<size_t> rules; ///< Each is in front of the row of this number.
};

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_TEXTTABLE_H
