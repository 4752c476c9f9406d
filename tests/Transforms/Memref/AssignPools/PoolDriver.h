//===- PoolDriver.h - Runs programs that are given their memory -*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_MEMREF_ASSIGNPOOLS_POOLDRIVER_H
#define TPU_MLIR_TESTS_TRANSFORMS_MEMREF_ASSIGNPOOLS_POOLDRIVER_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace tpu_mlir::jit {

/// Contents of read-only pools, by name.
using PoolImages = std::map<std::string, std::string>;

/// Puts a function of the old name and signature around every public function
/// that takes pools. It allocates each of them, exactly as large as it has to
/// be, on the heap of the harness, and frees it.
void allocatePools(mlir::ModuleOp module, const PoolImages &images = {});

/// Fills the internal pool of the module with a byte that says nothing, and
/// gives it a name that other modules do not have.
void poisonInternalPool(mlir::ModuleOp module, int8_t poison = -91);

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_TRANSFORMS_MEMREF_ASSIGNPOOLS_POOLDRIVER_H
