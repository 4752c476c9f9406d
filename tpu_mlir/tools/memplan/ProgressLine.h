//===- ProgressLine.h - How far a search is ---------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_PROGRESSLINE_H
#define TPU_MLIR_TOOLS_MEMPLAN_PROGRESSLINE_H

#include "tpu_mlir/Planning/Strategy.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tpu_mlir::memplan {

/// While it exists: best, bound, nodes and time on one line of the terminal,
/// which goes in the end. Nothing in files and pipes, nor when `quiet`.
class ProgressLine {
public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// For SolveOptions::progress.
  planning::SearchProgress *progress() { return &shown; }

private:
  void run();

  planning::SearchProgress shown;
  std::mutex mutex;
  std::condition_variable ended;
  bool isOver = false;
  std::thread thread; ///< Last: it uses the others.
};

/// "best 1.2 MiB, bound 1.0 MiB, 20.99 %; 24,077,839 nodes, 2.5 s".
std::string describeProgress(const planning::SearchProgress &progress,
                             double seconds);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_PROGRESSLINE_H
