//===- AttentionTest.cpp - Numbers of the formulas, worked out apart ------===//

#include "tpu_mlir/Execution/Attention.h"

#include "Tensors.h"

#include <cmath>

using namespace tpu_mlir::execution;

namespace {

Attention sizes(int64_t batch, int64_t queryHeads, int64_t keyHeads,
                int64_t depth, int64_t queries, int64_t keys, double scale) {
  Attention how;
  how.batch = batch, how.queryHeads = queryHeads, how.keyHeads = keyHeads;
  how.depth = depth, how.queries = queries, how.keys = keys, how.scale = scale;
  return how;
}

TEST(AttentionTest, HeadsThatShareKeys) {
  // Scores: 0.5 and -1.5 of head 0, 1 and 2 of head 1.
  const Tensor queries = tensorOf({1, 1, 2, 2}, {1, 0, 0, 2});
  const Tensor keys = tensorOf({1, 2, 1, 2}, {1, 1, -1, 3});
  const Tensor values = tensorOf({1, 2, 1, 2}, {10, 20, 30, -40});
  const Tensor mask = tensorOf({1, 2}, {0, -1});
  Tensor result = makeTensor(ElementType::F32, {1, 1, 4});
  const TensorView maskView = mask.view();
  expectOk(attend(sizes(1, 2, 1, 2, 1, 2, 0.5), queries.view(), keys.view(),
                  values.view(), &maskView, result.span(), 1));
  expectNear(result.view(), {12.3840584, 12.8478247, 24.6211716, -23.8635147},
             1e-6);
}

TEST(AttentionTest, OneKeyGivesItsValue) {
  const Tensor queries = randomTensor(ElementType::BF16, {2, 3, 1, 4}, 1);
  const Tensor keys = randomTensor(ElementType::BF16, {2, 1, 1, 4}, 2);
  const Tensor values = randomTensor(ElementType::BF16, {2, 1, 1, 4}, 3);
  Tensor result = makeTensor(ElementType::BF16, {2, 3, 1, 4});
  expectOk(attend(sizes(2, 1, 1, 4, 3, 1, 1), queries.view(), keys.view(),
                  values.view(), nullptr, result.span(), 1));
  const std::vector<float> want = floatsOf(values.view()),
                           have = floatsOf(result.view());
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(have[i], want[i / 12 * 4 + i % 4]) << i;
}

TEST(AttentionTest, MasksOfEachImage) {
  const Tensor queries = tensorOf({2, 1, 1, 1}, {0, 0});
  const Tensor keys = tensorOf({2, 2, 1, 1}, {0, 0, 0, 0});
  const Tensor values = tensorOf({2, 2, 1, 1}, {1, 2, 3, 4});
  const Tensor mask = tensorOf({2, 1, 2}, {0, -INFINITY, -INFINITY, 0});
  Tensor result = makeTensor(ElementType::F32, {2, 1, 1, 1});
  const TensorView maskView = mask.view();
  expectOk(attend(sizes(2, 1, 1, 1, 1, 2, 1), queries.view(), keys.view(),
                  values.view(), &maskView, result.span(), 2));
  expectNear(result.view(), {1, 4}, 0);
}

TEST(AttentionTest, SameBitsForAnyThreads) {
  const Tensor queries = randomTensor(ElementType::F16, {1, 150, 4, 8}, 1);
  const Tensor keys = randomTensor(ElementType::F16, {1, 77, 2, 8}, 2);
  const Tensor values = randomTensor(ElementType::F16, {1, 77, 2, 8}, 3);
  Tensor one = makeTensor(ElementType::F32, {1, 150, 4, 8}), many = one;
  const Attention how = sizes(1, 4, 2, 8, 150, 77, 0.35);
  expectOk(attend(how, queries.view(), keys.view(), values.view(), nullptr,
                  one.span(), 1));
  expectOk(attend(how, queries.view(), keys.view(), values.view(), nullptr,
                  many.span(), 3));
  expectSameBytes(one.view(), many.view());
}

TEST(AttentionTest, SizesThatDoNotFit) {
  const Tensor four = randomTensor(ElementType::F32, {1, 1, 2, 2}, 1);
  Tensor result = makeTensor(ElementType::F32, {1, 1, 2, 2});
  for (const Attention &how :
       {sizes(1, 2, 1, 2, 1, 1, 1), sizes(1, 1, 2, 2, 2, 1, 1),
        sizes(1, 2, 2, 3, 1, 1, 1), sizes(1, 2, 0, 2, 1, 1, 1),
        sizes(-1, 2, 2, 2, -1, 1, 1),
        sizes(int64_t(1) << 62, int64_t(1) << 40, 1, 2, 1, 1, 1)})
    EXPECT_TRUE(attend(how, four.view(), four.view(), four.view(), nullptr,
                       result.span(), 1));
  const TensorView mask = four.view();
  EXPECT_TRUE(attend(sizes(1, 2, 2, 2, 1, 1, 1), four.view(), four.view(),
                     four.view(), &mask, result.span(), 1));
}

struct DeltaCase {
  Tensor queries = tensorOf({1, 2, 1, 2}, {1, 2, 0.5, -1});
  Tensor keys = tensorOf({1, 2, 1, 2}, {3, 4, 1, 0});
  Tensor values = tensorOf({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  Tensor decay = tensorOf({1, 2, 2}, {0, -1, -0.5, 0});
  Tensor beta = tensorOf({1, 2, 2}, {1, 0.5, 0.25, 1});
  Tensor state = tensorOf({1, 2, 2, 2}, {1, 0, 0, 1, 2, 1, 0, -1});
  Tensor result = makeTensor(ElementType::F32, {1, 2, 2, 2});

  Outcome run(DeltaRule how) {
    return deltaRule(how, queries.view(), keys.view(), values.view(),
                     decay.view(), beta.view(), state.view(), result.span(), 2);
  }
};

TEST(DeltaRuleTest, TwoPositionsOfTwoHeads) {
  DeltaCase plain;
  DeltaRule how;
  how.keyHeads = 1, how.valueHeads = 2, how.depth = 2, how.scale = 0.5;
  expectOk(plain.run(how));
  expectNear(plain.result.view(),
             {-10.5, -10.0, 2.5478687, 11.8277287, 2.1700001, 1.8155103,
              0.9572766, -2.1839397},
             1e-6);
  how.normalizes = true;
  expectOk(plain.run(how));
  expectNear(plain.result.view(),
             {0.4203807, 1.0375354, 0.7938394, 0.9197067, 0.3188393, -0.1230003,
              1.1075603, 1.2246706},
             1e-6);
}

TEST(DeltaRuleTest, SizesThatDoNotFit) {
  DeltaCase wrong;
  DeltaRule how;
  how.keyHeads = 1, how.valueHeads = 2, how.depth = 2;
  how.depth = 3;
  EXPECT_TRUE(wrong.run(how));
  how.depth = 2, how.keyHeads = 0;
  EXPECT_TRUE(wrong.run(how));
  how.keyHeads = 1;
  wrong.beta = tensorOf({1, 1, 2}, {1, 1});
  EXPECT_TRUE(wrong.run(how));
}

} // namespace
