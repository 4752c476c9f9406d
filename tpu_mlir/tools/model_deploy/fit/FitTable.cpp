//===- FitTable.cpp - Ways to less memory, as text and JSON ---------------===//

#include "tpu_mlir/tools/model_deploy/Fit.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace tpu_mlir::deploy {

/// "+12.3 %"; of nothing: "-".
static std::string change(int64_t value, int64_t from) {
  if (from <= 0)
    return "-";
  const double percent = 100.0 * (double(value) - double(from)) / double(from);
  return llvm::formatv("{0}{1:f1} %", percent < 0 ? "" : "+", percent).str();
}

std::string renderFit(const FitResult &result) {
  constexpr auto kRight = TextTable::Align::Right;
  TextTable table({{""},
                   {"neuron", kRight},
                   {"all", kRight},
                   {"cycles", kRight},
                   {"bytes moved", kRight},
                   {"work", kRight},
                   {"bits"},
                   {"step"}});
  const FitRow &first = result.rows.front();
  for (const auto &[index, row] : llvm::enumerate(result.rows))
    table.addRow({index == result.chosen ? "*" : "",
                  formatBytes(row.neuronBytes), formatBytes(row.totalBytes),
                  change(row.cycles, first.cycles),
                  change(row.movedBytes, first.movedBytes),
                  change(row.work, first.work), "same", row.step});
  std::string text = table.render();
  if (result.orderBoundBytes > 0)
    text += "layer by layer no order needs less than " +
            formatExactBytes(result.orderBoundBytes) + "\n";
  if (result.layerBoundBytes > 0)
    text += "a layer that no group holds and no parts divide needs " +
            formatExactBytes(result.layerBoundBytes) + "\n";
  if (result.floorBytes > 0)
    text += "inputs and outputs alone need " +
            formatExactBytes(result.floorBytes) + "\n";
  return text + "\n";
}

LogicalResult refuseFit(Location location, const FitResult &result,
                        int64_t gmemBytes) {
  const FitRow &least = result.rows[result.chosen];
  const int64_t fixed = saturatedAdd(least.otherBytes, result.floorBytes);
  if (fixed > gmemBytes)
    return emitCodedError(
        location, ErrorCode::DoesNotFit,
        "the network " + formatShortage(fixed, gmemBytes) +
            ": weights, inputs and outputs alone; see --addr_mode, "
            "--quant_input and --quant_output");
  return emitCodedError(
      location, ErrorCode::NoPlanFound,
      "the network " + formatShortage(least.totalBytes, gmemBytes) +
          " in the smallest form that was found; what is left are --addr_mode, "
          "--quant_input, --quant_output and a narrower --quantize");
}

static llvm::json::Object toJson(const FitRow &row) {
  llvm::json::Array again, keepLocal(row.recipe.keepLocal);
  for (const Again &one : row.recipe.again)
    again.push_back(llvm::json::Object{
        {"tensor", llvm::json::fixUTF8(one.tensor)}, {"depth", one.depth}});
  llvm::json::Array parts;
  for (const Parts &one : row.recipe.parts)
    parts.push_back(
        llvm::json::Object{{"tensors", llvm::json::Array(one.tensors)},
                           {"dim", one.dim},
                           {"parts", one.parts}});
  return llvm::json::Object{{"step", llvm::json::fixUTF8(row.step)},
                            {"neuronBytes", row.neuronBytes},
                            {"totalBytes", row.totalBytes},
                            {"cycles", row.cycles},
                            {"movedBytes", row.movedBytes},
                            {"work", row.work},
                            {"isBitExact", true},
                            {"reorders", row.recipe.reorders},
                            {"objective", row.recipe.objective},
                            {"maxRecompute", row.recipe.maxRecompute},
                            {"keepLocal", std::move(keepLocal)},
                            {"again", std::move(again)},
                            {"parts", std::move(parts)}};
}

std::string renderFitJson(const FitResult &result) {
  llvm::json::Array rows;
  for (const FitRow &row : result.rows)
    rows.push_back(toJson(row));
  llvm::json::Object all{{"version", 1},
                         {"rows", std::move(rows)},
                         {"chosen", int64_t(result.chosen)},
                         {"floorBytes", result.floorBytes},
                         {"layerBoundBytes", result.layerBoundBytes},
                         {"orderBoundBytes", result.orderBoundBytes}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all))).str();
}

} // namespace tpu_mlir::deploy
