//===- Gemm.cpp - Multiply matrices in blocks -----------------------------===//
//
// Packs panels so that the inner loop vectorises; each sum keeps its order, so
// results do not depend on the blocking.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

namespace tpu_mlir::execution {

namespace {

/// Four numbers, or eight, that one instruction adds.
template <int kBytes>
using Vector [[gnu::vector_size(kBytes), gnu::aligned(4)]] = float;

/// `Rows` rows of a panel, in kPanel / lanes vectors each. Products and sums
/// are vectors of statements of their own, so that no two become one that
/// rounds once.
template <typename Lanes, int kRows>
[[gnu::always_inline]] inline void
multiplyRows(int64_t depth, const float *a, int64_t lda, const float *b,
             float *c, int64_t ldc, bool resume) {
  constexpr int kLanes = sizeof(Lanes) / sizeof(float);
  constexpr int kVectors = kPanel / kLanes;
  Lanes sums[kRows][kVectors] = {};
  if (resume)
    for (int i = 0; i < kRows; ++i)
      std::memcpy(&sums[i], c + i * ldc, sizeof(sums[i]));
  for (int64_t k = 0; k < depth; ++k, b += kPanel)
    for (int v = 0; v < kVectors; ++v) {
      Lanes right;
      std::memcpy(&right, b + v * kLanes, sizeof(right));
      for (int i = 0; i < kRows; ++i)
        sums[i][v] += a[i * lda + k] * right;
    }
  for (int i = 0; i < kRows; ++i)
    std::memcpy(c + i * ldc, &sums[i], sizeof(sums[i]));
}

template <typename Lanes>
[[gnu::always_inline]] inline void
multiplyAny(int64_t rows, int64_t depth, const float *a, int64_t lda,
            const float *b, float *c, int64_t ldc, bool resume) {
  switch (rows) {
  case 1:
    return multiplyRows<Lanes, 1>(depth, a, lda, b, c, ldc, resume);
  case 2:
    return multiplyRows<Lanes, 2>(depth, a, lda, b, c, ldc, resume);
  case 3:
    return multiplyRows<Lanes, 3>(depth, a, lda, b, c, ldc, resume);
  default:
    return multiplyRows<Lanes, 4>(depth, a, lda, b, c, ldc, resume);
  }
}

} // namespace

static void multiplyNarrow(int64_t rows, int64_t depth, const float *a,
                           int64_t lda, const float *b, float *c, int64_t ldc,
                           bool resume) {
  // Sixteen registers do not hold four rows of sixteen and what they meet.
  for (int64_t row = 0; row < rows; row += 2)
    multiplyAny<Vector<16>>(std::min<int64_t>(2, rows - row), depth,
                            a + row * lda, lda, b, c + row * ldc, ldc, resume);
}

#if defined(__x86_64__)
[[gnu::target("avx")]] static void multiplyWide(int64_t rows, int64_t depth,
                                                const float *a, int64_t lda,
                                                const float *b, float *c,
                                                int64_t ldc, bool resume) {
  multiplyAny<Vector<32>>(rows, depth, a, lda, b, c, ldc, resume);
}
#endif

Micro chooseMicro() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx"))
    return multiplyWide;
#endif
  return multiplyNarrow;
}

} // namespace tpu_mlir::execution
