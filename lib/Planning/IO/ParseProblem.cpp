//===- ParseProblem.cpp - Problems from JSON ------------------------------===//
//
// Functions read one field each; the reader puts the parts together.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/IO/Naming.h"

#include "tpu_mlir/Support/Json.h"

#include <tuple>

namespace tpu_mlir::planning {
namespace {

std::string numbered(const char *what, size_t index) {
  return std::string(what) + " " + std::to_string(index);
}

/// The name of a pool or buffer; must be new.
std::string newName(JsonFields &fields, NameMap &index) {
  const std::string name = fields.requiredString("name");
  if (fields.failed())
    return name;
  if (name.empty())
    fields.fail(fields.at("name"), "'name' is empty");
  else if (!index.emplace(name, int64_t(index.size())).second)
    fields.fail(fields.at("name"), "the name '" + name + "' occurs twice");
  return name;
}

/// The index behind a name that occurs as a value.
std::optional<int64_t> idOf(const JsonValue &name, const NameMap &index,
                            const char *what, JsonFields &fields) {
  if (name.kind != JsonValue::Kind::String) {
    fields.fail(name, "expected the name of a " + std::string(what) +
                          ", found " + std::string(name.kindName()));
    return std::nullopt;
  }
  const auto it = index.find(name.string);
  if (it != index.end())
    return it->second;
  fields.fail(name,
              "there is no " + std::string(what) + " '" + name.string + "'");
  return std::nullopt;
}

JsonValue emptyObjectAt(const JsonValue &place) {
  JsonValue object;
  object.kind = JsonValue::Kind::Object;
  object.line = place.line;
  object.column = place.column;
  return object;
}

std::optional<Interval> readPair(JsonFields &fields, const JsonValue &pair,
                                 const std::string &what) {
  const auto isInteger = [](const JsonValue &v) {
    return v.kind == JsonValue::Kind::Integer;
  };
  if (pair.elements.size() != 2 || !isInteger(pair.elements[0]) ||
      !isInteger(pair.elements[1])) {
    fields.fail(pair, what + " is not a pair of integers");
    return std::nullopt;
  }
  return Interval{pair.elements[0].integer, pair.elements[1].integer};
}

/// An optional array of pairs of integers; check() says which make sense.
std::vector<Interval> readPairs(JsonFields &fields, const char *key,
                                const std::string &what) {
  std::vector<Interval> result;
  const JsonValue *pairs = fields.array(key);
  for (size_t i = 0; pairs && i < pairs->elements.size(); ++i) {
    const auto pair = readPair(fields, pairs->elements[i], what);
    if (!pair)
      return {};
    result.push_back(*pair);
  }
  return result;
}

void readTargets(JsonFields &fields, Pool &pool) {
  const JsonValue *targets = fields.array("targets");
  for (size_t i = 0; targets && i < targets->elements.size(); ++i) {
    const JsonValue &target = targets->elements[i];
    if (target.kind != JsonValue::Kind::String || target.string.empty())
      fields.fail(target, "'targets' has to be an array of names");
    pool.targets.push_back(target.string);
  }
}

void readAccess(JsonFields &fields, Pool &pool) {
  const auto name = fields.string("access");
  if (name == "ro")
    pool.access = PoolAccess::ReadOnly;
  else if (name && *name != "rw")
    fields.fail(fields.at("access"),
                "'access' is '" + *name + "', expected 'rw' or 'ro'");
}

void readKind(JsonFields &fields, Buffer &buffer) {
  const auto name = fields.string("kind");
  if (!name)
    return;
  if (const auto kind = kindOfName(*name))
    buffer.kind = *kind;
  else
    fields.fail(fields.at("kind"),
                "'kind' is '" + *name + "', expected one of " + allKindNames());
}

void readLifespans(JsonFields &fields, Buffer &buffer) {
  const JsonValue *spans = fields.requiredArray("lifespans");
  if (!spans)
    return;
  for (const JsonValue &span : spans->elements) {
    const auto steps = readPair(fields, span, "a lifespan");
    if (!steps)
      return;
    if (steps->begin < 0 || steps->empty())
      fields.fail(span, "the lifespan [" + std::to_string(steps->begin) + "," +
                            std::to_string(steps->end) + ") is " +
                            (steps->empty() ? "empty" : "negative"));
    buffer.lifespans.push_back(*steps);
  }
}

void readReads(JsonFields &fields, Buffer &buffer) {
  const JsonValue *steps = fields.array("readSteps");
  if (!steps)
    return;
  for (const JsonValue &step : steps->elements) {
    if (step.kind != JsonValue::Kind::Integer)
      fields.fail(step, "a read step is not an integer");
    buffer.readSteps.push_back(step.integer);
  }
}

void readCandidates(JsonFields &fields, const NameMap &poolIndex,
                    Buffer &buffer) {
  const JsonValue *names = fields.array("pools");
  if (!names)
    return;
  buffer.pools.clear();
  for (const JsonValue &name : names->elements)
    buffer.pools.push_back(idOf(name, poolIndex, "pool", fields).value_or(0));
}

void readPin(JsonFields &fields, const NameMap &poolIndex, Buffer &buffer) {
  const JsonValue *object = fields.object("pin");
  if (!object)
    return;
  JsonFields pin(*object, "pin of '" + buffer.name + "'");
  const JsonValue &pool = pin.at("pool");
  pin.requiredString("pool");
  buffer.pin.emplace();
  buffer.pin->offsetBytes = pin.requiredInteger("offsetBytes");
  if (!pin.failed())
    buffer.pin->pool = idOf(pool, poolIndex, "pool", pin).value_or(0);
  fields.adopt(pin.finish());
}

std::pair<int64_t, int64_t> positionOf(const JsonValue &document,
                                       const ProblemError &e) {
  const JsonFields fields(document, "");
  const JsonValue *at = &document;
  if (e.buffer)
    at = &fields.at("buffers").elements[*e.buffer];
  else if (e.pool && !fields.at("pools").elements.empty())
    at = &fields.at("pools").elements[*e.pool];
  return {at->line, at->column};
}

class ProblemReader : DocumentReader {
public:
  std::variant<RecordedProblem, ParseError> run(const JsonValue &document) {
    if (readDocument(document))
      if (auto rejected = checkParsed(problem, [&](const ProblemError &e) {
            return positionOf(document, e);
          }))
        error = rejected;
    if (error)
      return *error;
    RecordedProblem result{std::move(problem), std::nullopt};
    if (recorded) {
      auto plan = readPlan(result.problem, *recorded);
      if (const auto *wrong = std::get_if<ParseError>(&plan))
        return *wrong;
      result.plan = std::move(std::get<Plan>(plan));
    }
    return result;
  }

private:
  bool readDocument(const JsonValue &document) {
    JsonFields fields(document, "");
    readVersion(fields);
    problem.name = fields.string("name").value_or("");
    problem.period = fields.integer("period");
    const JsonValue *pools = fields.array("pools");
    const JsonValue *buffers = fields.requiredArray("buffers");
    const JsonValue *aliases = fields.array("aliases");
    const JsonValue *forbidden = fields.array("forbiddenSharing");
    const JsonValue *overlaps = fields.array("overlaps");
    recorded = fields.object("plan");
    return take(fields.finish()) && readPools(pools) && readBuffers(*buffers) &&
           readNamedPairs(aliases, kAliasKeys, problem.aliases) &&
           readForbidden(forbidden) &&
           readNamedPairs(overlaps, kOverlapKeys, problem.overlaps);
  }

