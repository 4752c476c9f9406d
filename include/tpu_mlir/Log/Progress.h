//===- Progress.h - How far a program is ------------------------*- C++ -*-===//
//
// One line on a terminal, which the next one is written over, for work that
// takes a while. In files and pipes there is nothing of it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LOG_PROGRESS_H
#define TPU_MLIR_LOG_PROGRESS_H

#include <cstdint>
#include <string_view>

namespace tpu_mlir::log {

/// Shows `what`, cut to 79 letters, in place of what was shown before; "":
/// nothing. Where standard error is a terminal and entries of Level::Info are
/// shown; an entry takes the line away. For one thread at a time.
void progress(std::string_view what);

/// "running: 12 of 100", at most ten times a second; nothing once all of it is
/// done.
void progress(std::string_view what, int64_t done, int64_t all);

} // namespace tpu_mlir::log

#endif // TPU_MLIR_LOG_PROGRESS_H
