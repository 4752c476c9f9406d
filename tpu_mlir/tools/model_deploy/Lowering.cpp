//===- Lowering.cpp - The stages of model_deploy that lower ---------------===//

#include "tpu_mlir/tools/model_deploy/Lowering.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "lib/Transforms/Tpu/ImportCalibrationTable/ImportCalibrationTable.h"
#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h"
#include "lib/Transforms/Tpu/WeightFile/WeightFile.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Log/Log.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tpu_mlir::deploy {

/// Tensors get a range from a table.
static bool hasRanges(const Options &options) {
  return StringRef(options.quantize).equals_insensitive("INT8") ||
         StringRef(options.quantize).equals_insensitive("F8E4M3");
}

/// A module that says it is lowered is, whatever single ops are left in it; one
/// that says it is Top's is not, though it may have no layers.
bool needsLowering(ModuleOp module) {
  auto state = readWord(findSharedAttr(module, "module.state"));
  if (state && state->starts_with("TPU_"))
    return false;
  bool hasTop = false, hasTpu = false;
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    hasTop |=
        dialect == "top" && !isa<top::NoneOp, top::WeightOp, top::InputOp>(op);
    hasTpu |= dialect == "tpu";
  });
  return hasTop || (!hasTpu && state && state->starts_with("TOP_"));
}

LogicalResult checkLowered(ModuleOp module, const Options &options) {
  if (options.quantize.empty())
    return success();
  auto mode = readWord(findSharedAttr(module, "module.mode"));
  for (const auto &[flag, value] :
       {std::pair("--calibration_table", &options.calibrationTable),
        std::pair("--quantize_table", &options.quantizeTable)})
    if (!value->empty())
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            Twine("the module is lowered already: ") + flag +
                                " cannot change that; leave it out");
  if (mode && mode->equals_insensitive(options.quantize)) {
    log::info("the module is lowered to " + mode->str() + " already");
    return success();
  }
  return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                        "the module is lowered already" +
                            (mode ? ", to " + *mode : Twine()) +
                            ": --quantize " + options.quantize +
                            " cannot change that; leave it out");
}

/// A pass as tpuc-opt takes it; options without a value are left out.
static std::string
passText(StringRef pass,
         std::initializer_list<std::pair<const char *, std::string>> options) {
  std::string text;
  for (const auto &[name, value] : options)
    if (!value.empty())
      text += (text.empty() ? "" : " ") + (name + ("=" + value));
  return " --" + pass.str() + (text.empty() ? "" : "=\"" + text + "\"");
}

/// The file that is named on the command line, or by a module that has it
/// beside itself.
LogicalResult Lowering::openWeights(ModuleOp module) {
  if (writtenTo.empty())
    openedFile = options.weightFile;
  if (openedFile.empty()) {
    openedFile = weight_files::weightsBeside(module, options.mlirFile);
    if (openedFile.empty())
      return success();
  }
  auto opened = weight_files::openWeights(
      module, writtenTo.empty() ? openedFile : writtenTo);
  if (failed(opened))
    return failure();
  weights = *opened;
  return success();
}

static bool isPacked(const Options &options) {
  return StringRef(options.quantize).starts_with_insensitive("W");
}

/// What all modes have in common.
static ConvertTopToTpuOptions conversion(const Options &options) {
  ConvertTopToTpuOptions convert;
  convert.mode = options.quantize;
  convert.chip = options.chip;
  convert.chipFile = options.chipFile;
  return convert;
}

