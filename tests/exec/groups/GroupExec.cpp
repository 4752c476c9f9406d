//===- GroupExec.cpp - Proves all layer groups of a module ----------------===//

#include "tests/exec/groups/GroupExec.h"

#include "tests/exec/groups/Mixing.h"

namespace tpu_mlir::exec {

static std::optional<std::string> runChain(const std::vector<GroupModel> &chain,
                                           const target::ChipSpec &chip) {
  auto reference = runReference(chain);
  if (auto *error = std::get_if<std::string>(&reference))
    return "on whole tensors: " + *error;
  KernelCache cache;
  return simulateAllOrders(chain, chip, std::get<ChainReference>(reference),
                           cache);
}

std::optional<std::string> runGroups(mlir::ModuleOp module,
                                     const target::ChipSpec &chip,
                                     ExecStats *stats) {
  auto chains = readChains(module, chip);
  if (auto *error = std::get_if<std::string>(&chains))
    return *error;
  int number = 0;
  for (const auto &chain : std::get<0>(chains)) {
    if (auto error = runChain(chain, chip))
      return "group " + std::to_string(number) +
             (chain.size() > 1 ? " and those after it: " : ": ") + *error;
    number += static_cast<int>(chain.size());
    for (const GroupModel &model : chain) {
      if (!stats)
        break;
      ++stats->groups;
      stats->items += static_cast<int>(model.items.size());
      stats->sections += model.numSections();
    }
  }
  return std::nullopt;
}

} // namespace tpu_mlir::exec
