//===- Network.h - Ops of networks computed in parts ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_KERNELS_NETWORK_H
#define TPU_MLIR_LIB_INTERPRETER_KERNELS_NETWORK_H

#include "tpu_mlir/Interpreter/Local/SectionKernels.h"
#include "tpu_mlir/Target/ChipSpec.h"

namespace tpu_mlir::interpreter {

/// The kernels that whole tensors are computed with, on parts: what a part of
/// the result reads is cut out of the operands' parts, and pads and offsets are
/// counted from there. Elements are the bits of numbers.
class NetworkKernels : public execution::SectionKernels {
public:
  /// `chip`: as in Call; outlives this.
  NetworkKernels(unsigned threads, bool madeUpWeights,
                 const target::ChipSpec *chip)
      : threads(threads), madeUpWeights(madeUpWeights), chip(chip) {}

  bool has(llvm::StringRef opName) const override;
  bool isElementwise(mlir::Operation *op) const override;
  std::optional<std::string>
  run(const execution::KernelCall &call) const override;

private:
  unsigned threads;
  bool madeUpWeights;
  const target::ChipSpec *chip;
};

/// Elements as the bits that they are, and back. As many bytes as the part has
/// elements of its width; what `bytes` does not have is 0.
void readBits(llvm::ArrayRef<uint8_t> bytes, execution::TensorPart &part);
std::vector<uint8_t> bytesOfBits(llvm::ArrayRef<int32_t> values, int bits);

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_KERNELS_NETWORK_H
