//===- MemoryTest.cpp - What the two memories say of overwritten bytes ----===//
//
// The arena names the write that destroyed a tensor, and bytes that were never
// written.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Memory.h"

#include "gtest/gtest.h"

using namespace tpu_mlir;
using namespace tpu_mlir::execution;

namespace {

std::vector<uint8_t> fill(int64_t count, uint8_t value) {
  return std::vector<uint8_t>(count, value);
}

TEST(ValueMemory, NothingIsOverwritten) {
  ValueMemory memory;
  std::optional<ForeignByte> foreign;
  memory.write(0, fill(4, 1), 0);
  memory.write(1, fill(2, 2), 1);
  EXPECT_EQ(memory.read(0, foreign).vec(), fill(4, 1));
  EXPECT_FALSE(foreign);
  memory.release(0);
  EXPECT_TRUE(memory.read(0, foreign).empty());
  EXPECT_TRUE(foreign);
}

class Arena : public ::testing::Test {
protected:
  Arena()
      : memory(*ArenaMemory::create(
            {{0, 64}, {1000, 2000}, {1 << 30, (1 << 30) + 16}})) {}
  void put(TensorId tensor, int64_t begin, int64_t end, uint8_t value,
           int64_t step) {
    ASSERT_TRUE(memory.place(tensor, {begin, end}));
    memory.write(tensor, fill(end - begin, value), step);
  }
  std::optional<ForeignByte> foreignIn(TensorId tensor) {
    std::optional<ForeignByte> foreign;
    bytes = memory.read(tensor, foreign).vec();
    return foreign;
  }

  ArenaMemory memory;
  std::vector<uint8_t> bytes;
};

TEST_F(Arena, ReadsWhatWasWritten) {
  put(0, 1000, 1010, 7, 0);
  put(1, 1010, 1012, 8, 1);
  EXPECT_FALSE(foreignIn(0));
  EXPECT_EQ(bytes, fill(10, 7));
  EXPECT_FALSE(foreignIn(1));
  EXPECT_EQ(bytes, fill(2, 8));
}

TEST_F(Arena, NamesWhoOverwroteAByteAndWhen) {
  put(0, 1000, 1010, 7, 3);
  put(1, 1004, 1006, 7, 5); // The same bytes: foreign none the less.
  auto foreign = foreignIn(0);
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->offset, 4);
  EXPECT_EQ(foreign->address, 1004);
  EXPECT_EQ(foreign->holder->tensor, 1);
  EXPECT_EQ(foreign->holder->step, 5);
}

TEST_F(Arena, AnEarlierWriteIsForeign) {
  put(0, 1000, 1004, 1, 0);
  ASSERT_TRUE(memory.place(1, {1000, 1004}));
  ASSERT_TRUE(memory.adopt(1, {{0, 0, 4}}));
  memory.write(0, fill(4, 2), 9);
  EXPECT_FALSE(foreignIn(0));
  auto foreign = foreignIn(1);
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->holder->tensor, 0);
  EXPECT_EQ(foreign->holder->step, 9);
}

TEST_F(Arena, BytesThatNobodyWroteArePoison) {
  ASSERT_TRUE(memory.place(0, {1000, 1004}));
  auto foreign = foreignIn(0);
  ASSERT_TRUE(foreign);
  EXPECT_FALSE(foreign->holder);
  EXPECT_EQ(bytes, fill(4, 0xCD));
}

TEST_F(Arena, ViewsArePartsOfWhatTheyLookAt) {
  put(0, 1000, 1010, 1, 0);
  put(1, 1010, 1014, 2, 1);
  ASSERT_TRUE(memory.place(2, {1000, 1014}));
  EXPECT_FALSE(memory.adopt(2, {{0, 0, 10}}));
  EXPECT_FALSE(memory.adopt(2, {{1, 0, 4}, {0, 0, 10}}));
  ASSERT_TRUE(memory.adopt(2, {{0, 0, 10}, {1, 0, 4}}));
  EXPECT_FALSE(foreignIn(2));
  ASSERT_TRUE(memory.place(3, {1008, 1012}));
  ASSERT_TRUE(memory.adopt(3, {{2, 8, 4}}));
  EXPECT_FALSE(foreignIn(3));
  EXPECT_EQ(bytes, (std::vector<uint8_t>{1, 1, 2, 2}));
  put(4, 1011, 1012, 9, 4);
  EXPECT_EQ(foreignIn(3)->address, 1011);
  EXPECT_EQ(foreignIn(2)->offset, 11);
  EXPECT_FALSE(foreignIn(0));
}

TEST_F(Arena, SaysWhoseBytesATensorHas) {
  put(0, 1000, 1010, 1, 0);
  put(1, 1010, 1014, 2, 1);
  ASSERT_TRUE(memory.place(2, {1004, 1014}));
  EXPECT_TRUE(memory.contentOf(2).empty());
  ASSERT_TRUE(memory.adopt(2, {{0, 4, 6}, {1, 0, 4}}));
  const auto content = memory.contentOf(2);
  ASSERT_EQ(content.size(), 2u);
  EXPECT_EQ(content[0].bytes, (Interval{1004, 1010}));
  EXPECT_EQ(content[0].tensor, 0);
  EXPECT_EQ(content[1].bytes, (Interval{1010, 1014}));
  EXPECT_EQ(content[1].tensor, 1);
}

TEST_F(Arena, PlacesAreInsideTheMemory) {
  EXPECT_FALSE(memory.place(0, {1 << 29, (1 << 29) + 4}));
  EXPECT_FALSE(memory.place(0, {1999, 2001}));
  EXPECT_TRUE(memory.place(0, {1 << 30, (1 << 30) + 16}));
  EXPECT_TRUE(memory.place(1, {5000, 5000}));
}

TEST(ArenaMemory, CostsWhatIsTouched) {
  auto memory = ArenaMemory::create({{0, 1 << 30}});
  ASSERT_TRUE(memory);
  ASSERT_TRUE(memory->place(0, {1 << 29, (1 << 29) + 4}));
  memory->write(0, fill(4, 1), 0);
  std::optional<ForeignByte> foreign;
  EXPECT_EQ(memory->read(0, foreign).vec(), fill(4, 1));
}

} // namespace
