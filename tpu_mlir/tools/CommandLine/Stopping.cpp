//===- Stopping.cpp - Why a program ends its searches early ---------------===//

#include "tpu_mlir/tools/CommandLine/Stopping.h"

#include "tpu_mlir/Support/StopToken.h"

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <chrono>
#include <limits>

namespace tpu_mlir {

std::string readTimeLimit(const std::string &text,
                          std::optional<double> &seconds) {
  double value = 0;
  if (llvm::StringRef(text).getAsDouble(value) || !(value >= 0))
    return "--time-limit has to be a number of seconds";
  seconds = value;
  return {};
}

/// A year; no clock has to say more.
static constexpr double kMostSeconds = 3.2e7;

/// Asked where searches stay whole.
static StopToken held;
static std::atomic<bool> isTimeOver{false};

Stopping::Stopping(std::optional<double> seconds, bool areSearchesWhole)
    : areSearchesWhole(areSearchesWhole) {
  stopOnSignals(areSearchesWhole ? held : StopToken::ofProcess());
  if (seconds && *seconds <= 0) {
    timeIsOver();
  } else if (seconds && *seconds < kMostSeconds) {
    if (!areSearchesWhole)
      StopToken::ofProcess().expectIn(*seconds);
    clock = std::thread([this, seconds] { wait(*seconds); });
  }
}

void Stopping::timeIsOver() {
  isTimeOver = true;
  (areSearchesWhole ? held : StopToken::ofProcess()).request();
}

void Stopping::wait(double seconds) {
  std::unique_lock<std::mutex> lock(mutex);
  if (!done.wait_for(lock, std::chrono::duration<double>(seconds),
                     [this] { return isDone; }))
    timeIsOver();
}

void Stopping::searchesAreDone() {
  StopToken::ofProcess().expectIn(std::numeric_limits<double>::infinity());
  {
    const std::lock_guard<std::mutex> lock(mutex);
    isDone = true;
  }
  done.notify_all();
  if (clock.joinable())
    clock.join();
}

bool Stopping::isAsked() const {
  return held.isRequested() || StopToken::ofProcess().isRequested();
}

bool Stopping::isInterrupted() const { return isAsked() && !isTimeOver; }

std::string Stopping::why(const std::string &then) const {
  if (isTimeOver)
    return "the --time-limit ended the searches: " + then +
           "; another run may find another plan";
  return isInterrupted() ? "interrupted: " + then : "";
}

} // namespace tpu_mlir
