//===- PassRun.h - Passes under test ----------------------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_PASSRUN_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_PASSRUN_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tpu_mlir::jit {

/// Runs a textual pipeline, without its builtin.module(), and the verifier.
/// Empty, or what the passes had to say when they failed. Adds their remarks,
/// without locations, to `remarks`.
std::string runPasses(mlir::ModuleOp module, const std::string &pipeline,
                      std::vector<std::string> *remarks = nullptr);

/// Bytes of all allocations of static size in a function, each rounded up to a
/// multiple of `alignment`.
int64_t staticBytes(mlir::ModuleOp module, const std::string &function,
                    int64_t alignment);

/// The number of allocations in a function.
int64_t allocations(mlir::ModuleOp module, const std::string &function);

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_PASSRUN_H
