//===- PackingTest.cpp - Coefficients as backends store them --------------===//

#include "tpu_mlir/Quantization/Packing.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace tpu_mlir::quantization;

namespace {

std::vector<uint8_t> counting(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<uint8_t>(i * 7 + 1);
  return bytes;
}

TEST(PackingTest, AChannelIsNineBytesOrFive) {
  const std::vector<Factor> factors = {{0x40000001, 9}, {0x7fffffff, 31}};
  const std::vector<int32_t> bias = {-2, 0x01020304};
  const std::vector<uint8_t> bytes = packQdm(bias, factors);
  EXPECT_EQ(bytes,
            (std::vector<uint8_t>{0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0x40, 9, 4,
                                  3, 2, 1, 0xff, 0xff, 0xff, 0x7f, 31}));
  auto again = unpackQdm(bytes, 2);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->bias, bias);
  EXPECT_EQ(again->factors, factors);
  EXPECT_EQ(packQdm({}, factors).size(), 10u);
  EXPECT_TRUE(unpackQdm(packQdm({}, factors), 2)->bias.empty());
  EXPECT_FALSE(unpackQdm(bytes, 3));
  EXPECT_FALSE(unpackQdm({}, 0));
}

TEST(PackingTest, InputsGoLastInPairs) {
  const FilterShape shape{2, 3, 4, false};
  EXPECT_EQ(storedInputs(shape), 4);
  EXPECT_EQ(storedInputs({2, 1, 4, false}), 1);
  EXPECT_EQ(storedInputs({2, 3, 4, true}), 3);
  const std::vector<uint8_t> filter = counting(24);
  const std::vector<uint8_t> stored = channelsLast(filter, shape, 4);
  ASSERT_EQ(stored.size(), 32u);
  EXPECT_EQ(stored[1], filter[4]); // Channel 1 of tap 0.
  EXPECT_EQ(stored[3], 0);         // What is added.
  EXPECT_EQ(stored[16 + 4 + 2], filter[12 + 8 + 1]);
  EXPECT_EQ(channelsFirst(stored, shape, 4), filter);
}

/// Widths that real modules have: three words, 64 lanes, blocks of 64.
TEST(PackingTest, LanesAreAsWideAsInRealModules) {
  const MergedForm form;
  const auto width = [&](int64_t outputs, int64_t inputs, int64_t taps) {
    return mergedLayout(form, {outputs, inputs, taps, false}, true).width;
  };
  EXPECT_EQ(width(64, 32, 9), 640);
  EXPECT_EQ(width(128, 64, 9), 1280);
  EXPECT_EQ(width(256, 128, 9), 4864);
  EXPECT_EQ(width(512, 1024, 1), 8704);
  EXPECT_EQ(width(255, 128, 1), 768);
  EXPECT_EQ(mergedLayout(form, {32, 64, 1, false}, true).lanes, 32);
}

TEST(PackingTest, WhatIsMergedComesApartAgain) {
  for (int64_t words : {3, 2})
    for (const FilterShape &shape :
         {FilterShape{5, 3, 4, false}, FilterShape{9, 70, 9, false},
          FilterShape{8, 1, 9, true}})
      for (bool hasBias : {true, false}) {
        const MergedForm form{4, 16, 32, words};
        MergedChannels channels;
        channels.zeroPoint = -3;
        for (int64_t c = 0; c < shape.outputs; ++c) {
          channels.factors.push_back({1000 + c, 20 - c});
          if (hasBias)
            channels.bias.push_back(static_cast<int32_t>(c * 1000 - 7));
        }
        const auto filter = counting(shape.outputs * shape.row());
        const auto bytes = packMerged(form, shape, filter, channels);
        const MergedLayout layout = mergedLayout(form, shape, hasBias);
        EXPECT_EQ(static_cast<int64_t>(bytes.size()),
                  layout.lanes * layout.width);
        auto again = unpackMerged(form, shape, hasBias, bytes);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->filter, filter);
        EXPECT_EQ(again->channels.factors, channels.factors);
        EXPECT_EQ(again->channels.bias, channels.bias);
        EXPECT_EQ(again->channels.zeroPoint, -3);
        EXPECT_FALSE(unpackMerged(form, shape, hasBias,
                                  llvm::ArrayRef(bytes).drop_back()));
      }
}

TEST(PackingTest, ScalesOfFloatsOf8BitsAreOneWord) {
  const MergedForm form = float8Form({4, 16, 32, 3});
  const FilterShape shape{6, 3, 1, false};
  MergedChannels channels;
  for (int32_t c = 0; c < 6; ++c) {
    channels.factors.push_back({-c, 0});
    channels.bias.push_back(c * 100 - 1);
  }
  const auto filter = counting(18);
  const auto bytes = packMerged(form, shape, filter, channels);
  // Two parts of 4 bytes each, twice, and two blocks.
  ASSERT_EQ(bytes.size(), 4u * (16 + 64));
  EXPECT_EQ(bytes[80], 0xff); // Channel 1, in lane 1.
  EXPECT_EQ(bytes[4], 0xfc);  // Channel 4, the second part of lane 0.
  EXPECT_EQ(bytes[8], 0xff);
  EXPECT_EQ(bytes[16], filter[0]);
  EXPECT_EQ(bytes[16 + 32 + 2], filter[14]);
  auto again = unpackMerged(form, shape, true, bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->filter, filter);
  EXPECT_EQ(again->channels.factors, channels.factors);
  EXPECT_EQ(again->channels.bias, channels.bias);
}

