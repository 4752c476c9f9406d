//===- LayoutTest.cpp - Where elements lie in the lanes -------------------===//
//
// The planner's formulas, the simulator's, and counting the elements one by one
// as they are put down.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/kernels/Kernels.h"
#include "tpu_mlir/Execution/LocalMemory.h"
#include "tpu_mlir/Execution/TensorPart.h"
#include "tpu_mlir/Interpreter/Local/GroupModel.h"

#include "tpu_mlir/LayerPlanning/LmemLayout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <random>
#include <utility>

using namespace tpu_mlir;
using namespace tpu_mlir::exec;

namespace {

target::ChipSpec chipOf(int64_t lanes, int64_t euBytes) {
  target::ChipSpec chip;
  chip.lanes = lanes;
  chip.euBytes = euBytes;
  chip.laneBytes = 4096;
  chip.banks = 16;
  return chip;
}

struct Case {
  target::ChipSpec chip;
  Index5 size;
  int bits;
  bool euAlign;
};

std::vector<Case> randomCases() {
  std::mt19937 random(7);
  std::vector<Case> cases;
  for (int i = 0; i < 400; ++i) {
    Case one{chipOf(1 << (random() % 4), 8 << (random() % 3)), {}, 8, false};
    for (int64_t &size : one.size)
      size = 1 + random() % 5;
    one.size[C] = 1 + random() % 20;
    one.bits = 8 << (random() % 3);
    one.euAlign = random() % 2;
    cases.push_back(one);
  }
  return cases;
}

/// Puts the channels' planes down one after the other, d outermost, then n,
/// then a slot of channels for all lanes at once.
std::map<Index5, int64_t> putDown(const Case &one, int64_t &bytes) {
  std::map<Index5, int64_t> offsets;
  bytes = 0;
  for (int64_t d = 0; d < one.size[D]; ++d)
    for (int64_t n = 0; n < one.size[N]; ++n)
      for (int64_t first = 0; first < one.size[C]; first += one.chip.lanes) {
        const int64_t start = bytes;
        for (int64_t h = 0; h < one.size[H]; ++h)
          for (int64_t w = 0; w < one.size[W]; ++w) {
            for (int64_t lane = 0; lane < one.chip.lanes; ++lane)
              if (first + lane < one.size[C])
                offsets[{n, first + lane, d, h, w}] = bytes;
            bytes += one.bits / 8;
          }
        while (one.euAlign && (bytes - start) % one.chip.euBytes != 0)
          ++bytes;
      }
  return offsets;
}

TEST(LayoutTest, ThreeWaysAgree) {
  for (const Case &one : randomCases()) {
    int64_t bytes = 0;
    const auto offsets = putDown(one, bytes);
    const LaneLayout layout(lanesOf(one.chip), one.size, one.bits, one.euAlign);
    EXPECT_EQ(layout.bytes(), bytes);
    EXPECT_EQ(layer::laneBytes(one.chip, one.size, one.bits, one.euAlign),
              bytes);
    for (const auto &[index, offset] : offsets) {
      EXPECT_EQ(
          layer::laneOffset(one.chip, one.size, one.bits, one.euAlign, index),
          offset);
      EXPECT_EQ(layout.planeOffset(index[N], index[C], index[D]) +
                    (index[H] * one.size[W] + index[W]) * one.bits / 8,
                offset);
      EXPECT_EQ(layout.lane(index[C]), index[C] % one.chip.lanes);
    }
  }
}

/// What one layout wrote is read by another that is like it: planes of rows and
/// columns in whatever shape, and nothing else.
TEST(LayoutTest, ViewsOfPlanes) {
  for (const Case &one : randomCases()) {
    const Lanes lanes = lanesOf(one.chip);
    const LaneLayout layout(lanes, one.size, one.bits, one.euAlign);
    Index5 plane = one.size;
    plane[W] *= std::exchange(plane[H], 1);
    int64_t bytes = 0, viewBytes = 0;
    const auto offsets = putDown(one, bytes);
    Case view = one;
    view.size = plane;
    const auto viewOffsets = putDown(view, viewBytes);
    EXPECT_EQ(bytes, viewBytes);
    for (auto [own, its] : llvm::zip_equal(offsets, viewOffsets))
      EXPECT_EQ(own.second, its.second);
    EXPECT_TRUE(layout.isLike({lanes, plane, one.bits, one.euAlign}));
    EXPECT_FALSE(layout.isLike({lanes, plane, one.bits, !one.euAlign}));
    EXPECT_FALSE(layout.isLike({lanes, plane, one.bits * 2, one.euAlign}));
    for (Dim dim : {N, C, D, W}) {
      Index5 other = plane;
      ++other[dim];
      EXPECT_FALSE(layout.isLike({lanes, other, one.bits, one.euAlign}));
    }
  }
}

TEST(LayoutTest, FiveDimsAgree) {
  mlir::MLIRContext context;
  std::mt19937 random(11);
  const auto i8 = mlir::IntegerType::get(&context, 8);
  for (int i = 0; i < 300; ++i) {
    std::vector<int64_t> dims(1 + random() % 6);
    for (int64_t &size : dims)
      size = 1 + random() % 6;
    const auto chip = chipOf(1 << (random() % 4), 16);
    for (int64_t type = 0; type <= 5; ++type) {
      const auto ours =
          shapeOf(mlir::RankedTensorType::get(dims, i8), type, chip.lanes);
      ASSERT_EQ(ours.error, "");
      EXPECT_EQ(ours.shape.whole,
                layer::shape5(dims, static_cast<layer::GroupType>(type), chip)
                    .value());
    }
  }
}

TEST(LayoutTest, UnknownShapes) {
  mlir::MLIRContext context;
  const auto i4 = mlir::IntegerType::get(&context, 4);
  const auto i8 = mlir::IntegerType::get(&context, 8);
  const auto dynamic = mlir::ShapedType::kDynamic;
  using mlir::RankedTensorType;
  EXPECT_NE(shapeOf(mlir::NoneType::get(&context), 0, 4).error, "");
  EXPECT_NE(shapeOf(RankedTensorType::get({2, dynamic}, i8), 0, 4).error, "");
  EXPECT_NE(shapeOf(RankedTensorType::get({2, 2}, i4), 0, 4).error, "");
  EXPECT_NE(shapeOf(RankedTensorType::get({2, 0}, i8), 0, 4).error, "");
  EXPECT_NE(shapeOf(RankedTensorType::get({1 << 20, 1 << 20}, i8), 0, 4).error,
            "");
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

TensorShape shape8(Index5 whole) {
  TensorShape shape;
  shape.dims.assign(whole.begin(), whole.end());
  shape.whole = whole;
  return shape;
}

TEST(TensorPartTest, RunsAndReaderKnowEachElement) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    Index5 whole;
    Box box;
    for (int dim = 0; dim < kNumDims; ++dim) {
      whole[dim] = 1 + random() % 4;
      box.size[dim] = 1 + random() % whole[dim];
      box.lo[dim] = random() % (whole[dim] - box.size[dim] + 1);
    }
    TensorPart part(shape8(whole), box);
    for (const exec::Run &run : runsOf(part.shape, part.box))
      for (int64_t at = 0; at < run.length; ++at)
        part.values[run.position + at] = static_cast<int32_t>(run.flat + at);
    for (int64_t flat = 0; flat < part.shape.elements(); ++flat) {
      const Index5 index = part.shape.indexOf(flat);
      bool inside = true;
      for (int dim = 0; dim < kNumDims; ++dim)
        inside &= index[dim] >= box.lo[dim] &&
                  index[dim] < box.lo[dim] + box.size[dim];
      Reader reader(&part, 32);
      EXPECT_EQ(reader.at(flat), inside ? flat : 0);
      EXPECT_EQ(reader.complaint().has_value(), !inside);
    }
  }
}

