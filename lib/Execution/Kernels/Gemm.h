//===- Gemm.h - The product that convolution and MatMul share ---*- C++ -*-===//
//
// c[i][j] = sum over k of a[i][k] * b[k][j], a row of c a row of a.
//
// Every element of c is one sum over k upward that begins at 0, one product and
// one addition a term, each rounded: no way to cut rows, columns or k, no
// number of threads and no width of vectors changes a bit of it.
//
// Columns are cut into panels. A panel of b is packed into a block that stays
// in the first cache, k by k; four rows of c stay in registers meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_EXECUTION_KERNELS_GEMM_H
#define TPU_MLIR_LIB_EXECUTION_KERNELS_GEMM_H

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tpu_mlir::execution {

/// Columns of a panel.
inline constexpr int64_t kPanel = 16;
/// Terms of a sum that are packed at a time.
inline constexpr int64_t kDepth = 256;

/// rows x kPanel elements of c, of which `a` has `depth` terms; begins at 0 or,
/// with `resume`, at what is in c.
using Micro = void (*)(int64_t rows, int64_t depth, const float *a, int64_t lda,
                       const float *b, float *c, int64_t ldc, bool resume);
/// The fastest for this processor; all of them compute the same bits.
Micro chooseMicro();

/// Columns [0, columns) of c. `pack(first, last, column, width, to)` writes
/// to[(k - first) * kPanel + j] = b[k][column + j] for k in [first, last) and j
/// in [0, width); the rest of a row is 0 already.
template <typename Pack>
void multiply(int64_t rows, int64_t columns, int64_t depth, const float *a,
              int64_t lda, float *c, int64_t ldc, const Pack &pack) {
  static const Micro micro = chooseMicro();
  alignas(64) float block[kDepth * kPanel];
  alignas(64) float edge[4 * kPanel];
  for (int64_t column = 0; column < columns; column += kPanel) {
    const int64_t width = std::min(kPanel, columns - column);
    if (depth == 0)
      for (int64_t i = 0; i < rows; ++i)
        std::fill_n(c + i * ldc + column, width, 0.0f);
    for (int64_t first = 0; first < depth; first += kDepth) {
      const int64_t last = std::min(depth, first + kDepth);
      if (width < kPanel)
        std::fill_n(block, kDepth * kPanel, 0.0f);
      pack(first, last, column, width, block);
      for (int64_t row = 0; row < rows; row += 4) {
        const int64_t height = std::min<int64_t>(4, rows - row);
        const float *terms = a + row * lda + first;
        float *place = c + row * ldc + column;
        if (width == kPanel) {
          micro(height, last - first, terms, lda, block, place, ldc, first > 0);
          continue;
        }
        for (int64_t i = 0; i < height; ++i)
          std::memcpy(edge + i * kPanel, place + i * ldc, width * 4);
        micro(height, last - first, terms, lda, block, edge, kPanel, first > 0);
        for (int64_t i = 0; i < height; ++i)
          std::memcpy(place + i * ldc, edge + i * kPanel, width * 4);
      }
    }
  }
}

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_LIB_EXECUTION_KERNELS_GEMM_H
