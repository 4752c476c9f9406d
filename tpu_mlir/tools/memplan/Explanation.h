//===- Explanation.h - What needs the memory --------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_EXPLANATION_H
#define TPU_MLIR_TOOLS_MEMPLAN_EXPLANATION_H

#include "tpu_mlir/tools/memplan/Files.h"

namespace tpu_mlir::memplan {

/// For each pool the lower bound against the capacity and what is alive at the
/// peak, `maxRows` of it; with a plan also what it uses and what lies on top.
std::string explain(const ProblemFile &file, const planning::Plan *plan,
                    size_t maxRows);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_EXPLANATION_H
