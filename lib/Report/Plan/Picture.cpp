//===- Picture.cpp - What a drawing of a plan shows -----------------------===//

#include "lib/Report/Plan/Picture.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tpu_mlir::report {

using namespace planning;

static constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

/// The problem as the plan decided it: every buffer in its one pool.
static Problem decided(const Problem &problem, const Plan &plan) {
  Problem fixed = problem;
  for (size_t id = 0; id < fixed.buffers.size(); ++id) {
    fixed.buffers[id].pools = {plan.placements[id].pool};
    // A plan that ignores a pin is drawn as it is.
    fixed.buffers[id].pin.reset();
  }
  for (const Alias &alias : fixed.aliases)
    fixed.buffers[alias.member].pools = fixed.buffers[alias.root].pools;
  return fixed;
}

static std::vector<LoadPoint> loadOf(const Problem &problem,
                                     const std::vector<Box> &boxes) {
  std::vector<std::pair<int64_t, double>> changes;
  for (const Box &box : boxes) {
    if (box.isAlias)
      continue;
    const double size = double(problem.buffers[box.id].sizeBytes);
    changes.push_back({box.steps.begin, size});
    changes.push_back({box.steps.end, -size});
  }
  std::sort(changes.begin(), changes.end());
  std::vector<LoadPoint> load;
  double sum = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    sum += changes[i].second;
    if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first)
      load.push_back({changes[i].first, std::max(sum, 0.0)});
  }
  return load;
}

static void sortBySize(std::vector<Box> &boxes) {
  auto area = [](const Box &box) {
    return double(box.bytes.length()) * double(box.steps.length());
  };
  std::sort(boxes.begin(), boxes.end(), [&](const Box &a, const Box &b) {
    return std::make_tuple(-area(a), a.id, a.steps.begin) <
           std::make_tuple(-area(b), b.id, b.steps.begin);
  });
}

static Panel buildPanel(const Problem &fixed, const Plan &plan, PoolId pool,
                        Picture &picture) {
  Panel panel;
  panel.pool = pool;
  panel.name = fixed.pools[pool].name;
  panel.usedBytes = plan.pools[pool].usedBytes;
  panel.capacityBytes = fixed.pools[pool].capacityBytes;
  panel.reserved = fixed.pools[pool].reserved;
  const LiveBound bound = liveBound(fixed, pool);
  panel.boundBytes = bound.bytes;
  panel.peakStep = bound.peakStep;
  panel.gapBytes = checkedAdd(panel.usedBytes, -panel.boundBytes)
                       .value_or(std::numeric_limits<int64_t>::min());
  for (BufferId id : bound.peakSet)
    picture.isAliveAtPeak[id] = true;
  for (size_t id = 0; id < fixed.buffers.size(); ++id) {
    const int64_t offset = plan.placements[id].offsetBytes;
    if (plan.placements[id].pool != pool)
      continue;
    const int64_t end =
        checkedAdd(offset, fixed.buffers[id].sizeBytes).value_or(kMaxInt64);
    for (const Interval &steps : fixed.buffers[id].lifespans)
      panel.boxes.push_back(
          {BufferId(id), steps, {offset, end}, picture.isAlias[id]});
  }
  panel.load = loadOf(fixed, panel.boxes);
  sortBySize(panel.boxes);
  return panel;
}

Picture buildPicture(const Problem &problem, const Plan &plan,
                     const std::string &title) {
  Picture picture;
  picture.title = title;
  picture.names = fileNames(problem);
  picture.isAlias.assign(problem.buffers.size(), false);
  picture.isAliveAtPeak.assign(problem.buffers.size(), false);
  for (const Alias &alias : problem.aliases)
    picture.isAlias[alias.member] = true;
  picture.steps =
      problem.buffers.empty() ? Interval{0, 1} : Interval{kMaxInt64, 0};
  for (const Buffer &buffer : problem.buffers) {
    picture.steps.begin =
        std::min(picture.steps.begin, buffer.lifespans.front().begin);
    picture.steps.end =
        std::max(picture.steps.end, buffer.lifespans.back().end);
    picture.hasKinds |= buffer.kind != problem.buffers.front().kind;
  }
  const Problem fixed = decided(problem, plan);
  for (size_t pool = 0; pool < problem.pools.size(); ++pool)
    picture.panels.push_back(buildPanel(fixed, plan, PoolId(pool), picture));
  return picture;
}

std::string describe(const Panel &panel) {
  std::string text = "used " + formatBytes(panel.usedBytes) + ", lower bound " +
                     formatBytes(panel.boundBytes) + ", gap " +
                     formatBytes(panel.gapBytes);
  if (panel.boundBytes > 0)
    text += llvm::formatv(" ({0:f2} %)", 100.0 * double(panel.gapBytes) /
                                             double(panel.boundBytes))
                .str();
  if (panel.capacityBytes)
    text += ", capacity " + formatBytes(*panel.capacityBytes);
  return text + ", peak at step " + formatCount(panel.peakStep);
}

std::string describeLife(const Buffer &buffer) {
  constexpr size_t kMostPieces = 6;
  std::string text;
  for (size_t i = 0; i < buffer.lifespans.size() && i < kMostPieces; ++i)
    text += (i ? " [" : "[") + std::to_string(buffer.lifespans[i].begin) + "," +
            std::to_string(buffer.lifespans[i].end) + ")";
  if (buffer.lifespans.size() > kMostPieces)
    text += " and " + std::to_string(buffer.lifespans.size() - kMostPieces) +
            " more";
  return text;
}

} // namespace tpu_mlir::report
