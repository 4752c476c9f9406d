//===- Image.cpp - Images of another size ---------------------------------===//

#include "lib/Import/Rule.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <cmath>

namespace tpu_mlir::importer {

namespace {

/// One dimension that changes its size.
struct Stretch {
  int64_t axis = 0, in = 0, out = 0;
  double scale = 1;
  double from = 0, to = 1; ///< The part of the operand, of tf_crop_and_resize.
};

/// What a Resize asks for.
struct Resize {
  std::string mode, coordinates, nearest;
  double cubic = -0.75, outside = 0;
  bool excludesOutside = false, givenSizes = false;
  /// Sizes are rounded from one scale and need not be what scales make.
  bool keepsRatio = false;
  Shape shape;
  std::vector<Stretch> stretches; ///< Where something happens.
};

} // namespace

/// Where element i of the result is in the operand.
static double placeOf(const NodeContext &node, const Resize &how,
                      const Stretch &along, int64_t i) {
  const double at = static_cast<double>(i), in = along.in, out = along.out;
  if (how.coordinates == "asymmetric")
    return at / along.scale;
  if (how.coordinates == "half_pixel")
    return (at + 0.5) / along.scale - 0.5;
  if (how.coordinates == "pytorch_half_pixel")
    return along.out > 1 ? (at + 0.5) / along.scale - 0.5 : 0;
  if (how.coordinates == "half_pixel_symmetric") {
    // The image of all pixels stays in the middle where a size is rounded.
    const double lost = 1 - out / (along.scale * in);
    return in / 2 * lost + (at + 0.5) / along.scale - 0.5;
  }
  if (how.coordinates == "tf_half_pixel_for_nn")
    return (at + 0.5) / along.scale;
  if (how.coordinates == "align_corners")
    return along.out > 1 ? at * (in - 1) / (out - 1) : 0;
  if (how.coordinates == "tf_crop_and_resize")
    return along.out > 1
               ? along.from * (in - 1) +
                     at * (along.to - along.from) * (in - 1) / (out - 1)
               : 0.5 * (along.from + along.to) * (in - 1);
  node.refuse("coordinates '" + how.coordinates + "' are not known");
}

/// The element that is nearest to a place.
static int64_t nearestTo(const NodeContext &node, const Resize &how,
                         double place) {
  const double low = std::floor(place);
  if (how.nearest == "floor")
    return truncated(low);
  if (how.nearest == "ceil")
    return truncated(std::ceil(place));
  if (how.nearest == "round_prefer_floor")
    return truncated(place == low + 0.5 ? low : std::round(place));
  if (how.nearest == "round_prefer_ceil")
    return truncated(std::floor(place + 0.5));
  node.refuse("nearest_mode '" + how.nearest + "' is not known");
}

/// Of the elements -1 to 2 around a place, w past element 0.
static std::array<double, 4> cubicWeights(double a, double w) {
  auto near = [&](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto far = [&](double x) {
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  };
  return {far(w + 1), near(w), near(1 - w), far(2 - w)};
}

/// How much of each element of the operand an element of the result is.
static std::vector<double> rowOf(const NodeContext &node, const Resize &how,
                                 const Stretch &along, double place) {
  std::vector<double> row(along.in, 0);
  auto at = [&](double index) -> double & {
    return row[std::clamp<int64_t>(truncated(index), 0, along.in - 1)];
  };
  const double low = std::floor(place), w = place - low;
  if (how.mode == "linear") {
    at(low) += 1 - w;
    at(low + 1) += w;
    return row;
  }
  node.require(how.mode == "cubic", "mode '" + how.mode + "' is not known");
  const std::array<double, 4> weights = cubicWeights(how.cubic, w);
  double sum = 0;
  for (int tap = 0; tap < 4; ++tap) {
    const double index = low - 1 + tap;
    if (how.excludesOutside && (index < 0 || index >= along.in))
      continue;
    at(index) += weights[tap];
    sum += weights[tap];
  }
  if (how.excludesOutside)
    for (double &weight : row)
      weight /= sum;
  return row;
}

/// Nearest elements are picked; others are sums, so products with a matrix of
/// constants. Exact in every mode of ONNX's.
static Value stretch(NodeContext &node, const Resize &how, const Stretch &along,
                     const Value &x) {
  Shape shape = x.shape;
  shape[along.axis] = along.out;
  if (how.mode == "nearest") {
    node.requireFew({along.out});
    std::vector<float> picks;
    for (int64_t i = 0; i < along.out; ++i)
      picks.push_back(static_cast<float>(std::clamp<int64_t>(
          nearestTo(node, how, placeOf(node, how, along, i)), 0,
          along.in - 1)));
    return node.layer("Gather",
                      {x, node.weight("picks", {along.out}, std::move(picks))},
                      shape, {{"axis", Si32{along.axis}}, {"keepdims", true}});
  }
  node.requireFew({along.in, along.out});
  std::vector<float> matrix(along.in * along.out);
  for (int64_t i = 0; i < along.out; ++i) {
    const std::vector<double> row =
        rowOf(node, how, along, placeOf(node, how, along, i));
    for (int64_t from = 0; from < along.in; ++from)
      matrix[from * along.out + i] = static_cast<float>(row[from]);
  }
  Shape order;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    order.push_back(dim);
  std::swap(order[along.axis], order.back());
  const bool isLast = along.axis == x.rank() - 1;
  const Value made = node.matmul(
      isLast ? x : node.permute(x, order),
      node.weight("matrix", {along.in, along.out}, std::move(matrix)));
  return isLast ? made : node.permute(made, order);
}

/// Where a place is outside of the operand the result is a number.
static Value fillOutside(NodeContext &node, const Resize &how,
                         const Value &image) {
  Value result = image;
  for (const Stretch &along : how.stretches) {
    node.requireFew({along.out});
    std::vector<float> inside(along.out);
    for (int64_t i = 0; i < along.out; ++i) {
      const double place = placeOf(node, how, along, i);
      inside[i] = place >= 0 && place <= static_cast<double>(along.in - 1);
    }
    if (llvm::all_of(inside, [](float one) { return one == 1; }))
      continue;
    Shape shape(result.rank(), 1);
    shape[along.axis] = along.out;
    const Value number =
        node.weight("outside", Shape{1}, {static_cast<float>(how.outside)});
    result = node.where(node.weight("inside", shape, std::move(inside)), result,
                        number);
  }
  return result;
}

/// Whether one Interp layer means the same: it has sizes or scales, of which
/// one follows from the other.
static bool isInterp(const Resize &how, int64_t rank) {
  if (rank != 4 || how.excludesOutside)
    return false;
  for (const Stretch &along : how.stretches)
    if (along.axis < 2 ||
        (how.keepsRatio && along.scale != double(along.out) / double(along.in)))
      return false;
  if (how.coordinates != "half_pixel" && how.coordinates != "asymmetric" &&
      how.coordinates != "align_corners" &&
      how.coordinates != "pytorch_half_pixel")
    return false;
  if (how.mode == "linear")
    return true;
  return how.mode == "nearest" && (how.coordinates == "asymmetric"
                                       ? how.nearest == "floor"
                                       : how.nearest == "round_prefer_floor");
}

/// Every pixel a block of pixels.
static bool isUpsample(const Resize &how) {
  if (how.mode != "nearest" || how.coordinates != "asymmetric" ||
      how.nearest != "floor")
    return false;
  return llvm::all_of(how.stretches, [](const Stretch &along) {
    const int64_t times = along.out / along.in;
    return times * along.in == along.out &&
           along.scale == static_cast<double>(times);
  });
}

static Value interp(NodeContext &node, const Resize &how, const Value &x) {
  double scales[2] = {1, 1};
  for (const Stretch &along : how.stretches)
    scales[along.axis - 2] = along.scale;
  if (isUpsample(how))
    return node.layer("Upsample", {x}, how.shape,
                      {{"scale_h", static_cast<int64_t>(scales[0])},
                       {"scale_w", static_cast<int64_t>(scales[1])}});
  return node.layer("Interp", {x, {}}, how.shape,
                    {{"mode", how.mode},
                     {"coord_mode", how.coordinates},
                     {"scale_h", how.givenSizes ? -1.0 : scales[0]},
                     {"scale_w", how.givenSizes ? -1.0 : scales[1]}});
}

static Value resized(NodeContext &node, const Resize &how, const Value &x) {
  if (isInterp(how, x.rank()))
    return interp(node, how, x);
  Value image = x;
  for (const Stretch &along : how.stretches)
    image = stretch(node, how, along, image);
  return how.coordinates == "tf_crop_and_resize" ? fillOutside(node, how, image)
                                                 : image;
}

/// Integers are cut towards zero. What rounding took from a whole number comes
/// back first, as 4 that is 3.9999998 would become 3; of long ones no more than
/// leaves the next whole number alone.
static Value cut(NodeContext &node, const Value &image) {
  constexpr double kLost = 0x1p-21, kMost = 0.49;
  if (widthOf(node.type()) <= 2)
    return node.whole(node.withConst("MulConst", image, 1 + kLost));
  const Value lost =
      node.unary("Clip", node.withConst("MulConst", image, kLost),
                 {{"min", -kMost}, {"max", kMost}});
  return node.whole(node.binary("Add", image, lost));
}

static void giveResized(NodeContext &node, const Resize &how) {
  const Value x = node.in();
  if (how.stretches.empty())
    return node.give(x);
  const Value image = resized(node, how, x);
  const bool picks =
      how.mode == "nearest" && how.coordinates != "tf_crop_and_resize";
  node.give(picks || isFloat(node.type()) ? image : cut(node, image));
}

/// Sizes and stretches of scales or of sizes, one for each dimension; of both
/// where the ratio is kept.
static void readSizes(NodeContext &node, Resize &how,
                      const std::vector<double> &scales, const Shape &sizes,
                      const std::vector<double> &region) {
  const Shape &shape = node.shape();
  const size_t rank = shape.size();
  how.givenSizes = !sizes.empty();
  node.require(how.givenSizes ? sizes.size() == rank : scales.size() == rank,
               "a number for each dimension is expected");
  const bool crops = how.coordinates == "tf_crop_and_resize";
  node.require(!crops || region.size() == 2 * rank, "there is no region");
  for (size_t dim = 0; dim < rank; ++dim) {
    Stretch along{static_cast<int64_t>(dim), shape[dim], shape[dim]};
    if (crops) {
      along.from = region[dim];
      along.to = region[dim + rank];
    }
    if (how.givenSizes) {
      along.out = sizes[dim];
      along.scale = how.keepsRatio ? scales[dim]
                                   : static_cast<double>(along.out) / along.in;
    } else {
      along.scale = scales[dim];
      const double made =
          std::floor(along.in * (along.to - along.from) * along.scale);
      node.require(along.scale > 0 && made >= 1 && made < 0x1p40,
                   "a scale of " + std::to_string(along.scale) +
                       " makes no sense");
      along.out = static_cast<int64_t>(made);
    }
    node.require(along.out >= 1, "a size makes no sense");
    how.shape.push_back(along.out);
    // One element stays what it is, wherever in it a place is.
    if (along.in == 1 && along.out == 1 && !crops)
      continue;
    if (along.scale != 1 || along.out != along.in || along.from != 0 ||
        along.to != 1)
      how.stretches.push_back(along);
  }
}

static std::vector<double> realsOf(const NodeContext &node, unsigned index) {
  std::vector<double> list;
  if (!node.has(index))
    return list;
  const int64_t count = node.constant(index).size();
  node.requireFew({std::max<int64_t>(count, 1)});
  for (int64_t i = 0; i < count; ++i)
    list.push_back(node.constant(index).real(i));
  return list;
}

/// The axes whose numbers are given, in the order of the numbers: that of
/// 'axes', which need not be ascending.
static Shape givenAxes(const NodeContext &node) {
  const int64_t rank = node.rank();
  Shape axes;
  if (!node.hasAttribute("axes")) {
    for (int64_t axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
    return axes;
  }
  axes = node.integers("axes");
  node.axes(axes, rank); // Refuses those that are named twice.
  for (int64_t &axis : axes)
    axis = node.axis(axis, rank);
  return axes;
}

/// Of numbers for the axes that 'axes' names, `blocks` of them one after the
/// other, those for all dimensions; the others have those of `absent`.
template <typename List>
static List forAll(const NodeContext &node, const List &given,
                   const List &absent) {
  const int64_t rank = node.rank(),
                blocks = static_cast<int64_t>(absent.size()) / rank;
  if (given.empty() || !node.hasAttribute("axes"))
    return given;
  const Shape axes = givenAxes(node);
  const auto count = static_cast<int64_t>(axes.size());
  node.require(static_cast<int64_t>(given.size()) == blocks * count,
               "a number for each of 'axes' is expected");
  List all = absent;
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t i = 0; i < count; ++i)
      all[block * rank + axes[i]] = given[block * count + i];
  return all;
}

/// Since opset 18: one scale for all axes with which no size is above those
/// that are asked for, or none below. Sizes then are those that it makes.
static void keepRatio(const NodeContext &node, Resize &how,
                      std::vector<double> &scales, Shape &sizes) {
  const std::string policy = node.word(
      "keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"});
  if (sizes.empty() || policy == "stretch")
    return;
  const Shape axes = givenAxes(node);
  node.require(sizes.size() == node.shape().size() && !axes.empty(),
               "a number for each dimension is expected");
  std::vector<double> own;
  for (int64_t axis : axes)
    own.push_back(double(sizes[axis]) / double(node.shape()[axis]));
  const double scale = policy == "not_larger" ? *llvm::min_element(own)
                                              : *llvm::max_element(own);
  how.keepsRatio = true;
  scales.assign(sizes.size(), 1);
  for (int64_t axis : axes) {
    scales[axis] = scale;
    sizes[axis] =
        truncated(std::floor(scale * double(node.shape()[axis]) + 0.5));
  }
}

static void buildResize(NodeContext &node) {
  const bool isFirst = node.node.version < 11;
  Resize how;
  how.mode = node.text("mode", "nearest");
  how.coordinates =
      isFirst ? "asymmetric"
              : node.text("coordinate_transformation_mode", "half_pixel");
  how.nearest =
      isFirst ? "floor" : node.text("nearest_mode", "round_prefer_floor");
  how.cubic = node.real("cubic_coeff_a", -0.75);
  how.outside = node.real("extrapolation_value", 0);
  how.excludesOutside = node.flag("exclude_outside");
  const size_t rank = node.shape().size();
  node.require(rank > 0, "a number cannot be resized");
  Shape sizes = forAll(node, !isFirst && node.has(3) ? node.wholes(3) : Shape(),
                       node.shape());
  std::vector<double> scales = forAll(node, realsOf(node, isFirst ? 1 : 2),
                                      std::vector<double>(rank, 1));
  node.require(sizes.empty() || scales.empty(),
               "scales and sizes cannot both be given");
  std::vector<double> region(2 * rank, 0);
  std::fill(region.begin() + rank, region.end(), 1);
  const bool crops = how.coordinates == "tf_crop_and_resize";
  if (crops)
    region = forAll(node, realsOf(node, 1), region);
  keepRatio(node, how, scales, sizes);
  readSizes(node, how, scales, sizes, crops ? region : std::vector<double>());
  node.require(
      !node.flag("antialias") || how.mode == "nearest" ||
          llvm::all_of(how.stretches,
                       [](const Stretch &along) { return along.scale >= 1; }),
      "smaller images with 'antialias'");
  giveResized(node, how);
}

/// The first form of Resize; its scales were an attribute, at first one for
/// rows and one for columns.
static void buildUpsample(NodeContext &node) {
  Resize how;
  how.mode = node.text("mode", "nearest");
  if (how.mode == "bilinear") // Of images, as there was nothing else.
    how.mode = "linear";
  how.coordinates = "asymmetric";
  how.nearest = "floor";
  std::vector<double> scales;
  if (auto found = node.node.attributes.find("scales");
      found != node.node.attributes.end()) {
    const auto *list = std::get_if<std::vector<float>>(&found->second);
    node.require(list, "'scales' is no list");
    scales.assign(list->begin(), list->end());
  } else if (node.hasAttribute("height_scale") ||
             node.hasAttribute("width_scale")) {
    node.require(node.shape().size() == 4, "an image is expected");
    scales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
  } else {
    scales = realsOf(node, 1);
  }
  readSizes(node, how, scales, {}, {});
  giveResized(node, how);
}

static void buildGridSample(NodeContext &node) {
  const Value x = node.in(0), grid = node.in(1);
  node.require(x.rank() == 4 && grid.rank() == 4 && grid.shape[3] == 2 &&
                   x.shape[0] == grid.shape[0],
               "images and a place for each pixel are expected");
  auto choose = [&](const char *name, llvm::StringRef absent,
                    llvm::ArrayRef<llvm::StringRef> known) {
    // What it is called since opset 20, whatever an older one calls it.
    const std::string given = node.text(name, absent);
    const auto *found =
        llvm::find(known, given == "linear" ? "bilinear" : given);
    node.require(found != known.end(),
                 llvm::Twine(name) + " '" + given + "' is not known");
    return static_cast<int64_t>(found - known.begin());
  };
  const int64_t mode = choose("mode", "bilinear", {"bilinear", "nearest"});
  const Value sampled =
      node.layer("GridSampler", {x, grid},
                 {x.shape[0], x.shape[1], grid.shape[1], grid.shape[2]},
                 {{"mode", mode},
                  {"padding_mode", choose("padding_mode", "zeros",
                                          {"zeros", "border", "reflection"})},
                  {"align_corners", node.flag("align_corners")}});
  const bool picks = mode == 1;
  node.give(picks || isFloat(node.type()) ? sampled : cut(node, sampled));
}

void addImageRules(RuleTable &rules) {
  rules.add({TPU_RULE(GridSample), TPU_RULE(Resize), TPU_RULE(Upsample)});
}

} // namespace tpu_mlir::importer
