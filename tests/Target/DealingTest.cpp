//===- DealingTest.cpp - Which core runs which sections -------------------===//

#include "tpu_mlir/Target/Dealing.h"

#include <gtest/gtest.h>

#include <vector>

using namespace tpu_mlir;
using namespace tpu_mlir::target;

namespace {

std::vector<int64_t> lengths(int64_t sections, int64_t cores) {
  const Dealing dealing(sections, cores);
  std::vector<int64_t> result;
  for (int64_t core = 0; core < dealing.activeCores(); ++core)
    result.push_back(dealing.sectionsOf(core).length());
  return result;
}

TEST(DealingTest, AsTheRuntimesDo) {
  // A vendor's trace of two cores: 5 sections, 2, and 1.
  EXPECT_EQ(lengths(5, 2), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(lengths(2, 2), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(lengths(1, 2), (std::vector<int64_t>{1}));
  EXPECT_EQ(lengths(9, 8), (std::vector<int64_t>{2, 2, 2, 2, 1}));
  EXPECT_EQ(lengths(1, 1), (std::vector<int64_t>{1}));
}

TEST(DealingTest, EachSectionOnceInOrder) {
  for (int64_t sections = 1; sections <= 64; ++sections)
    for (int64_t cores = 1; cores <= 8; ++cores) {
      const Dealing dealing(sections, cores);
      ASSERT_LE(dealing.activeCores(), cores);
      int64_t next = 0;
      for (int64_t core = 0; core < dealing.activeCores(); ++core) {
        const Interval mine = dealing.sectionsOf(core);
        ASSERT_EQ(mine.begin, next);
        ASSERT_GT(mine.length(), 0);
        ASSERT_LE(mine.length(), dealing.sectionsOfFirst());
        // No even dealing has a shorter longest run.
        ASSERT_LT((dealing.sectionsOfFirst() - 1) * cores, sections);
        for (int64_t section = mine.begin; section < mine.end; ++section)
          ASSERT_EQ(dealing.isFirstOfCore(section), section == mine.begin);
        next = mine.end;
      }
      ASSERT_EQ(next, sections);
      ASSERT_EQ(dealing.sectionsOf(0).length(), dealing.sectionsOfFirst());
    }
}

} // namespace
