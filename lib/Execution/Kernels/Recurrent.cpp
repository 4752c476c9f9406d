//===- Recurrent.cpp - Compute LSTM and GRU -------------------------------===//
//
// Step by step in f32, forwards and backwards, with the state between steps.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Recurrent.h"

#include "Epilogue.h"

#include <cmath>

namespace tpu_mlir::execution {

namespace {

using Numbers = std::vector<float>;

/// All numbers of a call, and where they are.
class Run {
public:
  Run(const Recurrent &how, const RecurrentOperands &operands,
      const RecurrentResults &results)
      : how(how), operands(operands), results(results),
        gates(how.kind == Recurrent::Kind::Lstm ? 4 : 3),
        directions(how.isBidirectional ? 2 : 1) {}

  Outcome run();

private:
  Outcome checkShapes();
  void runDirection(int64_t direction);
  void runStep(int64_t direction, int64_t step, int64_t row, float *h,
               float *c);
  void readGates(int64_t direction, const float *x, const float *h);
  void stepLstm(float *h, float *c);
  void stepGru(int64_t direction, float *h);
  float product(const float *row, const float *values, int64_t count) const;
  void give(const TensorSpan *to, const Numbers &state) const;

  const Recurrent &how;
  const RecurrentOperands &operands;
  const RecurrentResults &results;
  int64_t gates, directions, steps = 0, batch = 0, inputs = 0;
  Numbers x, w, r, b, states, cells, all;
  /// Of one step and batch: x W + Wb and h R + Rb of each gate.
  Numbers ofInput, ofState;
};

} // namespace

static float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

Outcome Run::checkShapes() {
  if (!operands.input || !operands.weights || !operands.states ||
      operands.input->rank() != 3 || how.hidden < 1 || how.hidden > 1 << 20)
    return KernelError{"an operand is missing, or makes no sense"};
  steps = operands.input->dim(how.batchFirst ? 1 : 0);
  batch = operands.input->dim(how.batchFirst ? 0 : 1);
  inputs = operands.input->dim(2);
  const int64_t state = directions * batch * how.hidden,
                rows = directions * gates * how.hidden;
  auto has = [](const auto *tensor, int64_t count) {
    return !tensor || tensor->elements() == count;
  };
  if (has(operands.weights, rows * inputs) &&
      has(operands.states, rows * how.hidden) && has(operands.bias, 2 * rows) &&
      has(operands.h, state) && has(operands.c, state) &&
      has(results.h, state) && has(results.c, state) &&
      has(results.all, steps * state))
    return std::nullopt;
  return KernelError{"the operands do not fit the input " +
                     describe(operands.input->type.shape)};
}

float Run::product(const float *row, const float *values, int64_t count) const {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += row[i] * values[i];
  return sum;
}

void Run::readGates(int64_t direction, const float *in, const float *h) {
  const int64_t rows = gates * how.hidden;
  const float *bias = b.empty() ? nullptr : b.data() + direction * 2 * rows;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t at = direction * rows + row;
    ofInput[row] =
        product(w.data() + at * inputs, in, inputs) + (bias ? bias[row] : 0);
    ofState[row] = product(r.data() + at * how.hidden, h, how.hidden) +
                   (bias ? bias[rows + row] : 0);
  }
}

void Run::stepLstm(float *h, float *c) {
  const int64_t n = how.hidden;
  for (int64_t i = 0; i < n; ++i) {
    auto gate = [&](int64_t index) {
      return ofInput[index * n + i] + ofState[index * n + i];
    };
    c[i] = sigmoid(gate(2)) * c[i] + sigmoid(gate(0)) * std::tanh(gate(3));
    h[i] = sigmoid(gate(1)) * std::tanh(c[i]);
  }
}

void Run::stepGru(int64_t direction, float *h) {
  const int64_t n = how.hidden, rows = gates * n;
  Numbers reset(n), next(n);
  for (int64_t i = 0; i < n; ++i)
    reset[i] = sigmoid(ofInput[n + i] + ofState[n + i]);
  Numbers kept(n);
  for (int64_t i = 0; i < n; ++i)
    kept[i] = reset[i] * h[i];
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = 2 * n + i;
    float state = reset[i] * ofState[row];
    if (!how.linearBeforeReset)
      state = product(r.data() + (direction * rows + row) * n, kept.data(), n) +
              (b.empty() ? 0 : b[direction * 2 * rows + rows + row]);
    const float z = sigmoid(ofInput[i] + ofState[i]);
    next[i] = (1 - z) * std::tanh(ofInput[row] + state) + z * h[i];
  }
  std::copy(next.begin(), next.end(), h);
}

void Run::runStep(int64_t direction, int64_t step, int64_t row, float *h,
                  float *c) {
  const int64_t place =
      how.batchFirst ? row * steps + step : step * batch + row;
  readGates(direction, x.data() + place * inputs, h);
  how.kind == Recurrent::Kind::Lstm ? stepLstm(h, c) : stepGru(direction, h);
  const int64_t to = how.batchFirst
                         ? (row * steps + step) * directions + direction
                         : (step * directions + direction) * batch + row;
  std::copy_n(h, how.hidden, all.data() + to * how.hidden);
}

void Run::runDirection(int64_t direction) {
  for (int64_t row = 0; row < batch; ++row) {
    const int64_t place =
        how.batchFirst ? row * directions + direction : direction * batch + row;
    float *h = states.data() + place * how.hidden,
          *c = cells.data() + place * how.hidden;
    for (int64_t i = 0; i < steps; ++i)
      runStep(direction, direction == 0 ? i : steps - 1 - i, row, h, c);
  }
}

void Run::give(const TensorSpan *to, const Numbers &state) const {
  if (to)
    store(state, *to);
}

Outcome Run::run() {
  if (Outcome error = checkShapes())
    return error;
  auto read = [](const TensorView *view, int64_t count) {
    return view ? numbersOf(*view) : Numbers(count);
  };
  const int64_t state = directions * batch * how.hidden;
  x = numbersOf(*operands.input);
  w = numbersOf(*operands.weights);
  r = numbersOf(*operands.states);
  b = read(operands.bias, 0);
  states = read(operands.h, state);
  cells = read(operands.c, state);
  all.resize(steps * state);
  ofInput.resize(gates * how.hidden);
  ofState.resize(gates * how.hidden);
  for (int64_t direction = 0; direction < directions; ++direction)
    runDirection(direction);
  give(results.all, all);
  give(results.h, states);
  give(results.c, cells);
  return std::nullopt;
}

Outcome runRecurrent(const Recurrent &how, const RecurrentOperands &operands,
                     const RecurrentResults &results) {
  return Run(how, operands, results).run();
}

} // namespace tpu_mlir::execution
