//===- GuardedCall.cpp - Calls that may crash or hang ---------------------===//

#include "tests/exec/jit/harness/GuardedCall.h"

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/time.h>

namespace tpu_mlir::jit {

namespace {

constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE,
                                         SIGVTALRM};

// Signal handlers have no arguments of ours: this state is global.
sigjmp_buf returnPoint;
volatile sig_atomic_t uninterrupted = 0;
Fault lastFault;

void setTimer(int seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  // Repeats, for a signal that has to wait.
  timer.it_interval.tv_usec = seconds ? 100000 : 0;
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

void handle(int signal, siginfo_t *info, void *) {
  if (signal == SIGVTALRM && uninterrupted)
    return;
  lastFault.signal = signal;
  bool access = signal == SIGSEGV || signal == SIGBUS;
  lastFault.address = access ? info->si_addr : nullptr;
  siglongjmp(returnPoint, 1);
}

/// Installs the handlers, on a stack of their own, for a scope.
class Handlers {
public:
  Handlers() {
    stack_t own = {};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    sigaltstack(&own, &oldStack);
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < kSignals.size(); ++i)
      sigaction(kSignals[i], &action, &oldActions[i]);
  }
  ~Handlers() {
    setTimer(0);
    for (size_t i = 0; i < kSignals.size(); ++i)
      sigaction(kSignals[i], &oldActions[i], nullptr);
    sigaltstack(&oldStack, nullptr);
  }

private:
  static std::array<char, 1 << 16> memory;
  stack_t oldStack = {};
  std::array<struct sigaction, kSignals.size()> oldActions = {};
};

std::array<char, 1 << 16> Handlers::memory;

} // namespace

std::string Fault::describe() const {
  if (signal == SIGVTALRM)
    return "it did not end in time";
  return std::string("signal: ") + strsignal(signal);
}

Uninterrupted::Uninterrupted() { uninterrupted = uninterrupted + 1; }
Uninterrupted::~Uninterrupted() { uninterrupted = uninterrupted - 1; }

std::optional<Fault> guardedCall(llvm::function_ref<void()> body,
                                 int timeoutSeconds) {
  Handlers handlers;
  uninterrupted = 0;
  if (sigsetjmp(returnPoint, /*savemask=*/1))
    return lastFault;
  setTimer(timeoutSeconds);
  body();
  return std::nullopt;
}

} // namespace tpu_mlir::jit
