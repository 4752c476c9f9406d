//===- ParsePlan.cpp - Plans from JSON ------------------------------------===//

#include "lib/Planning/IO/Naming.h"

#include "tpu_mlir/Support/Json.h"

namespace tpu_mlir::planning {
namespace {

class PlanReader : DocumentReader {
public:
  explicit PlanReader(const Problem &problem)
      : bufferIndex(indexOfNames(fileNames(problem))),
        poolIndex(indexOfNames(poolFileNames(problem))),
        isPlaced(problem.buffers.size(), false),
        isReported(problem.pools.size(), false) {
    plan.placements.resize(problem.buffers.size());
    plan.pools.resize(problem.pools.size());
  }

  std::variant<Plan, ParseError> run(const JsonValue &document) {
    if (readDocument(document))
      findMissing(document);
    if (error)
      return *error;
    return std::move(plan);
  }

private:
  bool readDocument(const JsonValue &document) {
    JsonFields fields(document, "");
    readVersion(fields);
    fields.string("problem");
    plan.strategy = fields.string("strategy").value_or("");
    plan.winner = fields.string("winner").value_or("");
    plan.proof = readProof(fields, "proof");
    readStatus(fields);
    plan.poolPolicy = fields.string("poolPolicy").value_or("");
    plan.accessCost = fields.integer("accessCost").value_or(0);
    plan.costProof = readProof(fields, "costProof");
    const JsonValue *pools = fields.requiredArray("pools");
    const JsonValue *placements = fields.requiredArray("placements");
    return take(fields.finish()) && readPools(*pools) &&
           readPlacements(*placements);
  }

  /// As planStatusName() has it.
  void readStatus(JsonFields &fields) {
    const auto name = fields.string("status");
    if (!name)
      return;
    plan.isInterrupted = *name == "interrupted";
    plan.isCutByTime = *name == "time-limit";
    if (!plan.isInterrupted && !plan.isCutByTime)
      fields.fail(fields.at("status"),
                  "'status' is the unknown '" + *name + "'");
  }

  static Proof readProof(JsonFields &fields, const char *key) {
    const auto name = fields.string(key);
    if (!name)
      return Proof::None;
    const auto proof = proofOfName(*name);
    if (!proof)
      fields.fail(fields.at(key),
                  "'" + std::string(key) + "' is the unknown '" + *name + "'");
    return proof.value_or(Proof::None);
  }

  /// The index of the name in field `key`, which may not occur twice.
  std::optional<int64_t> indexOf(JsonFields &fields, const char *key,
                                 const NameMap &index) {
    const std::string name = fields.requiredString(key);
    if (fields.failed())
      return std::nullopt;
    const auto it = index.find(name);
    if (it != index.end())
      return it->second;
    fields.fail(fields.at(key), "the problem has no '" + name + "'");
    return std::nullopt;
  }
  static void markOnce(JsonFields &fields, const char *key,
                       std::optional<int64_t> index,
                       std::vector<bool> &isThere) {
    if (!index)
      return;
    if (isThere[*index])
      fields.fail(fields.at(key),
                  "'" + fields.at(key).string + "' occurs twice");
    isThere[*index] = true;
  }

  bool readPools(const JsonValue &pools) {
    for (const JsonValue &element : pools.elements) {
      JsonFields fields(element, "pools");
      const auto pool = indexOf(fields, "name", poolIndex);
      markOnce(fields, "name", pool, isReported);
      PoolUse use;
      use.usedBytes = fields.requiredInteger("usedBytes");
      use.lowerBoundBytes = fields.integer("lowerBoundBytes").value_or(0);
      if (!take(fields.finish()))
        return false;
      plan.pools[*pool] = use;
    }
    return true;
  }

  bool readPlacements(const JsonValue &placements) {
    for (const JsonValue &element : placements.elements) {
      JsonFields fields(element, "placements");
      const auto buffer = indexOf(fields, "buffer", bufferIndex);
      markOnce(fields, "buffer", buffer, isPlaced);
      const auto pool = indexOf(fields, "pool", poolIndex);
      const int64_t offset = fields.requiredInteger("offsetBytes");
      if (!take(fields.finish()))
        return false;
      plan.placements[*buffer] = {*pool, offset};
    }
    return true;
  }

  void findMissing(const JsonValue &document) {
    for (const auto &[name, id] : bufferIndex)
      if (!isPlaced[id])
        error = ParseError{"the plan does not place '" + name + "'",
                           document.line, document.column};
    for (const auto &[name, id] : poolIndex)
      if (!isReported[id])
        error = ParseError{"the plan does not report pool '" + name + "'",
                           document.line, document.column};
  }

  const NameMap bufferIndex, poolIndex;
  std::vector<bool> isPlaced, isReported;
  Plan plan;
};

} // namespace

std::variant<Plan, ParseError> readPlan(const Problem &problem,
                                        const JsonValue &document) {
  return PlanReader(problem).run(document);
}

std::variant<Plan, ParseError> parsePlanJson(const Problem &problem,
                                             std::string_view text) {
  auto parsed = parseJson(text);
  if (const auto *error = std::get_if<JsonError>(&parsed))
    return ParseError{error->message, error->line, error->column};
  return readPlan(problem, std::get<JsonValue>(parsed));
}

} // namespace tpu_mlir::planning