  bool readPools(const JsonValue *pools) {
    if (!pools) {
      problem.pools.emplace_back();
      problem.pools.back().name = "memory";
      poolIndex.emplace("memory", 0);
      return true;
    }
    for (size_t i = 0; i < pools->elements.size(); ++i) {
      JsonFields fields(pools->elements[i], numbered("pool", i));
      Pool pool;
      pool.name = newName(fields, poolIndex);
      pool.baseAddress = fields.address("baseAddress").value_or(0);
      pool.capacityBytes = fields.integer("capacityBytes");
      pool.alignment = fields.integer("alignment").value_or(1);
      pool.accessCost = fields.integer("accessCost").value_or(0);
      readAccess(fields, pool);
      pool.reserved = readPairs(fields, "reserved", "a reserved range");
      readTargets(fields, pool);
      pool.isCallers = fields.boolean("caller").value_or(false);
      if (!take(fields.finish()))
        return false;
      problem.pools.push_back(std::move(pool));
    }
    return true;
  }

  bool readBuffers(const JsonValue &buffers) {
    for (size_t i = 0; i < buffers.elements.size(); ++i) {
      JsonFields fields(buffers.elements[i], numbered("buffer", i));
      Buffer buffer;
      buffer.name = newName(fields, bufferIndex);
      buffer.location = fields.string("location").value_or("");
      readKind(fields, buffer);
      buffer.sizeBytes = fields.requiredInteger("sizeBytes");
      buffer.alignment = fields.integer("alignment").value_or(1);
      readLifespans(fields, buffer);
      readReads(fields, buffer);
      buffer.accesses = fields.integer("accesses");
      readCandidates(fields, poolIndex, buffer);
      readPin(fields, poolIndex, buffer);
      if (!take(fields.finish()))
        return false;
      problem.buffers.push_back(std::move(buffer));
    }
    return true;
  }

