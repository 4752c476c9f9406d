//===- Window.cpp - Convolution and pooling -------------------------------===//

#include "lib/Import/Rule.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"

namespace tpu_mlir::importer {

namespace {

/// How windows lie in an image; pads are all the starts, then all the ends.
struct Windows {
  Shape kernel, strides, dilations, pads;
};

} // namespace

/// What a stride, a dilation or a kernel may be, so that nothing overflows.
static constexpr int64_t kLimit = 1 << 24;
static constexpr llvm::StringRef kPadWords[] = {"NOTSET", "VALID", "SAME_UPPER",
                                                "SAME_LOWER"};

static Shape listOr(const NodeContext &node, const char *name, size_t length,
                    int64_t absent) {
  Shape list = node.integers(name);
  if (list.empty())
    list.assign(length, absent);
  node.require(list.size() == length,
               "'" + llvm::Twine(name) + "' has " + llvm::Twine(list.size()) +
                   " entries, " + llvm::Twine(length) + " are expected");
  return list;
}

/// The elements that a window spans.
static int64_t spanOf(const Windows &windows, size_t dim) {
  return windows.dilations[dim] * (windows.kernel[dim] - 1) + 1;
}

static Windows readWindows(const NodeContext &node, const Shape &kernel) {
  const size_t spatial = kernel.size();
  Windows windows{kernel, listOr(node, "strides", spatial, 1),
                  listOr(node, "dilations", spatial, 1),
                  listOr(node, "pads", 2 * spatial, 0)};
  auto check = [&](const Shape &list, int64_t least, const char *what) {
    for (int64_t one : list)
      node.require(one >= least && one <= kLimit, llvm::Twine(what) + " of " +
                                                      llvm::Twine(one) +
                                                      " makes no sense");
  };
  check(windows.kernel, 1, "a kernel");
  check(windows.strides, 1, "a stride");
  check(windows.dilations, 1, "a dilation");
  check(windows.pads, 0, "a pad");
  return windows;
}

/// Pads with which the result has the input's size over the stride, the odd
/// one at the end for SAME_UPPER; none for VALID.
static void resolveAutoPad(const NodeContext &node, Windows &windows) {
  const std::string mode = node.word("auto_pad", kPadWords);
  if (mode == "NOTSET")
    return;
  const size_t spatial = windows.kernel.size();
  for (size_t dim = 0; dim < spatial; ++dim) {
    const int64_t size = node.shape()[dim + 2], stride = windows.strides[dim];
    const int64_t count = ceilDiv(size, stride);
    const int64_t total =
        mode == "VALID"
            ? 0
            : std::max<int64_t>(
                  (count - 1) * stride + spanOf(windows, dim) - size, 0);
    windows.pads[dim] = mode == "SAME_UPPER" ? total / 2 : ceilDiv(total, 2);
    windows.pads[dim + spatial] = total - windows.pads[dim];
  }
}

/// How many windows there are in each dimension. With `rounds` a last one that
/// is not all there counts: the pads at the end become so large that it is.
static Shape countWindows(const NodeContext &node, Windows &windows,
                          bool rounds) {
  const size_t spatial = windows.kernel.size();
  Shape counts;
  for (size_t dim = 0; dim < spatial; ++dim) {
    const int64_t size = node.shape()[dim + 2], stride = windows.strides[dim];
    node.require(size <= INT64_MAX / 4, "the image is too large");
    const int64_t room = size + windows.pads[dim] +
                         windows.pads[dim + spatial] - spanOf(windows, dim);
    node.require(room >= 0, "a window is larger than the image");
    int64_t steps = rounds ? ceilDiv(room, stride) : room / stride;
    // A last one that would begin in the pads at the end is none.
    if (rounds && steps > 0 && steps * stride >= size + windows.pads[dim])
      --steps;
    windows.pads[dim + spatial] += std::max<int64_t>(steps * stride - room, 0);
    counts.push_back(steps + 1);
  }
  return counts;
}

static size_t spatialRank(const NodeContext &node) {
  node.require(node.rank() >= 3 && node.rank() <= 5,
               "1 to 3 spatial dimensions are expected");
  return node.rank() - 2;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

static Shape kernelOf(const NodeContext &node, const Shape &filter) {
  const size_t spatial = spatialRank(node);
  node.require(filter.size() == spatial + 2,
               "the filter has another rank than the input");
  const Shape kernel(filter.begin() + 2, filter.end());
  const Shape said = node.integers("kernel_shape");
  node.require(said.empty() || said == kernel,
               "'kernel_shape' is not the filter's");
  return kernel;
}

/// A number for each channel of the result, or none.
static Value biasOf(NodeContext &node, int64_t channels) {
  node.require(!node.has(2) || node.shape(2) == Shape{channels},
               "the bias has no number for each of " + llvm::Twine(channels) +
                   " channels");
  return node.optional(2);
}

static LayerAttributes attributesOf(const Windows &windows) {
  return {{"kernel_shape", windows.kernel},
          {"strides", windows.strides},
          {"pads", windows.pads}};
}

Value convolve(NodeContext &node, const Value &x, const Value &weights,
               const Value &bias, bool isCoefficient) {
  const Shape &filter = weights.shape;
  Windows windows = readWindows(node, kernelOf(node, filter));
  resolveAutoPad(node, windows);
  const int64_t group = node.integer("group", 1);
  node.require(group >= 1 && filter[0] % group == 0 &&
                   node.shape()[1] % group == 0 &&
                   node.shape()[1] / group == filter[1],
               "channels, groups and filter do not fit each other");
  Shape shape = {node.shape()[0], filter[0]};
  llvm::append_range(shape, countWindows(node, windows, false));
  LayerAttributes attributes = attributesOf(windows);
  attributes.push_back({"dilations", windows.dilations});
  attributes.push_back({"group", group});
  attributes.push_back({"weight_is_coeff", int64_t(isCoefficient)});
  attributes.push_back({"dynweight_reorderd", false});
  return node.layer("Conv", {x, weights, bias}, shape, attributes);
}

static void buildConv(NodeContext &node) {
  node.require(node.rank(1) > 0, "the filter has no channels");
  const Value x = node.in(0), filter = node.in(1);
  node.give(convolve(node, x, filter, biasOf(node, node.shape(1)[0]),
                     node.isConstant(1)));
}

/// [ic, oc / group, ..] as [oc, ic / group, ..], one of these at a time.
static void takeTransposed(const Constant &from, int64_t group,
                           TakesNumbers take) {
  const int64_t in = from.shape[0] / group, out = from.shape[1];
  const int64_t area = from.size() / from.shape[0] / out;
  std::vector<float> part(in * area);
  const llvm::MutableArrayRef<float> all(part);
  for (int64_t g = 0; g < group; ++g)
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t i = 0; i < in; ++i)
        from.read(((g * in + i) * out + o) * area, all.slice(i * area, area));
      take(part);
    }
}

