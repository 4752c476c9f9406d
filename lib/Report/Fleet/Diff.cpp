//===- Diff.cpp - What two memory reports have different ------------------===//

#include "tpu_mlir/Report/FleetDiff.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Utf8.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <set>

namespace tpu_mlir::report {

/// By module and name; the last of equal names counts.
static std::map<std::string, TensorPlace>
placesOf(const std::vector<MemoryReport> &reports) {
  std::map<std::string, TensorPlace> all;
  for (const MemoryReport &report : reports)
    for (const TensorRow &row : report.tensors)
      all[(reports.size() > 1 ? report.module + "." : "") + row.name] = {
          row.bytes.length(), row.region};
  return all;
}

static std::vector<TensorChange>
tensorChanges(const std::vector<MemoryReport> &before,
              const std::vector<MemoryReport> &after) {
  const auto then = placesOf(before), now = placesOf(after);
  auto names = then;
  names.insert(now.begin(), now.end());
  std::vector<TensorChange> changes;
  for (const auto &[name, unused] : names) {
    TensorChange change{name, std::nullopt, std::nullopt};
    if (auto was = then.find(name); was != then.end())
      change.before = was->second;
    if (auto is = now.find(name); is != now.end())
      change.after = is->second;
    if (!(change.before == change.after))
      changes.push_back(std::move(change));
  }
  return changes;
}

bool ReportDiff::isOver() const {
  return fitsBefore != fitsAfter ||
         std::any_of(changes.begin(), changes.end(),
                     [&](const RegionChange &change) {
                       return report::isOver(change, tolerance);
                     });
}

ReportDiff diffReports(const DiffSide &before, const DiffSide &after,
                       double tolerance) {
  ReportDiff diff;
  diff.before = before.name;
  diff.after = after.name;
  diff.fitsBefore = !before.reports.empty();
  diff.fitsAfter = !after.reports.empty();
  diff.tolerance = tolerance;
  const MemoryUse then = memoryUse(before.reports);
  const MemoryUse now = memoryUse(after.reports);
  diff.changes = findChanges(then, now);
  std::set<std::string> names;
  for (const MemoryUse *use : {&then, &now})
    for (const auto &[name, unused] : *use)
      names.insert(name);
  const auto bytesIn = [](const MemoryUse &use, const std::string &name) {
    const auto found = use.find(name);
    return found == use.end() ? 0 : found->second.usedBytes;
  };
  for (const std::string &name : names)
    diff.regions.push_back({name, bytesIn(then, name), bytesIn(now, name), {}});
  diff.tensors = tensorChanges(before.reports, after.reports);
  return diff;
}

static std::string textOf(const TensorPlace &place) {
  return formatCount(place.sizeBytes) + " B in " + place.region;
}

std::string renderDiffText(const ReportDiff &diff) {
  std::string text;
  if (diff.fitsBefore != diff.fitsAfter)
    text += (diff.fitsBefore ? diff.after : diff.before) +
            ": the network does not fit\n";
  for (const RegionChange &change : diff.changes)
    text += describe(change);
  for (const TensorChange &one : diff.tensors) {
    if (!one.before)
      text += "  new: " + one.name + ", " + textOf(*one.after) + "\n";
    else if (!one.after)
      text += "  gone: " + one.name + ", " + textOf(*one.before) + "\n";
    else
      text += "  " + one.name + ": " + textOf(*one.before) + " -> " +
              textOf(*one.after) + "\n";
  }
  return asUtf8(text);
}

static void print(llvm::json::OStream &json, const RegionChange &region,
                  double tolerance) {
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(region.region));
    json.attribute("beforeBytes", region.beforeBytes);
    json.attribute("afterBytes", region.afterBytes);
    json.attribute("isOver", isOver(region, tolerance));
    json.attributeArray("newAtPeak", [&] {
      for (const PeakTensor &tensor : region.newAtPeak)
        json.value(
            llvm::json::Object{{"name", llvm::json::fixUTF8(tensor.name)},
                               {"sizeBytes", tensor.sizeBytes}});
    });
  });
}

static llvm::json::Value jsonOf(const std::optional<TensorPlace> &place) {
  if (!place)
    return nullptr;
  return llvm::json::Object{{"sizeBytes", place->sizeBytes},
                            {"region", llvm::json::fixUTF8(place->region)}};
}

std::string renderDiffJson(const ReportDiff &diff) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("before", llvm::json::fixUTF8(diff.before));
    json.attribute("after", llvm::json::fixUTF8(diff.after));
    json.attribute("fitsBefore", diff.fitsBefore);
    json.attribute("fitsAfter", diff.fitsAfter);
    json.attribute("tolerancePercent", diff.tolerance);
    json.attribute("isOver", diff.isOver());
    json.attributeArray("regions", [&] {
      for (const RegionChange &region : diff.regions) {
        const auto changed = std::find_if(
            diff.changes.begin(), diff.changes.end(),
            [&](const RegionChange &o) { return o.region == region.region; });
        print(json, changed == diff.changes.end() ? region : *changed,
              diff.tolerance);
      }
    });
    json.attributeArray("tensors", [&] {
      for (const TensorChange &one : diff.tensors)
        json.value(llvm::json::Object{{"name", llvm::json::fixUTF8(one.name)},
                                      {"before", jsonOf(one.before)},
                                      {"after", jsonOf(one.after)}});
    });
  });
  stream << "\n";
  return text;
}

} // namespace tpu_mlir::report
