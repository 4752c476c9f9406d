//===- Json.cpp - JSON that remembers where things were -------------------===//

#include "tpu_mlir/Support/Json.h"

#include "tpu_mlir/Support/Names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <charconv>
#include <tuple>

namespace tpu_mlir {

static constexpr Named<JsonValue::Kind> kKinds[] = {
    {JsonValue::Kind::Null, "null"},
    {JsonValue::Kind::Boolean, "a boolean"},
    {JsonValue::Kind::Integer, "an integer"},
    {JsonValue::Kind::Real, "a number with a fraction or an exponent"},
    {JsonValue::Kind::String, "a string"},
    {JsonValue::Kind::Array, "an array"},
    {JsonValue::Kind::Object, "an object"},
};

std::string_view JsonValue::kindName() const { return nameIn(kKinds, kind); }

namespace {

/// Deep enough for any file of ours, shallow enough for any stack.
constexpr int kMaxDepth = 100;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// A place in the text.
class Cursor {
public:
  explicit Cursor(std::string_view text) : text(text) {}

protected:
  bool atEnd() const { return position == text.size(); }
  char peek() const { return atEnd() ? '\0' : text[position]; }
  void advance() {
    if (text[position++] == '\n') {
      ++line;
      lineStart = position;
    }
  }
  void advanceTo(size_t target) {
    while (position < target)
      advance();
  }
  void skipSpace() {
    while (!atEnd() &&
           std::string_view(" \t\r\n").find(peek()) != std::string_view::npos)
      advance();
  }
  int64_t column() const { return int64_t(position - lineStart) + 1; }
  bool fail(std::string message) {
    error = {std::move(message), line, column()};
    return false;
  }
  bool expect(char c, const char *message) {
    skipSpace();
    if (peek() != c || atEnd())
      return fail(message);
    advance();
    return true;
  }

  std::string_view text;
  size_t position = 0;
  size_t lineStart = 0;
  int64_t line = 1;
  JsonError error;
};

/// Recursive descent. Every parse function returns false after fail().
class Parser : Cursor {
public:
  using Cursor::Cursor;

  std::variant<JsonValue, JsonError> run() {
    JsonValue value;
    if (parseText(value))
      return value;
    return error;
  }

private:
  bool parseText(JsonValue &value) {
    if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
      text.remove_prefix(kByteOrderMark.size());
    size_t badByte = 0;
    if (!llvm::json::isUTF8(llvm::StringRef(text.data(), text.size()),
                            &badByte)) {
      advanceTo(badByte);
      return fail("the text is not UTF-8");
    }
    skipSpace();
    if (atEnd())
      return fail("the text is empty");
    if (!parseValue(value, 0))
      return false;
    skipSpace();
    return atEnd() || fail("there is text after the value");
  }

  bool parseValue(JsonValue &value, int depth) {
    if (depth > kMaxDepth)
      return fail("the nesting is deeper than " + std::to_string(kMaxDepth));
    skipSpace();
    value.line = line;
    value.column = column();
    switch (peek()) {
    case '{':
      return parseObject(value, depth);
    case '[':
      return parseArray(value, depth);
    case '"':
      value.kind = JsonValue::Kind::String;
      return parseString(value.string);
    default:
      return peek() == '-' || llvm::isDigit(peek()) ? parseNumber(value)
                                                    : parseWord(value);
    }
  }

  bool parseWord(JsonValue &value) {
    size_t end = position;
    while (end < text.size() && llvm::isAlnum(text[end]))
      ++end;
    const std::string_view word = text.substr(position, end - position);
    if (word == "true" || word == "false") {
      value.kind = JsonValue::Kind::Boolean;
      value.boolean = word == "true";
    } else if (word != "null") {
      if (atEnd())
        return fail("the text ends where a value should be");
      return fail(word.empty()
                      ? "expected a value"
                      : "'" + std::string(word) + "' is no JSON value");
    }
    advanceTo(end);
    return true;
  }

