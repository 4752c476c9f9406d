//===- Json.cpp - JSON that remembers where things were -------------------===//

#include "tpu_mlir/Support/Json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <charconv>
#include <tuple>

namespace tpu_mlir {

std::string_view JsonValue::kindName() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return "a boolean";
  case Kind::Integer:
    return "an integer";
  case Kind::Real:
    return "a number with a fraction or an exponent";
  case Kind::String:
    return "a string";
  case Kind::Array:
    return "an array";
  case Kind::Object:
    return "an object";
  }
  return "a value";
}

namespace {

/// Deep enough for any file of ours, shallow enough for any stack.
constexpr int kMaxDepth = 100;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Recursive descent. Every parse function returns false after fail().
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

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
    return atEnd() || fail("there is text behind the value");
  }

  // Characters and positions.
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
        return fail("expected a digit behind the point");
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
    llvm::SmallVector<llvm::UTF16, 2> units(1);
    if (!parseHex4(units[0]))
      return false;
    if (units[0] >= 0xD800 && units[0] < 0xDC00) {
      llvm::UTF16 low = 0;
      if (text.substr(position, 2) != "\\u")
        return fail("half of a surrogate pair is missing");
      advance();
      if (!parseHex4(low))
        return false;
      units.push_back(low);
    }
    std::string utf8;
    if (!llvm::convertUTF16ToUTF8String(units, utf8))
      return fail("a surrogate pair is broken");
    result += utf8;
    return true;
  }
  /// Four hexadecimal digits behind the 'u' at the current position.
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

  bool parseArray(JsonValue &value, int depth) {
    value.kind = JsonValue::Kind::Array;
    advance();
    skipSpace();
    if (peek() == ']') {
      advance();
      return true;
    }
    while (true) {
      if (!parseValue(value.elements.emplace_back(), depth + 1))
        return false;
      skipSpace();
      if (peek() == ',')
        advance();
      else
        return expect(']', "expected ',' or ']'");
    }
  }

  bool parseObject(JsonValue &value, int depth) {
    value.kind = JsonValue::Kind::Object;
    advance();
    skipSpace();
    if (peek() == '}') {
      advance();
      return true;
    }
    std::set<std::string> keys;
    while (true) {
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
      if (!expect(':', "expected ':'") || !parseValue(member.value, depth + 1))
        return false;
      skipSpace();
      if (peek() == ',')
        advance();
      else
        return expect('}', "expected ',' or '}'");
    }
  }

  std::string_view text;
  size_t position = 0;
  size_t lineStart = 0;
  int64_t line = 1;
  JsonError error;
};

/// "0x1F", "123"; nullopt when the text is no such number or leaves 63 bits.
std::optional<int64_t> parseAddress(std::string_view text) {
  const bool isHex = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  if (isHex)
    text.remove_prefix(2);
  int64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, code] =
      std::from_chars(text.data(), end, value, isHex ? 16 : 10);
  if (code != std::errc() || stop != end || value < 0)
    return std::nullopt;
  return value;
}

} // namespace

std::variant<JsonValue, JsonError> parseJson(std::string_view text) {
  return Parser(text).run();
}

JsonFields::JsonFields(const JsonValue &object, std::string where)
    : objectValue(object), where(std::move(where)) {
  if (object.kind != JsonValue::Kind::Object)
    fail("expected an object, found " + std::string(object.kindName()));
}

JsonError JsonFields::errorAt(const JsonValue &at,
                              const std::string &message) const {
  return {where.empty() ? message : where + ": " + message, at.line, at.column};
}

void JsonFields::fail(const JsonValue &at, const std::string &message) {
  if (!firstError)
    firstError = errorAt(at, message);
}

void JsonFields::missing(std::string_view key) {
  if (!firstMissing)
    firstMissing =
        errorAt(objectValue, "'" + std::string(key) + "' is missing");
}

void JsonFields::fail(const std::string &message) {
  fail(objectValue, message);
}

void JsonFields::adopt(const std::optional<JsonError> &inner) {
  if (inner && !firstError)
    firstError = inner;
}

const JsonValue &JsonFields::at(std::string_view key) const {
  for (const JsonMember &member : objectValue.members)
    if (member.key == key)
      return member.value;
  return objectValue;
}

const JsonValue *JsonFields::findAny(std::string_view key) {
  known.emplace(key);
  const JsonValue &value = at(key);
  const bool isAbsent =
      &value == &objectValue || value.kind == JsonValue::Kind::Null;
  return isAbsent ? nullptr : &value;
}

const JsonValue *JsonFields::find(std::string_view key, JsonValue::Kind kind,
                                  std::string_view expected) {
  const JsonValue *value = findAny(key);
  if (!value || value->kind == kind)
    return value;
  fail(*value, "'" + std::string(key) + "' is " +
                   std::string(value->kindName()) + ", expected " +
                   std::string(expected));
  return nullptr;
}

std::optional<int64_t> JsonFields::integer(std::string_view key) {
  if (const auto *v = find(key, JsonValue::Kind::Integer, "an integer"))
    return v->integer;
  return std::nullopt;
}

std::optional<bool> JsonFields::boolean(std::string_view key) {
  if (const auto *v = find(key, JsonValue::Kind::Boolean, "true or false"))
    return v->boolean;
  return std::nullopt;
}

std::optional<std::string> JsonFields::string(std::string_view key) {
  if (const auto *v = find(key, JsonValue::Kind::String, "a string"))
    return v->string;
  return std::nullopt;
}

std::optional<int64_t> JsonFields::address(std::string_view key) {
  const JsonValue *value = findAny(key);
  return value ? addressOf(*value, key) : std::nullopt;
}

std::optional<int64_t> JsonFields::addressOf(const JsonValue &value,
                                             std::string_view key) {
  std::optional<int64_t> result;
  if (value.kind == JsonValue::Kind::Integer && value.integer >= 0)
    result = value.integer;
  else if (value.kind == JsonValue::Kind::String)
    result = parseAddress(value.string);
  if (!result)
    fail(value, "'" + std::string(key) +
                    "' is no address: expected an integer from 0 to 2^63-1, "
                    "or such a number as a string with 0x");
  return result;
}

const JsonValue *JsonFields::array(std::string_view key) {
  return find(key, JsonValue::Kind::Array, "an array");
}

const JsonValue *JsonFields::object(std::string_view key) {
  return find(key, JsonValue::Kind::Object, "an object");
}

template <typename T>
T JsonFields::required(std::optional<T> value, std::string_view key) {
  if (!value)
    missing(key);
  return value.value_or(T());
}

int64_t JsonFields::requiredInteger(std::string_view key) {
  return required(integer(key), key);
}

std::string JsonFields::requiredString(std::string_view key) {
  return required(string(key), key);
}

int64_t JsonFields::requiredAddress(std::string_view key) {
  return required(address(key), key);
}

const JsonValue *JsonFields::requiredArray(std::string_view key) {
  const JsonValue *value = array(key);
  if (!value)
    missing(key);
  return value;
}

std::optional<JsonError> JsonFields::finish() {
  for (const JsonMember &member : objectValue.members)
    if (!known.count(member.key))
      fail(member.value, "unknown field '" + member.key + "'");
  return firstError ? firstError : firstMissing;
}

} // namespace tpu_mlir
