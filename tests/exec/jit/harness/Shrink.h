//===- Shrink.h - Smaller programs with the same fault ----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_SHRINK_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_SHRINK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace tpu_mlir::jit {

/// Leaves out ops of `module`, one at a time and with all inside, as long as
/// `wanted` holds for what is left; results of an op are replaced by an operand
/// of their type, if they are used. `wanted` gets modules that verify, and has
/// to see to it itself that the program still has one meaning. Stops when no op
/// can be left out; the number of trials is quadratic at worst.
mlir::OwningOpRef<mlir::ModuleOp>
shrink(mlir::ModuleOp module,
       const std::function<bool(mlir::ModuleOp)> &wanted);

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_SHRINK_H
