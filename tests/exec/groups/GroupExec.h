//===- GroupExec.h - Proves all layer groups of a module --------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_GROUPS_GROUPEXEC_H
#define TPU_MLIR_TESTS_EXEC_GROUPS_GROUPEXEC_H

#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace tpu_mlir::exec {

/// What was executed; for tests that want to be sure that something was.
struct ExecStats {
  int groups = 0;
  int items = 0;
  int64_t sections = 0;
};

/// Executes every `tpu.Group` of the module with made-up inputs and weights, in
/// three orders of the engines, and compares each result with whole-tensor
/// execution. The first error, with the group's number; nullopt: all are
/// right. Other ops are not executed.
std::optional<std::string> runGroups(mlir::ModuleOp module,
                                     const target::ChipSpec &chip,
                                     ExecStats *stats = nullptr);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_GROUPS_GROUPEXEC_H
