//===- Mixing.cpp - Groups executed with the mixing kernels ---------------===//

#include "tests/exec/groups/Mixing.h"

namespace tpu_mlir::exec {

template <typename T>
static std::variant<T, std::string>
withMessage(std::variant<T, LocalFault> read) {
  if (auto *fault = std::get_if<LocalFault>(&read))
    return fault->message;
  return std::get<T>(std::move(read));
}

std::variant<GroupModel, std::string> readGroup(mlir::Operation *group,
                                                const target::ChipSpec &chip) {
  return withMessage(execution::readGroup(group, chip, mixingKernels()));
}

std::variant<std::vector<std::vector<GroupModel>>, std::string>
readChains(mlir::Operation *root, const target::ChipSpec &chip) {
  return withMessage(execution::readChains(root, chip, mixingKernels()));
}

std::optional<std::string>
simulateAllOrders(const std::vector<GroupModel> &chain,
                  const target::ChipSpec &chip, const ChainReference &reference,
                  KernelCache &cache) {
  auto fault = execution::simulateAllOrders(chain, {chip, mixingKernels()},
                                            reference, cache);
  return fault ? std::optional(std::move(fault->message)) : std::nullopt;
}

} // namespace tpu_mlir::exec
