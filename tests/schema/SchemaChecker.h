//===- SchemaChecker.h - Does a text match our schemas? ---------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_SCHEMA_SCHEMACHECKER_H
#define TPU_MLIR_TESTS_SCHEMA_SCHEMACHECKER_H

#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tpu_mlir::schema {

inline const JsonValue *member(const JsonValue &value, std::string_view key) {
  for (const JsonMember &m : value.members)
    if (m.key == key)
      return &m.value;
  return nullptr;
}

inline JsonValue parsed(const std::string &text) {
  auto result = parseJson(text);
  const auto *error = std::get_if<JsonError>(&result);
  EXPECT_EQ(error, nullptr) << (error ? error->message : "");
  return error ? JsonValue() : std::get<JsonValue>(result);
}

/// The part of JSON Schema that the file uses, and no more: an unknown keyword
/// fails the test.
class Schema {
public:
  /// The schema in the file `tpu_mlir/schema/<name>`.
  explicit Schema(const std::string &name)
      : root(parsed(
            std::get<std::string>(readWholeFile("tpu_mlir/schema/" + name)))) {}

  /// Adds to `problems` what `value` violates, and to `used` the properties of
  /// the schema that occur in it.
  void apply(const JsonValue &value) { apply(value, root, "$"); }

  std::vector<std::string> problems;
  std::set<std::string> used;
  /// Every property that the schema knows, by its path.
  std::set<std::string> known() const {
    std::set<std::string> paths;
    collect(root, "$", paths);
    return paths;
  }

private:
  /// The name of the file that a schema is in, when it is in another one.
  static const JsonValue *otherFile(const JsonValue &schema) {
    const JsonValue *ref = member(schema, "$ref");
    return ref && ref->string[0] != '#' ? ref : nullptr;
  }

  const JsonValue &resolved(const JsonValue &schema) const {
    const JsonValue *ref = member(schema, "$ref");
    if (!ref)
      return schema;
    const std::string prefix = "#/$defs/";
    EXPECT_EQ(ref->string.substr(0, prefix.size()), prefix);
    const JsonValue *target =
        member(*member(root, "$defs"), ref->string.substr(prefix.size()));
    EXPECT_NE(target, nullptr) << ref->string;
    return target ? *target : root;
  }

  void expect(bool holds, const std::string &path, const char *keyword) {
    if (!holds)
      problems.push_back(path + " violates " + keyword);
  }

  void apply(const JsonValue &value, const JsonValue &unresolved,
             const std::string &path) {
    if (const JsonValue *file = otherFile(unresolved)) {
      Schema other(file->string);
      other.apply(value, other.root, path);
      problems.insert(problems.end(), other.problems.begin(),
                      other.problems.end());
      return;
    }
    const JsonValue &schema = resolved(unresolved);
    static const std::set<std::string> annotations = {
        "$schema", "title", "description", "default",
        "$defs",   "items", "properties",  "additionalProperties"};
    for (const JsonMember &keyword : schema.members)
      if (!annotations.count(keyword.key))
        applyKeyword(value, keyword, path);
    if (value.kind == JsonValue::Kind::Object)
      applyProperties(value, schema, path);
    if (const JsonValue *items = member(schema, "items"))
      for (const JsonValue &element : value.elements)
        apply(element, *items, path + "[]");
  }

  void applyKeyword(const JsonValue &value, const JsonMember &keyword,
                    const std::string &path) {
    const JsonValue &argument = keyword.value;
    const int64_t length = int64_t(value.elements.size());
    bool holds = true;
    if (keyword.key == "type")
      holds = hasType(value, argument);
    else if (keyword.key == "const")
      holds = value.integer == argument.integer;
    else if (keyword.key == "minimum")
      holds = value.kind != JsonValue::Kind::Integer ||
              value.integer >= argument.integer;
    else if (keyword.key == "minItems")
      holds = length >= argument.integer;
    else if (keyword.key == "maxItems")
      holds = length <= argument.integer;
    else if (keyword.key == "minLength")
      holds = int64_t(value.string.size()) >= argument.integer;
    else if (keyword.key == "enum")
      holds = std::any_of(
          argument.elements.begin(), argument.elements.end(),
          [&](const JsonValue &v) { return v.string == value.string; });
    else if (keyword.key == "required")
      holds = std::all_of(
          argument.elements.begin(), argument.elements.end(),
          [&](const JsonValue &key) { return member(value, key.string); });
    else
      ADD_FAILURE() << "keyword '" << keyword.key << "' at " << path;
    expect(holds, path, keyword.key.c_str());
  }
  static bool hasType(const JsonValue &value, const JsonValue &type) {
    if (type.kind == JsonValue::Kind::Array)
      return std::any_of(
          type.elements.begin(), type.elements.end(),
          [&](const JsonValue &one) { return hasType(value, one); });
    static const std::map<std::string, JsonValue::Kind> kinds = {
        {"object", JsonValue::Kind::Object},
        {"array", JsonValue::Kind::Array},
        {"string", JsonValue::Kind::String},
        {"integer", JsonValue::Kind::Integer},
        {"boolean", JsonValue::Kind::Boolean}};
    const auto it = kinds.find(type.string);
    EXPECT_NE(it, kinds.end()) << type.string;
    return it != kinds.end() && value.kind == it->second;
  }

  void applyProperties(const JsonValue &value, const JsonValue &schema,
                       const std::string &path) {
    for (const JsonMember &m : value.members) {
      const JsonValue *properties = member(schema, "properties");
      const JsonValue *property =
          properties ? member(*properties, m.key) : nullptr;
      expect(property, path + "." + m.key, "additionalProperties");
      used.insert(path + "." + m.key);
      if (property)
        apply(m.value, *property, path + "." + m.key);
    }
  }

  void collect(const JsonValue &unresolved, const std::string &path,
               std::set<std::string> &paths) const {
    if (otherFile(unresolved))
      return; // A test of its own looks at that one.
    const JsonValue &schema = resolved(unresolved);
    if (const JsonValue *properties = member(schema, "properties"))
      for (const JsonMember &m : properties->members) {
        paths.insert(path + "." + m.key);
        collect(m.value, path + "." + m.key, paths);
      }
    if (const JsonValue *items = member(schema, "items"))
      collect(*items, path + "[]", paths);
  }

  const JsonValue root;
};

} // namespace tpu_mlir::schema

#endif // TPU_MLIR_TESTS_SCHEMA_SCHEMACHECKER_H
