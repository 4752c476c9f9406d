//===- Models.cpp - Published networks by name ----------------------------===//

#include "tpu_mlir/ModelBuilder/Models.h"
#include "Architectures.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir {

using namespace model_builder;

namespace {

constexpr int64_t kPresetOps = 1000;

struct Entry {
  ModelInfo info;
  Outputs (*build)(GraphBuilder &, const NetworkSize &);
  llvm::StringLiteral platform = "ONNX";
};

} // namespace

static const Entry kEntries[] = {
    {{"resnet50", "image classification, 224x224 (He et al. 2015)"},
     buildResNet50},
    {{"mobilenet_v2", "image classification, 224x224 (Sandler et al. 2018)"},
     buildMobileNetV2},
    {{"densenet121", "image classification, 224x224 (Huang et al. 2016)"},
     buildDenseNet121},
    {{"unet", "segmentation, 256x256 (Ronneberger et al. 2015)"}, buildUNet},
    {{"yolo_fpn", "detection, 640x640, three outputs (Redmon, Farhadi 2018; "
                  "Wang et al. 2019; Liu et al. 2018)"},
     buildYoloFpn},
    {{"bert_base", "text encoder, 12 layers (Devlin et al. 2018)", {384, 512}},
     buildBertBase},
    {{"llama_block",
      "one decoder block of a 7B model with cached keys and values (Touvron "
      "et al. 2023)",
      {512, 2048}},
     buildLlamaBlock,
     "LLM"},
    {{"inception_v3", "image classification, 299x299 (Szegedy et al. 2015)"},
     buildInceptionV3},
    {{"inception_v4", "image classification, 299x299 (Szegedy et al. 2016)"},
     buildInceptionV4},
    {{"nasnet_a_large", "image classification, 331x331, found by search (Zoph "
                        "et al. 2017)"},
     buildNasNetALarge},
    {{"pnasnet5_large", "image classification, 331x331, found by search (Liu "
                        "et al. 2017)"},
     buildPnasNet5Large},
    {{"amoebanet_a", "image classification, 224x224, found by search (Real et "
                     "al. 2018)"},
     buildAmoebaNetA},
    {{"darts", "image classification, 224x224, found by search (Liu, Simonyan, "
               "Yang 2018)"},
     buildDarts},
    {{"randwire",
      "image classification, 224x224, wired at random (Xie et al. 2019)",
      {},
      /*isGenerated=*/false,
      /*hasSeed=*/true},
     buildRandWire},
    {{"swiftnet", "persons in pictures, 224x224 (Visual Wake Words challenge "
                  "2019)"},
     buildSwiftNet},
    {{"swiftnet_a", "the first cell of swiftnet alone"}, buildSwiftNetA},
    {{"swiftnet_b", "the second cell of swiftnet alone"}, buildSwiftNetB},
    {{"swiftnet_c", "the third cell of swiftnet alone"}, buildSwiftNetC},
    {{"nasnet_a_cells", "four cells of NASNet-A in a row"}, buildNasNetACells},
    {{"pnasnet5_cells", "four cells of PNASNet-5 in a row"},
     buildPnasNet5Cells},
    {{"amoebanet_a_cells", "four cells of AmoebaNet-A in a row"},
     buildAmoebaNetACells},
    {{"darts_cells", "four cells of DARTS V2 in a row"}, buildDartsCells},
    {{"chain",
      "generated: --ops layers with residuals, branches and skips",
      {},
      /*isGenerated=*/true,
      /*hasSeed=*/true},
     buildChain}};

llvm::ArrayRef<ModelInfo> models() {
  static const auto infos = [] {
    std::vector<ModelInfo> infos;
    for (const Entry &entry : kEntries)
      infos.push_back(entry.info);
    return infos;
  }();
  return infos;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static std::optional<ModelError> checkRange(llvm::StringRef option,
                                            int64_t value, int64_t max) {
  if (value >= 1 && value <= max)
    return std::nullopt;
  return ModelError{("'" + option + "' is " + Twine(value) +
                     ", must be between 1 and " + Twine(max))
                        .str()};
}

static ModelError doesNotApply(llvm::StringRef option, const ModelInfo &model) {
  return {("model '" + model.name + "' has no option '" + option + "'").str()};
}

/// What is wrong with options that name this model.
static std::optional<ModelError> check(const ModelOptions &options,
                                       const ModelInfo &model) {
  if (auto error = checkRange("batch", options.batch, kMaxBatch))
    return error;
  if (options.seq && model.seq.max == 0)
    return doesNotApply("seq", model);
  if (options.seq)
    if (auto error = checkRange("seq", *options.seq, model.seq.max))
      return error;
  if (options.ops && !model.isGenerated)
    return doesNotApply("ops", model);
  if (options.ops)
    if (auto error = checkRange("ops", *options.ops, kMaxOps))
      return error;
  if (options.seed && !model.hasSeed)
    return doesNotApply("seed", model);
  return std::nullopt;
}

static ModelError unknownModel(llvm::StringRef name) {
  std::string message = ("unknown model '" + name + "'; there are").str();
  for (const ModelInfo &model : models())
    message += " " + model.name.str();
  return {message};
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

std::variant<OwningOpRef<ModuleOp>, ModelError>
buildModel(MLIRContext &context, const ModelOptions &options) {
  const Entry *entry = llvm::find_if(kEntries, [&](const Entry &candidate) {
    return candidate.info.name == options.model;
  });
  if (entry == std::end(kEntries))
    return unknownModel(options.model);
  if (auto error = check(options, entry->info))
    return *error;

  NetworkSize size;
  size.batch = options.batch;
  size.seq = options.seq.value_or(entry->info.seq.preset);
  size.ops = options.ops.value_or(kPresetOps);
  size.seed = options.seed.value_or(0);
  GraphBuilder builder(context, options.model, options.level, entry->platform);
  // A generated one has as many layers as were asked for.
  return builder.finish(entry->build(builder, size), !entry->info.isGenerated);
}

void printModel(ModuleOp module, llvm::raw_ostream &os) {
  module.print(os, OpPrintingFlags().enableDebugInfo());
  os << '\n';
}

} // namespace tpu_mlir
