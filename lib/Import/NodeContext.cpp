//===- NodeContext.cpp - What rules ask for -------------------------------===//

#include "lib/Import/Rule.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tpu_mlir::importer {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void NodeContext::refuse(const llvm::Twine &why) const {
  throw Refusal{why.str(), {}};
}

bool NodeContext::has(unsigned index) const {
  return index < node.inputs.size() && !node.inputs[index].empty();
}

const Known &NodeContext::known(unsigned index) const {
  require(has(index), "operand " + llvm::Twine(index) + " is missing");
  return values.at(node.inputs[index]);
}

static void requireNumbers(const NodeContext &node, unsigned index,
                           DataType type) {
  node.require(hasNumbers(type), "operand " + llvm::Twine(index) + " is of " +
                                     nameOf(type) + ", which is not supported");
}

Value NodeContext::in(unsigned index) {
  known(index);
  Known &entry = values.at(node.inputs[index]);
  requireNumbers(*this, index, entry.type);
  if (!entry.value)
    entry.value =
        weights({node.inputs[index], entry.shape, entry.constant, {}});
  return *entry.value;
}

Value NodeContext::optional(unsigned index) {
  return has(index) ? in(index) : Value();
}

bool NodeContext::isConstant(unsigned index) const {
  if (!has(index))
    return false;
  const Known &entry = known(index);
  return entry.constant && hasNumbers(entry.constant->type);
}

const Constant &NodeContext::constant(unsigned index) const {
  const Known &entry = known(index);
  if (!entry.constant)
    throw Refusal{"the numbers of operand " + std::to_string(index) + " ('" +
                      node.inputs[index] + "') have to be known",
                  entry.inputs};
  requireNumbers(*this, index, entry.constant->type);
  return *entry.constant;
}

Shape NodeContext::wholes(unsigned index) const {
  const Constant &numbers = constant(index);
  requireFew({std::max<int64_t>(numbers.size(), 1)});
  const std::vector<int64_t> list = numbers.wholes();
  return Shape(list.begin(), list.end());
}

std::vector<float> NodeContext::floats(unsigned index, int64_t count) const {
  const Constant &numbers = constant(index);
  require(numbers.size() == count, "operand " + llvm::Twine(index) + " has " +
                                       llvm::Twine(numbers.size()) +
                                       " numbers, " + llvm::Twine(count) +
                                       " are expected");
  requireFew({count});
  return numbers.floats();
}

double NodeContext::number(unsigned index) const {
  const Constant &numbers = constant(index);
  require(numbers.size() == 1, "operand " + llvm::Twine(index) + " has " +
                                   llvm::Twine(numbers.size()) +
                                   " elements, one is expected");
  return numbers.real(0);
}

