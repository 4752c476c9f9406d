//===- PrintProblem.cpp - Problems and plans as JSON ----------------------===//
//
// One record a line: short enough to read, and two files differ in the lines
// of the buffers that differ. What has its default value is left out, except
// where a reader would miss it.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/IO/Naming.h"

#include "tpu_mlir/Support/Utf8.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <functional>

namespace tpu_mlir::planning {
namespace {

using llvm::json::OStream;
using Record = std::function<void(OStream &)>;

/// One JSON value on one line.
std::string compact(const Record &write) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  write(json);
  return text;
}

/// The members of an object, a line each.
class Document {
public:
  explicit Document(const std::string &indent = "")
      : indent(indent + "  "), end("\n" + indent + "}") {}

  void attribute(const char *key, const Record &write) {
    member(key, compact(write));
  }
  void array(const char *key, const std::vector<Record> &elements) {
    std::string list = "[";
    for (size_t i = 0; i < elements.size(); ++i)
      list += (i > 0 ? ",\n  " : "\n  ") + indent + compact(elements[i]);
    member(key, list + (elements.empty() ? "]" : "\n" + indent + "]"));
  }
  void object(const char *key, Document inner) { member(key, inner.finish()); }
  std::string finish() { return text + end; }
  /// Of objects in this one.
  const std::string &innerIndent() const { return indent; }

private:
  void member(const char *key, const std::string &value) {
    text += (isFirst ? "\n" : ",\n") + indent + "\"" + key + "\": " + value;
    isFirst = false;
  }
  std::string indent, end;
  std::string text = "{";
  bool isFirst = true;
};

Record value(llvm::json::Value v) {
  return [v](OStream &json) { json.value(v); };
}

void writePairs(OStream &json, const char *key,
                const std::vector<Interval> &pairs) {
  json.attributeArray(key, [&] {
    for (const Interval &pair : pairs)
      json.array([&] {
        json.value(pair.begin);
        json.value(pair.end);
      });
  });
}

Record poolRecord(const Pool &pool, const std::string &name) {
  return [&pool, &name](OStream &json) {
    json.object([&] {
      json.attribute("name", name);
      json.attribute("baseAddress", pool.baseAddress);
      if (pool.capacityBytes)
        json.attribute("capacityBytes", *pool.capacityBytes);
      json.attribute("alignment", pool.alignment);
      json.attribute("accessCost", pool.accessCost);
      if (pool.access == PoolAccess::ReadOnly)
        json.attribute("access", "ro");
      if (!pool.reserved.empty())
        writePairs(json, "reserved", pool.reserved);
      if (!pool.targets.empty())
        json.attributeArray("targets", [&] {
          for (const std::string &target : pool.targets)
            json.value(asUtf8(target));
        });
      if (pool.isCallers)
        json.attribute("caller", true);
    });
  };
}

void writeReads(OStream &json, const Buffer &buffer) {
  if (buffer.readSteps.empty())
    return;
  json.attributeArray("readSteps", [&] {
    for (int64_t step : buffer.readSteps)
      json.value(step);
  });
}

Record bufferRecord(const Buffer &buffer, const std::string &name,
                    const std::vector<std::string> &poolNames) {
  return [&buffer, &name, &poolNames](OStream &json) {
    json.object([&] {
      json.attribute("name", name);
      if (!buffer.location.empty())
        json.attribute("location", asUtf8(buffer.location));
      json.attribute("kind", llvm::StringRef(kindName(buffer.kind)));
      json.attribute("sizeBytes", buffer.sizeBytes);
      json.attribute("alignment", buffer.alignment);
      writePairs(json, "lifespans", buffer.lifespans);
      writeReads(json, buffer);
      if (buffer.accesses)
        json.attribute("accesses", *buffer.accesses);
      json.attributeArray("pools", [&] {
        for (PoolId pool : buffer.pools)
          json.value(poolNames[pool]);
      });
      if (buffer.pin)
        json.attributeObject("pin", [&] {
          json.attribute("pool", poolNames[buffer.pin->pool]);
          json.attribute("offsetBytes", buffer.pin->offsetBytes);
        });
    });
  };
}

/// Two buffers by name, and bytes between them.
Record pairRecord(std::array<const char *, 3> keys, const std::string &first,
                  const std::string &second, int64_t bytes) {
  return [=, &first, &second](OStream &json) {
    json.object([&] {
      json.attribute(keys[0], first);
      json.attribute(keys[1], second);
      json.attribute(keys[2], bytes);
    });
  };
}

void writeRelations(Document &document, const Problem &problem,
                    const std::vector<std::string> &names) {
  std::vector<Record> aliases, forbidden, overlaps;
  for (const Alias &alias : problem.aliases)
    aliases.push_back(pairRecord({"member", "root", "offsetBytes"},
                                 names[alias.member], names[alias.root],
                                 alias.offsetBytes));
  for (const auto &pair : problem.forbiddenSharing)
    forbidden.push_back([&names, &pair](OStream &json) {
      json.array([&] {
        json.value(names[pair.first]);
        json.value(names[pair.second]);
      });
    });
  for (const Overlap &pair : problem.overlaps)
    overlaps.push_back(pairRecord({"lower", "upper", "distanceBytes"},
                                  names[pair.lower], names[pair.upper],
                                  pair.distanceBytes));
  if (!aliases.empty())
    document.array("aliases", aliases);
  if (!forbidden.empty())
    document.array("forbiddenSharing", forbidden);
  if (!overlaps.empty())
    document.array("overlaps", overlaps);
}

Document planDocument(const Problem &problem, const Plan &plan,
                      const std::string &indent) {
  const std::vector<std::string> names = fileNames(problem);
  const std::vector<std::string> poolNames = poolFileNames(problem);
  Document document(indent);
  document.attribute("version", value(1));
  if (!problem.name.empty())
    document.attribute("problem", value(asUtf8(problem.name)));
  document.attribute("strategy", value(plan.strategy));
  if (!plan.winner.empty())
    document.attribute("winner", value(plan.winner));
  document.attribute("proof", value(llvm::StringRef(proofName(plan.proof))));
  if (const llvm::StringRef status = planStatusName(plan); !status.empty())
    document.attribute("status", value(status));
  if (!plan.poolPolicy.empty())
    document.attribute("poolPolicy", value(plan.poolPolicy));
  if (plan.accessCost != 0)
    document.attribute("accessCost", value(plan.accessCost));
  if (plan.costProof != Proof::None)
    document.attribute("costProof",
                       value(llvm::StringRef(proofName(plan.costProof))));

  std::vector<Record> pools, placements;
  for (size_t i = 0; i < plan.pools.size(); ++i)
    pools.push_back([&, i](OStream &json) {
      json.object([&] {
        json.attribute("name", poolNames[i]);
        json.attribute("usedBytes", plan.pools[i].usedBytes);
        json.attribute("lowerBoundBytes", plan.pools[i].lowerBoundBytes);
        if (plan.pools[i].classicBytes)
          json.attribute("classicBytes", *plan.pools[i].classicBytes);
      });
    });
  for (size_t i = 0; i < plan.placements.size(); ++i)
    placements.push_back([&, i](OStream &json) {
      json.object([&] {
        json.attribute("buffer", names[i]);
        json.attribute("pool", poolNames[plan.placements[i].pool]);
        json.attribute("offsetBytes", plan.placements[i].offsetBytes);
      });
    });
  document.array("pools", pools);
  document.array("placements", placements);
  return document;
}

} // namespace

std::string printProblemJson(const Problem &problem, const Plan *plan) {
  const std::vector<std::string> names = fileNames(problem);
  const std::vector<std::string> poolNames = poolFileNames(problem);
  Document document;
  document.attribute("version", value(1));
  if (!problem.name.empty())
    document.attribute("name", value(asUtf8(problem.name)));
  if (problem.period)
    document.attribute("period", value(*problem.period));

  std::vector<Record> pools, buffers;
  for (size_t i = 0; i < problem.pools.size(); ++i)
    pools.push_back(poolRecord(problem.pools[i], poolNames[i]));
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    buffers.push_back(bufferRecord(problem.buffers[i], names[i], poolNames));
  document.array("pools", pools);
  document.array("buffers", buffers);
  writeRelations(document, problem, names);
  if (plan)
    document.object("plan",
                    planDocument(problem, *plan, document.innerIndent()));
  return document.finish() + "\n";
}

std::string printPlanJson(const Problem &problem, const Plan &plan) {
  return planDocument(problem, plan, "").finish() + "\n";
}

} // namespace tpu_mlir::planning
