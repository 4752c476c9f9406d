//===- Map.cpp - From a memory report to a drawing ------------------------===//

#include "lib/Report/Map/Map.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tpu_mlir::report {

using namespace planning;

static Interval shifted(Interval steps, int64_t by) {
  return steps.empty() ? steps : Interval{steps.begin + by, steps.end + by};
}

static void append(MemoryReport &all, MemoryReport one) {
  const std::string prefix = one.module + ".";
  for (RegionRow &region : one.regions) {
    region.name = prefix + region.name;
    region.peakStep += all.numSteps;
    all.regions.push_back(std::move(region));
  }
  for (TensorRow &tensor : one.tensors) {
    if (!tensor.region.empty())
      tensor.region = prefix + tensor.region;
    tensor.life = shifted(tensor.life, all.numSteps);
    tensor.held = shifted(tensor.held, all.numSteps);
    all.tensors.push_back(std::move(tensor));
  }
  // Groups have numbers in their module only.
  for (StepRow &step : one.steps) {
    all.steps.push_back(std::move(step));
    all.steps.back().group.reset();
  }
  all.steps.resize(size_t(all.numSteps + one.numSteps));
  all.numSteps += one.numSteps;
}

MemoryReport joined(const std::vector<MemoryReport> &reports) {
  if (reports.size() == 1)
    return reports.front();
  MemoryReport all;
  all.module = std::to_string(reports.size()) + " modules";
  for (const MemoryReport &one : reports) {
    all.chip = one.chip;
    all.ioMode = one.ioMode;
    all.gmemBytes = one.gmemBytes;
    append(all, one);
  }
  return all;
}

std::optional<size_t> regionOf(const MemoryReport &report,
                               const TensorRow &tensor) {
  for (size_t i = 0; i < report.regions.size(); ++i)
    if (report.regions[i].name == tensor.region)
      return i;
  return std::nullopt;
}

bool isRoot(const TensorRow &tensor) { return tensor.aliasOf.empty(); }
bool isWeight(const TensorRow &tensor) { return tensor.kind == "weight"; }

std::string mapTitle(const MemoryReport &report) {
  return "memory of " +
         (report.module.empty() ? std::string("the module") : report.module);
}

static BufferKind kindOf(const TensorRow &tensor) {
  for (BufferKind kind : {BufferKind::Weight, BufferKind::Input,
                          BufferKind::Output, BufferKind::Scratch})
    if (tensor.kind == kindName(kind))
      return kind;
  return BufferKind::Activation;
}

namespace {

class MapBuilder {
public:
  MapBuilder(const MemoryReport &report, const MapOptions &options)
      : report(report), options(options) {}

  Map run() {
    addPools();
    for (const TensorRow &tensor : report.tensors)
      if (const auto region = regionOf(report, tensor);
          region && isRoot(tensor))
        isWeight(tensor) ? addWeight(*region, tensor)
                         : addTensor(*region, tensor);
    foldWeights();
    map.picture = buildPicture(map.problem, plan, mapTitle(report));
    map.picture.steps = {0, std::max<int64_t>(report.numSteps, 1)};
    map.picture.hasKinds = true;
    for (size_t i = 0; i < report.regions.size(); ++i)
      finishPanel(report.regions[i], map.picture.panels[i]);
    addMarks();
    return std::move(map);
  }

private:
  struct Weights {
    Interval bytes{std::numeric_limits<int64_t>::max(), 0};
    int64_t count = 0;
  };

  void addPools() {
    for (const RegionRow &region : report.regions) {
      Pool pool;
      pool.name = region.name;
      pool.baseAddress = region.base;
      pool.capacityBytes = region.capacityBytes;
      map.problem.pools.push_back(std::move(pool));
      plan.pools.push_back({region.usedBytes, region.lowerBoundBytes});
    }
  }

  void add(size_t region, std::string name, BufferKind kind, Interval bytes,
           Interval steps) {
    Buffer buffer;
    buffer.name = std::move(name);
    buffer.kind = kind;
    buffer.sizeBytes = bytes.length();
    buffer.lifespans = {steps};
    buffer.pools = {PoolId(region)};
    map.problem.buffers.push_back(std::move(buffer));
    plan.placements.push_back(
        {PoolId(region),
         saturatedSub(bytes.begin, report.regions[region].base)});
  }

  void addTensor(size_t region, const TensorRow &tensor) {
    if (!tensor.held.empty())
      add(region, tensor.name, kindOf(tensor), tensor.bytes, tensor.held);
  }

  void addWeight(size_t region, const TensorRow &tensor) {
    Weights &all = weights[region];
    all.bytes = {std::min(all.bytes.begin, tensor.bytes.begin),
                 std::max(all.bytes.end, tensor.bytes.end)};
    all.count += 1;
  }

  void foldWeights() {
    for (const auto &[region, all] : weights)
      add(region,
          formatCount(all.count) + (all.count == 1 ? " weight" : " weights"),
          BufferKind::Weight, all.bytes,
          {0, std::max<int64_t>(report.numSteps, 1)});
  }

  /// The report knows of padding, and of what is kept in which mode.
  void finishPanel(const RegionRow &region, Panel &panel) {
    panel.boundBytes = region.lowerBoundBytes;
    panel.gapBytes = saturatedSub(panel.usedBytes, panel.boundBytes);
    panel.peakStep = region.peakStep;
    panel.isBand = std::all_of(
        panel.boxes.begin(), panel.boxes.end(), [&](const Box &box) {
          return map.problem.buffers[size_t(box.id)].kind == BufferKind::Weight;
        });
  }

  void addMarks() {
    for (size_t step = 0; step < report.steps.size(); ++step)
      if (const auto &group = report.steps[step].group)
        map.picture.marks.push_back(
            {{int64_t(step), int64_t(step) + 1},
             "layer group " + std::to_string(*group) + ": " +
                 report.steps[step].name,
             options.localPage.empty()
                 ? ""
                 : options.localPage + "#g" + std::to_string(*group)});
  }

  const MemoryReport &report;
  const MapOptions &options;
  Map map;
  Plan plan;
  std::map<size_t, Weights> weights;
};

} // namespace

Map buildMap(const MemoryReport &report, const MapOptions &options) {
  return MapBuilder(report, options).run();
}

Drawing drawMap(const Map &map, const MapOptions &options, bool withHeading) {
  PlanPictureOptions picture;
  picture.maxRectangles = options.maxRectangles;
  return draw(map.picture, map.problem, picture,
              withHeading ? Viewer::File : Viewer::Page);
}

} // namespace tpu_mlir::report
