//===- FoldMovement.cpp - Constants in other places -----------------------===//

#include "lib/Import/Fold.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tpu_mlir::importer {

DataType dataTypeOf(const NodeContext &node, int64_t number) {
  static const DataType kTypes[] = {
      DataType::Other, DataType::F32,  DataType::U8,    DataType::I8,
      DataType::U16,   DataType::I16,  DataType::I32,   DataType::I64,
      DataType::Other, DataType::Bool, DataType::F16,   DataType::F64,
      DataType::U32,   DataType::U64,  DataType::Other, DataType::Other,
      DataType::BF16};
  const bool isKnown = number >= 0 && number < int64_t(std::size(kTypes));
  node.require(isKnown && kTypes[number] != DataType::Other,
               "elements of type " + llvm::Twine(number) +
                   " of TensorProto are not known");
  return kTypes[number];
}

DataType castTypeOf(const NodeContext &node) {
  const auto to = node.node.attributes.find("to");
  if (to == node.node.attributes.end() ||
      !std::holds_alternative<std::string>(to->second))
    return dataTypeOf(node, node.integer("to"));
  // In the order of their numbers.
  static const llvm::StringRef kNames[] = {
      "UNDEFINED", "FLOAT",  "UINT8", "INT8",    "UINT16", "INT16",  "INT32",
      "INT64",     "STRING", "BOOL",  "FLOAT16", "DOUBLE", "UINT32", "UINT64"};
  const std::string &name = std::get<std::string>(to->second);
  const auto *found = llvm::find(kNames, llvm::StringRef(name).upper());
  node.require(found != std::end(kNames),
               "elements of type '" + name + "' are not known");
  return dataTypeOf(node, found - std::begin(kNames));
}

//===----------------------------------------------------------------------===//
// What rules have to know, too
//===----------------------------------------------------------------------===//

Shape reshaped(const NodeContext &node) {
  Shape shape = node.neededList("shape", 1);
  node.requireRank(shape.size());
  const Shape &from = node.shape();
  std::optional<size_t> open;
  std::optional<int64_t> rest = elementsOf(from);
  const bool copies = !node.flag("allowzero");
  std::optional<int64_t> count = 1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 0 && copies) {
      node.require(dim < from.size(), "there is no dimension to copy");
      size = from[dim];
    }
    if (size == -1) {
      node.require(!open, "two dimensions are left open");
      open = dim;
      continue;
    }
    count = size < 0 ? std::nullopt : checkedMul(*count, size);
    if (!count)
      node.refuse("the shape " + describe(shape) + " makes no sense");
  }
  if (open) {
    node.require(*count > 0 && *rest % *count == 0,
                 describe(from) + " does not become " + describe(shape));
    shape[*open] = *rest / *count;
  }
  return shape;
}

Shape flattened(const NodeContext &node) {
  const int64_t rank = node.rank(), axis = node.integer("axis", 1);
  node.require(axis >= -rank && axis <= rank, "there is no such axis");
  const int64_t from = axis < 0 ? axis + rank : axis;
  const llvm::ArrayRef<int64_t> shape(node.shape());
  return {node.elements(shape.take_front(from)),
          node.elements(shape.drop_front(from))};
}

Shape unsqueezed(const NodeContext &node) {
  const Shape axes = node.neededList("axes", 1);
  const int64_t rank = node.rank() + static_cast<int64_t>(axes.size());
  node.elements(Shape(rank, 1));
  const Shape places = node.axes(axes, rank);
  Shape shape(node.shape());
  for (int64_t axis : places)
    shape.insert(shape.begin() + axis, 1);
  return shape;
}

Shape squeezed(const NodeContext &node) {
  const std::optional<Shape> given = node.list("axes", 1);
  const Shape axes = node.axes(given.value_or(Shape()), node.rank());
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(node.shape())) {
    const bool isNamed = llvm::is_contained(axes, static_cast<int64_t>(dim));
    node.require(!isNamed || size == 1, "dimension " + llvm::Twine(dim) +
                                            " has more than one element");
    if (given ? !isNamed : size != 1)
      shape.push_back(size);
  }
  return shape;
}

