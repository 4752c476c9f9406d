//===- Attention.h - Layers of sequences ------------------------*- C++ -*-===//
//
// Operands are read as f32, all that is in between is f32, and the result is
// rounded once to its type. Errors: sizes that do not fit each other.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_ATTENTION_H
#define TPU_MLIR_EXECUTION_ATTENTION_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

/// Sizes; tensors are these elements in order, whatever their shapes.
struct Attention {
  int64_t batch = 1;
  int64_t queryHeads = 1; ///< A multiple of `keyHeads`.
  int64_t keyHeads = 1;
  int64_t depth = 1;             ///< Of a head.
  int64_t queries = 1, keys = 1; ///< Positions.
  double scale = 1;
};

/// queries [batch, queries, queryHeads, depth], keys and values [batch, keys,
/// keyHeads, depth], mask null or [queries, keys] or [batch, queries, keys]:
///   s(j) = scale * (sum over d of q[d] * k(j)[d]) + mask(j)
///   p(j) = exp(s(j) - max s) / sum of exp(s - max s), that sum in f64
///   result[d] = sum over j of p(j) * v(j)[d]
/// of head h with keys and values of head h / (queryHeads / keyHeads). Sums go
/// over d and j upward, as those of matMul(). O(batch * queryHeads * queries *
/// keys * depth), memory for 64 rows of scores a thread; the same bits for any
/// number of threads.
Outcome attend(const Attention &how, const TensorView &queries,
               const TensorView &keys, const TensorView &values,
               const TensorView *mask, const TensorSpan &result,
               unsigned threads);

/// Linear attention whose state forgets and is corrected.
struct DeltaRule {
  int64_t keyHeads = 1;
  int64_t valueHeads = 1; ///< A multiple of `keyHeads`.
  int64_t depth = 1;      ///< Of a head.
  double scale = 1;       ///< Of queries.
  /// Queries and keys become x / sqrt(sum of x^2 + 1e-6) before that.
  bool normalizes = false;
};

/// queries and keys [batch, positions, keyHeads, depth], values [..,
/// valueHeads, depth], decay and beta [batch, positions, valueHeads], state S
/// [batch, valueHeads, depth (k), depth (v)]. Position after position:
///   S[k][v] *= exp(decay)
///   e[v] = (values[v] - sum over k of S[k][v] * key[k]) * beta
///   S[k][v] += key[k] * e[v]
///   result[v] = sum over k of S[k][v] * query[k]
/// The form by chunks that compilers know has the same result but for rounding,
/// and is computed so, too. The state that is left is not given back: no result
/// of the op has it. O(batch * positions * valueHeads * depth^2).
Outcome deltaRule(const DeltaRule &how, const TensorView &queries,
                  const TensorView &keys, const TensorView &values,
                  const TensorView &decay, const TensorView &beta,
                  const TensorView &state, const TensorSpan &result,
                  unsigned threads);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_ATTENTION_H
