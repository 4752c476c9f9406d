//===- FileProperties.cpp - What holds for every file ---------------------===//

#include "tests/fuzz/FileProperties.h"

#include "llvm/Support/JSON.h"

#include <algorithm>

namespace tpu_mlir::planning {

std::string brokenError(const ParseError &error, std::string_view text) {
  const int64_t lines = std::count(text.begin(), text.end(), '\n') + 1;
  if (error.message.empty())
    return "an error without a message";
  if (!llvm::json::isUTF8(error.message))
    return "a message that is not UTF-8";
  if (error.line < 1 || error.line > lines + 1 || error.column < 1 ||
      error.column > int64_t(text.size()) + 1)
    return "an error outside the text: " + std::to_string(error.line) + ":" +
           std::to_string(error.column) + ": " + error.message;
  return "";
}

Plan somePlan(const Problem &problem) {
  Plan plan;
  plan.strategy = "fuzz";
  plan.pools.resize(problem.pools.size());
  for (size_t id = 0; id < problem.buffers.size(); ++id) {
    const PoolId pool = problem.buffers[id].pools.front();
    // Sizes may be close to 2^63: small offsets, and only some of them.
    const int64_t room = INT64_MAX - problem.buffers[id].sizeBytes;
    const int64_t offset = std::min<int64_t>(room, int64_t(id) * 64);
    plan.placements.push_back({pool, offset});
    plan.pools[pool].usedBytes = std::max(
        plan.pools[pool].usedBytes, offset + problem.buffers[id].sizeBytes);
  }
  return plan;
}

} // namespace tpu_mlir::planning
