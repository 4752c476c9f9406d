//===- Mixing.h - Groups executed with the mixing kernels -------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_GROUPS_MIXING_H
#define TPU_MLIR_TESTS_EXEC_GROUPS_MIXING_H

#include "tests/exec/groups/Reference.h"
#include "tests/exec/kernels/Kernels.h"

namespace tpu_mlir::exec {

// The functions of the same names with the kernels of Kernels.h; of a fault
// the message.
std::variant<GroupModel, std::string> readGroup(mlir::Operation *group,
                                                const target::ChipSpec &chip);
std::variant<std::vector<std::vector<GroupModel>>, std::string>
readChains(mlir::Operation *root, const target::ChipSpec &chip);
std::optional<std::string>
simulateAllOrders(const std::vector<GroupModel> &chain,
                  const target::ChipSpec &chip, const ChainReference &reference,
                  KernelCache &cache);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_GROUPS_MIXING_H
