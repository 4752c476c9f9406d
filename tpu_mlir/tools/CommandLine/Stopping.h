//===- Stopping.h - Why a program ends its searches early -------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_COMMANDLINE_STOPPING_H
#define TPU_MLIR_TOOLS_COMMANDLINE_STOPPING_H

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tpu_mlir {

/// What is wrong with the text of --time-limit, "" for nothing; `seconds` is
/// what it says.
std::string readTimeLimit(const std::string &text,
                          std::optional<double> &seconds);

/// Who asks a program to end its searches: a time that is over, or the first
/// SIGINT or SIGTERM (the second one of a kind ends the program). One of it in
/// a program.
class Stopping {
public:
  /// nullopt: there is no limit of time. With `areSearchesWhole` only what asks
  /// isAsked() ends, so that what was measured can be made again; else all that
  /// looks at the stop token of the process.
  Stopping(std::optional<double> seconds, bool areSearchesWhole);
  ~Stopping() { searchesAreDone(); }
  Stopping(const Stopping &) = delete;
  Stopping &operator=(const Stopping &) = delete;

  /// The time is not over any more: nothing is left that it could end.
  void searchesAreDone();

  bool isAsked() const;
  /// A signal came.
  bool isInterrupted() const;
  /// What happened in words, with what comes of it; "" when nothing did.
  std::string why(const std::string &then) const;

private:
  void wait(double seconds);
  void timeIsOver();

  const bool areSearchesWhole;
  std::mutex mutex;
  std::condition_variable done;
  bool isDone = false; ///< Under the mutex.
  std::thread clock;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_COMMANDLINE_STOPPING_H
