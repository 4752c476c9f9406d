//===- ProgressLine.cpp - How far a search is -----------------------------===//

#include "tpu_mlir/tools/memplan/ProgressLine.h"

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace tpu_mlir::memplan {

using planning::SearchProgress;

/// From the start of the line, which is emptied first.
static constexpr const char *kEmptyLine = "\r\033[K";
static constexpr std::chrono::milliseconds kEach(200);

std::string describeProgress(const SearchProgress &progress, double seconds) {
  const int64_t best = progress.bestBytes, bound = progress.boundBytes;
  std::string text = "planning";
  if (best >= 0 && bound >= 0)
    text = "best " + formatBytes(best) + ", bound " + formatBytes(bound) +
           ", " + planning::shownGap(best, bound);
  return text + "; " + formatCount(progress.nodes) + " nodes, " +
         llvm::formatv("{0:f1} s", seconds).str();
}

ProgressLine::ProgressLine(bool quiet) {
  if (!quiet && isatty(STDERR_FILENO) == 1)
    thread = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine() {
  if (!thread.joinable())
    return;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  ended.notify_one();
  thread.join();
}

void ProgressLine::run() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  bool isThere = false;
  // What is over at once says nothing.
  while (!ended.wait_for(lock, kEach, [this] { return isOver; })) {
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    const std::string text =
        kEmptyLine + describeProgress(shown, spent.count());
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
    isThere = true;
  }
  if (isThere)
    std::fputs(kEmptyLine, stderr);
}

} // namespace tpu_mlir::memplan