  bool parseNumber(JsonValue &value) {
    const size_t begin = position;
    bool isInteger = true;
    if (peek() == '-')
      advance();
    const size_t firstDigit = position;
    if (!skipDigits())
      return fail("expected a digit");
    if (text[firstDigit] == '0' && position > firstDigit + 1)
      return fail("a number must not begin with 0");
    if (peek() == '.') {
      isInteger = false;
      advance();
      if (!skipDigits())
        return fail("expected a digit after the point");
    }
    if (peek() == 'e' || peek() == 'E') {
      isInteger = false;
      advance();
      if (peek() == '+' || peek() == '-')
        advance();
      if (!skipDigits())
        return fail("expected a digit in the exponent");
    }
    return convert(text.substr(begin, position - begin), isInteger, value);
  }
  bool skipDigits() {
    const size_t begin = position;
    while (llvm::isDigit(peek()))
      advance();
    return position > begin;
  }
  bool convert(std::string_view digits, bool isInteger, JsonValue &value) {
    value.kind = isInteger ? JsonValue::Kind::Integer : JsonValue::Kind::Real;
    const char *end = digits.data() + digits.size();
    bool fits = true;
    if (isInteger)
      fits =
          std::from_chars(digits.data(), end, value.integer).ec == std::errc();
    else
      fits = std::from_chars(digits.data(), end, value.real).ec == std::errc();
    if (fits)
      return true;
    position -= digits.size();
    return fail("the number " + std::string(digits.substr(0, 40)) +
                " is out of range" + (isInteger ? " (64 bits)" : ""));
  }

  bool parseString(std::string &result) {
    advance();
    while (true) {
      if (atEnd())
        return fail("the string has no end");
      const char c = peek();
      if (static_cast<unsigned char>(c) < 0x20)
        return fail("a control character must be escaped in a string");
      if (c == '"') {
        advance();
        return true;
      }
      if (c != '\\') {
        result += c;
        advance();
      } else if (!parseEscape(result)) {
        return false;
      }
    }
  }
  bool parseEscape(std::string &result) {
    advance();
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (peek() == 'u' && !atEnd())
      return parseUnicode(result);
    const size_t index = atEnd() ? kNames.npos : kNames.find(peek());
    if (index == kNames.npos)
      return fail("unknown escape in a string");
    result += kValues[index];
    advance();
    return true;
  }
  bool parseUnicode(std::string &result) {
    llvm::UTF16 unit = 0, low = 0;
    if (!parseHex4(unit))
      return false;
    unsigned codePoint = unit;
    if (unit >= 0xD800 && unit < 0xE000) {
      if (unit >= 0xDC00)
        return fail("a surrogate pair is broken");
      if (text.substr(position, 2) != "\\u")
        return fail("half of a surrogate pair is missing");
      advance();
      if (!parseHex4(low))
        return false;
      if (low < 0xDC00 || low >= 0xE000)
        return fail("a surrogate pair is broken");
      codePoint = 0x10000 + ((unit - 0xD800u) << 10) + (low - 0xDC00u);
    }
    // Not by way of UTF-16 texts: those take a leading U+FEFF or U+FFFE for a
    // byte-order mark and drop it.
    char bytes[4], *end = bytes;
    if (!llvm::ConvertCodePointToUTF8(codePoint, end))
      return fail("a surrogate pair is broken");
    result.append(bytes, end);
    return true;
  }
  /// Four hexadecimal digits after the 'u' at the current position.
  bool parseHex4(llvm::UTF16 &unit) {
    advance();
    for (int i = 0; i < 4; ++i) {
      const unsigned digit = llvm::hexDigitValue(peek());
      if (digit > 15)
        return fail("expected four hexadecimal digits");
      unit = llvm::UTF16(unit * 16 + digit);
      advance();
    }
    return true;
  }

  /// From the bracket at hand to the one that ends it.
  template <typename ParseOne>
  bool parseList(char end, const char *message, ParseOne parseOne) {
    advance();
    skipSpace();
    if (peek() == end) {
      advance();
      return true;
    }
    while (parseOne()) {
      skipSpace();
      if (peek() != ',')
        return expect(end, message);
      advance();
    }
    return false;
  }

  bool parseArray(JsonValue &value, int depth) {
    value.kind = JsonValue::Kind::Array;
    return parseList(']', "expected ',' or ']'", [&] {
      return parseValue(value.elements.emplace_back(), depth + 1);
    });
  }

  bool parseObject(JsonValue &value, int depth) {
    value.kind = JsonValue::Kind::Object;
    std::set<std::string> keys;
    return parseList('}', "expected ',' or '}'", [&] {
      skipSpace();
      JsonMember &member = value.members.emplace_back();
      if (peek() != '"')
        return fail("expected a key in double quotes");
      const auto start = std::tuple(position, line, lineStart);
      if (!parseString(member.key))
        return false;
      if (!keys.insert(member.key).second) {
        std::tie(position, line, lineStart) = start;
        return fail("the key '" + member.key + "' occurs twice");
      }
      return expect(':', "expected ':'") && parseValue(member.value, depth + 1);
    });
  }
};

} // namespace

std::variant<JsonValue, JsonError> parseJson(std::string_view text) {
  return Parser(text).run();
}

} // namespace tpu_mlir
