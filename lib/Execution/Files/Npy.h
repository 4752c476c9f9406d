//===- Npy.h - The header of an array ---------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_EXECUTION_FILES_NPY_H
#define TPU_MLIR_LIB_EXECUTION_FILES_NPY_H

#include "tpu_mlir/Execution/Files/Npz.h"

#include "llvm/ADT/StringRef.h"

namespace tpu_mlir::execution {

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

/// What stands in front of an array's elements: of a length that is a multiple
/// of 64.
std::string npyHeader(std::string_view dtype, llvm::ArrayRef<int64_t> shape);

/// Error: the name is longer than the 65,531 bytes that an entry has for it.
std::optional<NpzError> checkName(llvm::StringRef name);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_LIB_EXECUTION_FILES_NPY_H
