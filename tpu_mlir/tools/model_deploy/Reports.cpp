//===- Reports.cpp - What a run says about memory -------------------------===//

#include "tpu_mlir/tools/model_deploy/Reports.h"

#include "lib/Transforms/Tpu/LocalReport/CollectLocalReport.h"
#include "lib/Transforms/Tpu/MemoryReport/CollectReport.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Interpreter/Interpreter.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Log/Progress.h"
#include "tpu_mlir/Report/MemoryMap.h"
#include "tpu_mlir/Report/NetTrace.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/model_deploy/Commands.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <thread>

using namespace mlir;

namespace tpu_mlir::deploy {

static constexpr size_t kMostLocalMaps = 200;

LogicalResult Reports::collect(ModuleOp module, const Options &options) {
  std::optional<int64_t> gmemBytes;
  if (options.gmemBytes)
    gmemBytes = options.gmemBytes;
  for (ModuleOp inner : functionModules(module)) {
    if (inner.getOps<func::FuncOp>().empty())
      continue;
    auto chip = resolveChip(inner, options.chip, options.chipFile);
    if (failed(chip))
      return failure();
    auto collected =
        memory_report::collectMemoryReport(inner, *chip, gmemBytes);
    if (failed(collected))
      return failure();
    memory.push_back(std::move(*collected));
    if (failed(collectLocal(inner, *chip)))
      return failure();
  }
  return success();
}

/// Nothing for a module without layer groups.
LogicalResult Reports::collectLocal(ModuleOp module,
                                    const target::ChipSpec &chip) {
  // What all other layers cost would be counted for nothing.
  if (!hasGroups(module))
    return success();
  auto collected = local_report::collectLocalReport(module, chip);
  if (failed(collected))
    return failure();
  log::info(formatCount(collected->numGroupedLayers()) + " layers in " +
            formatCount(static_cast<int64_t>(collected->groups.size())) +
            " groups; " + formatCount(collected->totalCost().trafficBytes()) +
            " bytes between global and local memory");
  local.push_back(std::move(*collected));
  return success();
}

bool Reports::hasLocalPage() const {
  return memory.size() == 1 && local.size() == 1 &&
         local.front().groups.size() <= kMostLocalMaps;
}

std::string Reports::regionTable() const {
  std::string text;
  for (const report::MemoryReport &one : memory)
    text += report::renderRegionTable(one);
  return text;
}

/// A name that may hold anything, as a relative URL.
static std::string urlOf(StringRef path) {
  std::string url;
  for (char c : llvm::sys::path::filename(path))
    url += llvm::isAlnum(c) || StringRef("-_.~").contains(c)
               ? std::string(1, c)
               : "%" + llvm::utohexstr((unsigned char)c, /*LowerCase=*/false,
                                       /*Width=*/2);
  return url;
}

std::vector<FileToWrite> Reports::render(const Options &options) const {
  std::string json, text, localJson, localText;
  for (const report::MemoryReport &one : memory) {
    json += report::renderJson(one);
    text += report::renderText(one);
  }
  for (const report::LocalReport &one : local) {
    localJson += report::renderLocalJson(one);
    localText += report::renderLocalText(one);
  }
  report::MapOptions map;
  std::vector<FileToWrite> files;
  const auto add = [&](const char *end, std::string contents) {
    files.push_back({options.stem + end, std::move(contents)});
  };
  add("_memory.json", std::move(json));
  add("_memory.txt", std::move(text));
  if (hasLocalPage()) {
    add("_local.html", report::renderLocalHtml(local.front()));
    map.localPage = urlOf(files.back().first);
  }
  add("_map.html", report::renderMapHtml(memory, map));
  if (!local.empty()) {
    add("_local.json", std::move(localJson));
    add("_local.txt", std::move(localText));
  }
  if (!options.traceFile.empty())
    files.push_back({options.traceFile, report::renderTrace(memory, local)});
  return files;
}

/// What the board leaves to the neurons, which is what they are over by.
static void addBudget(report::MemoryReport &report, int64_t gmemBytes) {
  report.gmemBytes = gmemBytes;
  for (report::RegionRow &row : report.regions) {
    const int64_t others = saturatedSub(report.boardBytes, row.usedBytes);
    const int64_t left = std::max<int64_t>(0, saturatedSub(gmemBytes, others));
    // Weights come first: what they leave is for the others.
    const int64_t most = row.peakSet.empty() ? gmemBytes : left;
    if (row.isOnBoard)
      row.capacityBytes = std::min(most, row.capacityBytes.value_or(most));
  }
}

std::optional<FileToWrite> drawFailure(ModuleOp module, const Options &options,
                                       const Recipe &recipe,
                                       const std::string &failure) {
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  Options wide = options;
  wide.gmemBytes = 0;
  wide.unlimited = true;
  PassManager manager(module.getContext());
  addPasses(wide, recipe, nullptr, manager);
  if (failed(manager.run(module)))
    return std::nullopt;
  std::vector<report::MemoryReport> memory;
  for (ModuleOp inner : functionModules(module)) {
    if (inner.getOps<func::FuncOp>().empty())
      continue;
    auto chip = resolveChip(inner, options.chip, options.chipFile);
    if (failed(chip))
      return std::nullopt;
    auto collected = memory_report::collectMemoryReport(inner, *chip);
    if (failed(collected))
      return std::nullopt;
    if (options.gmemBytes)
      addBudget(*collected, options.gmemBytes);
    memory.push_back(std::move(*collected));
  }
  report::MapOptions map;
  map.failure = failure;
  return FileToWrite{options.stem + "_map.html",
                     report::renderMapHtml(memory, map)};
}

FailureOr<std::string> runOnPlan(ModuleOp module, const Options &options) {
  RunOptions how;
  how.threads = std::max(1u, std::thread::hardware_concurrency());
  how.progress = [](int64_t done, int64_t all) {
    log::progress("running, ops", done, all);
  };
  std::string text;
  for (ModuleOp inner : functionModules(module)) {
    auto chip = resolveChip(inner, options.chip, options.chipFile);
    if (failed(chip))
      return failure();
    how.chip = *chip;
    FailureOr<RunResult> result = runModule(inner, how);
    if (failed(result))
      return failure();
    text += "\n" + formatCount(result->ops) + " ops ran on the plan, " +
            formatCount(result->groups) +
            " layer groups in local memory: every byte from the write that "
            "was meant\n";
  }
  return text;
}

} // namespace tpu_mlir::deploy
