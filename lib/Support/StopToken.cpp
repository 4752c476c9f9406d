//===- StopToken.cpp - A wish to end early --------------------------------===//

#include "tpu_mlir/Support/StopToken.h"

#include <csignal>
#include <initializer_list>

namespace tpu_mlir {

/// Before main, so that no handler ever waits for its construction.
static StopToken processToken;

StopToken &StopToken::ofProcess() { return processToken; }

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
