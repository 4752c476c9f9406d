//===- OnnxFlags.cpp - How a model of ONNX is to be read ------------------===//

#include "tpu_mlir/tools/OnnxInput/OnnxFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace llvm;

namespace tpu_mlir {

using importer::Preprocessing;
using importer::Shape;

#define DESCRIBED(text) cl::desc(describe(text)), cl::cat(category)

OnnxFlags::OnnxFlags(cl::OptionCategory &category, const std::string &condition)
    : condition(condition),
      inputShapes("input_shapes", cl::value_desc("shapes"),
                  DESCRIBED("A shape for each input, as in "
                            "[[1,3,224,224],[1,10]]")),
      outputNames("output_names", cl::value_desc("names"), cl::CommaSeparated,
                  DESCRIBED("Values to return instead of the model's outputs")),
      bindings("bind", cl::value_desc("name=file"),
               DESCRIBED("An input whose numbers are known: its value is in a "
                         ".npz file, under its name, or a .pb file of ONNX")),
      resizeDims("resize_dims", cl::value_desc("h,w"),
                 DESCRIBED("Height and width of a picture before it is cut to "
                           "the input's, which is the default")),
      keepAspectRatio("keep_aspect_ratio",
                      DESCRIBED("Resizing keeps a picture's shape")),
      keepRatioMode("keep_ratio_mode", cl::init("letterbox"),
                    DESCRIBED("How: letterbox (default) or short_side_scale")),
      mean("mean", cl::value_desc("numbers"),
           DESCRIBED("What is taken from each channel's pixels (0,0,0)")),
      scale("scale", cl::value_desc("numbers"),
            DESCRIBED("What that is multiplied with (1,1,1)")),
      pixelFormat("pixel_format", cl::value_desc("format"),
                  DESCRIBED("rgb, bgr, gray, rgba, or of a sensor gbrg, grbg, "
                            "bggr, rggb (by the channels: gray, bgr, rgba)")),
      channelFormat("channel_format", cl::init("nchw"),
                    DESCRIBED("nchw (default), nhwc; none: inputs are no "
                              "pictures")),
      padValue("pad_value", cl::init(0),
               DESCRIBED("What is around a picture that is too small (0)")),
      padType(
          "pad_type", cl::init("center"),
          DESCRIBED("Where such a picture lies: center (default) or normal, "
                    "which is the corner")),
      preprocessList("preprocess_list", cl::value_desc("numbers"),
                     DESCRIBED("Which inputs are pictures, from 1 on, as in "
                               "1,3; all by default that can be")) {}

#undef DESCRIBED

StringRef OnnxFlags::describe(const std::string &text) {
  return descriptions.emplace_back(condition + text);
}

std::vector<const cl::Option *> OnnxFlags::all() const {
  return {&inputShapes,
          std::addressof(outputNames),
          std::addressof(bindings),
          &resizeDims,
          &keepAspectRatio,
          &keepRatioMode,
          &mean,
          &scale,
          &pixelFormat,
          &channelFormat,
          &padValue,
          &padType,
          &preprocessList};
}

std::string OnnxFlags::firstGiven() const {
  for (const cl::Option *option : all())
    if (option->getNumOccurrences())
      return "--" + option->ArgStr.str();
  return "";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// nullopt: no list of lists of numbers above 0.
static std::optional<std::vector<Shape>> parseShapes(StringRef text) {
  auto parsed = json::parse(text);
  // 1.0 is an integer to JSON and no size.
  if (!parsed || text.contains('.')) {
    consumeError(parsed.takeError());
    return std::nullopt;
  }
  const json::Array *list = parsed->getAsArray();
  std::vector<Shape> shapes;
  for (const json::Value &entry : list ? *list : json::Array()) {
    const json::Array *dims = entry.getAsArray();
    if (!dims)
      return std::nullopt;
    shapes.emplace_back();
    for (const json::Value &dim : *dims) {
      const std::optional<int64_t> size = dim.getAsInteger();
      if (!size || *size < 1)
        return std::nullopt;
      shapes.back().push_back(*size);
    }
  }
  return list && !shapes.empty() ? std::optional(shapes) : std::nullopt;
}

/// Positive whole numbers with commas between; nullopt for what is none.
static std::optional<Shape> parseWholes(StringRef text) {
  Shape list;
  for (StringRef part : split(text, ',')) {
    int64_t number = 0;
    if (part.trim().getAsInteger(10, number) || number < 1)
      return std::nullopt;
    list.push_back(number);
  }
  return list;
}

/// As the toolchain has them: rounded to f32; nullopt also for what f32 does
/// not hold.
static std::optional<std::vector<double>> parseReals(StringRef text) {
  std::vector<double> list;
  for (StringRef part : split(text, ',')) {
    double number = 0;
    if (part.trim().getAsDouble(number) || !std::isfinite(number))
      return std::nullopt;
    const auto rounded = static_cast<float>(number);
    if (std::isinf(rounded) || (rounded == 0 && number != 0))
      return std::nullopt;
    list.push_back(rounded);
  }
  return list;
}

static std::string notOneOf(const cl::opt<std::string> &option,
                            ArrayRef<StringRef> words) {
  if (option.empty() || is_contained(words, option))
    return "";
  return "--" + option.ArgStr.str() + " '" + option + "' is none of " +
         join(words, ", ");
}

std::string OnnxFlags::readNumbers(Preprocessing &how) const {
  constexpr int64_t kMostPixels = 1 << 16;
  if (padValue < 0 || padValue > 255)
    return "--pad_value " + std::to_string(padValue) +
           " is no pixel of 8 bits: 0 to 255";
  if (resizeDims.getNumOccurrences()) {
    auto dims = parseWholes(resizeDims);
    if (!dims || dims->size() != 2)
      return "--resize_dims '" + resizeDims + "' is not as in 224,224";
    if (max_element(*dims)[0] > kMostPixels)
      return "--resize_dims '" + resizeDims + "' is more than " +
             std::to_string(kMostPixels) + " in one dimension";
    how.resizeDims = *dims;
  }
  for (auto [option, list] :
       {std::pair(&mean, &how.mean), std::pair(&scale, &how.scale)}) {
    if (!option->getNumOccurrences())
      continue;
    auto numbers = parseReals(*option);
    if (!numbers)
      return "--" + option->ArgStr.str() + " '" + option->getValue() +
             "' is not as in 0.5,0.5,0.5";
    *list = *numbers;
  }
  if (preprocessList.getNumOccurrences()) {
    auto numbers = parseWholes(preprocessList);
    if (!numbers)
      return "--preprocess_list '" + preprocessList + "' is not as in 1,3";
    how.inputs = *numbers;
  }
  return "";
}

bool OnnxFlags::isPreprocessing() const {
  return any_of(ArrayRef(all()).drop_front(3), [](const cl::Option *option) {
    return option->getNumOccurrences() > 0;
  });
}

std::string OnnxFlags::readPreprocessing(OnnxRequest &request) const {
  Preprocessing how;
  for (const std::string &wrong :
       {notOneOf(keepRatioMode, {"letterbox", "short_side_scale"}),
        notOneOf(pixelFormat, {"rgb", "bgr", "gray", "rgba", "gbrg", "grbg",
                               "bggr", "rggb"}),
        notOneOf(channelFormat, {"nchw", "nhwc", "none"}),
        notOneOf(padType, {"center", "normal"}), readNumbers(how)})
    if (!wrong.empty())
      return wrong;
  if (keepRatioMode.getNumOccurrences() && !keepAspectRatio)
    return "--keep_ratio_mode is for --keep_aspect_ratio";
  if (channelFormat == "none") {
    for (const cl::Option *option : ArrayRef(all()).drop_front(3))
      if (option->getNumOccurrences() && option != &channelFormat)
        return "--channel_format none says that no input is a picture, --" +
               option->ArgStr.str() + " what to do with one; leave out one";
    return "";
  }
  how.keepsAspectRatio = keepAspectRatio;
  how.keepRatioMode = keepRatioMode;
  how.pixelFormat = pixelFormat;
  how.channelFormat = channelFormat;
  how.padValue = padValue;
  how.padType = padType;
  how.isDemanded = isPreprocessing();
  request.options.preprocessing = std::move(how);
  return "";
}

std::variant<OnnxRequest, std::string> OnnxFlags::read() const {
  OnnxRequest request;
  for (StringRef binding : bindings) {
    const auto [name, file] = binding.split('=');
    if (name.empty() || file.empty())
      return "--bind '" + binding.str() + "' is not as in x=x.npz";
    for (const auto &[other, unused] : request.bindings)
      if (other == name)
        return "--bind gives '" + other + "' two values; leave out one";
    request.bindings.push_back({name.str(), file.str()});
    request.flags += " --bind=" + binding.str();
  }
  if (!inputShapes.empty()) {
    auto shapes = parseShapes(inputShapes);
    if (!shapes)
      return "--input_shapes '" + inputShapes +
             "' is not as in [[1,3,224,224]]";
    request.options.inputShapes = std::move(*shapes);
  }
  request.options.outputNames.assign(outputNames.begin(), outputNames.end());
  if (!outputNames.empty())
    request.flags += " --output_names=" + join(outputNames, ",");
  for (const Text *text :
       {&inputShapes, &resizeDims, &keepRatioMode, &mean, &scale, &pixelFormat,
        &channelFormat, &padType, &preprocessList})
    if (text->getNumOccurrences())
      request.flags += " --" + text->ArgStr.str() + "=" + text->getValue();
  if (keepAspectRatio)
    request.flags += " --keep_aspect_ratio";
  if (padValue.getNumOccurrences())
    request.flags += " --pad_value=" + std::to_string(padValue);
  if (std::string wrong = readPreprocessing(request); !wrong.empty())
    return wrong;
  return request;
}

} // namespace tpu_mlir
