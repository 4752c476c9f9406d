//===- BlockRows.h - Where control has to pass ------------------*- C++ -*-===//
//
// The blocks of one region in the order of the text, cut before every block,
// its gate, that all branches over the cut lead to and that none leads back
// over:
//
//        ^0: cond_br ^1, ^2      row 0
//        ^1: br ^2                 |
//        ^2: br ^3               row 1
//        ^3: br ^4               row 2
//        ^4: cond_br ^3, ^5        |
//        ^5: return              row 3
//
// Control comes into a row by its gate only. Whoever goes through a row in
// which no block is cut off from the gate, or from the next one, may be in all
// of them: a value that is alive before and after is alive in all its ticks.
// So walks step over any number of such rows at once.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_BLOCKROWS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_BLOCKROWS_H

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include <vector>

namespace tpu_mlir {

class BlockRows {
public:
  /// O(blocks + branches).
  BlockRows(mlir::Region &region, const OpTicks &ticks);

  size_t rowOf(mlir::Block *block) const { return rowOfBlock.lookup(block); }
  mlir::Block *gate(size_t row) const { return rows[row].gate; }
  bool isGate(mlir::Block *block) const { return gate(rowOf(block)) == block; }
  /// All ticks of one row.
  Interval range(size_t row) const { return rows[row].range; }
  /// The first row from which one can go through all others to this one.
  size_t firstThroughTo(size_t row) const { return rows[row].firstBefore; }
  /// The last row to which one can go through this one and all others between,
  /// none of which ends after `end`. `row` itself: none. O(log rows).
  size_t lastThroughFrom(size_t row, int64_t end) const;

private:
  struct Row {
    mlir::Block *gate;
    Interval range;
    size_t firstBefore = 0;
    size_t lastBehind = 0;
  };
  void cut(mlir::ArrayRef<mlir::Block *> blocks);
  bool goesThrough(size_t row, mlir::ArrayRef<mlir::Block *> blocks) const;

  std::vector<Row> rows;
  llvm::DenseMap<mlir::Block *, size_t> rowOfBlock;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_BLOCKROWS_H
