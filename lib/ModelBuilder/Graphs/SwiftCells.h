//===- SwiftCells.h - The cells of a network found by search ----*- C++ -*-===//
//
// The three cells of SwiftNet, the network of the Visual Wake Words challenge
// 2019 that papers on memory-aware orders are measured on (Ahn et al.:
// "Ordering Chaos", 2020), op by op in the order of its model.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_MODELBUILDER_GRAPHS_SWIFTCELLS_H
#define TPU_MLIR_LIB_MODELBUILDER_GRAPHS_SWIFTCELLS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tpu_mlir::graphs {

struct SwiftOp {
  enum class Kind { Conv1x1, Depthwise3x3, Concat, Add };
  /// As in the model's file.
  int number;
  Kind kind;
  /// Numbers of ops; kCellInput is the input of the cell.
  std::vector<int> inputs;
  /// Of the result.
  int64_t channels;
};

constexpr int kCellInput = -1;

struct SwiftCell {
  int64_t pixelsPerSide;
  int64_t inputChannels;
  /// Each reads the input and what is before it; the last is the result.
  std::vector<SwiftOp> ops;
};

/// The cell 'A', 'B' or 'C'.
SwiftCell swiftCell(char name);

} // namespace tpu_mlir::graphs

#endif // TPU_MLIR_LIB_MODELBUILDER_GRAPHS_SWIFTCELLS_H
