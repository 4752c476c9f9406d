#include "lib/Transforms/MergeAlloc/Options.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

static std::optional<std::pair<StringRef, int64_t>> parseLimit(StringRef text) {
  auto [space, number] = text.rsplit(':');
  int64_t bytes = 0;
  if (space.empty() || number.getAsInteger(10, bytes) || bytes < 0)
    return std::nullopt;
  return std::pair(space, bytes);
}

/// A name that spaceName() may give. Words are known one by one; attributes of
/// other dialects, and strings, are as the text has them.
static bool isSpaceName(StringRef name) {
  int64_t number = 0;
  return name == "default" || !name.getAsInteger(10, number) ||
         gpu::symbolizeAddressSpace(name) ||
         (name.starts_with("#") && !name.starts_with("#gpu.address_space")) ||
         (name.size() > 1 && name.starts_with("\"") && name.ends_with("\""));
}

static LogicalResult checkSpace(Operation *function, StringRef option,
                                StringRef name) {
  if (isSpaceName(name))
    return success();
  return emitCodedError(function->getLoc(), ErrorCode::BadOption,
                        "option '" + option + "': '" + name +
                            "' is no memory space; there are: default, "
                            "numbers, global, workgroup, private, constant, "
                            "attributes as in '#dialect.space', strings with "
                            "their quotes");
}

static LogicalResult checkCapacity(Operation *function,
                                   const MergeAllocationOptions &options) {
  llvm::StringSet<> seen;
  for (const std::string &text : options.capacity) {
    auto limit = parseLimit(text);
    if (!limit)
      return emitCodedError(function->getLoc(), ErrorCode::BadOption,
                            "capacity '" + text +
                                "' is no memory space and number of bytes; "
                                "write as in 'workgroup:512'");
    if (failed(checkSpace(function, "capacity", limit->first)))
      return failure();
    if (!seen.insert(limit->first).second)
      return emitCodedError(function->getLoc(), ErrorCode::BadOption,
                            "memory space '" + limit->first +
                                "' has two capacities");
  }
  return success();
}

LogicalResult checkOptions(Operation *function,
                           const MergeAllocationOptions &options) {
  Location location = function->getLoc();
  if (failed(checkAlignment(location, options.alignment)))
    return failure();
  if (!options.plannerOptions.empty() &&
      options.plannerOptions != "cost-model" &&
      options.plannerOptions != "size-first")
    return emitCodedError(location, ErrorCode::BadStrategy,
                          "unrecognized planner option '" +
                              options.plannerOptions +
                              "'; there are: cost-model, size-first");
  if (!options.plannerOptions.empty() && options.strategy != "auto")
    return emitCodedError(location, ErrorCode::BadOption,
                          "the planner is '" + options.strategy + "' and '" +
                              options.plannerOptions +
                              "' at once; leave out one of the options");
  if (!StrategyRegistry::find(options.strategy))
    return emitCodedError(location, ErrorCode::BadStrategy,
                          "unknown planner '" + options.strategy +
                              "'; planners: " + StrategyRegistry::names());
  for (const std::string &space : options.memorySpaces)
    if (failed(checkSpace(function, "memory-spaces", space)))
      return failure();
  return checkCapacity(function, options);
}

std::string strategyOf(const MergeAllocationOptions &options) {
  if (options.plannerOptions == "cost-model")
    return "static-chunks";
  if (options.plannerOptions == "size-first")
    return "static-chunks-size-first";
  return options.strategy;
}

std::optional<int64_t> capacityOf(const MergeAllocationOptions &options,
                                  StringRef space) {
  for (const std::string &text : options.capacity)
    if (auto limit = parseLimit(text); limit && limit->first == space)
      return limit->second;
  return std::nullopt;
}

} // namespace tpu_mlir
