//===- TextTableTest.cpp - Plain aligned tables ---------------------------===//

#include "tpu_mlir/Support/TextTable.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;

namespace {

TEST(TextTable, AlignsNumbersRight) {
  TextTable table({{"pool"}, {"used", TextTable::Align::Right}, {"peak"}});
  table.addRow({"ddr", "1.31 GiB", "118"});
  table.addRow({"sram", "64.0 KiB", ""});
  table.addRule();
  table.addRow({"all"});
  EXPECT_EQ(table.render(), "pool      used  peak\n"
                            "----  --------  ----\n"
                            "ddr   1.31 GiB  118\n"
                            "sram  64.0 KiB\n"
                            "----  --------  ----\n"
                            "all\n");
}

TEST(TextTable, WidthIsCountedInColumns) {
  TextTable table({{"a"}, {"b"}});
  table.addRow({"\xC3\xA9\xC3\xA9", "x"});
  table.addRow({"abc", "y"});
  EXPECT_EQ(table.render(2), "  a    b\n"
                             "  ---  -\n"
                             "  \xC3\xA9\xC3\xA9   x\n"
                             "  abc  y\n");
}

TEST(TextTable, NamesOfAnyBytesAreShown) {
  TextTable table({{"\xFF"}, {"b"}});
  table.addRow({"x\xBE\xED", "y"});
  EXPECT_EQ(table.render(), "\uFFFD    b\n"
                            "---  -\n"
                            "x\uFFFD\uFFFD  y\n");
}

TEST(TextTable, EmptyTableAndSurplusCells) {
  TextTable table({{"a"}});
  EXPECT_EQ(table.render(), "a\n-\n");
  table.addRow({"x", "dropped"});
  EXPECT_EQ(table.render(), "a\n-\nx\n");
}

} // namespace
