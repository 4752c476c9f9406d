//===- Json.h - JSON that remembers where things were -----------*- C++ -*-===//
//
// For files that people write: every value knows its line and column, integers
// stay integers, and a key that occurs twice is an error. llvm/Support/JSON.h,
// which the project uses for writing, keeps no positions, lets the last of two
// equal keys win and turns large integers into doubles.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_JSON_H
#define TPU_MLIR_SUPPORT_JSON_H

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tpu_mlir {

/// What is wrong with a text and where; line and column count from 1, columns
/// in bytes.
struct JsonError {
  std::string message;
  int64_t line = 0;
  int64_t column = 0;
};

struct JsonMember;

/// One value of a parsed text.
struct JsonValue {
  enum class Kind { Null, Boolean, Integer, Real, String, Array, Object };

  Kind kind = Kind::Null;
  int64_t line = 0;
  int64_t column = 0;
  bool boolean = false;
  int64_t integer = 0; ///< Written without fraction and exponent.
  double real = 0;
  std::string string;
  std::vector<JsonValue> elements; ///< Array.
  std::vector<JsonMember> members; ///< Object, in the order of the text.

  /// "an integer", "a string": for messages.
  std::string_view kindName() const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// Parses one JSON text; a byte-order mark in front is skipped. Fails on what
/// JSON forbids (NaN, comments, trailing commas, text after the value), on
/// integers beyond 64 bits, numbers beyond a double, bytes that are not UTF-8,
/// keys that occur twice in one object, and nesting deeper than 100. O(size),
/// plus sorting the keys of an object.
std::variant<JsonValue, JsonError> parseJson(std::string_view text);

/// Reads the fields of one object. The first error sticks and silences later
/// ones, so callers read all fields and ask once:
///
///     JsonFields fields(value, "pool 0");
///     pool.name = fields.requiredString("name");
///     pool.alignment = fields.integer("alignment").value_or(1);
///     if (auto error = fields.finish()) ...
///
/// A field that is null counts as absent.
class JsonFields {
public:
  /// `where` leads every message; may be empty.
  JsonFields(const JsonValue &object, std::string where);

  std::optional<int64_t> integer(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::string> string(std::string_view key);
  /// An integer, or a string "0x..." or "123": addresses read better in hex.
  std::optional<int64_t> address(std::string_view key);
  /// nullptr when absent.
  const JsonValue *array(std::string_view key);
  const JsonValue *object(std::string_view key);

  int64_t requiredInteger(std::string_view key);
  std::string requiredString(std::string_view key);
  int64_t requiredAddress(std::string_view key);
  const JsonValue *requiredArray(std::string_view key);

  /// One address out of an array; fails like address().
  std::optional<int64_t> addressOf(const JsonValue &value,
                                   std::string_view key);

  /// Records an error at `at` (or at the object); the first one counts.
  void fail(const JsonValue &at, const std::string &message);
  void fail(const std::string &message);
  /// Takes over the outcome of finish() of an object inside this one.
  void adopt(const std::optional<JsonError> &inner);
  /// The value of a field, for the position of a later message; the object
  /// itself when the field is absent.
  const JsonValue &at(std::string_view key) const;

  bool failed() const { return firstError || firstMissing; }
  /// The first error. A field that nobody asked for is one too, and comes
  /// before a missing one: a typing error causes both.
  std::optional<JsonError> finish();

private:
  const JsonValue *find(std::string_view key, JsonValue::Kind kind,
                        std::string_view expected);
  const JsonValue *findAny(std::string_view key);
  template <typename T>
  T required(std::optional<T> value, std::string_view key);
  void missing(std::string_view key);
  JsonError errorAt(const JsonValue &at, const std::string &message) const;

  const JsonValue &objectValue;
  std::string where;
  std::set<std::string, std::less<>> known;
  std::optional<JsonError> firstError;
  std::optional<JsonError> firstMissing;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_JSON_H
