//===- BytesTest.cpp - Checked byte arithmetic and formatting -------------===//

#include "tpu_mlir/Support/Bytes.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tpu_mlir;

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kGiB = int64_t(1) << 30;

TEST(Bytes, AddStopsAtTheEdges) {
  EXPECT_EQ(checkedAdd(2 * kGiB, 3 * kGiB), 5 * kGiB);
  EXPECT_EQ(checkedAdd(kMax - 1, 1), kMax);
  EXPECT_EQ(checkedAdd(kMax, 1), std::nullopt);
  EXPECT_EQ(checkedAdd(kMin, -1), std::nullopt);
}

TEST(Bytes, MulStopsAtTheEdges) {
  EXPECT_EQ(checkedMul(1 << 20, 1 << 20), int64_t(1) << 40);
  EXPECT_EQ(checkedMul(int64_t(1) << 32, int64_t(1) << 31), std::nullopt);
  EXPECT_EQ(checkedMul(kMin, -1), std::nullopt);
  EXPECT_EQ(checkedMul(0, kMax), 0);
}

TEST(Bytes, AlignUpTakesAnyAlignment) {
  EXPECT_EQ(checkedAlignUp(0, 4096), 0);
  EXPECT_EQ(checkedAlignUp(1, 4096), 4096);
  EXPECT_EQ(checkedAlignUp(4096, 4096), 4096);
  EXPECT_EQ(checkedAlignUp(10, 7), 14);
  EXPECT_EQ(checkedAlignUp(kMax, 1), kMax);
  EXPECT_EQ(checkedAlignUp(kMax, 2), std::nullopt);
  EXPECT_EQ(checkedAlignUp(1, kMax), kMax);
  EXPECT_EQ(alignUp(13, 12), 24);
}

TEST(Bytes, FormatBytes) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(512), "512 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1024), "1.0 KiB");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(319 << 20), "319.0 MiB");
  EXPECT_EQ(formatBytes(kGiB), "1.00 GiB");
  EXPECT_EQ(formatBytes(kGiB + kGiB / 32), "1.03 GiB");
  EXPECT_EQ(formatBytes(kGiB * 131 / 100), "1.31 GiB");
  EXPECT_EQ(formatBytes(kMax), "8.00 EiB");
}

TEST(Bytes, RoundingMovesOnToTheNextUnit) {
  EXPECT_EQ(formatBytes((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(formatBytes(kGiB - 1), "1.00 GiB");
}

TEST(Bytes, NegativeBytes) {
  EXPECT_EQ(formatBytes(-1536), "-1.5 KiB");
  EXPECT_EQ(formatBytes(kMin), "-8.00 EiB");
  EXPECT_EQ(formatSum(2048), "2.0 KiB");
  EXPECT_EQ(formatSum(saturatedAdd(kMax / 2, kMax)), "8.00 EiB or more");
  EXPECT_EQ(formatShortage(kMax, kMax),
            "needs 8.00 EiB or more, more than any memory has");
  EXPECT_EQ(formatShortage(kMax, kMax - 512, /*isPlural=*/true),
            "need 8.00 EiB or more, have 8.00 EiB (9,223,372,036,854,775,295 "
            "B), over by 512 B or more");
}

TEST(Bytes, ExactBytesStandBesideRoundedOnes) {
  EXPECT_EQ(formatExactBytes(0), "0 B");
  EXPECT_EQ(formatExactBytes(1023), "1023 B");
  EXPECT_EQ(formatExactBytes(1024), "1.0 KiB (1,024 B)");
  EXPECT_EQ(formatExactBytes(13'743'105), "13.1 MiB (13,743,105 B)");
  EXPECT_EQ(formatExactBytes(-2048), "-2.0 KiB (-2,048 B)");
  EXPECT_EQ(formatExactBytes(kMax), "8.00 EiB or more");
  EXPECT_EQ(formatShortage(kMax, 0),
            "needs 8.00 EiB or more, has 0 B, over by 8.00 EiB or more");
}

TEST(Bytes, AShortageOfOneByteShows) {
  EXPECT_EQ(formatShortage(13'743'105, 13'743'104),
            "needs 13.1 MiB (13,743,105 B), has 13.1 MiB (13,743,104 B), over "
            "by 1 B");
  EXPECT_EQ(formatShortage(3, 0, /*isPlural=*/true),
            "need 3 B, have 0 B, over by 3 B");
}

TEST(Bytes, FormatCount) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(1000), "1,000");
  EXPECT_EQ(formatCount(30969856), "30,969,856");
  EXPECT_EQ(formatCount(-1234567), "-1,234,567");
  EXPECT_EQ(formatCount(kMin), "-9,223,372,036,854,775,808");
}

TEST(Bytes, ParseBytes) {
  for (auto [text, bytes] :
       std::initializer_list<std::pair<const char *, int64_t>>{
           {"0", 0},
           {"4096", 4096},
           {"010", 10},
           {"0x10", 16},
           {"0X1fK", 31 << 10},
           {"12b", 12},
           {"512k", 512 << 10},
           {" 2 MiB ", 2 << 20},
           {"4G", 4 * kGiB},
           {"1tib", 1024 * kGiB},
           {"9223372036854775807", kMax}})
    EXPECT_EQ(parseBytes(text), bytes) << text;
  for (const char *text : {"", "x", "-1", "+1", "1.5K", "KiB", "0x", "1KB",
                           "1KiBs", "1 2", "9223372036854775808", "8388608TiB"})
    EXPECT_EQ(parseBytes(text), std::nullopt) << text;
}

} // namespace
