//===- Utf8Test.cpp - Names of any bytes in texts of UTF-8 ----------------===//

#include "tpu_mlir/Support/Utf8.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;

namespace {

TEST(Utf8, StaysAsItIs) {
  for (const char *text : {"", "conv1", "\u5377\u79EF", "\uFFFD", "\U0001F600"})
    EXPECT_EQ(asUtf8(text), text);
  EXPECT_EQ(asUtf8(std::string_view("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8, OtherBytesAreReplaced) {
  EXPECT_EQ(asUtf8("\xFF"), "\uFFFD");
  EXPECT_EQ(asUtf8("a\xE4\xB8z"), "a\uFFFDz");       // Cut short.
  EXPECT_EQ(asUtf8("\xC0\x80"), "\uFFFD\uFFFD");     // Too long a form.
  EXPECT_EQ(asUtf8("\xED\xA0\x80x").back(), 'x');    // Half of a pair.
  EXPECT_EQ(asUtf8("\xBE\xED\xBB\xFD").find('\xBE'), // GBK
            std::string::npos);
}

} // namespace
