//===- JsonTest.cpp - JSON that remembers where things were ---------------===//

#include "tpu_mlir/Support/Json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using testing::HasSubstr;

namespace {

JsonValue parsed(std::string_view text) {
  auto result = parseJson(text);
  const auto *error = std::get_if<JsonError>(&result);
  EXPECT_EQ(error, nullptr) << text << ": " << (error ? error->message : "");
  return error ? JsonValue() : std::get<JsonValue>(result);
}

/// "line:column: message".
std::string errorOf(std::string_view text) {
  const auto result = parseJson(text);
  const auto *error = std::get_if<JsonError>(&result);
  return error ? std::to_string(error->line) + ":" +
                     std::to_string(error->column) + ": " + error->message
               : "no error";
}

TEST(Json, ReadsEveryKind) {
  const JsonValue v = parsed("\xEF\xBB\xBF {\"a\": [1, -2, 2.5, 1e3],\r\n"
                             " \"b\": {\"c\": null, \"d\": true, \"e\": \"x\"}}"
                             "\n");
  ASSERT_EQ(v.members.size(), 2u);
  const auto &a = v.members[0].value.elements;
  ASSERT_EQ(a.size(), 4u);
  EXPECT_EQ(a[1].integer, -2);
  EXPECT_EQ(a[2].kind, JsonValue::Kind::Real);
  EXPECT_EQ(a[3].real, 1000.0);
  const auto &b = v.members[1].value;
  EXPECT_EQ(b.line, 2);
  EXPECT_EQ(b.column, 7);
  EXPECT_EQ(b.members[0].value.kind, JsonValue::Kind::Null);
  EXPECT_TRUE(b.members[1].value.boolean);
  EXPECT_EQ(b.members[2].value.string, "x");
  EXPECT_TRUE(parsed("[]").elements.empty());
  EXPECT_TRUE(parsed("{ }").members.empty());
}

TEST(Json, IntegersUseAll64Bits) {
  EXPECT_EQ(parsed("9223372036854775807").integer, INT64_MAX);
  EXPECT_EQ(parsed("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(errorOf("[9223372036854775808]"),
            "1:2: the number 9223372036854775808 is out of range (64 bits)");
  EXPECT_THAT(errorOf("1e999"), HasSubstr("out of range"));
}

TEST(Json, Strings) {
  EXPECT_EQ(parsed(R"("a\n\t\"\\\/\u0041\u00e9\ud83d\ude00")").string,
            "a\n\t\"\\/A\xC3\xA9\xF0\x9F\x98\x80");
  // The two that UTF-16 texts use as byte-order marks are characters, too.
  EXPECT_EQ(parsed(R"("\ufeff\ufffe\uffff")").string,
            "\xEF\xBB\xBF\xEF\xBF\xBE\xEF\xBF\xBF");
  EXPECT_EQ(errorOf("\"ab"), "1:4: the string has no end");
  EXPECT_THAT(errorOf("\"a\nb\""), HasSubstr("control character"));
  EXPECT_THAT(errorOf(R"("\x")"), HasSubstr("unknown escape"));
  EXPECT_THAT(errorOf(R"("\ud83d")"), HasSubstr("surrogate"));
  EXPECT_THAT(errorOf(R"("\udc00")"), HasSubstr("surrogate"));
  EXPECT_THAT(errorOf(R"("\u12)"), HasSubstr("hexadecimal"));
  EXPECT_THAT(errorOf("\"\\"), HasSubstr("unknown escape"));
}

TEST(Json, ErrorsHavePositions) {
  EXPECT_EQ(errorOf(""), "1:1: the text is empty");
  EXPECT_EQ(errorOf(" \n\n "), "3:2: the text is empty");
  EXPECT_EQ(errorOf("{\n  \"a\": NaN\n}"), "2:8: 'NaN' is no JSON value");
  EXPECT_EQ(errorOf("{\"a\": 1, \"b\": 2, \"a\": 3}"),
            "1:18: the key 'a' occurs twice");
  EXPECT_EQ(errorOf("[1, 2,]"), "1:7: expected a value");
  EXPECT_EQ(errorOf("[1 2]"), "1:4: expected ',' or ']'");
  EXPECT_EQ(errorOf("{\"a\" 1}"), "1:6: expected ':'");
  EXPECT_EQ(errorOf("{a: 1}"), "1:2: expected a key in double quotes");
  EXPECT_EQ(errorOf("[1"), "1:3: expected ',' or ']'");
  EXPECT_EQ(errorOf("[1] 2"), "1:5: there is text after the value");
  EXPECT_EQ(errorOf("[01]"), "1:4: a number must not begin with 0");
  EXPECT_THAT(errorOf("[1.]"), HasSubstr("after the point"));
  EXPECT_THAT(errorOf("[-]"), HasSubstr("expected a digit"));
  EXPECT_THAT(errorOf("[\n\"\xFF\"]"), HasSubstr("2:2: the text is not UTF-8"));
  EXPECT_THAT(errorOf(std::string("[1\0]", 4)), HasSubstr("1:3"));
}

TEST(Json, DeepNestingIsAnErrorAndNoCrash) {
  EXPECT_THAT(errorOf(std::string(100000, '[')), HasSubstr("nesting"));
  parsed(std::string(100, '[') + std::string(100, ']'));
}

TEST(JsonFields, FirstErrorSticks) {
  const JsonValue v = parsed("{\"a\": \"x\",\n \"b\": 2, \"c\": null}");
  JsonFields fields(v, "pool 0");
  EXPECT_EQ(fields.requiredInteger("a"), 0);
  EXPECT_EQ(fields.requiredInteger("z"), 0);
  EXPECT_EQ(fields.integer("b"), 2);
  EXPECT_EQ(fields.string("c"), std::nullopt);
  EXPECT_TRUE(fields.failed());
  const auto error = fields.finish();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "pool 0: 'a' is a string, expected an integer");
  EXPECT_EQ(error->line, 1);
  EXPECT_EQ(error->column, 7);
}

TEST(JsonFields, ATypingErrorIsNamedRatherThanItsConsequence) {
  const JsonValue v = parsed("{\"lanse\": 4}");
  JsonFields fields(v, "");
  fields.requiredInteger("lanes");
  EXPECT_EQ(fields.finish()->message, "unknown field 'lanse'");
}

TEST(JsonFields, AddressesReadHexToo) {
  const JsonValue v = parsed(R"({"a": "0x1000000000", "b": 7, "c": "12",
      "d": "0x", "e": -1, "f": "0x10g", "g": true})");
  JsonFields fields(v, "");
  EXPECT_EQ(fields.address("a"), int64_t(1) << 36);
  EXPECT_EQ(fields.address("b"), 7);
  EXPECT_EQ(fields.address("c"), 12);
  EXPECT_FALSE(fields.failed());
  for (const char *key : {"d", "e", "f", "g"}) {
    JsonFields one(v, "");
    EXPECT_EQ(one.address(key), std::nullopt);
    EXPECT_TRUE(one.failed());
  }
}

TEST(JsonFields, NotAnObject) {
  const JsonValue v = parsed("[1]");
  JsonFields fields(v, "");
  EXPECT_EQ(fields.finish()->message, "expected an object, found an array");
}

} // namespace
