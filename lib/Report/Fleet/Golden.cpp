//===- Golden.cpp - What networks took before -----------------------------===//

#include "tpu_mlir/Report/FleetReport.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

namespace tpu_mlir::report {

MemoryUse memoryUse(const std::vector<MemoryReport> &reports) {
  MemoryUse use;
  for (const MemoryReport &report : reports)
    for (const RegionRow &region : report.regions) {
      RegionUse &one =
          use[(reports.size() > 1 ? report.module + "." : "") + region.name];
      one.usedBytes = region.usedBytes;
      for (const PeakTensor &tensor : region.peakSet)
        one.peak[tensor.name] = tensor.sizeBytes;
    }
  return use;
}

std::string printGolden(const MemoryUse &use) {
  std::string text;
  for (const auto &[region, one] : use) {
    text += region + " used " + std::to_string(one.usedBytes) + "\n";
    for (const auto &[name, bytes] : one.peak)
      text += region + " peak " + std::to_string(bytes) + " " + name + "\n";
  }
  return text;
}

std::variant<MemoryUse, JsonError> parseGolden(std::string_view text) {
  MemoryUse use;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text.data(), text.size()).split(lines, '\n');
  for (auto [at, line] : llvm::enumerate(lines)) {
    line = line.rtrim('\r');
    if (line.trim().empty() || line.starts_with("#"))
      continue;
    // Names of regions and tensors may have spaces: the middle is what counts.
    const bool isPeak = line.contains(" peak ");
    const auto [region, rest] = line.split(isPeak ? " peak " : " used ");
    const auto [number, name] = rest.split(' ');
    int64_t bytes = 0;
    if (region.empty() || number.getAsInteger(10, bytes) || bytes < 0 ||
        isPeak == name.empty())
      return JsonError{"'" + line.str() +
                           "' is neither '<region> used <bytes>' nor '<region> "
                           "peak <bytes> <tensor>'",
                       static_cast<int64_t>(at) + 1, 1};
    if (isPeak)
      use[region.str()].peak[name.str()] = bytes;
    else
      use[region.str()].usedBytes = bytes;
  }
  return use;
}

static std::vector<PeakTensor> newIn(const RegionUse &after,
                                     const RegionUse &before) {
  std::vector<PeakTensor> list;
  for (const auto &[name, bytes] : after.peak) {
    auto found = before.peak.find(name);
    if (found == before.peak.end() || found->second < bytes)
      list.push_back({name, bytes, 0, "", ""});
  }
  llvm::stable_sort(list, [](const PeakTensor &a, const PeakTensor &b) {
    return a.sizeBytes > b.sizeBytes;
  });
  return list;
}

std::vector<RegionChange> findChanges(const MemoryUse &before,
                                      const MemoryUse &after) {
  MemoryUse all = before;
  all.insert(after.begin(), after.end());
  const auto in = [](const MemoryUse &use, const std::string &region) {
    auto found = use.find(region);
    return found == use.end() ? RegionUse() : found->second;
  };
  std::vector<RegionChange> changes;
  for (const auto &[region, unused] : all) {
    const RegionUse then = in(before, region), now = in(after, region);
    if (then.usedBytes == now.usedBytes)
      continue;
    changes.push_back({region, then.usedBytes, now.usedBytes, {}});
    if (now.usedBytes > then.usedBytes)
      changes.back().newAtPeak = newIn(now, then);
  }
  return changes;
}

bool isOver(const RegionChange &change, double percent) {
  const auto before = static_cast<long double>(change.beforeBytes);
  return static_cast<long double>(change.afterBytes) >
         before + before * percent / 100;
}

static std::string linesOf(const std::vector<PeakTensor> &tensors,
                           const std::string &what) {
  constexpr size_t kShown = 8;
  std::string text;
  for (const PeakTensor &tensor : llvm::ArrayRef(tensors).take_front(kShown))
    text += "  " + what + ": " + formatCount(tensor.sizeBytes) + " B " +
            tensor.name + "\n";
  if (tensors.size() > kShown)
    text += "  and " + std::to_string(tensors.size() - kShown) + " more\n";
  return text;
}

std::string describe(const RegionChange &change) {
  std::string text = change.region + ": " + formatCount(change.beforeBytes) +
                     " -> " + formatCount(change.afterBytes) + " B";
  if (change.beforeBytes > 0)
    text += llvm::formatv(" ({0}{1:F1} %)",
                          change.afterBytes > change.beforeBytes ? "+" : "",
                          100.0 * (static_cast<double>(change.afterBytes) /
                                       static_cast<double>(change.beforeBytes) -
                                   1))
                .str();
  return text + "\n" + linesOf(change.newAtPeak, "new at the peak");
}

std::string describePeak(const RegionUse &use, const std::string &what) {
  return linesOf(newIn(use, {}), what);
}

} // namespace tpu_mlir::report