TEST(PackingTest, AsManyTapsAsFitIntoABlockCountAsInputs) {
  EXPECT_EQ(foldOf(3, {3, 3}, 64), Fold::Both);
  EXPECT_EQ(foldOf(3, {6, 6}, 64), Fold::Rows);
  EXPECT_EQ(foldOf(3, {7, 4}, 16), Fold::Columns);
  EXPECT_EQ(foldOf(8, {9, 7}, 64), Fold::Columns);
  EXPECT_EQ(foldOf(64, {3, 3}, 64), Fold::None);
  EXPECT_EQ(foldOf(3, {1, 1}, 64), Fold::None);
  EXPECT_EQ(foldOf(3, {1, 5}, 64), Fold::Columns);
  EXPECT_EQ(foldOf(3, {3}, 64), Fold::None);
  // Products that leave 63 bits.
  EXPECT_EQ(foldOf(3, {int64_t(1) << 40, int64_t(1) << 40}, 64), Fold::None);
}

TEST(PackingTest, FoldedFiltersComeApartAgain) {
  const std::vector<int64_t> kernel = {2, 3};
  const FilterShape shape{4, 3, 6, false};
  const auto filter = counting(shape.outputs * shape.row());
  for (Fold fold : {Fold::None, Fold::Rows, Fold::Columns, Fold::Both}) {
    const FilterShape own = folded(shape, kernel, fold);
    EXPECT_EQ(own.row(), shape.row());
    const auto stored = foldFilter(filter, kernel, fold);
    EXPECT_EQ(unfoldFilter(stored, kernel, fold), filter);
    // Row 1, column 2 of input 1 of output 2.
    const int64_t plain = ((2 * 3 + 1) * 2 + 1) * 3 + 2;
    const int64_t input = fold == Fold::Rows      ? 1 * 2 + 1
                          : fold == Fold::Columns ? 1 * 3 + 2
                          : fold == Fold::Both    ? 1 * 6 + 5
                                                  : 1;
    const int64_t tap = fold == Fold::Rows      ? 2
                        : fold == Fold::Columns ? 1
                        : fold == Fold::Both    ? 0
                                                : 5;
    EXPECT_EQ(stored[(2 * own.inputs + input) * own.taps + tap], filter[plain]);
  }
}

/// Rows that real modules of f16 have: bm1688 (16 channels a block), bm1684x
/// (32), cv184x (8).
TEST(PackingTest, RowsAreAsLongAsInRealModules) {
  const auto row = [](int64_t inputs, std::vector<int64_t> kernel,
                      int64_t block) {
    const Fold fold = foldOf(inputs, kernel, block);
    return blockedRow(
        folded({24, inputs, kernel[0] * kernel[1], false}, kernel, fold),
        block);
  };
  EXPECT_EQ(row(3, {5, 5}, 16), 80);
  EXPECT_EQ(row(24, {1, 1}, 16), 32);
  EXPECT_EQ(row(32, {3, 3}, 32), 288);
  EXPECT_EQ(row(3, {5, 5}, 8), 200);
  EXPECT_EQ(blockedRow({24, 1, 9, true}, 16), 9);
}

TEST(PackingTest, BlocksComeApartAgain) {
  const FilterShape shape{3, 5, 4, false};
  for (int64_t width : {1, 2}) {
    const auto filter = counting(shape.outputs * shape.row() * width);
    const auto stored = blockFilter(filter, shape, 4, width);
    ASSERT_EQ(static_cast<int64_t>(stored.size()), 3 * 4 * 8 * width);
    EXPECT_EQ(unblockFilter(stored, shape, 4, width), filter);
    // Input 4 of tap 3 of output 2: the first of the second block.
    const int64_t plain = ((2 * 5 + 4) * 4 + 3) * width,
                  place = (2 * 32 + (4 + 3) * 4) * width;
    EXPECT_EQ(stored[place], filter[plain]);
    EXPECT_EQ(stored[place + width], 0); // There is no input 5.
  }
}

TEST(PackingTest, WideElementsAreFoldedWhole) {
  const std::vector<int64_t> kernel = {2, 3};
  const auto filter = counting(4 * 3 * 6 * 2);
  for (Fold fold : {Fold::None, Fold::Rows, Fold::Columns, Fold::Both}) {
    const auto stored = foldFilter(filter, kernel, fold, 2);
    EXPECT_EQ(unfoldFilter(stored, kernel, fold, 2), filter);
    // Row 1, column 2 of input 0 of output 0 is tap 1 of input 2 then.
    if (fold == Fold::Columns) {
      EXPECT_EQ(stored[2 * (2 * 2 + 1)], filter[2 * 5]);
      EXPECT_EQ(stored[2 * (2 * 2 + 1) + 1], filter[2 * 5 + 1]);
    }
  }
}

} // namespace
