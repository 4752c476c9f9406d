//===- Mutations.h - Plans with one thing wrong -----------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_MUTATIONS_MUTATIONS_H
#define TPU_MLIR_TESTS_EXEC_MUTATIONS_MUTATIONS_H

#include "tests/exec/groups/Mixing.h"

#include "tpu_mlir/Target/ChipSpec.h"

#include <random>
#include <string>
#include <vector>

namespace tpu_mlir::exec {

/// One kind of change. `apply` changes the model at a place that `random`
/// chooses; false: there is no such place in this group. Most changes do harm,
/// some do not.
struct Mutation {
  const char *name;
  bool (*apply)(GroupModel &model, const target::ChipSpec &chip,
                std::mt19937 &random);
};

const std::vector<Mutation> &allMutations();

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_MUTATIONS_MUTATIONS_H
