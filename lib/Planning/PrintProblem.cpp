//===- PrintProblem.cpp - Problems and plans as JSON ----------------------===//
//
// One record a line: short enough to read, and two files differ in the lines
// of the buffers that differ. What has its default value is left out, except
// where a reader would miss it.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Naming.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

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

/// The members of the outermost object.
class Document {
public:
  void attribute(const char *key, const Record &write) {
    separate();
    text += "  \"" + std::string(key) + "\": " + compact(write);
  }
  void array(const char *key, const std::vector<Record> &elements) {
    separate();
    text += "  \"" + std::string(key) + "\": [";
    for (size_t i = 0; i < elements.size(); ++i)
      text += (i > 0 ? ",\n    " : "\n    ") + compact(elements[i]);
    text += elements.empty() ? "]" : "\n  ]";
  }
  std::string finish() { return text + "\n}\n"; }

private:
  void separate() {
    text += isFirst ? "\n" : ",\n";
    isFirst = false;
  }
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

void writeRelations(Document &document, const Problem &problem,
                    const std::vector<std::string> &names) {
  std::vector<Record> aliases, forbidden;
  for (const Alias &alias : problem.aliases)
    aliases.push_back([&names, &alias](OStream &json) {
      json.object([&] {
        json.attribute("member", names[alias.member]);
        json.attribute("root", names[alias.root]);
        json.attribute("offsetBytes", alias.offsetBytes);
      });
    });
  for (const auto &pair : problem.forbiddenSharing)
    forbidden.push_back([&names, &pair](OStream &json) {
      json.array([&] {
        json.value(names[pair.first]);
        json.value(names[pair.second]);
      });
    });
  if (!aliases.empty())
    document.array("aliases", aliases);
  if (!forbidden.empty())
    document.array("forbiddenSharing", forbidden);
}

} // namespace

std::string printProblemJson(const Problem &problem) {
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
  return document.finish();
}

std::string printPlanJson(const Problem &problem, const Plan &plan) {
  const std::vector<std::string> names = fileNames(problem);
  const std::vector<std::string> poolNames = poolFileNames(problem);
  Document document;
  document.attribute("version", value(1));
  if (!problem.name.empty())
    document.attribute("problem", value(asUtf8(problem.name)));
  document.attribute("strategy", value(plan.strategy));
  if (!plan.winner.empty())
    document.attribute("winner", value(plan.winner));
  document.attribute("proof", value(llvm::StringRef(proofName(plan.proof))));
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
  return document.finish();
}

} // namespace tpu_mlir::planning
