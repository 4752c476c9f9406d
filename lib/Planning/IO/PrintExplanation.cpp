//===- PrintExplanation.cpp - Why it fits or does not, as JSON ------------===//

#include "lib/Planning/IO/Naming.h"
#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/Support/Utf8.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tpu_mlir::planning {
namespace {

using llvm::json::OStream;

class Writer {
public:
  Writer(const Problem &problem, OStream &json)
      : problem(problem), names(fileNames(problem)),
        poolNames(poolFileNames(problem)), json(json) {}

  void write(const Explanation &explanation, const Plan *plan,
             const Remedies *help) {
    json.object([&] {
      json.attribute("version", 1);
      if (!problem.name.empty())
        json.attribute("problem", asUtf8(problem.name));
      json.attribute("hasPlan", plan != nullptr);
      if (plan)
        writePlan(*plan);
      json.attributeArray("pools", [&] {
        for (const PoolExplanation &pool : explanation.pools)
          json.object([&] { writePool(pool, help); });
      });
      if (help)
        writeFailure(*help);
    });
  }

private:
  void writePlan(const Plan &plan) {
    if (!plan.poolPolicy.empty())
      json.attribute("poolPolicy", plan.poolPolicy);
    json.attribute("accessCost", plan.accessCost);
  }

  void writeBuffer(BufferId id, int64_t sizeBytes) {
    json.object([&] {
      json.attribute("buffer", names[size_t(id)]);
      json.attribute("sizeBytes", sizeBytes);
    });
  }

  void writePool(const PoolExplanation &pool, const Remedies *help) {
    json.attribute("name", poolNames[size_t(pool.pool)]);
    if (pool.capacityBytes)
      json.attribute("capacityBytes", *pool.capacityBytes);
    json.attribute("fit", llvm::StringRef(fitName(pool.fit)));
    json.attribute("lowerBoundBytes", pool.lowerBoundBytes);
    json.attribute("peakStep", pool.peakStep);
    json.attribute("liveBytes", pool.liveBytes);
    if (pool.bestBytes)
      json.attribute("bestBytes", *pool.bestBytes);
    if (pool.packing) {
      json.attribute("usedBytes", pool.packing->usedBytes);
      json.attribute("fragmentationBytes", pool.packing->fragmentationBytes);
      json.attribute("servedBytes", pool.packing->servedBytes);
    }
    for (const PoolRequirement &one :
         help ? help->capacities : std::vector<PoolRequirement>())
      if (one.pool == pool.pool) {
        json.attribute("atLeastBytes", one.atLeastBytes);
        if (one.worksWithBytes)
          json.attribute("worksWithBytes", *one.worksWithBytes);
      }
    json.attributeArray("peakSet", [&] {
      for (const LiveStorage &alive : pool.peakSet)
        writeBuffer(alive.root, alive.sizeBytes);
    });
  }

  static const char *statusOf(const Infeasible &failure) {
    return failure.isCertain()     ? "proved"
           : failure.isInterrupted ? "interrupted"
           : failure.isCutByTime   ? "time-limit"
                                   : "not-found";
  }

  void writeFailure(const Remedies &help) {
    const Infeasible &failure = help.failure;
    json.attributeObject("failure", [&] {
      json.attribute("pool", poolNames[size_t(failure.pool)]);
      json.attribute("needBytes", failure.needBytes);
      json.attribute("haveBytes", failure.haveBytes);
      json.attribute("isProved", failure.isCertain());
      json.attribute("status", llvm::StringRef(statusOf(failure)));
      json.attribute("peakStep", failure.peakStep);
      json.attributeArray("alive", [&] {
        for (BufferId id : failure.witness)
          writeBuffer(id, problem.buffers[size_t(id)].sizeBytes);
      });
    });
    json.attributeArray("toMove", [&] {
      for (BufferId id : help.toMove)
        json.value(names[size_t(id)]);
    });
    json.attribute("isMovingEnough", help.isMovingEnough);
  }

  const Problem &problem;
  const std::vector<std::string> names, poolNames;
  OStream &json;
};

} // namespace

std::string printExplanationJson(const Problem &problem,
                                 const Explanation &explanation,
                                 const Plan *plan, const Remedies *help) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, 2);
  Writer(problem, json).write(explanation, plan, help);
  return text + "\n";
}

} // namespace tpu_mlir::planning