/// One axis of a Slice: numpy's rule for what is outside.
static void sliceAxis(const NodeContext &node, Range &range, int64_t axis,
                      int64_t begin, int64_t end, int64_t step) {
  const int64_t size = node.shape()[axis];
  node.require(step != 0, "a step is 0");
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  begin = begin < 0 ? begin + size : begin;
  begin = std::min(std::max<int64_t>(begin, 0), high);
  end = std::clamp(end < 0 ? std::max(end + size, low) : end, low, size);
  const int64_t length = step > 0 ? end - begin : begin - end;
  // |step| without -INT64_MIN.
  const uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  range.shape[axis] =
      length <= 0 ? 0 : static_cast<int64_t>((length - 1) / stride) + 1;
  range.begins[axis] = begin;
  range.ends[axis] = end;
  range.steps[axis] = range.shape[axis] > 1 ? step : step > 0 ? 1 : -1;
}

Range sliced(const NodeContext &node) {
  const int64_t rank = node.rank();
  const std::optional<Shape> begins = node.list("starts", 1),
                             ends = node.list("ends", 2);
  node.require(begins && ends, "it has no starts or no ends");
  std::optional<Shape> axes = node.list("axes", 3);
  std::optional<Shape> steps =
      node.has(4) ? std::optional(node.wholes(4)) : std::nullopt;
  const size_t count = begins->size();
  if (!axes) {
    axes.emplace();
    for (size_t dim = 0; dim < count; ++dim)
      axes->push_back(static_cast<int64_t>(dim));
  }
  if (!steps)
    steps.emplace(count, 1);
  node.require(ends->size() == count && axes->size() == count &&
                   steps->size() == count,
               "its lists are not of one length");
  Range range{Shape(rank, 0), node.shape(), Shape(rank, 1), node.shape()};
  std::vector<bool> named(rank, false);
  for (size_t i = 0; i < count; ++i) {
    const int64_t axis = node.axis((*axes)[i], rank);
    node.require(!named[axis], "an axis is named twice");
    named[axis] = true;
    sliceAxis(node, range, axis, (*begins)[i], (*ends)[i], (*steps)[i]);
  }
  return range;
}

Shape splitSizes(const NodeContext &node, int64_t axis) {
  const int64_t size = node.shape()[axis],
                parts = static_cast<int64_t>(node.resultCount());
  if (std::optional<Shape> sizes = node.list("split", 1);
      sizes && !sizes->empty()) {
    std::optional<int64_t> sum = 0;
    for (int64_t one : *sizes) {
      node.require(one >= 0, "a part has a negative length");
      sum = sum ? checkedAdd(*sum, one) : sum;
    }
    node.require(sum == size && static_cast<int64_t>(sizes->size()) == parts,
                 "the parts " + describe(*sizes) + " are not the whole");
    return *sizes;
  }
  node.require(parts > 0, "it has no results");
  const int64_t length = ceilDiv(size, parts);
  // The last part may be smaller since opset 18.
  node.require(size % parts == 0 || node.hasAttribute("num_outputs"),
               "the parts are not of one length");
  Shape sizes(parts, length);
  sizes.back() = size - length * (parts - 1);
  node.require(sizes.back() > 0, "there are too many parts");
  return sizes;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static Constant foldSlice(const NodeContext &node) {
  const Range range = sliced(node);
  if (elementsOf(range.shape) == 0)
    return pick(node.constant(0), range.shape, {});
  const Shape strides = stridesOf(node.shape());
  Shape steps = strides;
  int64_t first = 0;
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    first += range.begins[dim] * strides[dim];
    steps[dim] *= range.steps[dim];
  }
  return pick(node.constant(0), range.shape,
              indicesOf(range.shape, first, steps));
}

