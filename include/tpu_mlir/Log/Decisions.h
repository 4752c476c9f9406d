//===- Decisions.h - What planners decided --------------------*- C++ -*-===//

#ifndef TPU_MLIR_LOG_DECISIONS_H
#define TPU_MLIR_LOG_DECISIONS_H

#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::log {

/// What was asked and what came out, at the level Debug: `what` ("gmem of
/// 'resnet50'"), the plan, who is alive at the peak of each pool; or what is
/// missing. Nothing is said of no buffers; costs nothing when the level is not
/// shown.
void decision(std::string_view what, const planning::Problem &problem,
              const planning::SolveResult &result);

} // namespace tpu_mlir::log

#endif // TPU_MLIR_LOG_DECISIONS_H
