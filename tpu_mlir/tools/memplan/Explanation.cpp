//===- Explanation.cpp - What needs the memory ----------------------------===//

#include "tpu_mlir/tools/memplan/Explanation.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"
#include "tpu_mlir/tools/memplan/Messages.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::memplan {
namespace {

using namespace planning;

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

/// Keeps of each life what meets one of `window`.
std::vector<Interval> cutTo(const std::vector<Interval> &window,
                            const std::vector<Interval> &life) {
  std::vector<Interval> parts;
  for (const Interval &a : life)
    for (const Interval &b : window)
      if (a.overlaps(b))
        parts.push_back({std::max(a.begin, b.begin), std::min(a.end, b.end)});
  return parts;
}

class Explanation {
public:
  Explanation(const ProblemFile &file, const Plan *plan, size_t maxRows)
      : file(file), problem(file.problem), plan(plan), maxRows(maxRows),
        names(fileNames(problem)), isMember(problem.buffers.size(), false) {
    for (const Alias &alias : problem.aliases)
      isMember[alias.member] = true;
  }

  std::string run() {
    text = "'" + file.title() +
           "': " + formatCount(int64_t(problem.buffers.size())) + " buffers, " +
           formatCount(numSteps(problem)) + " steps\n";
    if (!problem.aliases.empty())
      text += formatCount(int64_t(problem.aliases.size())) +
              " of them lie inside others and count with those\n";
    for (size_t pool = 0; pool < problem.pools.size(); ++pool)
      explainPool(PoolId(pool));
    return std::move(text);
  }

private:
  void explainPool(PoolId pool) {
    const LiveBound bound = liveBound(problem, pool);
    text += "\npool '" + problem.pools[pool].name + "'\n";
    fact("lower bound", bound.bytes,
         bound.peakSet.empty()
             ? ""
             : "the live sum at step " + formatCount(bound.peakStep));
    if (const auto capacity = problem.pools[pool].capacityBytes)
      fact("capacity", *capacity, verdict(bound, *capacity));
    if (plan)
      explainUse(pool, bound);
    listAlive(bound);
  }

  void fact(const char *what, int64_t bytes, const std::string &more) {
    text += llvm::formatv("  {0,-13}{1}{2}{3}\n", what, shownBytes(bytes),
                          more.empty() ? "" : "; ", more)
                .str();
  }

  static std::string verdict(const LiveBound &bound, int64_t capacity) {
    if (bound.bytes > capacity)
      return "too small for any layout by " +
             shownBytes(bound.bytes - capacity);
    return shownBytes(capacity - bound.bytes) + " above the lower bound";
  }

  void explainUse(PoolId pool, const LiveBound &bound) {
    const int64_t used = plan->pools[pool].usedBytes;
    const auto gap = checkedAdd(used, -bound.bytes);
    fact("used", used,
         gap ? shownBytes(*gap) + " above the lower bound, " +
                   shownGap(used, bound.bytes)
             : "");
    // At the bound there is nothing to explain.
    const BufferId top = topOf(pool);
    if (top < 0 || !gap || *gap <= 0)
      return;
    const Buffer &buffer = problem.buffers[top];
    text += "  on top lies '" + names[top] + "' (" + file.positionOf(top) +
            "): " + shownBytes(buffer.sizeBytes) + " at offset " +
            formatCount(plan->placements[top].offsetBytes) + ", steps " +
            lifeOf(buffer) + "\n";
    const int64_t beside = largestSumWith(pool, buffer.lifespans);
    text += "  while it lives, at most " + shownBytes(beside) +
            " are alive: at every step at least " + shownBytes(used - beside) +
            " below its end are free\n";
  }

  /// The storage that ends highest; -1 in an empty pool.
  BufferId topOf(PoolId pool) const {
    BufferId top = -1;
    for (BufferId id = 0; id < BufferId(names.size()); ++id)
      if (plan->placements[id].pool == pool && !isMember[id] &&
          problem.buffers[id].sizeBytes > 0 &&
          (top < 0 || endOf(id) > endOf(top)))
        top = id;
    return top;
  }
  int64_t endOf(BufferId id) const {
    return checkedAdd(plan->placements[id].offsetBytes,
                      problem.buffers[id].sizeBytes)
        .value_or(kMaxInt64);
  }

  /// The largest sum of sizes, of what the plan put into the pool, at a step of
  /// `window`.
  int64_t largestSumWith(PoolId pool,
                         const std::vector<Interval> &window) const {
    std::vector<std::pair<int64_t, int64_t>> changes;
    for (size_t id = 0; id < problem.buffers.size(); ++id) {
      if (isMember[id] || plan->placements[id].pool != pool)
        continue;
      const Buffer &buffer = problem.buffers[id];
      for (const Interval &part : cutTo(window, buffer.lifespans)) {
        changes.push_back({part.begin, buffer.sizeBytes});
        changes.push_back({part.end, -buffer.sizeBytes});
      }
    }
    std::sort(changes.begin(), changes.end());
    __int128 sum = 0, most = 0;
    for (const auto &[step, change] : changes)
      most = std::max(most, sum += change);
    return int64_t(std::min<__int128>(most, kMaxInt64));
  }

  static std::string lifeOf(const Buffer &buffer) {
    std::string life = "[" + std::to_string(buffer.lifespans.front().begin) +
                       "," + std::to_string(buffer.lifespans.back().end) + ")";
    const size_t pieces = buffer.lifespans.size();
    return pieces > 1 ? life + " in " + std::to_string(pieces) + " pieces"
                      : life;
  }

  void listAlive(const LiveBound &bound) {
    if (bound.peakSet.empty())
      return;
    constexpr auto kRight = TextTable::Align::Right;
    TextTable table({{"size", kRight},
                     {"share", kRight},
                     {"name"},
                     {"kind"},
                     {"life"},
                     {"where"}});
    for (size_t i = 0; i < bound.peakSet.size() && i < maxRows; ++i) {
      const BufferId id = bound.peakSet[i];
      const Buffer &buffer = problem.buffers[id];
      const double share =
          100.0 * double(buffer.sizeBytes) / double(bound.bytes);
      table.addRow({formatCount(buffer.sizeBytes),
                    llvm::formatv("{0:f1} %", share).str(), names[id],
                    std::string(kindName(buffer.kind)), lifeOf(buffer),
                    file.positionOf(id)});
    }
    text += "\n  alive at step " + formatCount(bound.peakStep) + "\n" +
            table.render(4);
    if (bound.peakSet.size() > maxRows)
      text += "    and " +
              formatCount(int64_t(bound.peakSet.size() - maxRows)) +
              " smaller ones\n";
  }

  const ProblemFile &file;
  const Problem &problem;
  const Plan *plan;
  const size_t maxRows;
  const std::vector<std::string> names;
  std::vector<bool> isMember;
  std::string text;
};

} // namespace

std::string explain(const ProblemFile &file, const Plan *plan, size_t maxRows) {
  return Explanation(file, plan, maxRows).run();
}

} // namespace tpu_mlir::memplan