  /// Two names of buffers and the bytes between them.
  struct PairKeys {
    const char *what, *first, *second, *bytes;
    bool needsBytes;
  };
  static constexpr PairKeys kAliasKeys = {"alias", "member", "root",
                                          "offsetBytes", false};
  static constexpr PairKeys kOverlapKeys = {"overlap", "lower", "upper",
                                            "distanceBytes", true};
  /// Pair: two ids and bytes.
  template <typename Pair>
  bool readNamedPairs(const JsonValue *list, const PairKeys &keys,
                      std::vector<Pair> &pairs) {
    for (size_t i = 0; list && i < list->elements.size(); ++i) {
      JsonFields fields(list->elements[i], numbered(keys.what, i));
      fields.requiredString(keys.first);
      fields.requiredString(keys.second);
      const int64_t bytes = keys.needsBytes
                                ? fields.requiredInteger(keys.bytes)
                                : fields.integer(keys.bytes).value_or(0);
      const auto idAt = [&](const char *key) {
        return fields.failed()
                   ? std::nullopt
                   : idOf(fields.at(key), bufferIndex, "buffer", fields);
      };
      const auto first = idAt(keys.first), second = idAt(keys.second);
      if (!take(fields.finish()))
        return false;
      pairs.push_back({*first, *second, bytes});
    }
    return true;
  }

  bool readForbidden(const JsonValue *pairs) {
    if (!pairs)
      return true;
    for (const JsonValue &pair : pairs->elements) {
      if (pair.elements.size() != 2) {
        error = ParseError{"a forbidden pair is not a pair of buffer names",
                           pair.line, pair.column};
        return false;
      }
      // Only for its messages; the pair is no object.
      const JsonValue object = emptyObjectAt(pair);
      JsonFields fields(object, "forbiddenSharing");
      const auto a = idOf(pair.elements[0], bufferIndex, "buffer", fields);
      const auto b = idOf(pair.elements[1], bufferIndex, "buffer", fields);
      if (!take(fields.finish()))
        return false;
      problem.forbiddenSharing.emplace_back(*a, *b);
    }
    return true;
  }

  Problem problem;
  NameMap poolIndex, bufferIndex;
  const JsonValue *recorded = nullptr;
};

} // namespace

std::variant<RecordedProblem, ParseError>
parseRecordedJson(std::string_view text) {
  auto parsed = parseJson(text);
  if (const auto *error = std::get_if<JsonError>(&parsed))
    return ParseError{error->message, error->line, error->column};
  return ProblemReader().run(std::get<JsonValue>(parsed));
}

std::variant<Problem, ParseError> parseProblemJson(std::string_view text) {
  auto parsed = parseRecordedJson(text);
  if (auto *error = std::get_if<ParseError>(&parsed))
    return std::move(*error);
  return std::move(std::get<RecordedProblem>(parsed).problem);
}

} // namespace tpu_mlir::planning
