//===- PlanOracle.h - What must go wrong, told without running --*- C++ -*-===//
//
// A second opinion on a group for the tests of the simulator: the same rules,
// applied to intervals instead of bytes, with the planner's layout formulas and
// the ops' own slice rules instead of the simulator's kernels. Whatever is
// done to a plan, both must agree whether it is right.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_EXEC_MUTATIONS_PLANORACLE_H
#define TPU_MLIR_TESTS_EXEC_MUTATIONS_PLANORACLE_H

#include "tests/exec/groups/Mixing.h"

#include "tpu_mlir/Target/ChipSpec.h"

#include <optional>
#include <string>

namespace tpu_mlir::exec {

/// An address outside of the lane, an alignment, a size: of one op for itself.
std::optional<std::string> findPlaceConflict(const GroupModel &model,
                                             const target::ChipSpec &chip);

/// A buffer whose bytes another op writes between its definition and its last
/// reader, or a reader that runs before the definition, in any order of the
/// engines. O(events * events between a definition and its last reader).
std::optional<std::string> findLifeConflict(llvm::ArrayRef<GroupModel> chain,
                                            const target::ChipSpec &chip);

/// A part of an operand that is needed and not stored, or a result that its
/// stores do not cover exactly once. O(sections * operands + stores^2).
std::optional<std::string> findNeedConflict(const GroupModel &model);

/// Any of them.
std::optional<std::string> findConflict(llvm::ArrayRef<GroupModel> chain,
                                        const target::ChipSpec &chip);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_MUTATIONS_PLANORACLE_H