/// The sizes of the result, and pads that make them.
static Shape unwind(const NodeContext &node, Windows &windows,
                    const Shape &extra) {
  const size_t spatial = windows.kernel.size();
  const std::string mode = node.word("auto_pad", kPadWords);
  Shape wanted = node.integers("output_shape"), sizes;
  if (wanted.size() == spatial + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  node.require(wanted.empty() || wanted.size() == spatial,
               "'output_shape' does not fit the input");
  for (size_t dim = 0; dim < spatial; ++dim) {
    const int64_t in = node.shape()[dim + 2], stride = windows.strides[dim];
    node.require(in <= kLimit * 64, "the image is too large");
    node.require(wanted.empty() ||
                     (wanted[dim] >= 1 && wanted[dim] <= INT64_MAX / 8),
                 "'output_shape' makes no sense");
    const int64_t whole = stride * (in - 1) + extra[dim] + spanOf(windows, dim);
    if (mode == "VALID")
      windows.pads[dim] = windows.pads[dim + spatial] = 0;
    if (!wanted.empty() || same) {
      const int64_t total = std::max<int64_t>(
          whole - (wanted.empty() ? in * stride : wanted[dim]), 0);
      windows.pads[dim] = mode == "SAME_UPPER" ? total / 2 : ceilDiv(total, 2);
      windows.pads[dim + spatial] = total - windows.pads[dim];
    }
    sizes.push_back(wanted.empty() ? whole - windows.pads[dim] -
                                         windows.pads[dim + spatial]
                                   : wanted[dim]);
  }
  return sizes;
}

static void buildConvTranspose(NodeContext &node) {
  Windows windows = readWindows(node, kernelOf(node, node.shape(1)));
  const size_t spatial = windows.kernel.size();
  const int64_t group = node.integer("group", 1);
  const Shape &filter = node.shape(1);
  node.require(group >= 1 && filter[0] == node.shape()[1] &&
                   filter[0] % group == 0 && filter[1] <= kLimit &&
                   group <= kLimit,
               "channels, groups and filter do not fit each other");
  const Shape extra = listOr(node, "output_padding", spatial, 0);
  for (int64_t one : extra)
    node.require(one >= 0 && one <= kLimit, "'output_padding' makes no sense");
  Shape shape = {node.shape()[0], filter[1] * group},
        stored = {filter[1] * group, filter[0] / group};
  llvm::append_range(shape, unwind(node, windows, extra));
  llvm::append_range(stored, windows.kernel);
  LayerAttributes attributes = attributesOf(windows);
  attributes.push_back({"dilations", windows.dilations});
  attributes.push_back({"group", group});
  attributes.push_back({"output_padding", extra});
  attributes.push_back({"dynweight_reorderd", false});
  const Value weight =
      node.changed(1, stored, [group](const Constant &from, TakesNumbers take) {
        takeTransposed(from, group, take);
      });
  node.give(node.layer("Deconv", {node.in(0), weight, biasOf(node, shape[1])},
                       shape, attributes));
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static Value pool(NodeContext &node, const char *op, const Value &x,
                  const Windows &windows, const Shape &counts,
                  bool countsPads) {
  Shape shape = {x.shape[0], x.shape[1]};
  llvm::append_range(shape, counts);
  LayerAttributes attributes = attributesOf(windows);
  attributes.push_back({"count_include_pad", countsPads});
  attributes.push_back({"is_adaptive", false});
  attributes.push_back({"keepdims", true});
  attributes.push_back({"pad_value", 0});
  return node.layer(op, {x}, shape, attributes);
}

/// Where one tap of each window along a dimension of `in` elements looks.
/// Outside of them it looks where the next tap of its window inside does, which
/// a maximum does not tell.
static Shape placesOf(const NodeContext &node, const Windows &windows,
                      size_t dim, int64_t in, int64_t count, int64_t tap) {
  const int64_t step = windows.dilations[dim];
  Shape places;
  for (int64_t window = 0; window < count; ++window) {
    const int64_t start = window * windows.strides[dim] - windows.pads[dim],
                  first = start < 0 ? ceilDiv(-start, step) : 0,
                  last = start < in ? std::min((in - 1 - start) / step,
                                               windows.kernel[dim] - 1)
                                    : -1;
    node.require(first <= last, "a window has padding alone");
    places.push_back(start + std::clamp(tap, first, last) * step);
  }
  return places;
}

/// The elements at these places along a dimension: a slice where they are
/// equally far apart.
static Value elementsAt(NodeContext &node, const Value &x, int64_t axis,
                        const Shape &places, int64_t stride) {
  Shape shape = x.shape;
  shape[axis] = static_cast<int64_t>(places.size());
  bool isSlice = true;
  for (size_t i = 1; i < places.size(); ++i)
    isSlice = isSlice && places[i] - places[i - 1] == stride;
  if (!isSlice) {
    const Value indices =
        node.weight("places", {shape[axis]},
                    std::vector<float>(places.begin(), places.end()));
    return node.layer("Gather", {x, indices}, shape,
                      {{"axis", Si32{axis}}, {"keepdims", true}});
  }
  Shape begins(x.rank(), 0), steps(x.rank(), 1), ends = x.shape;
  begins[axis] = places.front();
  ends[axis] = places.back() + 1;
  steps[axis] = stride;
  return node.slice(x, begins, ends, steps, shape);
}

/// The largest of the elements that the taps of the windows meet: along one
/// dimension after the other, tap by tap.
static Value maxOfTaps(NodeContext &node, const Value &x,
                       const Windows &windows, const Shape &counts) {
  Value rest = x;
  for (size_t dim = 0; dim < windows.kernel.size(); ++dim) {
    const auto axis = static_cast<int64_t>(dim) + 2;
    node.require(windows.kernel[dim] <= 256, "a kernel of so many elements "
                                             "with dilations");
    node.requireFew({windows.kernel[dim], counts[dim]});
    std::optional<Value> largest;
    for (int64_t tap = 0; tap < windows.kernel[dim]; ++tap) {
      const Shape places =
          placesOf(node, windows, dim, x.shape[axis], counts[dim], tap);
      const Value part =
          elementsAt(node, rest, axis, places, windows.strides[dim]);
      largest = largest ? node.binary("Max", *largest, part) : part;
    }
    rest = *largest;
  }
  return rest;
}

static void buildMaxPool(NodeContext &node) {
  node.require(!node.wants(1), "places of the largest elements");
  spatialRank(node);
  Windows windows = readWindows(node, node.integers("kernel_shape"));
  node.require(windows.kernel.size() == spatialRank(node),
               "'kernel_shape' does not fit the input");
  resolveAutoPad(node, windows);
  const Shape counts = countWindows(node, windows, node.flag("ceil_mode"));
  const bool isDense =
      llvm::all_of(windows.dilations, [](int64_t one) { return one == 1; });
  for (size_t dim = 0; dim < windows.kernel.size(); ++dim)
    node.require(windows.pads[dim] < spanOf(windows, dim) &&
                     windows.pads[dim + windows.kernel.size()] <
                         spanOf(windows, dim),
                 "a window has padding alone");
  const Value x = node.in();
  node.give(isDense ? pool(node, "MaxPool", x, windows, counts, false)
                    : maxOfTaps(node, x, windows, counts));
}

/// With zeros around it.
static Value padded(NodeContext &node, const Value &x, const Shape &pads,
                    const Shape &shape) {
  return x.shape == shape
             ? x
             : node.layer(
                   "Pad", {x}, shape,
                   {{"paddings", pads}, {"val", 0.0}, {"mode", "constant"}});
}

static void buildAveragePool(NodeContext &node) {
  Windows windows = readWindows(node, node.integers("kernel_shape"));
  node.require(
      llvm::all_of(windows.dilations, [](int64_t one) { return one == 1; }),
      "means of elements that are apart ('dilations')");
  node.require(windows.kernel.size() == spatialRank(node),
               "'kernel_shape' does not fit the input");
  resolveAutoPad(node, windows);
  const Shape given = windows.pads,
              counts = countWindows(node, windows, node.flag("ceil_mode"));
  const Value x = node.in();
  const bool countsPads = node.flag("count_include_pad");
  if (!countsPads || windows.pads == given)
    return node.give(pool(node, "AvgPool", x, windows, counts, countsPads));
  // What a last window lacks that is not all there does not count; pads that do
  // are elements.
  const size_t spatial = windows.kernel.size();
  Shape pads(2 * x.shape.size(), 0), shape = x.shape;
  for (size_t dim = 0; dim < spatial; ++dim) {
    shape[dim + 2] += given[dim] + given[dim + spatial];
    pads[dim + 2] = given[dim];
    pads[dim + 2 + x.shape.size()] = given[dim + spatial];
    windows.pads[dim] = 0;
    windows.pads[dim + spatial] -= given[dim + spatial];
  }
  node.give(pool(node, "AvgPool", padded(node, x, pads, shape), windows, counts,
                 false));
}

/// One window, which is the whole image.
static void buildGlobalPool(NodeContext &node) {
  const Value x = node.in();
  const size_t spatial = spatialRank(node);
  const Windows windows{Shape(x.shape.begin() + 2, x.shape.end()),
                        Shape(spatial, 1), Shape(spatial, 1),
                        Shape(2 * spatial, 0)};
  node.give(pool(node, node.node.op == "GlobalMaxPool" ? "MaxPool" : "AvgPool",
                 x, windows, Shape(spatial, 1), false));
}

/// The elements at the places that a MaxPool noted, zeros elsewhere; what is
/// larger than the pooled image is at its end.
static void buildMaxUnpool(NodeContext &node) {
  const Value x = node.in(), places = node.in(1);
  const Windows windows = readWindows(node, node.integers("kernel_shape"));
  const size_t spatial = spatialRank(node);
  node.require(windows.kernel.size() == spatial && places.shape == x.shape,
               "the operands do not fit each other");
  Shape shape = {x.shape[0], x.shape[1]};
  for (size_t dim = 0; dim < spatial; ++dim) {
    node.require(x.shape[dim + 2] <= kLimit, "the image is too large");
    shape.push_back((x.shape[dim + 2] - 1) * windows.strides[dim] +
                    windows.kernel[dim] - windows.pads[dim] -
                    windows.pads[dim + spatial]);
  }
  const int64_t count = node.elements(shape), given = node.elements(x.shape);
  node.requireFew({count});
  for (int64_t index : node.isConstant(1) ? node.wholes(1) : Shape())
    node.place(index, count);
  const Value zeros = node.weight("zeros", {count}, std::vector<float>(count));
  const Value flat = node.layer(
      "ScatterElements",
      {zeros, node.reshape(places, {given}), node.reshape(x, {given})}, {count},
      {{"axis", 0}, {"reduction", 0}});
  const Value image = node.reshape(flat, shape);
  const Shape wanted = node.has(2) ? node.wholes(2) : shape;
  node.require(wanted.size() == shape.size(), "the shape does not fit");
  Shape pads(2 * shape.size(), 0);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    node.require(wanted[dim] >= shape[dim], "the shape is too small");
    pads[dim + shape.size()] = wanted[dim] - shape[dim];
  }
  node.give(padded(node, image, pads, wanted));
}

void addWindowRules(RuleTable &rules) {
  rules.add({TPU_RULE(AveragePool), TPU_RULE(Conv), TPU_RULE(ConvTranspose),
             TPU_RULE(MaxPool), TPU_RULE(MaxUnpool)});
  rules.add("GlobalAveragePool GlobalMaxPool", buildGlobalPool);
}

} // namespace tpu_mlir::importer