static Constant foldGather(const NodeContext &node) {
  const Constant &x = node.constant(0), &at = node.constant(1);
  const int64_t axis = node.axis(node.integer("axis"), node.rank());
  const Shape strides = stridesOf(x.shape);
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  llvm::append_range(shape, at.shape);
  shape.append(x.shape.begin() + axis + 1, x.shape.end());
  const int64_t count = elementsOf(shape).value_or(kMostFolded + 1);
  if (count > kMostFolded)
    throw TooLargeToFold();
  if (count == 0)
    return pick(x, shape, {});
  const llvm::ArrayRef<int64_t> all(x.shape), apart(strides);
  std::vector<int64_t> indices;
  for (int64_t outer :
       indicesOf(all.take_front(axis), 0, apart.take_front(axis)))
    for (int64_t i = 0; i < at.size(); ++i) {
      const int64_t index = node.place(at.whole(i), x.shape[axis]);
      for (int64_t place :
           indicesOf(all.drop_front(axis + 1), outer + index * strides[axis],
                     apart.drop_front(axis + 1)))
        indices.push_back(place);
    }
  return pick(x, shape, indices);
}

static Constant foldConcat(const NodeContext &node) {
  Shape shape = node.shape();
  const int64_t axis = node.axis(node.integer("axis", 1), node.rank());
  int64_t outer = 1;
  std::optional<int64_t> total = 0;
  for (int64_t dim = 0; dim < axis; ++dim)
    outer *= shape[dim];
  for (unsigned i = 0; i < node.count(); ++i) {
    Shape rest = node.shape(i);
    node.require(rest.size() == shape.size(), "the operands differ in rank");
    total = checkedAdd(*total, rest[axis]);
    node.require(total.has_value(), "the result is too large");
    rest[axis] = shape[axis];
    node.require(rest == shape, "the operands differ beside the axis");
  }
  shape[axis] = *total;
  if (elementsOf(shape) == 0)
    return pick(node.constant(0), shape, {});
  std::vector<double> reals;
  std::vector<int64_t> wholes;
  const bool isReal = isFloat(node.type());
  for (int64_t row = 0; row < outer; ++row)
    for (unsigned i = 0; i < node.count(); ++i) {
      const Constant &part = node.constant(i);
      const int64_t length = part.size() / outer;
      for (int64_t at = row * length; at < (row + 1) * length; ++at)
        isReal ? reals.push_back(part.real(at))
               : wholes.push_back(part.whole(at));
    }
  return isReal ? makeConstant(node.type(), shape, reals)
                : makeConstant(node.type(), shape, std::move(wholes));
}

std::pair<Shape, Shape> transposed(const NodeContext &node) {
  const Shape order = node.order();
  const Shape strides = stridesOf(node.shape());
  Shape shape, steps;
  for (int64_t dim : order) {
    shape.push_back(node.shape()[dim]);
    steps.push_back(strides[dim]);
  }
  return {shape, steps};
}

static Constant foldTranspose(const NodeContext &node) {
  const auto [shape, steps] = transposed(node);
  return pick(node.constant(0), shape, indicesOf(shape, 0, steps));
}

static Constant foldRange(const NodeContext &node) {
  const Constant &from = node.constant(0), &by = node.constant(2);
  const double step = node.number(2);
  node.require(step != 0, "the step is 0");
  const double count = std::ceil((node.number(1) - node.number(0)) / step);
  node.require(count <= kMostFolded, "the range is too long");
  const int64_t length = count > 0 ? static_cast<int64_t>(count) : 0;
  std::vector<double> reals;
  std::vector<int64_t> wholes;
  for (int64_t i = 0; i < length; ++i)
    if (isFloat(from.type))
      reals.push_back(from.real(0) + i * step);
    else
      // Without a sign there is no overflow.
      wholes.push_back(static_cast<int64_t>(
          static_cast<uint64_t>(from.whole(0)) +
          static_cast<uint64_t>(i) * static_cast<uint64_t>(by.whole(0))));
  return isFloat(from.type)
             ? makeConstant(from.type, {length}, reals)
             : makeConstant(from.type, {length}, std::move(wholes));
}

