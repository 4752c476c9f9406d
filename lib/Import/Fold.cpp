//===- Fold.cpp - Numbers that follow from shapes and constants -----------===//

#include "lib/Import/Fold.h"

#include "tpu_mlir/Execution/Places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace tpu_mlir::importer {

template <typename Number, typename Get>
static std::vector<Number> pickAs(llvm::ArrayRef<int64_t> indices, Get get) {
  std::vector<Number> picked;
  picked.reserve(indices.size());
  for (int64_t index : indices)
    picked.push_back(static_cast<Number>(get(index)));
  return picked;
}

Constant pick(const Constant &from, Shape shape,
              llvm::ArrayRef<int64_t> indices) {
  if (from.isFilled())
    return makeFilled(from, 0, std::move(shape));
  Constant result{from.type, std::move(shape), {}};
  const auto real = [&](int64_t index) { return from.real(index); };
  const auto whole = [&](int64_t index) { return from.whole(index); };
  if (!isFloat(from.type))
    result.numbers = pickAs<int64_t>(indices, whole);
  else if (from.type == DataType::F64)
    result.numbers = pickAs<double>(indices, real);
  else
    result.numbers = pickAs<float>(indices, real);
  return result;
}

Shape stridesOf(llvm::ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

std::vector<int64_t> indicesOf(llvm::ArrayRef<int64_t> shape, int64_t first,
                               llvm::ArrayRef<int64_t> strides) {
  const int64_t count = elementsOf(shape).value_or(kMostFolded + 1);
  if (count > kMostFolded)
    throw TooLargeToFold();
  std::vector<int64_t> indices;
  indices.reserve(count);
  execution::forEachPlace(shape, strides, first, count,
                          [&](int64_t index) { indices.push_back(index); });
  return indices;
}

Shape spreadStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  Shape strides(to.size(), 0);
  const Shape own = stridesOf(from);
  for (size_t i = 0; i < from.size(); ++i)
    if (from[from.size() - 1 - i] != 1)
      strides[to.size() - 1 - i] = own[from.size() - 1 - i];
  return strides;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

using Whole = int64_t (*)(int64_t, int64_t);
using Real = double (*)(double, double);

namespace {

struct Arithmetic {
  llvm::StringLiteral op;
  Whole whole;
  Real real;
};

struct Comparison {
  llvm::StringLiteral op;
  bool (*whole)(int64_t, int64_t);
  bool (*real)(double, double);
};

struct Function {
  llvm::StringLiteral op;
  double (*real)(double);
};

} // namespace

static int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + b);
}
static int64_t wrapSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - b);
}
static int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * b);
}
/// Towards zero; the caller has looked for zeros.
static int64_t divide(int64_t a, int64_t b) {
  return b == -1 ? wrapSub(0, a) : a / b;
}
/// With the sign of the divisor.
static int64_t modulo(int64_t a, int64_t b) {
  const int64_t rest = b == -1 ? 0 : a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static int64_t positivePower(int64_t a, int64_t b) {
  uint64_t result = 1, factor = a;
  for (uint64_t rest = b; rest != 0; rest >>= 1, factor *= factor)
    if (rest & 1)
      result *= factor;
  return static_cast<int64_t>(result);
}
/// Cut towards zero; the caller has looked for zeros.
static int64_t power(int64_t a, int64_t b) {
  if (b >= 0)
    return positivePower(a, b);
  return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
}

static const Arithmetic kArithmetic[] = {
    {"Add", wrapAdd, [](double a, double b) { return a + b; }},
    {"Sub", wrapSub, [](double a, double b) { return a - b; }},
    {"Mul", wrapMul, [](double a, double b) { return a * b; }},
    {"Div", divide, [](double a, double b) { return a / b; }},
    {"Mod", modulo, [](double a, double b) { return std::fmod(a, b); }},
    {"Min", [](int64_t a, int64_t b) { return std::min(a, b); },
     [](double a, double b) { return std::isnan(a) || a < b ? a : b; }},
    {"Max", [](int64_t a, int64_t b) { return std::max(a, b); },
     [](double a, double b) { return std::isnan(a) || a > b ? a : b; }},
    {"Pow", power, [](double a, double b) { return std::pow(a, b); }},
    {"And", [](int64_t a, int64_t b) { return int64_t(a && b); }, nullptr},
    {"Or", [](int64_t a, int64_t b) { return int64_t(a || b); }, nullptr},
    {"Xor", [](int64_t a, int64_t b) { return int64_t(!a != !b); }, nullptr}};

int64_t ordered(DataType type, int64_t number) {
  return type == DataType::U64 ? number ^ INT64_MIN : number;
}

/// Mod with 'fmod': with the sign of the dividend.
static const Arithmetic kRemainder = {
    "Mod", [](int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }, nullptr};

/// How integers of that type are combined.
static Whole wholeOf(const Arithmetic &how, DataType type) {
  using Bits = uint64_t;
  static const std::pair<llvm::StringLiteral, Whole> kWithoutSign[] = {
      {"Div", [](int64_t a, int64_t b) { return int64_t(Bits(a) / Bits(b)); }},
      {"Mod", [](int64_t a, int64_t b) { return int64_t(Bits(a) % Bits(b)); }},
      {"Min",
       [](int64_t a, int64_t b) { return int64_t(std::min<Bits>(a, b)); }},
      {"Max",
       [](int64_t a, int64_t b) { return int64_t(std::max<Bits>(a, b)); }},
      {"Pow", positivePower}};
  for (const auto &[op, whole] : kWithoutSign)
    if (type == DataType::U64 && how.op == op)
      return whole;
  return how.whole;
}

#define TPU_COMPARISON(name, op)                                               \
  {name, [](int64_t a, int64_t b) { return a op b; },                          \
   [](double a, double b) { return a op b; }}
static const Comparison kComparisons[] = {
    TPU_COMPARISON("Equal", ==),          TPU_COMPARISON("Less", <),
    TPU_COMPARISON("LessOrEqual", <=),    TPU_COMPARISON("Greater", >),
    TPU_COMPARISON("GreaterOrEqual", >=),
};
#undef TPU_COMPARISON

static const Function kFunctions[] = {
    {"Floor", std::floor},
    {"Ceil", std::ceil},
    {"Sqrt", std::sqrt},
    {"Exp", std::exp},
    {"Log", std::log},
    {"Round", std::nearbyint},
    {"Reciprocal", [](double x) { return 1 / x; }}};

/// The places of both operands for each element of the result.
static std::pair<std::vector<int64_t>, std::vector<int64_t>>
spread(const NodeContext &node, const Constant &a, const Constant &b,
       const Shape &shape) {
  node.elements(shape);
  return {indicesOf(shape, 0, spreadStrides(a.shape, shape)),
          indicesOf(shape, 0, spreadStrides(b.shape, shape))};
}

static Constant combine(const NodeContext &node, const Arithmetic &how,
                        const Constant &a, const Constant &b) {
  const Shape shape = node.broadcast(a.shape, b.shape);
  const auto [left, right] = spread(node, a, b, shape);
  const bool isPower = how.op == "Pow";
  if (isFloat(a.type) || (isPower && isFloat(b.type))) {
    std::vector<double> numbers;
    node.require(how.real, "its operands are floats");
    for (auto [i, j] : llvm::zip_equal(left, right))
      numbers.push_back(how.real(a.real(i), b.real(j)));
    return makeConstant(a.type, shape, numbers);
  }
  std::vector<int64_t> numbers;
  const bool divides = how.op == "Div" || how.op == "Mod";
  const Whole whole = wholeOf(how, isPower ? b.type : a.type);
  for (auto [i, j] : llvm::zip_equal(left, right)) {
    const int64_t x = a.whole(i), y = b.whole(j);
    node.require(!(divides && y == 0) && !(isPower && x == 0 && b.real(j) < 0),
                 "a division by zero");
    numbers.push_back(whole(x, y));
  }
  return makeConstant(a.type, shape, std::move(numbers));
}

static Constant compare(const NodeContext &node, const Comparison &how) {
  const Constant &a = node.constant(0), &b = node.constant(1);
  const Shape shape = node.broadcast(a.shape, b.shape);
  const auto [left, right] = spread(node, a, b, shape);
  std::vector<int64_t> numbers;
  for (auto [i, j] : llvm::zip_equal(left, right))
    numbers.push_back(isFloat(a.type) ? how.real(a.real(i), b.real(j))
                                      : how.whole(ordered(a.type, a.whole(i)),
                                                  ordered(a.type, b.whole(j))));
  return makeConstant(DataType::Bool, shape, std::move(numbers));
}

static Constant apply(const Constant &x, double (*function)(double)) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < x.size(); ++i)
    numbers.push_back(function(x.real(i)));
  return makeConstant(x.type, x.shape, numbers);
}

