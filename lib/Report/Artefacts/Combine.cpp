//===- Combine.cpp - Models that run one after the other ------------------===//
//
//     steps   0        n           n + m
//     first   |--------|
//     second           |------------|
//     weights |=====================|
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Report/ArtefactReport.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <optional>

namespace tpu_mlir::report {

using namespace planning;

namespace {

int64_t endOf(const Problem &problem) {
  int64_t end = 0;
  for (const Buffer &buffer : problem.buffers)
    for (const Interval &life : buffer.lifespans)
      end = std::max(end, life.end);
  return end;
}

class Combiner {
public:
  /// False: `message` says why.
  bool add(const std::string &name, const Problem &problem) {
    if (problem.period)
      return refuse("model '" + name +
                    "' has a schedule that repeats; it cannot be followed by "
                    "another");
    const auto end = checkedAdd(step, endOf(problem));
    if (!end)
      return refuse("the models have more than 63 bits of steps together");
    std::vector<PoolId> pools;
    for (const Pool &pool : problem.pools) {
      pools.push_back(poolFor(pool));
      if (pools.back() < 0)
        return refuse("pool '" + pool.name + "' of model '" + name +
                      "' is not the same as that of another model");
    }
    addBuffers(name, problem, pools);
    step = *end;
    return true;
  }

  Problem finish() {
    for (Buffer &buffer : result.buffers)
      if (buffer.kind == BufferKind::Weight && step > 0)
        buffer.lifespans = {{0, step}};
    return std::move(result);
  }

  std::string message;

private:
  bool refuse(const std::string &why) {
    message = why;
    return false;
  }

  PoolId poolFor(const Pool &pool) {
    for (size_t i = 0; i < result.pools.size(); ++i)
      if (result.pools[i].name == pool.name)
        return result.pools[i] == pool ? PoolId(i) : -1;
    result.pools.push_back(pool);
    return PoolId(result.pools.size()) - 1;
  }

  void addBuffers(const std::string &name, const Problem &problem,
                  const std::vector<PoolId> &pools) {
    const BufferId first = BufferId(result.buffers.size());
    const std::vector<std::string> names = fileNames(problem);
    for (size_t id = 0; id < names.size(); ++id) {
      Buffer buffer = problem.buffers[id];
      buffer.name = name + "/" + names[id];
      for (Interval &life : buffer.lifespans)
        life = {life.begin + step, life.end + step};
      for (int64_t &read : buffer.readSteps)
        read += step;
      for (PoolId &pool : buffer.pools)
        pool = pools[pool];
      if (buffer.pin)
        buffer.pin->pool = pools[buffer.pin->pool];
      result.buffers.push_back(std::move(buffer));
    }
    for (const Alias &alias : problem.aliases)
      result.aliases.push_back(
          {alias.member + first, alias.root + first, alias.offsetBytes});
    for (const auto &[a, b] : problem.forbiddenSharing)
      result.forbiddenSharing.push_back({a + first, b + first});
  }

  Problem result;
  int64_t step = 0;
};

} // namespace

std::variant<Problem, ArtefactError> combineInSequence(
    const std::vector<std::pair<std::string, const Problem *>> &models) {
  Combiner combiner;
  for (const auto &[name, problem] : models)
    if (!combiner.add(name, *problem))
      return ArtefactError{combiner.message};
  return combiner.finish();
}

} // namespace tpu_mlir::report
