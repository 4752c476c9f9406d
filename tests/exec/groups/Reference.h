//===- Reference.h - What groups compute, on whole tensors ------*- C++ -*-===//
//
// The groups dissolved: every op on whole tensors, in the order of the block,
// with the same kernels as the simulator and none of the group's schedule,
// slices or addresses.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_EXEC_GROUPS_REFERENCE_H
#define TPU_MLIR_TESTS_EXEC_GROUPS_REFERENCE_H

#include "tpu_mlir/Interpreter/Local/Simulator.h"

namespace tpu_mlir::exec {

using namespace execution;

/// Executes a chain; what no group of it makes is made up, the same in each
/// run. An error: an op without a kernel.
std::variant<ChainReference, std::string>
runReference(const std::vector<GroupModel> &chain);

/// Numbers that depend on `seed` and on nothing else.
TensorPart madeUp(const TensorShape &shape, uint64_t seed);

/// A tensor as a Load delivers it. Of equal size: the same elements in the same
/// order. Otherwise (parameters that are stored in another layout than they
/// are declared in) element i is added to element i modulo the size; the
/// others are 0.
TensorPart loadedForm(const TensorPart &source, const TensorShape &shape);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_GROUPS_REFERENCE_H
