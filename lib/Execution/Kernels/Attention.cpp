//===- Attention.cpp - Compute attention and gated delta rules ------------===//
//
// Row by row, with fixed orders of summation, so that neither threads nor
// partitions change a bit.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Attention.h"

#include "Epilogue.h"
#include "Gemm.h"
#include "tpu_mlir/Support/Bytes.h"

#include <cmath>

namespace tpu_mlir::execution {

/// Queries of one head that are computed at a time.
static constexpr int64_t kBlock = 64;

namespace {

struct Operands {
  std::vector<float> queries, keys, values, mask;
  int64_t maskStep = 0; ///< From one batch's to the next.
};

} // namespace

/// The product of sizes, none of which is below 1; nullopt otherwise.
static std::optional<int64_t> sizeOf(std::initializer_list<int64_t> sizes) {
  std::optional<int64_t> product = 1;
  for (int64_t size : sizes)
    product = product && size > 0 ? checkedMul(*product, size) : std::nullopt;
  return product;
}

static Outcome checkCount(const char *what, const TensorView &view,
                          std::optional<int64_t> wanted) {
  if (wanted && view.elements() == *wanted)
    return std::nullopt;
  return KernelError{std::string(what) + " " + describe(view.type.shape) +
                     " do not fit the heads"};
}

/// exp(s - max s) / their sum, in place.
static void normalize(float *scores, int64_t count) {
  const float most = *std::max_element(scores, scores + count);
  double sum = 0;
  for (int64_t j = 0; j < count; ++j) {
    scores[j] = std::exp(scores[j] - most);
    sum += scores[j];
  }
  for (int64_t j = 0; j < count; ++j)
    scores[j] = static_cast<float>(scores[j] / sum);
}

/// Queries [first, last) of one head; `out` begins with the batch.
static void attendRows(const Attention &how, const Operands &operands,
                       int64_t batch, int64_t head, int64_t first, int64_t last,
                       float *out) {
  const int64_t rows = last - first, depth = how.depth;
  const int64_t queryStep = how.queryHeads * depth,
                keyStep = how.keyHeads * depth;
  const int64_t shared = head / (how.queryHeads / how.keyHeads) * depth;
  const float *keys =
      operands.keys.data() + batch * how.keys * keyStep + shared;
  const float *values =
      operands.values.data() + batch * how.keys * keyStep + shared;
  const float *queries = operands.queries.data() +
                         (batch * how.queries + first) * queryStep +
                         head * depth;
  std::vector<float> scores(rows * how.keys), mixed(rows * depth);
  multiply(rows, how.keys, depth, queries, queryStep, scores.data(), how.keys,
           [&](int64_t begin, int64_t end, int64_t column, int64_t width,
               float *to) {
             for (int64_t k = begin; k < end; ++k, to += kPanel)
               for (int64_t j = 0; j < width; ++j)
                 to[j] = keys[(column + j) * keyStep + k];
           });
  for (int64_t i = 0; i < rows; ++i) {
    float *row = scores.data() + i * how.keys;
    for (int64_t j = 0; j < how.keys; ++j)
      row[j] = static_cast<float>(row[j] * static_cast<float>(how.scale));
    if (!operands.mask.empty()) {
      const float *mask = operands.mask.data() + batch * operands.maskStep +
                          (first + i) * how.keys;
      for (int64_t j = 0; j < how.keys; ++j)
        row[j] += mask[j];
    }
    normalize(row, how.keys);
  }
  multiply(rows, depth, how.keys, scores.data(), how.keys, mixed.data(), depth,
           [&](int64_t begin, int64_t end, int64_t column, int64_t width,
               float *to) {
             for (int64_t k = begin; k < end; ++k, to += kPanel)
               std::memcpy(to, values + k * keyStep + column,
                           width * sizeof(float));
           });
  for (int64_t i = 0; i < rows; ++i)
    std::copy_n(mixed.data() + i * depth, depth,
                out + (first + i) * queryStep + head * depth);
}

static Outcome checkAttention(const Attention &how, const TensorView &queries,
                              const TensorView &keys, const TensorView &values,
                              const TensorView *mask,
                              const TensorSpan &result) {
  if (Outcome error = checkSameCount(queries, result))
    return error;
  if (Outcome error = check({keys, values}, {}))
    return error;
  if (how.keyHeads < 1 || how.queryHeads % how.keyHeads != 0)
    return KernelError{std::to_string(how.queryHeads) +
                       " heads of queries do not share " +
                       std::to_string(how.keyHeads) + " of keys"};
  if (Outcome error = checkCount(
          "queries", queries,
          sizeOf({how.batch, how.queries, how.queryHeads, how.depth})))
    return error;
  const auto wanted = sizeOf({how.batch, how.keys, how.keyHeads, how.depth});
  if (Outcome error = checkCount("keys", keys, wanted))
    return error;
  if (Outcome error = checkCount("values", values, wanted))
    return error;
  if (!mask)
    return std::nullopt;
  if (Outcome error = check({*mask}, {}))
    return error;
  const auto one = sizeOf({how.queries, how.keys});
  return one == mask->elements()
             ? std::nullopt
             : checkCount("masks", *mask,
                          sizeOf({how.batch, how.queries, how.keys}));
}

Outcome attend(const Attention &how, const TensorView &queries,
               const TensorView &keys, const TensorView &values,
               const TensorView *mask, const TensorSpan &result,
               unsigned threads) {
  if (Outcome error = checkAttention(how, queries, keys, values, mask, result))
    return error;
  Operands operands{floatsOf(queries), floatsOf(keys), floatsOf(values), {}, 0};
  if (mask) {
    operands.mask = floatsOf(*mask);
    const int64_t one = how.queries * how.keys;
    operands.maskStep = mask->elements() == one ? 0 : one;
  }
  std::vector<float> out(result.elements());
  const int64_t blocks = ceilDiv(how.queries, kBlock);
  parallelFor(how.batch * how.queryHeads * blocks, threads, [&](int64_t task) {
    const int64_t first = task % blocks * kBlock, rest = task / blocks;
    const int64_t batch = rest / how.queryHeads;
    attendRows(how, operands, batch, rest % how.queryHeads, first,
               std::min(first + kBlock, how.queries),
               out.data() + batch * how.queries * how.queryHeads * how.depth);
  });
  store(out, result);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The delta rule
//===----------------------------------------------------------------------===//

namespace {

struct Sequence {
  int64_t batch = 1, positions = 1;
  std::vector<float> queries, keys, values, decay, beta, state;
};

} // namespace

/// x / sqrt(sum of x^2 + 1e-6), or x, times `factor`.
static std::vector<float> prepared(const float *from, const DeltaRule &how,
                                   double factor) {
  std::vector<float> row(from, from + how.depth);
  double squares = 0;
  for (float x : row)
    squares += static_cast<double>(x) * x;
  const float by = static_cast<float>(
      how.normalizes ? factor / std::sqrt(squares + 1e-6) : factor);
  for (float &x : row)
    x *= by;
  return row;
}

static void addRow(std::vector<float> &to, const float *row, float factor) {
  for (size_t v = 0; v < to.size(); ++v)
    to[v] += row[v] * factor;
}

/// One position of one head: `state` becomes the next one.
static void step(const DeltaRule &how, const std::vector<float> &query,
                 const std::vector<float> &key, const float *value, float decay,
                 float beta, float *state, float *out) {
  const int64_t depth = how.depth;
  const float kept = std::exp(decay);
  std::vector<float> seen(depth, 0), mixed(depth, 0);
  for (int64_t k = 0; k < depth; ++k) {
    float *row = state + k * depth;
    for (int64_t v = 0; v < depth; ++v)
      row[v] *= kept;
    addRow(seen, row, key[k]);
  }
  for (int64_t v = 0; v < depth; ++v)
    seen[v] = (value[v] - seen[v]) * beta;
  for (int64_t k = 0; k < depth; ++k) {
    float *row = state + k * depth;
    for (int64_t v = 0; v < depth; ++v)
      row[v] += key[k] * seen[v];
    addRow(mixed, row, query[k]);
  }
  std::copy(mixed.begin(), mixed.end(), out);
}

static void runHead(const DeltaRule &how, const Sequence &sequence,
                    int64_t batch, int64_t head, float *out) {
  const int64_t depth = how.depth;
  const float *first =
      sequence.state.data() + (batch * how.valueHeads + head) * depth * depth;
  std::vector<float> state(first, first + depth * depth);
  const int64_t shared = head / (how.valueHeads / how.keyHeads);
  for (int64_t i = 0; i < sequence.positions; ++i) {
    const int64_t position = batch * sequence.positions + i;
    const int64_t from = (position * how.keyHeads + shared) * depth;
    const int64_t own = position * how.valueHeads + head;
    step(how, prepared(sequence.queries.data() + from, how, how.scale),
         prepared(sequence.keys.data() + from, how, 1),
         sequence.values.data() + own * depth, sequence.decay[own],
         sequence.beta[own], state.data(), out + own * depth);
  }
}

static Outcome readSequence(const DeltaRule &how, const TensorView &queries,
                            const TensorView &keys, const TensorView &values,
                            const TensorView &decay, const TensorView &beta,
                            const TensorView &state, const TensorSpan &result,
                            Sequence &sequence) {
  if (Outcome error = checkSameCount(values, result))
    return error;
  if (Outcome error = check({queries, keys, decay, beta, state}, {}))
    return error;
  const auto one = sizeOf({how.valueHeads, how.depth, how.depth});
  const auto row = sizeOf({how.keyHeads, how.depth});
  if (!one || !row || how.valueHeads % how.keyHeads != 0 ||
      state.elements() == 0 || state.elements() % *one != 0)
    return KernelError{"the state " + describe(state.type.shape) +
                       " does not fit the heads"};
  sequence.batch = state.elements() / *one;
  sequence.positions = queries.elements() / *row / sequence.batch;
  const auto rows = sizeOf({sequence.batch, sequence.positions});
  for (const TensorView *view : {&queries, &keys})
    if (Outcome error = checkCount("queries or keys", *view,
                                   rows ? checkedMul(*rows, *row) : rows))
      return error;
  const auto marks = rows ? checkedMul(*rows, how.valueHeads) : rows;
  for (const TensorView *view : {&decay, &beta})
    if (Outcome error = checkCount("decays or betas", *view, marks))
      return error;
  return checkCount("values", values,
                    marks ? checkedMul(*marks, how.depth) : marks);
}

Outcome deltaRule(const DeltaRule &how, const TensorView &queries,
                  const TensorView &keys, const TensorView &values,
                  const TensorView &decay, const TensorView &beta,
                  const TensorView &state, const TensorSpan &result,
                  unsigned threads) {
  Sequence sequence;
  if (Outcome error = readSequence(how, queries, keys, values, decay, beta,
                                   state, result, sequence))
    return error;
  sequence.queries = floatsOf(queries), sequence.keys = floatsOf(keys);
  sequence.values = floatsOf(values), sequence.decay = floatsOf(decay);
  sequence.beta = floatsOf(beta), sequence.state = floatsOf(state);
  std::vector<float> out(result.elements());
  parallelFor(sequence.batch * how.valueHeads, threads, [&](int64_t task) {
    runHead(how, sequence, task / how.valueHeads, task % how.valueHeads,
            out.data());
  });
  store(out, result);
  return std::nullopt;
}

} // namespace tpu_mlir::execution
