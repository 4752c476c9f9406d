//===- RandomTasksTest.cpp - Kernels of every shape against oneDNN --------===//

#include "tests/OneDnn/RandomTasks.h"
#include "tests/Execution/Tensors.h"
#include "tests/OneDnn/Oracle.h"

#include <iostream>

namespace tpu_mlir::test {
namespace {

using namespace execution;

struct Kind {
  const char *name;
  Task (RandomTasks::*draw)();
  int64_t least; ///< Of kTasks, what oneDNN has to compute.
};

constexpr int64_t kTasks = 500;

class RandomTasksTest : public testing::TestWithParam<Kind> {};

TEST_P(RandomTasksTest, Agree) {
  RandomTasks tasks(1);
  Oracle oracle;
  for (int64_t i = 0; i < kTasks; ++i) {
    const Task task = (tasks.*GetParam().draw)();
    Tensor result({ElementType::F32, tasks.result, 1, 0});
    const Outcome own = compute(task, result.span(), 1);
    ASSERT_FALSE(own) << own->message;
    oracle.compute(task, result.span());
  }
  oracle.expectWithinTolerance();
  EXPECT_GE(oracle.tasks(), GetParam().least);
  std::cout << oracle.table();
}

/// Results begin wherever a float may; large ones are written past the caches.
TEST(OneDnnTest, WritesToEachAlignment) {
  const Tensor input = randomTensor(ElementType::F32, {1, 256, 20, 20}, 1);
  const UpsampleTask task = {input.view(), {1, 1, 2, 2}};
  Tensor own = makeTensor(ElementType::F32, {1, 256, 40, 40});
  expectOk(compute(task, own.span(), 1));
  const size_t bytes = own.view().bytes.size();
  std::vector<uint8_t> room(bytes + 192);
  const size_t line = 64 + -reinterpret_cast<uintptr_t>(room.data()) % 64;
  OneDnnExecutor oneDnn;
  for (size_t offset = 0; offset < 64; offset += sizeof(float)) {
    std::fill(room.begin(), room.end(), 0xa5);
    uint8_t *begin = room.data() + line + offset;
    ASSERT_TRUE(oneDnn.compute(task, {own.view().type, {begin, bytes}}));
    EXPECT_EQ(llvm::ArrayRef(begin, bytes), own.view().bytes) << offset;
    EXPECT_EQ(begin[-1], 0xa5);
    EXPECT_EQ(begin[bytes], 0xa5);
  }
}

/// One product left out of thousands.
TEST(OracleTest, SeesOneTerm) {
  const int64_t depth = 10000;
  Tensor left = randomTensor(ElementType::F32, {3, depth}, 1),
         right = randomTensor(ElementType::F32, {depth, 2}, 2),
         own = makeTensor(ElementType::F32, {3, 2}),
         other = makeTensor(ElementType::F32, {3, 2});
  const MatMulTask task = {{}, left.view(), right.view(), std::nullopt};
  expectOk(compute(task, own.span(), 1));
  left.span().bytes[3] = 0, left.span().bytes[2] = 0;
  expectOk(compute(task, other.span(), 1));
  EXPECT_GT(errorOf(task, own.view(), other.view()),
            5 * familyOf(task).tolerance);
  EXPECT_EQ(errorOf(task, own.view(), own.view()), 0);
}

TEST(OracleTest, SeesWhatIsNoNumber) {
  const Tensor input = tensorOf({2}, {1, 2}), nan = tensorOf({2}, {NAN, 2});
  const SoftmaxTask softmax = {input.view(), 0, 1, false};
  EXPECT_EQ(errorOf(softmax, input.view(), nan.view()), INFINITY);
  EXPECT_EQ(errorOf(softmax, nan.view(), nan.view()), 0);
  const ClipTask exact = {input.view(), 0, 1};
  EXPECT_EQ(errorOf(exact, input.view(), tensorOf({2}, {1, 3}).view()),
            INFINITY);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RandomTasksTest,
    testing::Values(Kind{"convolution", &RandomTasks::convolution, kTasks},
                    Kind{"deconvolution", &RandomTasks::deconvolution, kTasks},
                    Kind{"matrices", &RandomTasks::matrices, 420},
                    Kind{"pooling", &RandomTasks::pooling, kTasks},
                    Kind{"softmax", &RandomTasks::softmax, kTasks},
                    Kind{"layerNorm", &RandomTasks::layerNorm, kTasks},
                    Kind{"groupNorm", &RandomTasks::groupNorm, kTasks},
                    Kind{"scale", &RandomTasks::scale, 460},
                    Kind{"reduction", &RandomTasks::reduction, 460},
                    Kind{"combination", &RandomTasks::combination, 480},
                    Kind{"constant", &RandomTasks::constant, kTasks},
                    Kind{"function", &RandomTasks::function, 240},
                    Kind{"clip", &RandomTasks::clip, kTasks},
                    Kind{"leakyRelu", &RandomTasks::leakyRelu, kTasks},
                    Kind{"prelu", &RandomTasks::prelu, kTasks},
                    Kind{"permute", &RandomTasks::permute, kTasks},
                    Kind{"concat", &RandomTasks::concat, kTasks},
                    Kind{"upsample", &RandomTasks::upsample, kTasks},
                    Kind{"interpolation", &RandomTasks::interpolation, 200}),
    [](const auto &kind) { return std::string(kind.param.name); });

} // namespace
} // namespace tpu_mlir::test
