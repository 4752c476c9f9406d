//===- Preprocess.cpp - Pictures in front of a network --------------------===//
//
// What is to be done with a picture is no layer: it stands in the attributes of
// the input, as tpu-mlir has it, whose defaults these are.
//
//===----------------------------------------------------------------------===//

#include "lib/Import/Importer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tpu_mlir::importer {

/// 0: what comes from a sensor, whose colours lie in turn.
static int64_t channelsOf(llvm::StringRef pixelFormat) {
  return llvm::StringSwitch<int64_t>(pixelFormat)
      .Case("gray", 1)
      .Cases({"rgb", "bgr"}, 3)
      .Case("rgba", 4)
      .Default(0);
}

static std::string formatFor(int64_t channels) {
  return channels == 1 ? "gray" : channels == 3 ? "bgr" : "rgba";
}

/// How many channels the input has if it is a picture, else 0.
static int64_t pictureChannels(const Preprocessing &how, const Border &input) {
  const size_t rank = input.shape.size();
  if ((rank != 3 && rank != 4) || !isFloat(input.type))
    return 0;
  const int64_t count =
      input.shape[how.channelFormat == "nhwc" ? rank - 1 : rank - 3];
  const int64_t wanted = channelsOf(how.pixelFormat);
  const bool fits = how.pixelFormat.empty()
                        ? count == 1 || count == 3 || count == 4
                        : wanted == count || (wanted == 0 && count <= 4);
  return fits ? count : 0;
}

static LayerAttributes attributesFor(const Preprocessing &how,
                                     const Border &input, int64_t channels) {
  const size_t rank = input.shape.size(),
               height = how.channelFormat == "nhwc" ? rank - 3 : rank - 2;
  const Shape whole = {input.shape[height], input.shape[height + 1]};
  return {
      {"do_preprocess", true},
      {"channel_format", how.channelFormat},
      {"keep_aspect_ratio", how.keepsAspectRatio},
      {"keep_ratio_mode", how.keepRatioMode},
      {"mean", how.mean.empty() ? std::vector<double>(channels, 0) : how.mean},
      {"pad_type", how.padType},
      {"pad_value", how.padValue},
      {"pixel_format",
       how.pixelFormat.empty() ? formatFor(channels) : how.pixelFormat},
      {"resize_dims", how.resizeDims.empty() ? whole : how.resizeDims},
      {"scale",
       how.scale.empty() ? std::vector<double>(channels, 1) : how.scale},
      {"yuv_type", ""}};
}

void Importer::preprocess() {
  if (!options.preprocessing)
    return;
  const Preprocessing &how = *options.preprocessing;
  const auto count = static_cast<int64_t>(graph.inputs.size());
  for (int64_t number : how.inputs)
    check(number >= 1 && number <= count,
          "--preprocess_list names input " + std::to_string(number) +
              ", the network has " + std::to_string(count));
  bool isDone = false;
  for (auto [index, declared] : llvm::enumerate(graph.inputs)) {
    const bool isNamed =
        llvm::is_contained(how.inputs, static_cast<int64_t>(index) + 1);
    const Known &known = values[declared.name];
    if (known.isBroken || (!how.inputs.empty() && !isNamed))
      continue;
    const Border input{declared.name, known.type, known.shape};
    const int64_t channels = pictureChannels(how, input);
    const std::string what = "input '" + input.name + "' is " +
                             nameOf(input.type).str() + " " +
                             describe(input.shape);
    if (!check(channels || !isNamed,
               what + ", no picture" +
                   (how.pixelFormat.empty() ? "" : " in " + how.pixelFormat)) ||
        !channels)
      continue;
    isDone = true;
    for (const auto &[list, flag] :
         {std::pair(&how.mean, "--mean"), std::pair(&how.scale, "--scale")})
      check(list->empty() || static_cast<int64_t>(list->size()) == channels,
            what + ", " + flag + " has " + std::to_string(list->size()) +
                " numbers: give one a channel");
    module.annotate(*known.value, attributesFor(how, input, channels));
  }
  check(isDone || !how.isDemanded || !errors.empty(),
        "no input is a picture in the pixel format and channel format that are "
        "given: leave out the flags for preprocessing, or give other ones");
}

} // namespace tpu_mlir::importer
