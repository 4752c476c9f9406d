//===- Explanation.cpp - What needs the memory ----------------------------===//

#include "tpu_mlir/tools/memplan/commands/Explanation.h"

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"
#include "tpu_mlir/tools/memplan/Messages.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::memplan {
namespace {

using namespace planning;

class Description {
public:
  Description(const ProblemFile &file, const Remedies *help,
              const SolveOptions &options, size_t maxRows)
      : file(file), problem(file.problem), help(help), options(options),
        maxRows(maxRows), names(fileNames(problem)) {}

  std::string run(const Explanation &explanation) {
    text = "'" + file.title() +
           "': " + formatCount(int64_t(problem.buffers.size())) + " buffers, " +
           formatCount(numSteps(problem)) + " steps\n";
    if (!problem.aliases.empty())
      text += formatCount(int64_t(problem.aliases.size())) +
              " of them lie inside others and count with those\n";
    for (const PoolExplanation &pool : explanation.pools)
      if (pool.packing)
        allServed = checkedAdd(allServed, pool.packing->servedBytes)
                        .value_or(std::numeric_limits<int64_t>::max());
    for (const PoolExplanation &pool : explanation.pools)
      describePool(pool);
    return std::move(text);
  }

private:
  void fact(const char *what, int64_t bytes, const std::string &more) {
    text += llvm::formatv("  {0,-13}{1}{2}{3}\n", what, formatExactBytes(bytes),
                          more.empty() ? "" : "; ", more)
                .str();
  }

  void describePool(const PoolExplanation &pool) {
    text += "\npool '" + problem.pools[pool.pool].name + "'\n";
    fact("lower bound", pool.lowerBoundBytes,
         pool.peakSet.empty() ? "" : reasonOfBound(pool));
    if (pool.capacityBytes)
      fact("capacity", *pool.capacityBytes, verdict(pool));
    for (const PoolRequirement &one :
         help ? help->capacities : std::vector<PoolRequirement>())
      if (one.pool == pool.pool && one.worksWithBytes)
        fact("works with", *one.worksWithBytes,
             problem.pools.size() > 1 ? "the other pools as they are" : "");
    if (pool.packing)
      describePacking(pool);
    const bool isOver = pool.fit != Fit::Fits && pool.fit != Fit::NotKnown;
    // A live sum that is over often takes all that is alive at the peak.
    const size_t listed = isOver ? describeOver(pool) : 0;
    if (!pool.peakSet.empty() && listed != pool.peakSet.size())
      listAlive(pool);
  }

  static std::string reasonOfBound(const PoolExplanation &pool) {
    const std::string step = " at step " + formatCount(pool.peakStep);
    return pool.lowerBoundBytes == pool.liveSumBytes
               ? "the live sum" + step
               : "the live sum" + step + " is " +
                     formatExactBytes(pool.liveSumBytes) + ", " + kForcesMore +
                     " the rest";
  }

  static std::string verdict(const PoolExplanation &pool) {
    switch (pool.fit) {
    case Fit::Fits:
      return "it fits";
    case Fit::BoundOver:
      return pool.lowerBoundBytes > *pool.capacityBytes
                 ? "too small for any layout by " +
                       formatExactBytes(pool.lowerBoundBytes -
                                        *pool.capacityBytes)
                 : "no memory has as much as is alive at once";
    case Fit::ProvedOver:
      return "the live sum fits, but " +
             (pool.lowerBoundBytes > *pool.capacityBytes
                  ? kForcesMore + " more"
                  : "a search has shown that no layout does");
    case Fit::PackingFailed:
      return pool.bestBytes
                 ? "the live sum fits; the best packing found needs " +
                       formatExactBytes(*pool.bestBytes)
                 : "the live sum fits; no packing was found";
    case Fit::NotKnown:
      return "not looked at, since another pool is too small";
    }
    return "";
  }

  void describePacking(const PoolExplanation &pool) {
    const PoolPacking &packing = *pool.packing;
    fact("used", packing.usedBytes,
         packing.fragmentationBytes > 0
             ? formatExactBytes(packing.fragmentationBytes) +
                   " lie between buffers at best, " +
                   shownGap(packing.usedBytes, packing.boundBytes)
             : "no packing of the same buffers is lower");
    if (problem.pools.size() > 1)
      fact("serves", packing.servedBytes,
           shownShare(packing.servedBytes, allServed) +
               " of what is read and written in a run");
    for (size_t i = 0; i < packing.topmost.size() && i < kMostTopmost; ++i)
      if (packing.fragmentationBytes > 0)
        text += "  " + describeOnTop(packing.topmost[i]) + "\n";
  }

  std::string describeOnTop(BufferId id) const {
    const Buffer &buffer = problem.buffers[id];
    return "on top lies '" + names[id] + "' (" + file.positionOf(id) +
           "): " + formatExactBytes(buffer.sizeBytes) + ", steps " +
           lifeOf(buffer.lifespans);
  }

