//===- StorageForm.h - How elements lie at their address --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_STORAGEFORM_H
#define TPU_MLIR_LIB_INTERPRETER_STORAGEFORM_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tpu_mlir::interpreter {

/// Mostly one after the other. With slots element e of image n is in the bytes
///
///   ((n / images * imageElements + e) * images + n % images) * elementBytes
///
/// of a slot of `images` elements each; what no image fills is 0, and so is
/// what follows the elements.
struct StorageForm {
  int64_t bytes = 0;  ///< From the address on.
  int64_t images = 0; ///< That share slots; 0: there are none.
  int64_t elementBytes = 1, imageElements = 0;

  /// Where element `index` begins, from the address on.
  int64_t placeOf(int64_t index) const;
};

/// Of a value with elements that kernels know. `fourN`: the chip stores four
/// images side by side. nullopt: it has no static range of bytes.
std::optional<StorageForm> storageFormOf(mlir::Value value, bool fourN);

/// Elements one after the other as they are stored, and back; `elements` has
/// their bytes. O(bytes).
std::vector<uint8_t> toStorage(const StorageForm &form,
                               llvm::ArrayRef<uint8_t> elements);
std::vector<uint8_t> fromStorage(const StorageForm &form,
                                 llvm::ArrayRef<uint8_t> stored,
                                 int64_t elementBytes);

/// Where the part begins in the whole, which has its elements from `offset`
/// bytes on when they lie one after the other; nullopt unless each of the
/// `bytes` of the part's is found at its place. O(bytes).
std::optional<int64_t> offsetInForm(const StorageForm &whole,
                                    const StorageForm &part, int64_t offset,
                                    int64_t bytes);

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_STORAGEFORM_H
