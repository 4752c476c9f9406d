//===- Strategy.cpp - The registry of strategies --------------------------===//

#include "tpu_mlir/Planning/Strategy.h"

#include <algorithm>

namespace tpu_mlir::planning {

/// A function's static, so that it exists before the first registration
/// whatever the order of static initialisation; kept sorted by name.
static std::vector<std::unique_ptr<Strategy>> &registered() {
  static std::vector<std::unique_ptr<Strategy>> strategies;
  return strategies;
}

static auto positionOf(std::string_view name) {
  auto &strategies = registered();
  return std::lower_bound(
      strategies.begin(), strategies.end(), name,
      [](const std::unique_ptr<Strategy> &strategy, std::string_view key) {
        return strategy->name() < key;
      });
}

void StrategyRegistry::add(std::unique_ptr<Strategy> strategy) {
  const auto position = positionOf(strategy->name());
  registered().insert(position, std::move(strategy));
}

const Strategy *StrategyRegistry::find(std::string_view name) {
  const auto position = positionOf(name);
  const bool isFound =
      position != registered().end() && (*position)->name() == name;
  return isFound ? position->get() : nullptr;
}

std::vector<const Strategy *> StrategyRegistry::all() {
  std::vector<const Strategy *> result;
  for (const auto &strategy : registered())
    result.push_back(strategy.get());
  return result;
}

std::string StrategyRegistry::names() {
  std::string text;
  for (const Strategy *strategy : all())
    text += (text.empty() ? "" : ", ") + std::string(strategy->name());
  return text;
}

} // namespace tpu_mlir::planning
