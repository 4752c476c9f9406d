//===- Tensors.h - Tensors for tests of kernels -----------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXECUTION_TENSORS_H
#define TPU_MLIR_TESTS_EXECUTION_TENSORS_H

#include "tpu_mlir/Execution/Tensor.h"

#include "gtest/gtest.h"

#include <random>

namespace tpu_mlir::execution {

inline Tensor makeTensor(ElementType element, Shape shape) {
  return Tensor(TensorType{element, std::move(shape), 1, 0});
}

/// Floats in [-1, 1), integers in [-100, 100]; the same for the same seed.
inline Tensor randomTensor(ElementType element, Shape shape, unsigned seed) {
  Tensor tensor = makeTensor(element, std::move(shape));
  std::mt19937 random(seed);
  std::vector<float> values(tensor.view().elements());
  for (float &value : values)
    value = isFloat(element)
                ? static_cast<float>(random() % 65536) / 32768.0f - 1.0f
                : static_cast<float>(static_cast<int>(random() % 201) - 100);
  store(llvm::ArrayRef<float>(values), tensor.span());
  return tensor;
}

inline Tensor tensorOf(Shape shape, std::vector<float> values,
                       ElementType element = ElementType::F32) {
  Tensor tensor = makeTensor(element, std::move(shape));
  store(llvm::ArrayRef<float>(values), tensor.span());
  return tensor;
}

inline void expectNear(const TensorView &view, const std::vector<double> &want,
                       double relative) {
  std::vector<float> have = floatsOf(view);
  ASSERT_EQ(have.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(have[i], want[i], relative * (1 + std::abs(want[i]))) << i;
}

inline void expectSameBytes(const TensorView &one, const TensorView &other) {
  EXPECT_EQ(one.bytes.vec(), other.bytes.vec());
}

inline void expectOk(const Outcome &outcome) {
  EXPECT_FALSE(outcome) << outcome->message;
}

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_TESTS_EXECUTION_TENSORS_H
