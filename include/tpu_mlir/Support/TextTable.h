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
  /// columns of a terminal, not bytes.
  void addRow(std::vector<std::string> cells);
  /// A line of dashes, before totals.
  void addRule();
  /// O(cells). `indent` spaces in front of each line.
  std::string render(int indent = 0) const;

private:
  std::vector<size_t> widths() const;

  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows; ///< An empty one is a rule.
};

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_TEXTTABLE_H