Stage Lowering::lowerFloats() const {
  ConvertTopToTpuOptions convert = conversion(options);
  convert.qGroupSize = options.groupSize;
  convert.qSymmetric = options.symmetricWeights;
  Stage stage{"lowering", "", {}};
  stage.command =
      passText("convert-top-to-tpu", {{"mode", options.quantize},
                                      {"chip", options.chip},
                                      {"chip-file", options.chipFile}});
  if (isPacked(options))
    stage.command =
        passText("convert-top-to-tpu",
                 {{"mode", options.quantize},
                  {"chip", options.chip},
                  {"chip-file", options.chipFile},
                  {"weights", openedFile},
                  {"weights-out", weights ? weightPath("_tpu") : ""},
                  {"q-group-size", std::to_string(options.groupSize)},
                  {"q-symmetric", options.symmetricWeights ? "true" : ""}});
  stage.addPasses = [convert, weights = weights](OpPassManager &manager) {
    manager.addPass(createConvertTopToTpu(convert, weights));
  };
  return stage;
}

Stage Lowering::lowerIntegers(bool hasRanges) const {
  ConvertTopToTpuOptions convert = conversion(options);
  convert.quantizeTable = options.quantizeTable;
  ImportCalibrationTableOptions ranges;
  ranges.file = options.calibrationTable;
  ranges.chip = options.chip;
  ranges.chipFile = options.chipFile;
  ranges.asymmetric = options.asymmetric;
  Stage stage{"lowering", "", {}};
  // For whoever runs the commands one by one.
  stage.command =
      passText("convert-top-to-tpu",
               {{"mode", options.quantize},
                {"chip", options.chip},
                {"chip-file", options.chipFile},
                {"quantize-table", options.quantizeTable},
                {"weights", openedFile},
                {"weights-out", weights ? weightPath("_tpu") : ""}});
  if (!hasRanges)
    stage.command =
        passText("import-calibration-table",
                 {{"file", options.calibrationTable},
                  {"chip", options.chip},
                  {"chip-file", options.chipFile},
                  {"asymmetric", options.asymmetric ? "true" : ""}}) +
        stage.command;
  stage.addPasses = [convert, ranges, hasRanges,
                     weights = weights](OpPassManager &manager) {
    if (!hasRanges)
      manager.addPass(createImportCalibrationTable(ranges));
    manager.addPass(createConvertTopToTpu(convert, weights));
  };
  return stage;
}

FailureOr<Stage> Lowering::lower(ModuleOp module) {
  if (options.quantize.empty())
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "a Top module needs --quantize: F32, F16, BF16, "
                          "INT8, F8E4M3 or F8E5M2");
  if ((isPacked(options) || hasRanges(options)) && failed(openWeights(module)))
    return failure();
  if (!hasRanges(options))
    return lowerFloats();
  auto state = readWord(findSharedAttr(module, "module.state"));
  return lowerIntegers(options.calibrationTable.empty() && state &&
                       *state == "TOP_CALIBRATED");
}

FailureOr<std::optional<Stage>> Lowering::pack(ModuleOp module) {
  auto chip = resolveChip(module, options.chip, options.chipFile);
  if (failed(chip))
    return failure();
  using reorder_weights::Reordering;
  const Reordering reordering = reorder_weights::reorderingOf(module, *chip);
  if (reordering == Reordering::None)
    return std::optional<Stage>();
  if (reordering == Reordering::Numbers && !weights &&
      failed(openWeights(module)))
    return failure();
  ReorderWeightsOptions reorder;
  reorder.chip = options.chip;
  reorder.chipFile = options.chipFile;
  Stage stage{"coefficients",
              passText("tpu-reorder-weights",
                       {{"chip", options.chip},
                        {"chip-file", options.chipFile},
                        {"weights", weights ? weightPath("_tpu") : ""},
                        {"weights-out", weights ? weightPath("") : ""}}),
              [reorder, weights = weights](OpPassManager &manager) {
                manager.addPass(createReorderWeights(reorder, weights));
              }};
  return std::optional<Stage>(std::move(stage));
}

FailureOr<std::optional<std::string>>
Lowering::weightFile(ModuleOp module) const {
  if (!weights || !weight_files::hasAllWeights(module, *weights))
    return std::optional<std::string>();
  FailureOr<std::string> contents =
      weight_files::renderWeights(module, *weights);
  if (failed(contents))
    return failure();
  return std::optional<std::string>(std::move(*contents));
}

} // namespace tpu_mlir::deploy
