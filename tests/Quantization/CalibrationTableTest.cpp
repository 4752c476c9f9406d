//===- CalibrationTableTest.cpp - Tables of ranges and of modes -----------===//

#include "tpu_mlir/Quantization/CalibrationTable.h"
#include "tpu_mlir/Quantization/QuantizeTable.h"

#include "gtest/gtest.h"

using namespace tpu_mlir::quantization;

namespace {

CalibrationTable tableOf(const char *text) {
  auto table = parseCalibrationTable(text);
  EXPECT_TRUE(std::holds_alternative<CalibrationTable>(table))
      << std::get<TableError>(table).message;
  return std::get<CalibrationTable>(table);
}

TableError errorOf(const char *text) {
  auto table = parseCalibrationTable(text);
  EXPECT_TRUE(std::holds_alternative<TableError>(table)) << text;
  return std::holds_alternative<TableError>(table) ? std::get<TableError>(table)
                                                   : TableError{-1, ""};
}

TEST(CalibrationTableTest, ReadsWhatTheToolchainWrites) {
  const CalibrationTable table =
      tableOf("# mlir version: v1.8\r\n# genetated time: today\n###\n"
              "# op_name    threshold    min    max\n"
              "images 1.0000000 0.0000000 1.0000000\n\n"
              "/model.0/conv  59.5296965\t-55.1 59.6\r\n"
              "a b 2 -1e-1 2");
  ASSERT_EQ(table.entries.size(), 3u);
  EXPECT_EQ(table.find("images")->range, (ValueRange{1, 0, 1}));
  EXPECT_EQ(table.find("/model.0/conv")->range,
            (ValueRange{59.5296965, -55.1, 59.6}));
  EXPECT_EQ(table.find("/model.0/conv")->line, 7);
  EXPECT_EQ(table.find("a b")->range, (ValueRange{2, -0.1, 2}));
  EXPECT_EQ(table.find("a"), nullptr);
}

TEST(CalibrationTableTest, SmallAndInfiniteThresholdsAreBounded) {
  const CalibrationTable table = tableOf("a 0 0 0\nb inf -inf inf\n");
  EXPECT_EQ(table.find("a")->range.threshold, 1e-5);
  EXPECT_EQ(table.find("b")->range, (ValueRange{6.5e4, -6.5e4, 6.5e4}));
  EXPECT_EQ(table.infiniteLines, (std::vector<int64_t>{2}));
}

TEST(CalibrationTableTest, OtherBlocksAreReadOver) {
  const CalibrationTable table =
      tableOf("a 1 -1 1\n#int4_th\na 7 -7 7\n#weight_scale\na_weight 2 1 1\n"
              "#asym_op\na\n");
  EXPECT_EQ(table.entries.size(), 1u);
  EXPECT_EQ(table.otherBlocks, (std::vector<std::string>{
                                   "#int4_th", "#weight_scale", "#asym_op"}));
}

TEST(CalibrationTableTest, TablesForFloatsOfEightBitsHaveThresholdsOnly) {
  const CalibrationTable table = tableOf("#tpu-mlir-fp8\na 3.5\n");
  EXPECT_EQ(table.find("a")->range, (ValueRange{3.5, -3.5, 3.5}));
}

TEST(CalibrationTableTest, SaysWhichLineIsWrong) {
  EXPECT_EQ(errorOf("# c\na 1 -1 1\nb 1 x 1\n").line, 3);
  EXPECT_EQ(errorOf("a 1 1\n").line, 1);
  EXPECT_EQ(errorOf("a\n").line, 1);
  EXPECT_EQ(errorOf("a -1 -1 1\n").line, 1);
  EXPECT_EQ(errorOf("a 1 2 1\n").line, 1);
  EXPECT_EQ(errorOf("a nan -1 1\n").line, 1);
  EXPECT_EQ(errorOf("b 1 0 1\na 1 -1 3.5e38\n").line, 2);
  EXPECT_EQ(errorOf("a 1 -1e400 1\n").line, 1);
  const TableError twice = errorOf("a 1 -1 1\nb 1 -1 1\na 2 -1 1\n");
  EXPECT_EQ(twice.line, 3);
  EXPECT_NE(twice.message.find("line 1"), std::string::npos);
  EXPECT_EQ(errorOf("").line, 0);
  EXPECT_EQ(errorOf("# nothing\n").line, 0);
}

TEST(CalibrationTableTest, WhatIsWrittenIsReadAgain) {
  CalibrationTable table;
  EXPECT_TRUE(table.add({"x", {1.5, -1.25, 1.5}, 0}));
  EXPECT_TRUE(table.add({"y z", {0.25, 0, 0.25}, 0}));
  EXPECT_FALSE(table.add({"x", {2, -1, 2}, 0}));
  const std::string text = printCalibrationTable(table, {"by hand"});
  EXPECT_EQ(text, "# by hand\n# op_name    threshold    min    max\n"
                  "x 1.5000000 -1.2500000 1.5000000\n"
                  "y z 0.2500000 0.0000000 0.2500000\n");
  const CalibrationTable again = tableOf(text.c_str());
  ASSERT_EQ(again.entries.size(), 2u);
  EXPECT_EQ(again.find("y z")->range, table.find("y z")->range);
}

/// A name is refused just where its line would be read as another one.
TEST(CalibrationTableTest, NamesThatLinesCannotHaveAreKnown) {
  for (const char *name :
       {"x", "x y", "x#", "x\ty", "\"x\"", "1", "inf", "\xc3\xbc", "x\ry", "#x",
        "#int4_th", " x", "x ", "\tx", "x\r", "x\ny", "\nx", "", " "}) {
    CalibrationTable table;
    table.add({name, {1.5, -1.25, 1.5}, 0});
    table.add({"z", {1, -1, 1}, 0});
    const auto read = parseCalibrationTable(printCalibrationTable(table));
    const auto *again = std::get_if<CalibrationTable>(&read);
    const bool isBack = again && again->entries.size() == 2 &&
                        again->entries[0].name == name &&
                        again->entries[1].name == "z";
    EXPECT_EQ(isBack, whyNoLine(name) == nullptr) << "'" << name << "'";
  }
}

TEST(QuantizeTableTest, ReadsNamesAndModes) {
  auto read = parseQuantizeTable("# op_name mode\nconv 1 f32\n\nsoft F16\r\n");
  auto &entries = std::get<std::vector<QuantizeEntry>>(read);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "conv 1");
  EXPECT_EQ(entries[0].mode, "F32");
  EXPECT_EQ(entries[1].line, 4);
}

TEST(QuantizeTableTest, SaysWhichLineIsWrong) {
  EXPECT_EQ(std::get<TableError>(parseQuantizeTable("a F32\nb\n")).line, 2);
  EXPECT_EQ(std::get<TableError>(parseQuantizeTable("a F32\na F16\n")).line, 2);
}

} // namespace
