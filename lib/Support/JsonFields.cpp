//===- JsonFields.cpp - The fields of one JSON object ---------------------===//

#include "tpu_mlir/Support/Json.h"

#include <charconv>

namespace tpu_mlir {

/// "0x1F", "123"; nullopt when the text is no such number or leaves 63 bits.
static std::optional<int64_t> parseAddress(std::string_view text) {
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
