//===- StopToken.cpp - A wish to end early --------------------------------===//

#include "tpu_mlir/Support/StopToken.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <initializer_list>

namespace tpu_mlir {

/// Before main, so that no handler ever waits for its construction.
static StopToken processToken;

StopToken &StopToken::ofProcess() { return processToken; }

static int64_t nanosecondsNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A hundred years, which no clock has to say.
static constexpr double kMostSeconds = 3.0e9;

void StopToken::expectIn(double seconds) {
  expected = seconds < kMostSeconds
                 ? nanosecondsNow() +
                       static_cast<int64_t>(std::max(seconds, 0.0) * 1e9)
                 : kNever;
}

std::optional<double> StopToken::secondsLeft() const {
  const int64_t end = expected;
  if (end == kNever)
    return std::nullopt;
  return std::max(static_cast<double>(end - nanosecondsNow()) * 1e-9, 0.0);
}

/// Whom signals ask.
static std::atomic<StopToken *> asked{&processToken};

extern "C" {
static void askToStop(int /*signal*/) { asked.load()->request(); }
}

void stopOnSignals(StopToken &token) {
  asked = &token;
  for (int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    if (sigaction(signal, nullptr, &before) != 0 ||
        before.sa_handler == SIG_IGN)
      continue;
    struct sigaction once = {};
    once.sa_handler = askToStop;
    sigemptyset(&once.sa_mask);
    // The default again after the first; reads and writes go on.
    once.sa_flags = int(SA_RESETHAND) | SA_RESTART;
    sigaction(signal, &once, nullptr);
  }
}

} // namespace tpu_mlir
