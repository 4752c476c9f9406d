//===- Registry.cpp - The registry of strategies --------------------------===//

#include "tpu_mlir/Planning/Strategy.h"

#include <map>

namespace tpu_mlir::planning {

/// A function's static, so that it exists before the first registration
/// whatever the order of static initialisation.
static std::map<std::string_view, Strategy> &registered() {
  static std::map<std::string_view, Strategy> strategies;
  return strategies;
}

void StrategyRegistry::add(const Strategy &strategy) {
  registered().emplace(strategy.name, strategy);
}

const Strategy *StrategyRegistry::find(std::string_view name) {
  const auto found = registered().find(name);
  return found == registered().end() ? nullptr : &found->second;
}

std::vector<const Strategy *> StrategyRegistry::all() {
  std::vector<const Strategy *> result;
  for (const auto &[name, strategy] : registered())
    result.push_back(&strategy);
  return result;
}

std::string StrategyRegistry::names() {
  std::string text;
  for (const auto &[name, strategy] : registered())
    text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

} // namespace tpu_mlir::planning