Constant filled(const NodeContext &node, const Constant &number,
                const Shape &shape) {
  // It takes no memory here, but 1 GiB in the file of weights.
  constexpr int64_t kMost = 1 << 28;
  const std::optional<int64_t> count = elementsOf(shape);
  node.require(count && *count <= kMost,
               "a tensor of " + describe(shape) + " is too large");
  return makeFilled(number, 0, shape);
}

static Constant foldFill(const NodeContext &node) {
  const Shape shape = node.wholes(0);
  node.requireRank(shape.size());
  auto value = node.node.attributes.find("value");
  if (value == node.node.attributes.end())
    return filled(node, makeConstant(DataType::F32, {}, std::vector<double>{0}),
                  shape);
  const auto *tensor =
      std::get_if<std::shared_ptr<const Constant>>(&value->second);
  node.require(tensor && (*tensor)->size() == 1,
               "'value' is no tensor of one element");
  return filled(node, **tensor, shape);
}

static Constant foldWhere(const NodeContext &node) {
  const Constant &condition = node.constant(0), &yes = node.constant(1),
                 &no = node.constant(2);
  const Shape shape =
      node.broadcast(condition.shape, node.broadcast(yes.shape, no.shape));
  node.elements(shape);
  const auto chosen =
      indicesOf(shape, 0, spreadStrides(condition.shape, shape));
  const auto left = indicesOf(shape, 0, spreadStrides(yes.shape, shape)),
             right = indicesOf(shape, 0, spreadStrides(no.shape, shape));
  std::vector<double> reals;
  std::vector<int64_t> wholes;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const bool isYes = condition.whole(chosen[i]) != 0;
    const Constant &from = isYes ? yes : no;
    const int64_t at = isYes ? left[i] : right[i];
    isFloat(yes.type) ? reals.push_back(from.real(at))
                      : wholes.push_back(from.whole(at));
  }
  return isFloat(yes.type) ? makeConstant(yes.type, shape, reals)
                           : makeConstant(yes.type, shape, std::move(wholes));
}

static Constant foldNonZero(const NodeContext &node) {
  const Constant &x = node.constant(0);
  const Shape strides = stridesOf(x.shape);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < x.size(); ++i)
    if (x.real(i) != 0)
      places.push_back(i);
  std::vector<int64_t> numbers;
  for (auto [dim, stride] : llvm::enumerate(strides))
    for (int64_t place : places)
      numbers.push_back(place / stride % x.shape[dim]);
  const int64_t count = static_cast<int64_t>(places.size());
  return makeConstant(DataType::I64, {node.rank(), count}, std::move(numbers));
}

static Constant foldSpread(const NodeContext &node, const Shape &shape) {
  const Constant &x = node.constant(0);
  return pick(x, shape, indicesOf(shape, 0, spreadStrides(x.shape, shape)));
}

static Constant foldTile(const NodeContext &node) {
  const Constant &x = node.constant(0);
  const Shape repeats = node.wholes(1), strides = stridesOf(x.shape);
  node.require(repeats.size() == x.shape.size(), "a repeat for each dimension");
  Shape shape, whole, apart;
  for (size_t dim = 0; dim < repeats.size(); ++dim) {
    std::optional<int64_t> size = checkedMul(x.shape[dim], repeats[dim]);
    node.require(size.has_value(), "the result is too large");
    shape.push_back(*size);
    whole.append({repeats[dim], x.shape[dim]});
    apart.append({0, strides[dim]});
  }
  return pick(x, shape, indicesOf(whole, 0, apart));
}

/// The same elements under another shape.
static std::optional<Shape> sameElements(const NodeContext &node) {
  const llvm::StringRef op = node.node.op;
  if (op == "Identity")
    return node.shape();
  if (op == "Reshape")
    return reshaped(node);
  if (op == "Flatten")
    return flattened(node);
  if (op == "Unsqueeze")
    return unsqueezed(node);
  if (op == "Squeeze")
    return squeezed(node);
  return std::nullopt;
}

