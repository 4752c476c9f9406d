//===- ProblemCsvTest.cpp - Problems and plans as minimalloc CSV ----------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/ProblemIO.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::HasSubstr;

namespace {

Problem memoryOf(std::vector<Buffer> buffers) {
  Problem p = problemOf(std::move(buffers));
  p.pools[0].name = "memory";
  return p;
}

void expectProblem(std::string_view text, const Problem &expected) {
  const auto result = parseProblemCsv(text);
  if (const auto *error = std::get_if<ParseError>(&result))
    FAIL() << error->line << ":" << error->column << ": " << error->message;
  EXPECT_EQ(std::get<Problem>(result), expected) << text;
}

/// "line:column: message".
template <typename T>
std::string textOf(const std::variant<T, ParseError> &result) {
  const auto *error = std::get_if<ParseError>(&result);
  return error ? std::to_string(error->line) + ":" +
                     std::to_string(error->column) + ": " + error->message
               : "no error";
}
std::string errorOf(std::string_view text) {
  return textOf(parseProblemCsv(text));
}

const Problem kTwo =
    memoryOf({buffer("a", {{0, 3}}, 4), buffer("b", {{3, 9}}, 4)});

TEST(ProblemCsv, Minimal) {
  expectProblem("id,lower,upper,size\na,0,3,4\nb,3,9,4\n", kTwo);
}

TEST(ProblemCsv, LineEndsBlankLinesMarksAndSpaces) {
  expectProblem("\xEF\xBB\xBFid,lower,upper,size\r\n\r\na,0,3,4\r\nb,3,9,4",
                kTwo);
  expectProblem("\n id , lower,upper,size\n\n a, 0 ,3,4\n\t\nb,3,9,4\n\n",
                kTwo);
}

TEST(ProblemCsv, ColumnsInAnyOrderAndQuotes) {
  expectProblem("size,upper,\"id\",lower\n4,3,\"a\",0\n4,9,b,3\n", kTwo);
  expectProblem("id,lower,upper,size\n\"a,\"\"b\"\"\",0,3,4\n",
                memoryOf({buffer("a,\"b\"", {{0, 3}}, 4)}));
}

TEST(ProblemCsv, AlignmentGapsAndOffsets) {
  Problem expected = memoryOf(
      {buffer("a", {{0, 3}, {5, 7}, {8, 10}}, 4, 8), buffer("b", {{3, 9}}, 4)});
  expected.buffers[0].pin = Pin{0, 16};
  expectProblem("id,lower,upper,size,alignment,gaps,offset\n"
                "a,0,10,4,8,3-5  7-8,16\nb,3,9,4,,,\n",
                expected);
}

TEST(ProblemCsv, ErrorsHavePositions) {
  const std::string head = "id,lower,upper,size\n";
  EXPECT_EQ(errorOf(""), "1:1: the text is empty");
  EXPECT_EQ(errorOf("\n\r\n"), "1:1: the text is empty");
  EXPECT_EQ(errorOf("id,lower,upper\n"), "1:1: the column 'size' is missing");
  EXPECT_EQ(errorOf("id,lower,upper,size,colour\n"),
            "1:1: unknown column 'colour'");
  EXPECT_EQ(errorOf("id,id,lower,upper,size\n"),
            "1:4: the column 'id' occurs twice");
  EXPECT_EQ(errorOf(head + "a,0,3,4\nb,0,3\n"),
            "3:1: the row has 3 fields, the header has 4");
  EXPECT_EQ(errorOf(head + "a,0,3,4,\n"),
            "2:1: the row has 5 fields, the header has 4");
  EXPECT_EQ(errorOf(head + "a,0,3,x\n"),
            "2:7: 'size' is 'x', expected an integer");
  EXPECT_EQ(errorOf(head + "a,0,3,NaN\n"),
            "2:7: 'size' is 'NaN', expected an integer");
  EXPECT_EQ(errorOf(head + "a,0,3,4.5\n"),
            "2:7: 'size' is '4.5', expected an integer");
  EXPECT_EQ(errorOf(head + "a,0,3,\n"), "2:7: 'size' is missing");
  EXPECT_EQ(errorOf(head + "a,0,3,9223372036854775808\n"),
            "2:7: 'size' is 9223372036854775808, which is out of range "
            "(64 bits)");
  EXPECT_EQ(errorOf(head + "a,0,3,-4\n"),
            "2:7: 'size' is -4, which is negative");
  EXPECT_EQ(errorOf(head + "a,-2,3,4\n"),
            "2:3: 'lower' is -2, which is negative");
  EXPECT_EQ(errorOf(head + "a,3,3,4\n"), "2:3: the lifespan [3,3) is empty");
  EXPECT_EQ(errorOf(head + "a,4,3,4\n"), "2:3: the lifespan [4,3) is empty");
  EXPECT_EQ(errorOf(head + "a,0,3,4\r\na,0,3,4\r\n"),
            "3:1: the id 'a' occurs twice");
  EXPECT_EQ(errorOf(head + ",0,3,4\n"), "2:1: 'id' is missing");
  EXPECT_EQ(errorOf(head + "\"a,0,3,4\n"), "3:1: the quoted field has no end");
  EXPECT_EQ(errorOf(head + "a\"b,0,3,4\n"),
            "2:2: a quote in the middle of a field");
  EXPECT_EQ(errorOf(head + "\"a\"b,0,3,4\n"),
            "2:4: there is text after the closing quote");
  EXPECT_EQ(errorOf(head + "a,0,3,\xFF\n"), "2:7: the text is not UTF-8");
}

TEST(ProblemCsv, ErrorsOfOptionalColumns) {
  const std::string head = "id,lower,upper,size,alignment,gaps,offset\n";
  EXPECT_EQ(errorOf(head + "a,0,9,4,0,,\n"),
            "2:9: 'alignment' is 0, which is below 1");
  for (const char *gaps : {"3", "3-", "-5", "3-x", "3-5,6", "5-3", "3-3",
                           "3-5;6-7", "99999999999999999999-3"})
    EXPECT_THAT(errorOf(head + "a,0,9,4,1,\"" + gaps + "\",\n"),
                HasSubstr("2:11: 'gaps' is"))
        << gaps;
  for (const char *gaps : {"0-2", "7-9", "3-5 5-6", "5-6 2-3", "10-12"})
    EXPECT_THAT(errorOf(head + "a,0,9,4,1," + gaps + ",\n"),
                HasSubstr("is not inside the lifespan"))
        << gaps;
  EXPECT_THAT(errorOf(head + "a,0,9,4,1,,-4\n"),
              HasSubstr("2:1: buffer 'a' is pinned outside"));
  EXPECT_THAT(errorOf(head + "a,0,9,4,8,,4\n"), HasSubstr("misaligned offset"));
}

TEST(ProblemCsv, NumbersAreDecimalIntegersOf64Bits) {
  const std::string head = "id,lower,upper,size\n";
  for (const char *size : {"1e3", "0x10", "+4", "4,0", "4 0", "4.0", "nan",
                           "inf", "--4", "-", "4_000", "\xC2\xB2", "4L"})
    EXPECT_THAT(errorOf(head + "a,0,3,\"" + size + "\"\n"),
                HasSubstr("2:7: 'size' is '" + std::string(size) +
                          "', expected an integer"))
        << size;
  for (const char *size :
       {"9223372036854775808", "-9223372036854775809",
        "100000000000000000000000000000000000000000000000000000000000"})
    EXPECT_THAT(errorOf(head + "a,0,3," + size + "\n"),
                HasSubstr("which is out of range (64 bits)"))
        << size;
  expectProblem(head + "a,0,9223372036854775807,9223372036854775807\n",
                memoryOf({buffer("a", {{0, INT64_MAX}}, INT64_MAX)}));
  expectProblem(head + "a,00,003,-0\n", memoryOf({buffer("a", {{0, 3}}, 0)}));
}

TEST(ProblemCsv, FilesThatAreNotTables) {
  EXPECT_EQ(errorOf("\xEF\xBB\xBF"), "1:1: the text is empty");
  EXPECT_EQ(errorOf(std::string_view("i\0d\0,\0", 6)),
            "1:2: a byte that is 0: this is not a text file");
  EXPECT_EQ(errorOf("\xFF\xFEi"), "1:1: the text is not UTF-8");
  EXPECT_EQ(errorOf("id,lower,upper,size\na,0,3,4\nb,0,3,\xC3("),
            "3:7: the text is not UTF-8");
  EXPECT_EQ(errorOf("id\r\n"), "1:1: the column 'lower' is missing");
  EXPECT_EQ(errorOf(",,,\n"), "1:2: the column '' occurs twice");
  EXPECT_EQ(errorOf("\"id,lower\n"), "2:1: the quoted field has no end");
  EXPECT_EQ(errorOf("\""), "1:2: the quoted field has no end");
  // A header alone is a problem without buffers.
  expectProblem("id,lower,upper,size", memoryOf({}));
  expectProblem("id,lower,upper,size\r\n\r\n", memoryOf({}));
}

TEST(ProblemCsv, PositionsBehindQuotedLinesAndMarks) {
  EXPECT_EQ(errorOf("\xEF\xBB\xBFid,lower,upper,size\r\n\r\n"
                    "\"a\nb\",0,3,4\r\n c,0, x,4\r\n"),
            "5:7: 'upper' is 'x', expected an integer");
  // A carriage return alone is a character like others.
  EXPECT_EQ(errorOf("id,lower,upper,size\na,0,3,4\rb,0,3,4\n"),
            "2:1: the row has 7 fields, the header has 4");
  expectProblem("id,lower,upper,size\r\na,0,3,4\r\nb,3,9,4\r", kTwo);
}

TEST(ProblemCsv, QuotedFields) {
  const std::string_view nul("a\0b", 3);
  expectProblem("id,lower,upper,size\n\"" + std::string(nul) +
                    "\",0,\"3\" ,\t\"4\"\n\"\"\"\",0,1,2\n",
                memoryOf({buffer(std::string(nul), {{0, 3}}, 4),
                          buffer("\"", {{0, 1}}, 2)}));
  EXPECT_EQ(errorOf("id,lower,upper,size\n\"\",0,3,4\n"),
            "2:1: 'id' is missing");
}

TEST(ProblemCsv, LongCellsAreCutInMessages) {
  const std::string longId(1 << 20, 'x');
  const std::string head = "id,lower,upper,size\n";
  EXPECT_EQ(errorOf(head + longId + ",0,3,4\n" + longId + ",0,3,4\n"),
            "3:1: the id '" + std::string(40, 'x') + "...' occurs twice");
  EXPECT_EQ(errorOf(head + "a,0,3," + longId), "2:7: 'size' is '" +
                                                   std::string(40, 'x') +
                                                   "...', expected an integer");
  // Never in the middle of a character.
  EXPECT_EQ(
      errorOf(head + "a,0,3," + std::string(39, 'x') + "\xC3\xA4\xC3\xA4"),
      "2:7: 'size' is '" + std::string(39, 'x') + "...', expected an integer");
  // Many columns, quickly.
  std::string wide = "id,lower,upper,size";
  for (int64_t i = 0; i < 200'000; ++i)
    wide += ",c" + std::to_string(i);
  EXPECT_EQ(errorOf(wide), "1:1: unknown column 'c0'");
  EXPECT_THAT(errorOf(wide + ",c7"), HasSubstr("'c7' occurs twice"));
}

TEST(ProblemCsv, ColumnsOfMinimalloc) {
  Problem expected = memoryOf({buffer("a", {{0, 3}}, 4)});
  expectProblem("id,lower,upper,size,hint\na,0,3,4,anything\n", expected);
  EXPECT_EQ(errorOf("id,lower,upper,size,gaps\na,0,9,4,3-5@0:2\n"),
            "2:9: the gap '3-5@0:2' frees only a window of the buffer ('@'), "
            "which is not supported; gaps are pairs of steps like '3-5 8-9'");
  EXPECT_THAT(errorOf("buffer_id,start,end,size\na,0,3,4\n"),
              HasSubstr("1:1: the column 'id' is missing"));
}

TEST(ProblemCsv, CheckHasTheLastWord) {
  EXPECT_EQ(errorOf("id,lower,upper,size,offset\n\na,0,9,4,0\n\n\nb,3,9,4,2\n"),
            "6:1: buffer 'b' is pinned onto bytes of 'a', which is pinned and "
            "alive at the same time");
}

TEST(ProblemCsv, WritesWhatItReads) {
  const char *text = "id,lower,upper,size,alignment,gaps,offset\n"
                     "a,0,10,4,8,3-5 7-8,16\n"
                     "\"b,\"\"c\"\"\",3,9,4,1,,\n";
  const auto parsed = parseProblemCsv(text);
  ASSERT_EQ(textOf(parsed), "no error");
  EXPECT_EQ(printProblemCsv(std::get<Problem>(parsed)), text);
  EXPECT_EQ(printProblemCsv(kTwo), "id,lower,upper,size\na,0,3,4\nb,3,9,4\n");
}

TEST(PlanCsv, WritesTheColumnsThatMatter) {
  Plan plan;
  plan.placements = {{0, 0}, {0, 8}};
  plan.pools = {{12, 0}};
  EXPECT_EQ(printPlanCsv(kTwo, plan),
            "id,lower,upper,size,offset\na,0,3,4,0\nb,3,9,4,8\n");

  Problem p = kTwo;
  p.pools.push_back({"s,ram", 0, 64, 1, 0});
  p.buffers[0].name = "b";
  p.buffers[0].alignment = 4;
  p.buffers[0].lifespans = {{0, 1}, {2, 3}};
  p.buffers[0].pools = {1};
  plan.placements[0].pool = 1;
  EXPECT_EQ(printPlanCsv(p, plan),
            "id,lower,upper,size,alignment,gaps,pool,offset\n"
            "b,0,3,4,4,1-2,\"s,ram\",0\n"
            "b#2,3,9,4,1,,memory,8\n");
}

TEST(PlanCsv, ReadsPlansOfAnyOrder) {
  const auto result = parsePlanCsv(kTwo, "offset,id\n16,b\n0,a\n");
  ASSERT_EQ(textOf(result), "no error");
  const Plan &plan = std::get<Plan>(result);
  EXPECT_EQ(plan.placements, (std::vector<Placement>{{0, 0}, {0, 16}}));
  EXPECT_EQ(plan.pools[0].usedBytes, 20);
}

TEST(PlanCsv, Errors) {
  auto errorOf = [](std::string_view text) {
    return textOf(parsePlanCsv(kTwo, text));
  };
  EXPECT_THAT(errorOf("id,size\na,1\n"), HasSubstr("'offset' is missing"));
  EXPECT_THAT(errorOf("id,offset\na,0\n"), HasSubstr("does not place 'b'"));
  EXPECT_THAT(errorOf("id,offset\na,0\na,0\n"), HasSubstr("occurs twice"));
  EXPECT_THAT(errorOf("id,offset\nc,0\n"), HasSubstr("has no 'c'"));
  EXPECT_THAT(errorOf("id,offset\na,\n"), HasSubstr("'offset' is missing"));
  EXPECT_THAT(errorOf("id,offset,pool\na,0,x\n"), HasSubstr("has no 'x'"));
  EXPECT_EQ(errorOf("id,offset\na,0\nb,0,1\n"),
            "3:1: the row has 3 fields, the header has 2");
  EXPECT_EQ(errorOf("id,offset\na,1e3\n"),
            "2:3: 'offset' is '1e3', expected an integer");
  EXPECT_EQ(errorOf(""), "1:1: the text is empty");
}

} // namespace