static std::optional<Constant> foldElementwise(const NodeContext &node) {
  const llvm::StringRef op = node.node.op;
  for (const Arithmetic &how : kArithmetic)
    if (op == how.op) {
      // Of floats it is left to the network.
      if (op == "Mod" && isFloat(node.type()))
        return std::nullopt;
      // Broadcasts by attribute, of old opsets.
      if (node.flag("broadcast"))
        return std::nullopt;
      Constant result = node.constant(0);
      for (unsigned i = 1; i < node.count(); ++i)
        result = combine(node, node.flag("fmod") ? kRemainder : how, result,
                         node.constant(i));
      return result;
    }
  for (const Comparison &how : kComparisons)
    if (op == how.op && !node.flag("broadcast"))
      return compare(node, how);
  for (const Function &how : kFunctions)
    if (op == how.op)
      return apply(node.constant(0), how.real);
  const Constant &x = node.constant(0);
  if (op == "Sign" && !isFloat(x.type)) {
    std::vector<int64_t> numbers;
    for (int64_t number : x.wholes())
      numbers.push_back((realOf(x.type, number) > 0) -
                        (realOf(x.type, number) < 0));
    return makeConstant(x.type, x.shape, std::move(numbers));
  }
  if (op == "Neg" || op == "Abs" || op == "Not") {
    std::vector<int64_t> numbers;
    if (isFloat(x.type))
      return apply(
          x, op == "Neg" ? +[](double number) { return -number; }
                         : +[](double number) { return std::fabs(number); });
    for (int64_t number : x.wholes())
      numbers.push_back(op == "Not" ? !number
                        : op == "Neg" || realOf(x.type, number) < 0
                            ? wrapSub(0, number)
                            : number);
    return makeConstant(x.type, x.shape, std::move(numbers));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Other types, other shapes
//===----------------------------------------------------------------------===//

Constant castTo(const Constant &x, DataType type) {
  // Without the way over double, which has 53 bits.
  if (!isFloat(x.type) && !isFloat(type))
    return makeConstant(type, x.shape, x.wholes());
  std::vector<double> numbers;
  for (int64_t i = 0; i < x.size(); ++i)
    numbers.push_back(x.real(i));
  return makeConstant(type, x.shape, numbers);
}

/// What a reduction of integers adds up, multiplies or compares. Sums and
/// products are the same with and without a sign.
static int64_t termOf(llvm::StringRef op, DataType type, int64_t number) {
  if (op == "ReduceL1")
    return realOf(type, number) < 0 ? wrapSub(0, number) : number;
  if (op == "ReduceSumSquare")
    return wrapMul(number, number);
  return op == "ReduceMin" || op == "ReduceMax" ? ordered(type, number)
                                                : number;
}

/// What becomes of the result, of `count` numbers.
static int64_t finished(llvm::StringRef op, DataType type, int64_t number,
                        int64_t count) {
  if (op == "ReduceMean" && count > 0)
    return type == DataType::U64
               ? static_cast<int64_t>(static_cast<uint64_t>(number) / count)
               : number / count;
  return op == "ReduceMin" || op == "ReduceMax" ? ordered(type, number)
                                                : number;
}

static Constant foldReduction(const NodeContext &node, const Shape &axes,
                              bool keepDims) {
  const Constant &x = node.constant(0);
  Shape kept, inner, keptStrides, innerStrides, shape;
  const Shape strides = stridesOf(x.shape);
  for (int64_t dim = 0; dim < node.rank(); ++dim) {
    const bool isInner = llvm::is_contained(axes, dim);
    (isInner ? inner : kept).push_back(x.shape[dim]);
    (isInner ? innerStrides : keptStrides).push_back(strides[dim]);
    if (!isInner || keepDims)
      shape.push_back(isInner ? 1 : x.shape[dim]);
  }
  const llvm::StringRef op = node.node.op;
  std::vector<int64_t> numbers;
  for (int64_t first : indicesOf(kept, 0, keptStrides)) {
    std::optional<int64_t> sum;
    int64_t count = 0;
    for (int64_t index : indicesOf(inner, first, innerStrides)) {
      const int64_t number = termOf(op, x.type, x.whole(index));
      ++count;
      sum = !sum                 ? number
            : op == "ReduceProd" ? wrapMul(*sum, number)
            : op == "ReduceMin"  ? std::min(*sum, number)
            : op == "ReduceMax"  ? std::max(*sum, number)
                                 : wrapAdd(*sum, number);
    }
    numbers.push_back(
        finished(op, x.type, sum.value_or(op == "ReduceProd"), count));
  }
  return makeConstant(x.type, shape, std::move(numbers));
}

/// Integers only: floats are summed as the network sums them.
static std::optional<Constant> foldReductions(const NodeContext &node) {
  const llvm::StringRef op = node.node.op;
  static constexpr llvm::StringLiteral kOps[] = {
      "ReduceL1",   "ReduceMax", "ReduceMean",     "ReduceMin",
      "ReduceProd", "ReduceSum", "ReduceSumSquare"};
  if (!llvm::is_contained(kOps, op) || isFloat(node.type()))
    return std::nullopt;
  std::optional<Shape> axes = node.list("axes", 1);
  if ((!axes || axes->empty()) && node.flag("noop_with_empty_axes"))
    return node.constant(0);
  if (!axes || axes->empty()) {
    axes.emplace();
    for (int64_t dim = 0; dim < node.rank(); ++dim)
      axes->push_back(dim);
  }
  return foldReduction(node, node.axes(*axes, node.rank()),
                       node.flag("keepdims"));
}

/// As `end` and `start` of Shape count.
static std::vector<int64_t> shapePart(const NodeContext &node) {
  const int64_t rank = node.rank();
  auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t from = clamped(node.integer("start", 0)),
                to = clamped(node.integer("end", rank));
  const Shape &shape = node.shape();
  return from < to
             ? std::vector<int64_t>(shape.begin() + from, shape.begin() + to)
             : std::vector<int64_t>();
}

static std::optional<std::vector<Constant>>
foldWithoutNumbers(const NodeContext &node) {
  const llvm::StringRef op = node.node.op;
  if (op == "Shape") {
    std::vector<int64_t> part = shapePart(node);
    const Shape shape = {static_cast<int64_t>(part.size())};
    return std::vector{makeConstant(DataType::I64, shape, std::move(part))};
  }
  if (op == "Size")
    return std::vector{makeConstant(
        DataType::I64, {}, std::vector<int64_t>{node.elements(node.shape())})};
  if (op == "Constant")
    return std::vector{constantOf(node)};
  if (op == "EyeLike")
    return std::vector{eyeLike(node)};
  return std::nullopt;
}

static std::optional<std::vector<Constant>>
foldNumbers(const NodeContext &node) {
  for (auto *folder : {foldParts, foldTopK})
    if (auto parts = folder(node))
      return parts;
  for (auto *folder : {foldElementwise, foldReductions, foldMovement, foldArg})
    if (std::optional<Constant> made = folder(node))
      return std::vector{std::move(*made)};
  return std::nullopt;
}

std::optional<std::vector<Constant>> fold(const NodeContext &node) {
  if (auto made = foldWithoutNumbers(node))
    return made;
  int64_t count = 0;
  for (unsigned i = 0; i < node.count(); ++i) {
    if (!node.has(i))
      continue;
    if (!node.isConstant(i))
      return std::nullopt;
    count += node.constant(i).size();
  }
  if (node.count() == 0)
    return std::nullopt;
  for (auto *folder : {foldInPlace, foldQuantized})
    if (std::optional<Constant> made = folder(node))
      return std::vector{std::move(*made)};
  if (count > kMostFolded)
    return std::nullopt;
  try {
    return foldNumbers(node);
  } catch (const TooLargeToFold &) {
    return std::nullopt;
  }
}

} // namespace tpu_mlir::importer
