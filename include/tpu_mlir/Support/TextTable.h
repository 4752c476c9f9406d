//===- TextTable.h - Aligned plain text tables ------------------*- C++ -*-===//

#ifndef TPU_MLIR_SUPPORT_TEXTTABLE_H
#define TPU_MLIR_SUPPORT_TEXTTABLE_H

#include <string>
#include <vector>

namespace tpu_mlir {

/// A header and rows of cells. Columns are as wide as their widest cell and
/// two spaces apart; cells that begin with a digit or a sign stand right.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> header);
  /// Missing cells are empty, cells beyond the header are dropped.
  void addRow(std::vector<std::string> cells);
  /// No trailing spaces; ends in a newline. O(cells).
  std::string str() const;

private:
  std::vector<std::vector<std::string>> rows; ///< The header first.
};

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_TEXTTABLE_H
