//===- RecurrentTest.cpp - LSTM and GRU by hand ---------------------------===//
//
// Two steps of one number, computed from the formulas.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Recurrent.h"

#include "Tensors.h"

#include <cmath>

using namespace tpu_mlir::execution;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Two steps of one number; every gate has the same weights.
struct Numbers {
  Numbers(int64_t gates)
      : x(tensorOf({2, 1, 1}, {0.5f, -1})),
        w(tensorOf({1, gates, 1}, std::vector<float>(gates, 0.25f))),
        r(tensorOf({1, gates, 1}, std::vector<float>(gates, 0.75f))),
        b(tensorOf({1, 2 * gates}, std::vector<float>(2 * gates, 0.125f))),
        all(makeTensor(ElementType::F32, {2, 1, 1, 1})) {}
  Tensor x, w, r, b, all;
};

TEST(RecurrentTest, Lstm) {
  Numbers numbers(4);
  const TensorView x = numbers.x.view(), w = numbers.w.view(),
                   r = numbers.r.view(), b = numbers.b.view();
  const TensorSpan all = numbers.all.span();
  Tensor last = makeTensor(ElementType::F32, {1, 1, 1});
  const TensorSpan c = last.span();
  expectOk(runRecurrent({}, {&x, &w, &r, &b, nullptr, nullptr},
                        {&all, nullptr, &c}));
  double h = 0, cell = 0;
  std::vector<double> wanted;
  for (double in : {0.5, -1.0}) {
    const double sum = 0.25 * in + 0.75 * h + 0.25;
    cell = sigmoid(sum) * cell + sigmoid(sum) * std::tanh(sum);
    h = sigmoid(sum) * std::tanh(cell);
    wanted.push_back(h);
  }
  expectNear(numbers.all.view(), wanted, 1e-6);
  expectNear(last.view(), {cell}, 1e-6);
}

TEST(RecurrentTest, GruBothWays) {
  for (bool before : {false, true}) {
    Numbers numbers(3);
    const TensorView x = numbers.x.view(), w = numbers.w.view(),
                     r = numbers.r.view(), b = numbers.b.view();
    const TensorSpan all = numbers.all.span();
    Recurrent how{Recurrent::Kind::Gru};
    how.linearBeforeReset = before;
    expectOk(runRecurrent(how, {&x, &w, &r, &b, nullptr, nullptr},
                          {&all, nullptr, nullptr}));
    double h = 0;
    std::vector<double> wanted;
    for (double in : {0.5, -1.0}) {
      const double gate = sigmoid(0.25 * in + 0.75 * h + 0.25);
      const double state =
          before ? gate * (0.75 * h + 0.125) : 0.75 * gate * h + 0.125;
      h = (1 - gate) * std::tanh(0.25 * in + 0.125 + state) + gate * h;
      wanted.push_back(h);
    }
    expectNear(numbers.all.view(), wanted, 1e-6);
  }
}

TEST(RecurrentTest, ShapesThatDoNotFit) {
  Numbers numbers(3);
  const TensorView x = numbers.x.view(), w = numbers.w.view(),
                   r = numbers.r.view();
  const TensorSpan all = numbers.all.span();
  EXPECT_TRUE(runRecurrent({}, {&x, &w, &r, nullptr, nullptr, nullptr},
                           {&all, nullptr, nullptr}));
  EXPECT_TRUE(runRecurrent({}, {&x, nullptr, &r, nullptr, nullptr, nullptr},
                           {&all, nullptr, nullptr}));
}

} // namespace