TEST(TensorPartTest, ReaderOutsideOfTheTensor) {
  TensorPart part = TensorPart::whole(shape8({1, 2, 1, 1, 3}));
  for (int64_t flat : {-1, 6, 1000}) {
    Reader reader(&part, 8);
    EXPECT_EQ(reader.at(flat), 0u);
    EXPECT_TRUE(reader.complaint());
  }
}

TEST(TensorPartTest, WideElementsAreFolded) {
  TensorShape shape = shape8({1, 1, 1, 1, 1});
  shape.bits = 32;
  TensorPart part = TensorPart::whole(shape);
  for (int32_t bit = 0; bit < 32; ++bit) {
    part.values[0] = static_cast<int32_t>(1u << bit);
    EXPECT_NE(wrapped(Reader(&part, 8).at(0), 8), 0);
    EXPECT_NE(wrapped(Reader(&part, 16).at(0), 16), 0);
  }
}

//===----------------------------------------------------------------------===//
// Local memory
//===----------------------------------------------------------------------===//

TEST(LmemTest, WritesAndReads) {
  for (const Case &one : randomCases()) {
    const LaneLayout layout(lanesOf(one.chip), one.size, one.bits, one.euAlign);
    if (layout.bytes() > 2048)
      continue;
    TensorShape shape = shape8(one.size);
    shape.bits = one.bits;
    TensorPart part = TensorPart::whole(shape);
    for (size_t i = 0; i < part.values.size(); ++i)
      part.values[i] =
          wrapped(static_cast<uint32_t>(i * 2654435761u), one.bits);
    LocalMemory lmem(lanesOf(one.chip));
    lmem.write(part, layout, 1024, false, tagOf(3, 9));
    EXPECT_FALSE(lmem.findStranger(1024, layout.bytes(), tagOf(3, 9)));
    EXPECT_TRUE(lmem.findStranger(1023, layout.bytes(), tagOf(3, 9)));
    TensorPart back(shape, shape.wholeBox());
    lmem.read(back, layout, 1024);
    EXPECT_EQ(back.values, part.values);
  }
}

TEST(LmemTest, ReleasesWhatIsStillOurs) {
  LocalMemory lmem(lanesOf(chipOf(2, 16)));
  const Tag old = tagOf(0, 0), young = tagOf(1, 0);
  lmem.claim(0, 64, old);
  lmem.claim(16, 16, young);
  lmem.release(0, 64, old);
  EXPECT_FALSE(lmem.findStranger(16, 16, young));
  EXPECT_FALSE(lmem.findStranger(0, 16, 0));
  EXPECT_FALSE(lmem.findStranger(32, 32, 0));
  const auto stranger = lmem.findStranger(0, 64, 0);
  ASSERT_TRUE(stranger);
  EXPECT_EQ(stranger->address, 16);
  EXPECT_EQ(ownerOf(stranger->tag), 1);
}

TEST(LmemTest, Ends) {
  const LocalMemory lmem(lanesOf(chipOf(2, 16)));
  EXPECT_TRUE(lmem.contains(0, 4096));
  EXPECT_FALSE(lmem.contains(1, 4096));
  EXPECT_FALSE(lmem.contains(-1, 1));
  EXPECT_FALSE(lmem.contains(INT64_MAX, 1));
  EXPECT_FALSE(lmem.contains(0, -1));
}

} // namespace
