//===- Npz.h - Arrays in files of numpy -------------------------*- C++ -*-===//
//
// An .npz is a zip of .npy files, one an array, stored or deflated; its entry
// "x.npy" is the array x.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_FILES_NPZ_H
#define TPU_MLIR_EXECUTION_FILES_NPZ_H

#include "tpu_mlir/Execution/Tensor.h"

#include <string_view>
#include <variant>

namespace tpu_mlir::execution {

/// Elements one after the other, the last dimension fastest, as `dtype` says in
/// numpy's words: "<f4", "|i1", "<u2".
struct NpyArray {
  std::string name;
  std::string dtype;
  Shape shape;
  std::vector<uint8_t> data;
};

/// What is wrong with a file: "entry 'x.npy' is cut off".
struct NpzError {
  std::string message;
};

/// The arrays of a file whose bytes are `file`, in its order. Takes what numpy
/// writes: plain numbers and bools of 1 to 8 bytes, those of big-endian
/// machines and in Fortran's order among them; checksums are checked. Errors:
/// no zip file, one that is cut off or damaged, other compressions, other kinds
/// of arrays. O(bytes).
std::variant<std::vector<NpyArray>, NpzError> readNpz(std::string_view file);

/// A file with these arrays, stored, the same bytes for the same arrays. Names
/// beyond ASCII are marked as UTF-8. Errors: it would be 4 GiB or more, a name
/// of more than 65,531 bytes. O(bytes).
std::variant<std::string, NpzError> writeNpz(llvm::ArrayRef<NpyArray> arrays);

/// numpy's name for an element type; bf16, which it does not know, is "<u2", as
/// the toolchain writes it, and 4 bits are bytes of their own.
const char *dtypeOf(ElementType type);
/// The array as a tensor of that type: its elements, when it has as many as the
/// type; numbers of another dtype are converted, to the nearest, saturated.
/// Error: a number of elements that does not fit.
std::variant<std::vector<uint8_t>, NpzError> bytesFor(const TensorType &type,
                                                      const NpyArray &array);
/// A tensor as an array.
NpyArray arrayOf(std::string name, const TensorView &tensor);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_FILES_NPZ_H
