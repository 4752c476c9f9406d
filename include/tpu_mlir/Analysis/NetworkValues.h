//===- NetworkValues.h - What goes into and out of a network ----*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_NETWORKVALUES_H
#define TPU_MLIR_ANALYSIS_NETWORKVALUES_H

#include "tpu_mlir/Support/Interval.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tpu_mlir {

/// Inputs and outputs: the results of `top.Input`, the arguments and what is
/// returned, of functions that nobody calls. O(ops).
void visitNetworkValues(mlir::ModuleOp module,
                        llvm::function_ref<void(mlir::Value)> visit);

/// The region of inputs and outputs of a module whose I/O mode is 'io_reloc'
/// and that does not say (`module.io_addr`, `module.io_size`), as tpu-mlir
/// writes them: what its inputs and outputs take behind the neurons. nullopt:
/// the mode is another one, the module says it, or none of them is there.
/// O(ops).
std::optional<Interval> relocatedIo(mlir::ModuleOp module);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_NETWORKVALUES_H