  /// Says what cannot fit and what would help; returns how many buffers that
  /// are alive at the peak it has listed.
  size_t describeOver(const PoolExplanation &failed) {
    const PoolId pool = failed.pool;
    const auto found = infeasibleSubset(problem, pool, options);
    const auto *none = std::get_if<NoSubset>(&found);
    if (none && *none == NoSubset::Fits) {
      text += hasChoice()
                  ? "  what has to be here fits; of the buffers with other "
                    "pools some find no room in any of them\n"
                  : "  a longer search finds a plan that fits; try "
                    "--strategy=exact\n";
      return 0;
    }
    const auto *subset = std::get_if<InfeasibleSubset>(&found);
    if (subset)
      describeSubset(*subset);
    else
      text += "  no set of buffers was proved to be too large within the "
              "limits; see --node-limit\n";
    describeRelaxations(pool);
    return subset && subset->isLiveSum ? subset->buffers.size() : 0;
  }

  bool hasChoice() const {
    return std::any_of(
        problem.buffers.begin(), problem.buffers.end(),
        [](const Buffer &buffer) { return buffer.pools.size() > 1; });
  }

  void describeSubset(const InfeasibleSubset &subset) {
    const bool isOne = subset.buffers.size() == 1;
    text += isOne ? "\n  this one cannot fit"
                  : "\n  these " + formatCount(int64_t(subset.buffers.size())) +
                        " cannot fit together";
    if (isOne)
      text += ", wherever the others are\n";
    else
      text += (subset.isLiveSum
                   ? ": all are alive at step " + formatCount(subset.peakStep)
                   : ", as a search has shown") +
              std::string(subset.isIrreducible
                              ? "; without any one of them the rest fits\n"
                              : "\n");
    TextTable table = emptyTable();
    for (size_t i = 0; i < subset.buffers.size() && i < maxRows; ++i) {
      const Buffer &buffer = problem.buffers[subset.buffers[i]];
      addRow(table, subset.buffers[i], buffer.sizeBytes, subset.boundBytes,
             buffer.lifespans);
    }
    finish(table, subset.buffers.size());
  }

  void describeRelaxations(PoolId pool) {
    const Relaxations relaxed = relaxations(problem, pool, options);
    auto say = [&](Relaxed outcome, const char *what) {
      if (outcome == Relaxed::Fits)
        text += "  without " + std::string(what) + " it fits\n";
      else if (outcome == Relaxed::StillOver)
        text += "  without " + std::string(what) + " it does not fit either\n";
    };
    say(relaxed.pins, "pins");
    say(relaxed.forbiddenSharing, "forbidden pairs");
    say(relaxed.alignment, "alignment");
  }

  void listAlive(const PoolExplanation &pool) {
    text += "\n  alive at step " + formatCount(pool.peakStep) + "\n";
    TextTable table = emptyTable();
    for (size_t i = 0; i < pool.peakSet.size() && i < maxRows; ++i) {
      const LiveStorage &alive = pool.peakSet[i];
      addRow(table, alive.root, alive.sizeBytes, pool.lowerBoundBytes,
             alive.lifespans);
    }
    finish(table, pool.peakSet.size());
  }

  static TextTable emptyTable() {
    constexpr auto kRight = TextTable::Align::Right;
    return TextTable({{"size", kRight},
                      {"share", kRight},
                      {"name"},
                      {"kind"},
                      {"life"},
                      {"where"}});
  }
  void addRow(TextTable &table, BufferId id, int64_t sizeBytes,
              int64_t wholeBytes, const std::vector<Interval> &lifespans) {
    const double share =
        wholeBytes > 0 ? 100.0 * double(sizeBytes) / double(wholeBytes) : 0;
    table.addRow({formatCount(sizeBytes),
                  llvm::formatv("{0:f1} %", share).str(), names[id],
                  std::string(kindName(problem.buffers[id].kind)),
                  lifeOf(lifespans), file.positionOf(id)});
  }
  void finish(const TextTable &table, size_t count) {
    text += table.render(4);
    if (count > maxRows)
      text += "    and " + formatCount(int64_t(count - maxRows)) + " more\n";
  }

  static std::string lifeOf(const std::vector<Interval> &lifespans) {
    std::string life = "[" + std::to_string(lifespans.front().begin) + "," +
                       std::to_string(lifespans.back().end) + ")";
    return lifespans.size() > 1
               ? life + " in " + std::to_string(lifespans.size()) + " pieces"
               : life;
  }

  static constexpr size_t kMostTopmost = 3;
  const ProblemFile &file;
  const Problem &problem;
  const Remedies *help;
  const SolveOptions &options;
  const size_t maxRows;
  const std::vector<std::string> names;
  int64_t allServed = 0; ///< Bytes of all pools together.
  std::string text;
};

} // namespace

std::string describeExplanation(const ProblemFile &file,
                                const Explanation &explanation,
                                const Remedies *help,
                                const SolveOptions &options, size_t maxRows) {
  return Description(file, help, options, maxRows).run(explanation);
}

} // namespace tpu_mlir::memplan
