//===- Options.cpp - Parse the options of merge-alloc ---------------------===//
//
// Memory spaces in any spelling, capacities by space; errors are emitted
// before anything runs.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/MergeAlloc/Options.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::merging {

SmallVector<std::string> splitItems(StringRef text) {
  SmallVector<std::string> items;
  if (text.trim().empty())
    return items;
  size_t begin = 0;
  int64_t depth = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      isString = !isString;
    else if (isString)
      i += c == '\\';
    else if (text.substr(i).starts_with("->"))
      ++i;
    else if (StringRef("<([{").contains(c))
      ++depth;
    else if (StringRef(">)]}").contains(c))
      --depth;
    else if (c == ',' && depth <= 0) {
      items.push_back(text.slice(begin, i).trim().str());
      begin = i + 1;
    }
  }
  items.push_back(text.substr(begin).trim().str());
  return items;
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

/// The attribute that a memref would have, null for the default space. What its
/// dialect says against it goes into `why`.
static FailureOr<Attribute> parseSpace(StringRef text, MLIRContext *context,
                                       std::string &why) {
  ScopedDiagnosticHandler listener(context, [&](Diagnostic &diagnostic) {
    if (why.empty())
      why = diagnostic.str();
    return success();
  });
  Attribute space = parseAttribute(text, context);
  auto number = dyn_cast_if_present<IntegerAttr>(space);
  if (!space || (number && number.getValue().getBitWidth() > 0 &&
                 number.getValue().isNegative()))
    return failure();
  auto type = MemRefType::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, {1},
      IntegerType::get(context, 8), MemRefLayoutAttrInterface(), space);
  if (!type)
    return failure();
  return type.getMemorySpace();
}

/// `name` as spaceName() has it.
static LogicalResult resolveSpace(MLIRContext *context, StringRef option,
                                  std::string &name) {
  if (name == "default" || gpu::symbolizeAddressSpace(name))
    return success();
  std::string why;
  FailureOr<Attribute> space = parseSpace(name, context, why);
  if (succeeded(space)) {
    name = spaceName(*space);
    return success();
  }
  // Of anything but an attribute the parser only says that it is none.
  if (!StringRef(name).starts_with("#"))
    why.clear();
  return emitCodedError(
      UnknownLoc::get(context), ErrorCode::BadOption,
      "option '" + option + "': '" + name + "' is no memory space" +
          (why.empty() ? "" : ": " + why) +
          "; there are: default, numbers, global, workgroup, private, "
          "attributes as in '#dialect.space<1>', strings as in "
          "'{\"sram\"}'");
}

//===----------------------------------------------------------------------===//
// Capacities
//===----------------------------------------------------------------------===//

static std::optional<std::pair<StringRef, int64_t>> parseLimit(StringRef text) {
  auto [space, number] = text.rsplit(':');
  int64_t bytes = 0;
  if (space.trim().empty() || number.trim().getAsInteger(10, bytes) ||
      bytes < 0)
    return std::nullopt;
  return std::pair(space.trim(), bytes);
}

static LogicalResult resolveCapacity(MLIRContext *context,
                                     MergeAllocationOptions &options) {
  llvm::StringSet<> seen;
  for (std::string &text : options.capacity) {
    auto limit = parseLimit(text);
    if (!limit)
      return emitCodedError(UnknownLoc::get(context), ErrorCode::BadOption,
                            "option 'capacity': '" + text +
                                "' is no memory space and number of bytes; "
                                "write as in 'workgroup:512'");
    std::string space = limit->first.str();
    if (failed(resolveSpace(context, "capacity", space)))
      return failure();
    bool isMerged = options.memorySpaces.empty() ||
                    llvm::is_contained(options.memorySpaces, space);
    if (!isMerged || options.checkOnly)
      return emitCodedError(UnknownLoc::get(context), ErrorCode::BadOption,
                            "option 'capacity': '" + text +
                                "' has no effect: " +
                                (isMerged ? "'analysis-only' plans nothing"
                                          : "'memory-spaces' leaves this "
                                            "memory space alone"));
    if (!seen.insert(space).second)
      return emitCodedError(UnknownLoc::get(context), ErrorCode::BadOption,
                            "option 'capacity': memory space '" + space +
                                "' has two capacities");
    text = space + ":" + std::to_string(limit->second);
  }
  return success();
}

/// An option that says how to merge, where nothing is merged; "" for none.
static StringRef optionOfMerging(const MergeAllocationOptions &options) {
  const MergeAllocationOptions plain;
  const std::pair<const char *, bool> isGiven[] = {
      {"planner", options.strategy != plain.strategy},
      {"planner-options", options.plannerOptions != plain.plannerOptions},
      {"alignment", options.alignment != plain.alignment},
      {"in-place", options.inPlace != plain.inPlace},
      {"hoist-threads", options.hoistThreads != plain.hoistThreads},
      {"free", options.free != plain.free},
      {"merge-always", options.mergeAlways != plain.mergeAlways},
      {"reorder", options.reorder != plain.reorder}};
  for (const auto &[name, given] : isGiven)
    if (given)
      return name;
  return "";
}

LogicalResult resolveOptions(MLIRContext *context,
                             MergeAllocationOptions &options) {
  Location location = UnknownLoc::get(context);
  if (failed(checkAlignment(location, "option 'alignment'", options.alignment)))
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
  for (std::string &space : options.memorySpaces)
    if (failed(resolveSpace(context, "memory-spaces", space)))
      return failure();
  if (StringRef given = optionOfMerging(options);
      options.checkOnly && !given.empty())
    return emitCodedError(location, ErrorCode::BadOption,
                          "option '" + given +
                              "' has no effect: 'analysis-only' plans nothing");
  return resolveCapacity(context, options);
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

} // namespace tpu_mlir::merging