std::optional<Constant> foldInPlace(const NodeContext &node) {
  const Constant &x = node.constant(0);
  if (x.isFilled() && node.node.op == "Transpose")
    return makeFilled(x, 0, transposed(node).first);
  const std::optional<Shape> shape = sameElements(node);
  if (!shape)
    return std::nullopt;
  node.require(elementsOf(*shape) == x.size(),
               describe(x.shape) + " does not become " + describe(*shape));
  Constant result = x;
  result.shape = *shape;
  return result;
}

std::optional<Constant> foldMovement(const NodeContext &node) {
  const llvm::StringRef op = node.node.op;
  if (op == "Cast")
    return castTo(node.constant(0), castTypeOf(node));
  if (op == "CastLike")
    return castTo(node.constant(0), node.type(1));
  if (op == "Expand")
    return foldSpread(node, node.broadcast(node.shape(), node.wholes(1)));
  using Folder = Constant (*)(const NodeContext &);
  static const std::pair<llvm::StringLiteral, Folder> kFolders[] = {
      {"Slice", foldSlice},   {"Gather", foldGather},
      {"Concat", foldConcat}, {"Transpose", foldTranspose},
      {"Range", foldRange},   {"ConstantOfShape", foldFill},
      {"Where", foldWhere},   {"NonZero", foldNonZero},
      {"Tile", foldTile},     {"ScatterND", foldScatterND}};
  for (const auto &[name, folder] : kFolders)
    if (op == name)
      return folder(node);
  return std::nullopt;
}

std::optional<std::vector<Constant>> foldParts(const NodeContext &node) {
  if (node.node.op != "Split")
    return std::nullopt;
  const Constant &x = node.constant(0);
  const int64_t axis = node.axis(node.integer("axis"), node.rank());
  const Shape strides = stridesOf(x.shape);
  std::vector<Constant> parts;
  int64_t first = 0;
  for (int64_t size : splitSizes(node, axis)) {
    Shape shape = x.shape;
    shape[axis] = size;
    parts.push_back(pick(x, shape, indicesOf(shape, first, strides)));
    first += size * strides[axis];
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// Without operands
//===----------------------------------------------------------------------===//

Constant constantOf(const NodeContext &node) {
  auto find = [&](const char *name) -> const Attribute * {
    auto found = node.node.attributes.find(name);
    return found == node.node.attributes.end() ? nullptr : &found->second;
  };
  for (const char *name : {"value", "sparse_value"})
    if (const Attribute *value = find(name))
      if (auto *tensor = std::get_if<std::shared_ptr<const Constant>>(value))
        return **tensor;
  if (find("value_float"))
    return {DataType::F32,
            {},
            std::vector<float>{static_cast<float>(node.real("value_float"))}};
  if (find("value_int"))
    return makeConstant(DataType::I64, {},
                        std::vector<int64_t>{node.integer("value_int")});
  if (find("value_ints")) {
    const Shape list = node.integers("value_ints");
    return makeConstant(DataType::I64, {static_cast<int64_t>(list.size())},
                        std::vector<int64_t>(list.begin(), list.end()));
  }
  if (const Attribute *value = find("value_floats"))
    if (auto *list = std::get_if<std::vector<float>>(value))
      return {DataType::F32, {static_cast<int64_t>(list->size())}, *list};
  return node.refuse("it has no value that is known"), Constant();
}

Constant eyeLike(const NodeContext &node) {
  const Shape &shape = node.shape();
  node.require(shape.size() == 2 && node.elements(shape) <= kMostFolded,
               "a matrix is expected");
  const int64_t shift = std::clamp(node.integer("k"), -shape[0], shape[1]);
  std::vector<int64_t> numbers;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column)
      numbers.push_back(column - shift == row);
  return makeConstant(node.hasAttribute("dtype")
                          ? dataTypeOf(node, node.integer("dtype"))
                          : node.type(),
                      shape, std::move(numbers));
}

} // namespace tpu_mlir::importer
