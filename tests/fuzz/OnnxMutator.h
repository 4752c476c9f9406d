//===- OnnxMutator.h - Models that are a little wrong -----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_FUZZ_ONNXMUTATOR_H
#define TPU_MLIR_TESTS_FUZZ_ONNXMUTATOR_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tpu_mlir {

/// A model of ONNX with some of its fields changed: numbers, names, ops, nodes
/// that go or come twice. Bytes that are no model come back as they are. The
/// same arguments give the same bytes.
std::string mutateOnnx(std::string_view bytes, uint64_t seed);

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_FUZZ_ONNXMUTATOR_H