const Constant *NodeContext::scalar(unsigned index) const {
  return isConstant(index) && known(index).constant->size() == 1
             ? known(index).constant.get()
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const Attribute *NodeContext::find(llvm::StringRef name) const {
  auto found = node.attributes.find(name.str());
  return found == node.attributes.end() ? nullptr : &found->second;
}

bool NodeContext::hasAttribute(llvm::StringRef name) const {
  return find(name) != nullptr;
}

/// The attribute in its kind; null where there is none.
template <typename Kind>
static const Kind *read(const NodeContext &node, llvm::StringRef name,
                        const Attribute *attribute) {
  if (!attribute)
    return nullptr;
  const Kind *value = std::get_if<Kind>(attribute);
  node.require(value, "attribute '" + name + "' is of another type");
  return value;
}

int64_t NodeContext::integer(llvm::StringRef name, int64_t absent) const {
  const auto *value = read<int64_t>(*this, name, find(name));
  return value ? *value : absent;
}

double NodeContext::real(llvm::StringRef name, double absent) const {
  const auto *value = read<float>(*this, name, find(name));
  return value ? *value : absent;
}

std::string NodeContext::text(llvm::StringRef name,
                              llvm::StringRef absent) const {
  const auto *value = read<std::string>(*this, name, find(name));
  return value ? *value : absent.str();
}

Shape NodeContext::integers(llvm::StringRef name) const {
  const auto *value = read<std::vector<int64_t>>(*this, name, find(name));
  return value ? Shape(value->begin(), value->end()) : Shape();
}

std::optional<Shape> NodeContext::list(llvm::StringRef name,
                                       unsigned index) const {
  // Axes, sizes of pieces and the like: more make no sense, and what is done
  // with them takes the square of their number at worst.
  constexpr size_t kMost = 4096;
  std::optional<Shape> given;
  if (hasAttribute(name))
    given = integers(name);
  else if (has(index))
    given = wholes(index);
  require(!given || given->size() <= kMost,
          "'" + name + "' has " + llvm::Twine(given ? given->size() : 0) +
              " numbers, of at most " + llvm::Twine(kMost));
  return given;
}

Shape NodeContext::neededList(llvm::StringRef name, unsigned index) const {
  std::optional<Shape> given = list(name, index);
  require(given.has_value(), "it has no '" + name + "'");
  return std::move(*given);
}

std::string NodeContext::word(llvm::StringRef name,
                              llvm::ArrayRef<llvm::StringRef> known) const {
  const std::string spelled = text(name);
  const std::string given = spelled.empty() ? known.front().str() : spelled;
  require(llvm::is_contained(known, given), name + " '" + given +
                                                "' is not known, only " +
                                                llvm::join(known, ", "));
  return given;
}

int64_t NodeContext::axis(int64_t axis, int64_t rank) const {
  require(axis >= -rank && axis < rank,
          "there is no axis " + llvm::Twine(axis) + " of " + llvm::Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

int64_t NodeContext::place(int64_t index, int64_t size) const {
  require(index >= -size && index < size,
          "index " + llvm::Twine(index) + " is not in [" + llvm::Twine(-size) +
              ", " + llvm::Twine(size - 1) + "]");
  return index < 0 ? index + size : index;
}

Shape NodeContext::axes(Shape axes, int64_t rank) const {
  for (int64_t &one : axes)
    one = axis(one, rank);
  llvm::sort(axes);
  require(std::adjacent_find(axes.begin(), axes.end()) == axes.end(),
          "an axis is named twice");
  return axes;
}

Shape NodeContext::order() const {
  Shape dims(rank());
  std::iota(dims.begin(), dims.end(), 0);
  Shape given = integers("perm");
  if (given.empty())
    return Shape(dims.rbegin(), dims.rend());
  require(given.size() == dims.size() &&
              std::is_permutation(dims.begin(), dims.end(), given.begin()),
          "'perm' is no order of the dimensions");
  return given;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool NodeContext::wants(unsigned index) const {
  return index < node.outputs.size() && !node.outputs[index].empty();
}

void NodeContext::give(unsigned index, const Value &value, DataType type) {
  if (!wants(index))
    return;
  const std::string &name = node.outputs[index];
  if (own.erase(value.id))
    module.rename(value, node.op == "Ceil" ? name : name + "_" + node.op);
  Known &entry = values[name];
  entry.type = type;
  entry.shape = value.shape;
  entry.value = value;
}

void NodeContext::give(unsigned index, Constant constant) {
  if (!wants(index))
    return;
  Known &entry = values[node.outputs[index]];
  entry.type = constant.type;
  entry.shape = constant.shape;
  entry.constant = std::make_shared<Constant>(std::move(constant));
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

std::string NodeContext::nextName() {
  for (const std::string &output : node.outputs)
    if (!output.empty())
      return output + "_" + node.op + "_" + std::to_string(++steps);
  return node.op + "_" + std::to_string(++steps);
}

int64_t NodeContext::elements(llvm::ArrayRef<int64_t> shape) const {
  const std::optional<int64_t> count = elementsOf(shape);
  require(count && *count <= INT64_MAX / 8,
          "a tensor of " + describe(shape) + " is too large");
  require(*count > 0, "a tensor of " + describe(shape) + " has no elements");
  return *count;
}

std::vector<Value>
NodeContext::layers(llvm::StringRef op, const std::vector<Value> &operands,
                    const std::vector<std::optional<Shape>> &shapes,
                    const LayerAttributes &attributes) {
  std::vector<std::string> names;
  for (const auto &shape : shapes) {
    if (shape)
      elements(*shape);
    names.push_back(nextName());
  }
  std::vector<Value> results =
      module.layer(op, names, operands, shapes, attributes);
  for (const Value &result : results)
    own.insert(result.id);
  const auto there = llvm::find_if(
      results, [](const Value &result) { return result.id >= 0; });
  if (there != results.end())
    made.push_back(*there);
  return results;
}

static bool isWhole(DataType type) {
  return !isFloat(type) && type != DataType::Bool && hasNumbers(type);
}

void NodeContext::markWholeNumbers() {
  const auto isOfIntegers = [&](const std::vector<std::string> &names) {
    auto first = names.empty() ? values.end() : values.find(names.front());
    return first != values.end() && isWhole(first->second.type);
  };
  if (isOfIntegers(node.inputs) || isOfIntegers(node.outputs))
    for (const Value &value : made)
      module.annotate(value, {kWholeNumbers});
}

Value NodeContext::layer(llvm::StringRef op, const std::vector<Value> &operands,
                         const Shape &shape,
                         const LayerAttributes &attributes) {
  return layers(op, operands, {shape}, attributes).front();
}

static std::shared_ptr<const Constant> keep(const Shape &shape,
                                            std::vector<float> numbers) {
  return std::make_shared<Constant>(
      Constant{DataType::F32, shape, std::move(numbers)});
}

void NodeContext::requireRank(size_t rank) const {
  require(rank <= kMostDims, "a shape of " + llvm::Twine(rank) +
                                 " dimensions, of at most " +
                                 llvm::Twine(kMostDims));
}

void NodeContext::requireFew(llvm::ArrayRef<int64_t> shape) const {
  constexpr int64_t kMost = 1 << 24; // 64 MiB
  const int64_t count = elements(shape);
  require(count <= kMost, "it needs " + llvm::Twine(count) +
                              " constants that are not in the file, of at "
                              "most " +
                              llvm::Twine(kMost));
}

Value NodeContext::weight(llvm::StringRef what, const Shape &shape,
                          std::vector<float> numbers) {
  elements(shape);
  return weights({nextName() + "_" + what.str(),
                  shape,
                  keep(shape, std::move(numbers)),
                  {}});
}

Value NodeContext::changed(unsigned index, const Shape &shape,
                           std::vector<float> numbers) {
  elements(shape);
  return weights({node.inputs[index] + "_fix",
                  shape,
                  keep(shape, std::move(numbers)),
                  {}});
}

Value NodeContext::changed(
    unsigned index, const Shape &shape,
    std::function<void(const Constant &, TakesNumbers)> parts) {
  elements(shape);
  constant(index);
  return weights({node.inputs[index] + "_fix", shape, known(index).constant,
                  std::move(parts)});
}

//===----------------------------------------------------------------------===//
// Layers that many rules need
//===----------------------------------------------------------------------===//

Shape NodeContext::broadcast(llvm::ArrayRef<int64_t> a,
                             llvm::ArrayRef<int64_t> b) const {
  const size_t rank = std::max(a.size(), b.size());
  requireRank(rank);
  Shape shape(rank, 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1,
                  y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      refuse(describe(a) + " and " + describe(b) + " do not fit each other");
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

Value NodeContext::binary(llvm::StringRef op, const Value &a, const Value &b) {
  return layer(op, {a, b}, broadcast(a.shape, b.shape));
}

Value NodeContext::withConst(llvm::StringRef op, const Value &x,
                             double number) {
  return unary(op, x, {{"const_val", number}});
}

Value NodeContext::compareConst(llvm::StringRef mode, const Value &x,
                                double number) {
  return unary("CompareConst", x,
               {{"mode", mode.str()},
                {"const_val", number},
                {"inversed", false},
                {"is_scalar", false}});
}

/// Longer integers stay floats, as a chip's would cut them off: what is left of
/// a division by one is the fraction, exactly.
Value NodeContext::truncate(const Value &x, DataType type) {
  if (!fitsInt32(type))
    return binary("Sub", x, binary("Mod", x, weight("one", {}, {1.0f})));
  return unary("Cast", x, {{"to", "INT32"}, {"round_mode", "TowardsZero"}});
}

Value NodeContext::reshape(const Value &x, const Shape &shape) {
  require(elements(x.shape) == elements(shape),
          describe(x.shape) + " cannot become " + describe(shape));
  return layer("Reshape", {x}, shape,
               {{"shape", shape}, {"flatten_start_dim", -1}});
}

Value NodeContext::permute(const Value &x, const Shape &order) {
  Shape shape;
  for (int64_t dim : order)
    shape.push_back(x.shape[dim]);
  return layer("Permute", {x}, shape, {{"order", order}});
}

Value NodeContext::concat(const std::vector<Value> &xs, int64_t axis) {
  Shape shape = xs.front().shape;
  shape[axis] = 0;
  for (const Value &x : xs) {
    Shape rest = x.shape;
    require(rest.size() == shape.size(), "the operands differ in rank");
    std::optional<int64_t> sum = checkedAdd(shape[axis], rest[axis]);
    require(sum.has_value(), "the result is too large");
    rest[axis] = shape[axis];
    require(rest == shape, "the operands differ beside the axis");
    shape[axis] = *sum;
  }
  return layer("Concat", xs, shape, {{"axis", Si32{axis}}});
}

Value NodeContext::slice(const Value &x, int64_t axis, int64_t begin,
                         int64_t end) {
  Shape begins(x.rank(), 0), ends = x.shape, steps(x.rank(), 1),
                             shape = x.shape;
  begins[axis] = begin;
  ends[axis] = end;
  shape[axis] = end - begin;
  return slice(x, begins, ends, steps, shape);
}

Value NodeContext::slice(const Value &x, const Shape &begins, const Shape &ends,
                         const Shape &steps, const Shape &shape) {
  return layer("Slice", {x, {}, {}, {}}, shape,
               {{"offset", begins},
                {"ends", ends},
                {"steps", steps},
                {"axes", Shape()},
                {"hasparamConvert_axes", Shape()}});
}

Value NodeContext::expand(const Value &x, const Shape &shape) {
  require(broadcast(x.shape, shape) == shape,
          describe(x.shape) + " does not spread to " + describe(shape));
  return x.shape == shape ? x : layer("Expand", {x}, shape, {{"shape", shape}});
}

Value NodeContext::reduce(llvm::StringRef mode, const Value &x,
                          const Shape &axes, bool keepDims) {
  Shape shape;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    if (!llvm::is_contained(axes, dim))
      shape.push_back(x.shape[dim]);
    else if (keepDims)
      shape.push_back(1);
  return layer("Reduce", {x}, shape,
               {{"axes", axes},
                {"keepdims", keepDims},
                {"mode", mode.str()},
                {"is_scalar", false}});
}

Value NodeContext::where(const Value &condition, const Value &yes,
                         const Value &no) {
  return layer("Where", {condition, yes, no},
               broadcast(condition.shape, broadcast(yes.shape, no.shape)),
               {{"x_is_const", false}, {"y_is_const", false}});
}

/// Matrices in the last two dimensions, the others spread; a vector is a row
/// on the left and a column on the right, and the result lacks it.
Value NodeContext::matmul(const Value &a, const Value &b) {
  const Shape &x = a.shape, &y = b.shape;
  require(a.rank() > 0 && b.rank() > 0, "a product of scalars");
  const int64_t depth = b.rank() > 1 ? y[b.rank() - 2] : y[0];
  require(x.back() == depth,
          describe(x) + " and " + describe(y) + " do not fit each other");
  llvm::ArrayRef<int64_t> left(x), right(y);
  Shape shape = broadcast(left.drop_back(std::min<size_t>(2, x.size())),
                          right.drop_back(std::min<size_t>(2, y.size())));
  if (a.rank() > 1)
    shape.push_back(x[a.rank() - 2]);
  if (b.rank() > 1)
    shape.push_back(y.back());
  return layer("MatMul", {a, b, {}}, shape,
               {{"left_transpose", false},
                {"right_transpose", false},
                {"output_transpose", false},
                {"hdim_is_batch", false},
                {"keep_dims", true}});
}

} // namespace tpu_mlir::importer
