//===- PropertiesTest.cpp - Properties of ops as attributes ---------------===//

#include "tpu_mlir/Support/Properties.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;

namespace {

std::string moved(llvm::StringRef text) {
  auto buffer = propertiesAsAttributes(
      llvm::MemoryBuffer::getMemBufferCopy(text, "net.mlir"));
  EXPECT_EQ(buffer->getBufferIdentifier(), "net.mlir");
  return buffer->getBuffer().str();
}

TEST(Properties, StandBeforeAttributes) {
  EXPECT_EQ(moved(R"("tpu.Cast"(%a) <{b = true}> : (t) -> t)"),
            R"("tpu.Cast"(%a) {b = true} : (t) -> t)");
  EXPECT_EQ(moved(R"("tpu.Cast"(%a) <{b = true}> {c = 1 : i64} : (t) -> t)"),
            R"("tpu.Cast"(%a)  {b = true, c = 1 : i64} : (t) -> t)");
  EXPECT_EQ(moved(R"("top.None"() <{}> : () -> none)"),
            R"("top.None"()  : () -> none)");
  EXPECT_EQ(moved(R"("top.None"()<{ }>{c}:() -> none)"),
            R"("top.None"(){c}:() -> none)");
  EXPECT_EQ(moved(R"("top.None"() <{b}> {} : () -> none)"),
            R"("top.None"()  {b} : () -> none)");
  EXPECT_EQ(moved(R"("tpu.If"(%a)[^bb1, ^bb2] <{b}> : (t) -> ())"),
            R"("tpu.If"(%a)[^bb1, ^bb2] {b} : (t) -> ())");
}

TEST(Properties, GoBehindRegions) {
  EXPECT_EQ(moved(R"("tpu.Group"(%a) <{g = 1}> ({
  %b = "tpu.Load"(%a) <{l = {x = [1]}}> {m} : (t) -> t
  "tpu.If"(%b) <{i}> ({
    "tpu.Yield"(%b) <{y}> : (t) -> ()
  }, {
  }) : (t) -> ()
}) {h = 2} : (t) -> t)"),
            R"("tpu.Group"(%a)  ({
  %b = "tpu.Load"(%a)  {l = {x = [1]}, m} : (t) -> t
  "tpu.If"(%b)  ({
    "tpu.Yield"(%b) {y} : (t) -> ()
  }, {
  }) {i} : (t) -> ()
}) {g = 1, h = 2} : (t) -> t)");
}

TEST(Properties, StringsAndCommentsAreNoSyntax) {
  EXPECT_EQ(
      moved(R"("tpu.Cast"(%a) <{b = "}> {\"", c}> {d = "<{"} : t // "<{)"),
      R"("tpu.Cast"(%a)  {b = "}> {\"", c, d = "<{"} : t // "<{)");
  EXPECT_EQ(moved("\"tpu.Cast\"(%a) <{ // }>\n b // one\n}> {c} : t"),
            "\"tpu.Cast\"(%a) \n\n {b, c} : t");
  EXPECT_EQ(moved("\"tpu.Cast\"( // )\n%a) // <{\n < // {\n{b}> // {\n{c}"),
            "\"tpu.Cast\"( // )\n%a) // <{\n \n // {\n{b, c}");
  EXPECT_EQ(moved("\"tpu.Cast\"(%a) <{b}> { // c\n} : t"),
            "\"tpu.Cast\"(%a)  {b // c\n} : t");
  for (const char *text : {
           R"(// "tpu.Cast"(%a) <{b}> : t)",
           R"(module attributes {a = "\"tpu.Cast\"(%a) <{b}> : t"} {})",
           R"(%a = "tpu.Cast"(%b) {c} : t loc("tpu.x"("<{b}>")))",
       })
    EXPECT_EQ(moved(text), text);
}

TEST(Properties, LinesStay) {
  EXPECT_EQ(moved(R"("tpu.Group"(%a) <{
  g = 1, // one
  h = 2
}> ({
  "tpu.Yield"(%a) : t
}) : t)"),
            R"("tpu.Group"(%a) 


 ({
  "tpu.Yield"(%a) : t
}) {g = 1,    h = 2} : t)");
}

TEST(Properties, OthersKeepTheirs) {
  const char *text = R"("func.func"() <{sym_name = "f"}> ({
  %b = "arith.constant"() <{value = #sparse<{map}>}> : () -> t
  "tpu_other.Cast"(%b) <{c}> : (t) -> ()
}) : () -> ())";
  EXPECT_EQ(moved(text), text);
}

TEST(Properties, WhatIsNotClosedIsLeftToTheParser) {
  const std::string whole =
      R"("tpu.Group"(%a) <{g = "1"}> ({ "tpu.Yield"(%b)[^a] <{y}> : t }) : t)";
  EXPECT_NE(moved(whole), whole);
  for (size_t bytes = 0; bytes < whole.rfind(')'); ++bytes) {
    const std::string some = whole.substr(0, bytes);
    if (bytes > whole.find('>') && bytes <= whole.find("({"))
      EXPECT_EQ(moved(some), R"("tpu.Group"(%a) {g = "1"})" +
                                 some.substr(whole.find('>') + 1));
    else
      EXPECT_EQ(moved(some), some);
  }
  for (const char *text :
       {"\"tpu.A\"(", "\"tpu.A\"(<{", "\"tpu.A\"() <{a}", "\"tpu.A\"() <{a} {",
        "\"tpu.A\"() <{\"\\", "\"tpu.A\"()[ <{a}>", "\"tpu.\\"})
    EXPECT_EQ(moved(text), text);
}

} // namespace
