//===- CellNetworks.cpp - Networks of cells that were found by search -----===//
//
// At the sizes of the papers (Graphs/CellPlans.h names them), and four cells in
// a row, which are small enough that the best order of their layers is known.
//
//===----------------------------------------------------------------------===//

#include "lib/ModelBuilder/Architectures.h"
#include "lib/ModelBuilder/Cells/Cells.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

static void appendNormal(CellBuilder &cells, int count, int64_t channels) {
  for (int cell = 0; cell < count; ++cell)
    cells.normal(channels);
}

/// Two reductions, then so many cells a stage, with a reduction that doubles
/// the channels in front of each stage but the first.
static Value stages(GraphBuilder &g, CellBuilder &cells,
                    std::pair<int64_t, int64_t> reduced, int64_t channels,
                    llvm::ArrayRef<int> counts) {
  cells.reduction(reduced.first);
  cells.reduction(reduced.second);
  for (auto [stage, count] : llvm::enumerate(counts)) {
    if (stage > 0)
      cells.reduction(channels <<= 1);
    appendNormal(cells, count, channels);
  }
  return g.relu("relu", cells.result());
}

static Value largeImage(GraphBuilder &g, const NetworkSize &size) {
  Value x = g.input("image", {size.batch, 3, 331, 331});
  return g.conv("stem", x, Conv(96, 3).stride(2).pad(0));
}

/// 6 cells at 168 channels, 6 at 336, 6 at 672: 4032 channels come out of the
/// last one.
Outputs buildNasNetALarge(GraphBuilder &g, const NetworkSize &size) {
  Value stem = largeImage(g, size);
  CellBuilder cells(g, graphs::kNasNetA, ReluPlace::Before, stem, stem);
  return {classify(g, stages(g, cells, {42, 84}, 168, {6, 6, 6}))};
}

/// 4 cells at 216 channels, then a reduction and 3 cells at 432 and at 864.
Outputs buildPnasNet5Large(GraphBuilder &g, const NetworkSize &size) {
  Value stem = largeImage(g, size);
  CellBuilder cells(g, graphs::kPnasNet5, ReluPlace::Before, stem, stem);
  return {classify(g, stages(g, cells, {54, 108}, 216, {4, 3, 3}))};
}

/// For images of 224x224, 4 cells a stage, 50 channels in the first.
Outputs buildAmoebaNetA(GraphBuilder &g, const NetworkSize &size) {
  Value x = g.input("image", {size.batch, 3, 224, 224});
  Value stem = g.conv("stem", x, Conv(32, 3).stride(2));
  CellBuilder cells(g, graphs::kAmoebaNetA, ReluPlace::Before, stem, stem);
  return {classify(g, stages(g, cells, {25, 50}, 50, {4, 4, 4}))};
}

/// The network for ImageNet: 14 cells, the fifth and the tenth halve the size
/// and double the channels, 48 at first.
Outputs buildDarts(GraphBuilder &g, const NetworkSize &size) {
  Value x = g.input("image", {size.batch, 3, 224, 224});
  x = g.conv("stem1", x, Conv(24, 3).stride(2).relu());
  Value older = g.conv("stem2", x, Conv(48, 3).stride(2));
  x = g.relu("stem3.relu", older);
  Value newer = g.conv("stem3", x, Conv(48, 3).stride(2));
  CellBuilder cells(g, graphs::kDartsV2, ReluPlace::Before, older, newer);
  appendNormal(cells, 4, 48);
  cells.reduction(96);
  appendNormal(cells, 4, 96);
  cells.reduction(192);
  appendNormal(cells, 4, 192);
  return {classify(g, cells.result())};
}

//===----------------------------------------------------------------------===//
// Cells in a row
//===----------------------------------------------------------------------===//

static Outputs buildStack(GraphBuilder &g, const NetworkSize &size,
                          const graphs::CellPlans &plans) {
  static constexpr int64_t kChannels = 32, kSide = 32;
  Value x = g.input("features", {size.batch, 3 * kChannels, kSide, kSide});
  CellBuilder cells(g, plans, ReluPlace::Within, x, x);
  appendNormal(cells, 4, kChannels);
  return {cells.result()};
}

Outputs buildDartsCells(GraphBuilder &g, const NetworkSize &size) {
  return buildStack(g, size, graphs::kDartsV2);
}
Outputs buildNasNetACells(GraphBuilder &g, const NetworkSize &size) {
  return buildStack(g, size, graphs::kNasNetA);
}
Outputs buildAmoebaNetACells(GraphBuilder &g, const NetworkSize &size) {
  return buildStack(g, size, graphs::kAmoebaNetA);
}
Outputs buildPnasNet5Cells(GraphBuilder &g, const NetworkSize &size) {
  return buildStack(g, size, graphs::kPnasNet5);
}

} // namespace tpu_mlir::model_builder
