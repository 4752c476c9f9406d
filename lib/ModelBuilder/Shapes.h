//===- Shapes.h - Sizes of results ------------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_MODELBUILDER_SHAPES_H
#define TPU_MLIR_LIB_MODELBUILDER_SHAPES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>

namespace tpu_mlir::model_builder {

/// How many windows fit into `size` elements with `before` and `after` more at
/// its ends; what is left over at the end is not looked at.
inline int64_t windowCount(int64_t size, int64_t kernel, int64_t stride,
                           int64_t before, int64_t after) {
  return (size + before + after - kernel) / stride + 1;
}

/// Both shapes, aligned at the right; sizes are equal or one of them is 1.
inline llvm::SmallVector<int64_t, 5> broadcast(llvm::ArrayRef<int64_t> a,
                                               llvm::ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  llvm::SmallVector<int64_t, 5> result(a);
  for (size_t i = 1; i <= b.size(); ++i)
    result[a.size() - i] = std::max(a[a.size() - i], b[b.size() - i]);
  return result;
}

} // namespace tpu_mlir::model_builder

#endif // TPU_MLIR_LIB_MODELBUILDER_SHAPES_H
