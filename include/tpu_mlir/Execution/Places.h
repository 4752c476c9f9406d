//===- Places.h - The elements of a shape, one by one -----------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_PLACES_H
#define TPU_MLIR_EXECUTION_PLACES_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace tpu_mlir::execution {

/// Hands `visit` for each of `count` elements of a shape, the last dimension
/// fastest, `first` and for each index its dimension's step. O(1) for each, as
/// a mean.
template <typename Visit>
void forEachPlace(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> steps,
                  int64_t first, int64_t count, Visit visit) {
  std::vector<int64_t> at(shape.size(), 0);
  int64_t place = first;
  for (int64_t i = 0; i < count; ++i) {
    visit(place);
    for (size_t dim = shape.size(); dim-- > 0;) {
      place += steps[dim];
      if (++at[dim] < shape[dim])
        break;
      place -= steps[dim] * shape[dim];
      at[dim] = 0;
    }
  }
}

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_PLACES_H
