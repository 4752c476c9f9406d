//===- StopToken.h - A wish to end early ------------------------*- C++ -*-===//
//
// What takes long looks at a token now and then; once somebody has asked, it
// ends with what it has. A program that has something to hand over when it is
// interrupted calls stopOnSignals() before the long part:
//
//   stopOnSignals();
//   ... solve(...) ...                  // Looks at StopToken::ofProcess().
//   if (StopToken::ofProcess().isRequested())
//     ... tell that it was interrupted, kInterrupted ...
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_STOPTOKEN_H
#define TPU_MLIR_SUPPORT_STOPTOKEN_H

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

namespace tpu_mlir {

/// Asked once, asked for good. May be asked from any thread and from handlers
/// of signals.
class StopToken {
public:
  /// The one that signals ask; nothing does until stopOnSignals().
  static StopToken &ofProcess();

  void request() { isAsked.store(true, std::memory_order_relaxed); }
  /// A look at it.
  bool isRequested() const {
    return isAsked.load(std::memory_order_relaxed) ||
           (looksLeft.load(std::memory_order_relaxed) >= 0 && countLook());
  }

  /// Somebody will ask in so many seconds, so that who has several things to do
  /// can divide the time. Says nothing to isRequested().
  void expectIn(double seconds);
  /// nullopt: nobody is known to ask.
  std::optional<double> secondsLeft() const;

  /// The first `looks` looks from now on see nothing, the next one is asked:
  /// an end that, with one thread, repeats.
  void requestAfter(int64_t looks) { looksLeft = looks; }
  /// How many of those have not been used; -1 after the last, and without any.
  int64_t unusedLooks() const { return looksLeft; }

private:
  bool countLook() const {
    if (looksLeft.fetch_sub(1, std::memory_order_relaxed) != 0)
      return false;
    isAsked = true;
    return true;
  }

  mutable std::atomic<bool> isAsked{false};
  mutable std::atomic<int64_t> looksLeft{-1};
  /// On the steady clock, in nanoseconds.
  std::atomic<int64_t> expected{kNever};
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  static_assert(std::atomic<bool>::is_always_lock_free);
};

/// From now on the first SIGINT and the first SIGTERM ask `token`, which is
/// there until the program ends; the second one of a kind ends the program at
/// once. A signal that was ignored stays ignored, as in jobs in the background.
void stopOnSignals(StopToken &token = StopToken::ofProcess());

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_STOPTOKEN_H
