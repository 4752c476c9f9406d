//===- RandomTasks.h - Tasks of every shape ---------------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_ONEDNN_RANDOMTASKS_H
#define TPU_MLIR_TESTS_ONEDNN_RANDOMTASKS_H

#include "tpu_mlir/Execution/Task.h"

#include <list>
#include <random>

namespace tpu_mlir::test {

/// Tasks in F32 that kernels compute without an error, the same for the same
/// seed: odd sizes, and each attribute at each of its kinds of values.
class RandomTasks {
public:
  explicit RandomTasks(unsigned seed) : random(seed) {}

  /// Each gives up the tensors of the task before and says the result's shape.
  execution::Task convolution();
  execution::Task deconvolution();
  execution::Task matrices();
  execution::Task pooling();
  execution::Task softmax();
  execution::Task layerNorm();
  execution::Task groupNorm();
  execution::Task scale();
  execution::Task reduction();
  execution::Task combination();
  execution::Task constant();
  execution::Task function();
  execution::Task clip();
  execution::Task leakyRelu();
  execution::Task prelu();
  execution::Task permute();
  execution::Task concat();
  execution::Task upsample();
  execution::Task interpolation();

  execution::Shape result;

private:
  int64_t between(int64_t least, int64_t most);
  bool chance(int percent) { return between(1, 100) <= percent; }
  execution::Shape shapeOf(int64_t rank, int64_t most = 9);
  /// Numbers in [-size, size) + middle.
  execution::TensorView tensor(execution::Shape shape, float size = 1,
                               float middle = 0);
  /// Nothing, one number or `count` of them.
  execution::OptionalView coefficients(int64_t count);
  execution::FusedRelu relu();
  /// Some dimensions 1, some in front left out.
  execution::Shape narrowed(execution::Shape shape, size_t least);
  execution::Task convolution(bool isTransposed);
  bool drawWindow(execution::Convolution &how, bool isTransposed,
                  execution::Shape &in, execution::Shape &out);

  std::mt19937 random;
  std::list<execution::Tensor> tensors;
};

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_ONEDNN_RANDOMTASKS_H
