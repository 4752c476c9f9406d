//===- RefcountEolTest.cpp - Reference counts and end of life -------------===//

#include "tests/Planning/Builders.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

/// A value made at `made` and read at `reads`.
Buffer value(std::string name, int64_t made, std::vector<int64_t> reads,
             int64_t size = 100) {
  const int64_t last = reads.empty() ? made : reads.back();
  Buffer b = buffer(std::move(name), {{made, last + 1}}, size);
  b.readSteps = std::move(reads);
  return b;
}

std::vector<int64_t> offsets(const Problem &problem) {
  return offsetsOf(solveWith(problem, "refcount-eol"));
}

/// The figure of the documented algorithm:
///
///   Op0 -> V0     Op1 -> V1     Op2(V0) -> V2     Op3(V2) -> V3
///   Op4(V0, V3) -> V4           Op5(V4) -> V5
TEST(RefcountEol, AValueIsHeldUntilItsLastReaderHasItsResult) {
  const Problem p = problemOf({value("V0", 0, {2, 4}), value("V1", 1, {2}),
                               value("V2", 2, {3}), value("V3", 3, {4}),
                               value("V4", 4, {5}), value("V5", 5, {6})});
  const std::vector<int64_t> at = offsets(p);
  ASSERT_EQ(at.size(), 6u);
  // After Op2 one reader of V0 is left, so V3 may not have V0's slot.
  EXPECT_NE(at[3], at[0]);
  // Op4 reads V0 for the last time; its own result keeps off V0 still.
  EXPECT_NE(at[4], at[0]);
  // Op5 may use it, and does: it is the first in the table.
  EXPECT_EQ(at[5], at[0]);
}

TEST(RefcountEol, FirstSlotInTableOrderNotTheBest) {
  // Two free slots, 200 and 100 bytes; 100 are needed.
  const Problem p =
      problemOf({value("big", 0, {1}, 200), value("small", 0, {1}, 100),
                 value("next", 2, {3}, 100)});
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 200, 0}));
}

TEST(RefcountEol, SlotsAreNeitherSplitNorJoined) {
  // 60 go into the slot of 100; the other 40 are not given to anybody.
  const Problem p = problemOf({value("a", 0, {1}, 100), value("b", 2, {4}, 60),
                               value("c", 3, {4}, 40)});
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 0, 100}));
}

TEST(RefcountEol, ASlotKeepsItsSizeWhenASmallerTensorMovesIn) {
  const Problem p = problemOf({value("a", 0, {1}, 100), value("b", 2, {3}, 60),
                               value("c", 4, {5}, 100)});
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 0, 0}));
}

TEST(RefcountEol, SlotsArePaddedToTheAlignment) {
  Problem p = problemOf({value("a", 0, {1}, 100), value("b", 2, {3}, 120)});
  p.pools[0].alignment = 64;
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 0}));
}

TEST(RefcountEol, OneResultMayNotTakeWhatTheSameOpReads) {
  // Two results of one op: release comes after both.
  const Problem p = problemOf({value("in", 0, {1}), value("out1", 1, {2}),
                               value("out2", 1, {2}), value("next", 2, {3})});
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 100, 200, 0}));
}

TEST(RefcountEol, UnusedResultsAreFreedAfterTheirOp) {
  const Problem p = problemOf({value("unused", 0, {}), value("b", 1, {2})});
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 0}));
}

TEST(RefcountEol, ALongerLifespanHoldsLongerThanTheReads) {
  // An output: read at 1, but kept to the end.
  Problem p = problemOf({value("out", 0, {1}), value("b", 2, {3})});
  p.buffers[0].lifespans = {{0, 4}};
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 100}));
}

TEST(RefcountEol, AnAliasIsHeldByTheReadersOfItsRootAndItsOwn) {
  // "view" shows "base"; base has a later reader of its own, then view has.
  Problem p = problemOf({value("base", 0, {1, 4}), value("view", 1, {2}),
                         value("other", 3, {4}), value("last", 5, {6})});
  p.aliases = {{1, 0, 0}};
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 0, 100, 0}));
}

TEST(RefcountEol, GapsAreKept) {
  Problem p = problemOf({value("a", 0, {1, 5}), value("b", 2, {3})});
  p.buffers[0].lifespans = {{0, 2}, {4, 6}};
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 100}));
}

TEST(RefcountEol, PinsPartnersAndAlignmentsArePassedOver) {
  Problem p = problemOf({value("pinned", 4, {5}, 50), value("a", 0, {1}),
                         value("b", 2, {3}), value("c", 4, {5})});
  p.buffers[0].pin = Pin{0, 20};
  p.forbiddenSharing = {{1, 2}};
  // a opens a slot after the pin; b may not have a's, but c may.
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{20, 70, 170, 70}));
  p.buffers[3].alignment = 170;
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{20, 70, 170, 170}));
}

TEST(RefcountEol, ZeroIsAnAddressLikeAnyOther) {
  const Problem p = problemOf({value("a", 0, {1}), value("b", 2, {3}),
                               value("c", 4, {5}), value("z", 4, {5}, 0)});
  EXPECT_EQ(offsets(p), (std::vector<int64_t>{0, 0, 0, 0}));
}

/// The tree finds what a scan of the table would find.
TEST(RefcountEol, ManySlots) {
  std::vector<Buffer> buffers;
  for (int64_t i = 0; i < 1000; ++i)
    buffers.push_back(value("a" + std::to_string(i), 0, {1}, 1 + i % 37));
  buffers.push_back(value("first of 37", 2, {3}, 37));
  buffers.push_back(value("second of 37", 2, {3}, 37));
  buffers.push_back(value("too big", 2, {3}, 38));
  buffers.push_back(value("first of all", 2, {3}, 1));
  const std::vector<int64_t> at = offsets(problemOf(buffers));
  ASSERT_EQ(at.size(), 1004u);
  EXPECT_EQ(at[1000], at[36]);
  EXPECT_EQ(at[1001], at[73]);
  EXPECT_EQ(at[1002], at[999] + 1 + 999 % 37);
  EXPECT_EQ(at[1003], 0);
}

} // namespace
