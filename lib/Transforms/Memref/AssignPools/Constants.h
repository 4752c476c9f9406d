//===- Constants.h - Constant globals for read-only pools -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CONSTANTS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CONSTANTS_H

#include "lib/Transforms/Memref/AssignPools/CallTree.h"
#include "lib/Transforms/Memref/AssignPools/FunctionFacts.h"

#include <string>

namespace tpu_mlir::pools {

/// One piece of read-only storage: globals that have the same bytes.
struct ConstantBytes {
  std::string bytes;
  int64_t alignment = 1;
  std::vector<mlir::memref::GlobalOp> globals;
  /// In functions that get pools.
  std::vector<mlir::memref::GetGlobalOp> uses;
  int64_t accesses = 0;
  /// Where the functions run that read it.
  Accessors readers;
};

/// What a memref of this type contains with these contents, as the lowering to
/// LLVM lays it out, little-endian. nullopt for elements that are no integers,
/// index or floats, and for contents that are not at hand.
std::optional<std::string> bytesOf(mlir::memref::GlobalOp global);

/// Constants that functions with `facts` read, in the order of the globals.
/// `runs`: how often each function runs. With `remarks` says of others why
/// they stay.
std::vector<ConstantBytes>
collectConstants(mlir::ModuleOp module, const AllFacts &facts,
                 const llvm::DenseMap<mlir::Operation *, int64_t> &runs,
                 bool remarks);

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CONSTANTS_H
