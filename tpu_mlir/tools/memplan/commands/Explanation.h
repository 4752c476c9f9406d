//===- Explanation.h - What needs the memory --------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_COMMANDS_EXPLANATION_H
#define TPU_MLIR_TOOLS_MEMPLAN_COMMANDS_EXPLANATION_H

#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/tools/memplan/Files.h"

namespace tpu_mlir::memplan {

/// Nodes for each of the many questions behind a smallest infeasible subset,
/// unless --node-limit says another number.
constexpr int64_t kSubsetNodeLimit = 1'000'000;

/// For each pool the lower bound against the capacity, the packing if there is
/// one, and what is alive at the peak, `maxRows` of it. Where something does
/// not fit, also a set of buffers that cannot, and what would help: the
/// capacities of `help`, if that is given. `options` are for the search for
/// that set.
std::string describeExplanation(const ProblemFile &file,
                                const planning::Explanation &explanation,
                                const planning::Remedies *help,
                                const planning::SolveOptions &options,
                                size_t maxRows);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_COMMANDS_EXPLANATION_H
