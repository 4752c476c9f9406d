//===- Kernels.h - What Tpu ops compute, in integers ------------*- C++ -*-===//
//
// Kernels for proving plans, not for running networks. Each has its op's true
// data dependence - which elements of the operands an element of the result
// comes from - but computes in integers that wrap around at the width of the
// result's elements. Where an op would hide what it read (a maximum, a
// rounding), the kernel mixes instead: changing any element that is read
// changes the result. Sums are exact in any order, so the same numbers come
// out of whole tensors and of parts, bit for bit.
//
// The exact layout of a chip's filters does not matter for that. Any layout of
// parameters is accepted: channel r of R is a row of L elements, and weight j
// of a result channel is element j mod L of its row.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_EXEC_KERNELS_KERNELS_H
#define TPU_MLIR_TESTS_EXEC_KERNELS_KERNELS_H

#include "tpu_mlir/Interpreter/Local/SectionKernels.h"

namespace tpu_mlir::exec {

using namespace execution;

/// Fills `call.result`. An error says what was read that is not in an
/// operand's part, or why there is no kernel for this op.
std::optional<std::string> runKernel(const KernelCall &call);

/// Whether there is a kernel for ops of this name ("tpu.Conv2D"); attributes
/// may still be refused.
bool hasKernel(llvm::StringRef opName);

/// The result's element comes from the operands' elements at its place only,
/// and elements are read before anything is written there: the result may lie
/// over an operand.
bool isElementwise(mlir::Operation *op);

/// All of these, as the simulator wants them.
const SectionKernels &mixingKernels();

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_KERNELS_KERNELS_H
