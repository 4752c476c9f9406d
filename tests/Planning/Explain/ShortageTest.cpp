//===- ShortageTest.cpp - What people are told about too little room ------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Shortage.h"
#include "tpu_mlir/Planning/Strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

ShortageWords words() {
  ShortageWords words;
  words.subject = "the module";
  words.memory = "pool 'p'";
  words.peak = "all at once: ";
  words.buffer = [](BufferId id) { return " #" + std::to_string(id); };
  return words;
}

/// Six buffers of 10 to 15 bytes that live together.
Problem six() {
  std::vector<Buffer> buffers;
  for (int64_t i = 0; i < 6; ++i)
    buffers.push_back(buffer("b", {{0, 1}}, 10 + i));
  return problemOf(std::move(buffers), 70);
}

TEST(ShortageTest, TellsTheLargestAndSumsTheOthers) {
  const Problem problem = six();
  const SolveResult result = solve(problem);
  const Shortage shortage =
      describeShortage(problem, std::get<Infeasible>(result), words());
  EXPECT_TRUE(shortage.isCertain);
  EXPECT_EQ(shortage.message, "the module does not fit: pool 'p' needs 75 B, "
                              "has 70 B, over by 5 B");
  EXPECT_EQ(shortage.peak, "all at once: 75 B, so no layout can fit");
  using Note = std::pair<BufferId, std::string>;
  EXPECT_THAT(shortage.buffers,
              testing::ElementsAre(Note(5, "15 B #5"), Note(4, "14 B #4"),
                                   Note(3, "13 B #3"), Note(2, "12 B #2")));
  EXPECT_EQ(shortage.others, "2 more, 21 B in all");
}

TEST(ShortageTest, SaysWhenALayoutMayExist) {
  const Problem problem = six();
  Infeasible failed;
  failed.needBytes = 80;
  failed.haveBytes = 76;
  failed.strategy = "best-fit";
  ShortageWords plural = words();
  plural.memory = "its buffers";
  plural.isMemoryPlural = true;
  const Shortage shortage = describeShortage(problem, failed, plural);
  EXPECT_FALSE(shortage.isCertain);
  EXPECT_EQ(shortage.message,
            "the module got no plan, though one may exist: its buffers need "
            "80 B, have 76 B, over by 4 B");
  EXPECT_EQ(shortage.peak, "all at once: 75 B, which would fit: only the "
                           "packing by 'best-fit' failed; try another "
                           "strategy");
  EXPECT_TRUE(shortage.buffers.empty());
  EXPECT_EQ(shortage.others, "");
}

TEST(ShortageTest, NeedsNoSum) {
  Shortage shortage;
  BufferNotes notes;
  notes.text = [](BufferId id) { return std::to_string(id); };
  notes.more = "more buffers";
  notes.most = 1;
  tellBuffers(shortage, {7, 8, 9}, notes);
  EXPECT_EQ(shortage.buffers.size(), 1u);
  EXPECT_EQ(shortage.others, "2 more buffers");
}

TEST(ShortageTest, AnIdleStretchEndsAtAReader) {
  Buffer buffer = ::buffer("b", {{2, 12}}, 1);
  EXPECT_EQ(longestIdle(buffer), 9);
  buffer.readSteps = {5, 11};
  EXPECT_EQ(longestIdle(buffer), 5);
}

} // namespace
