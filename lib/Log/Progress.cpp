//===- Progress.cpp - How far a program is --------------------------------===//

#include "tpu_mlir/Log/Progress.h"

#include "tpu_mlir/Log/Log.h"

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <unistd.h>

namespace tpu_mlir::log {

namespace {

/// What stands on the terminal.
struct Line {
  std::mutex mutex;
  bool isThere = false;
  std::chrono::steady_clock::time_point counted;
};

Line &line() {
  static Line instance;
  return instance;
}

bool isTerminal() {
  static const bool answer = isatty(STDERR_FILENO) == 1;
  return answer;
}

} // namespace

void progress(std::string_view what) {
  constexpr size_t kWidth = 79;
  if (!isTerminal() || (!what.empty() && !isShown(Level::Info)))
    return;
  Line &shown = line();
  const std::lock_guard<std::mutex> lock(shown.mutex);
  if (what.empty() && !shown.isThere)
    return;
  // From the start of the line, which is emptied first.
  const std::string text = "\r\033[K" + std::string(what.substr(0, kWidth));
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  shown.isThere = !what.empty();
}

void progress(std::string_view what, int64_t done, int64_t all) {
  if (!isTerminal())
    return;
  if (done >= all)
    return progress("");
  const auto now = std::chrono::steady_clock::now();
  if (now - line().counted < std::chrono::milliseconds(100))
    return;
  line().counted = now;
  progress(std::string(what) + ": " + std::to_string(done) + " of " +
           std::to_string(all));
}

} // namespace tpu_mlir::log
