//===- Similarity.cpp - Compare two tensors by similarity -----------------===//
//
// Cosine and Euclidean similarity as the toolchain defines them, summed up in
// f64.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Similarity.h"

#include <cmath>

namespace tpu_mlir::execution {

static bool isSame(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

Similarity similarityOf(llvm::ArrayRef<float> a, llvm::ArrayRef<float> b) {
  constexpr double kFarthest = -1e300;
  double product = 0, left = 0, right = 0, difference = 0, sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
      if (!isSame(a[i], b[i]))
        return {kFarthest, kFarthest};
      continue;
    }
    const double x = a[i], y = b[i];
    product += x * y;
    left += x * x, right += y * y;
    difference += (x - y) * (x - y);
    sum += (x + y) * (x + y);
  }
  Similarity result;
  if (left > 0 || right > 0)
    result.cosine = left > 0 && right > 0
                        ? product / (std::sqrt(left) * std::sqrt(right))
                        : 0;
  result.euclidean = 1 - std::sqrt(difference) / (std::sqrt(sum) / 2 + 1e-7);
  return result;
}

} // namespace tpu_mlir::execution
