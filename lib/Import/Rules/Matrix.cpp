//===- Matrix.cpp - Products of matrices ----------------------------------===//

#include "lib/Import/Rule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tpu_mlir::importer {

static void buildMatMul(NodeContext &node) {
  node.give(node.matmul(node.in(0), node.in(1)));
}

static void takeScaled(const Constant &from, double alpha, TakesNumbers take) {
  forEachPart(from, [&](llvm::ArrayRef<float> part) {
    std::vector<float> scaled(part.begin(), part.end());
    for (float &number : scaled)
      number *= static_cast<float>(alpha);
    take(scaled);
  });
}

/// Some columns of a matrix at a time, which become rows.
static void takeTransposed(const Constant &from, double alpha,
                           TakesNumbers take) {
  constexpr int64_t kAtOnce = 64;
  const int64_t rows = from.shape[0], columns = from.shape[1];
  std::vector<float> piece, part;
  for (int64_t first = 0; first < columns; first += kAtOnce) {
    piece.resize(std::min(kAtOnce, columns - first));
    part.resize(piece.size() * rows);
    for (int64_t row = 0; row < rows; ++row) {
      from.read(row * columns + first, piece);
      for (size_t i = 0; i < piece.size(); ++i)
        part[i * rows + row] = static_cast<float>(alpha) * piece[i];
    }
    take(part);
  }
}

/// The right side of a Gemm as [k, n], times alpha.
static Value gemmRight(NodeContext &node, bool transposes, double alpha) {
  const Shape &shape = node.shape(1);
  if (!node.isConstant(1)) {
    const Value right =
        transposes ? node.permute(node.in(1), {1, 0}) : node.in(1);
    return alpha == 1 ? right : node.withConst("MulConst", right, alpha);
  }
  if (!transposes && alpha == 1)
    return node.in(1);
  const Shape wanted =
      transposes ? Shape{shape[1], shape[0]} : Shape{shape[0], shape[1]};
  return node.changed(1, wanted, [=](const Constant &from, TakesNumbers take) {
    transposes ? takeTransposed(from, alpha, take)
               : takeScaled(from, alpha, take);
  });
}

/// What is added to each row, as a bias; null: it is no row, or not known.
static std::optional<Value> gemmBias(NodeContext &node, double beta,
                                     int64_t columns) {
  if (!node.has(2) || !node.isConstant(2))
    return std::nullopt;
  const Constant &given = node.constant(2);
  const Shape &shape = given.shape;
  const bool isRow =
      given.size() == columns && (shape.empty() || shape.back() == columns);
  if (!isRow)
    return std::nullopt;
  if (beta == 1 && shape.size() == 1)
    return node.in(2);
  std::vector<float> numbers = node.floats(2, columns);
  for (float &number : numbers)
    number *= static_cast<float>(beta);
  return node.changed(2, {columns}, std::move(numbers));
}

/// alpha * a * b + beta * c
static void buildGemm(NodeContext &node) {
  node.require(node.rank(0) == 2 && node.rank(1) == 2,
               "two matrices are expected");
  const bool left = node.flag("transA"), right = node.flag("transB");
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  const int64_t rows = node.shape(0)[left ? 1 : 0],
                columns = node.shape(1)[right ? 0 : 1];
  node.require(node.shape(0)[left ? 0 : 1] == node.shape(1)[right ? 1 : 0],
               "the matrices do not fit each other");
  const Value b = gemmRight(node, right, alpha);
  const std::optional<Value> bias = gemmBias(node, beta, columns);
  const Value product = node.layer(
      "MatMul", {node.in(0), b, bias.value_or(Value())}, {rows, columns},
      {{"left_transpose", left},
       {"right_transpose", false},
       {"output_transpose", false},
       {"hdim_is_batch", false},
       {"keep_dims", true}});
  const bool isWhole = alpha == std::trunc(alpha) && beta == std::trunc(beta);
  const auto give = [&](const Value &sum) {
    node.give(isWhole ? sum : node.whole(sum));
  };
  if (bias || !node.has(2) || beta == 0)
    return give(product);
  const Value c = node.in(2);
  node.require(node.broadcast(c.shape, product.shape) == product.shape,
               "what is added has more elements than the product");
  give(node.binary("Add", product,
                   beta == 1 ? c : node.withConst("MulConst", c, beta)));
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

namespace {

/// A value whose dimensions have letters; those of "..." are digits, counted
/// from the end.
struct Lettered {
  Value value;
  std::string letters;
};

/// sum over what the result lacks of the product of all operands.
class Einsum {
public:
  explicit Einsum(NodeContext &node) : node(node) {}
  Value run();

private:
  void readEquation();
  std::string dots(int64_t count) const;
  std::string expandDots(llvm::StringRef part, int64_t rank) const;
  Lettered diagonal(Lettered operand, size_t first, size_t again);
  Lettered withoutRepeats(Lettered operand);
  Lettered sumOut(Lettered operand, const std::string &kept);
  Lettered arrange(const Lettered &operand, const std::string &letters);
  Lettered product(const Lettered &a, const Lettered &b,
                   const std::string &kept);
  int64_t sizeOf(char letter, const Lettered &a, const Lettered &b) const;

  NodeContext &node;
  std::vector<Lettered> operands;
  std::string result;
};

} // namespace

static bool has(const std::string &letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

std::string Einsum::dots(int64_t count) const {
  std::string letters;
  for (int64_t i = count; i-- > 0;)
    letters += static_cast<char>('0' + i);
  return letters;
}

std::string Einsum::expandDots(llvm::StringRef part, int64_t rank) const {
  const size_t at = part.find("...");
  std::string letters = part.str();
  if (at != llvm::StringRef::npos) {
    const int64_t count = rank - (static_cast<int64_t>(part.size()) - 3);
    node.require(count >= 0 && count < 10, "an operand has too few dimensions");
    letters =
        part.take_front(at).str() + dots(count) + part.drop_front(at + 3).str();
  }
  node.require(static_cast<int64_t>(letters.size()) == rank,
               "an operand has another rank than the equation says");
  return letters;
}

void Einsum::readEquation() {
  std::string equation = node.text("equation");
  llvm::erase(equation, ' ');
  auto [left, right] = llvm::StringRef(equation).split("->");
  const bool isExplicit = llvm::StringRef(equation).contains("->");
  llvm::SmallVector<llvm::StringRef> parts;
  left.split(parts, ',');
  node.require(parts.size() == node.count() && node.count() >= 1,
               "the equation '" + equation + "' is for other operands");
  std::string all, most;
  for (auto [index, part] : llvm::enumerate(parts)) {
    operands.push_back({node.in(index), expandDots(part, node.rank(index))});
    for (char letter : operands.back().letters) {
      all += letter;
      node.require(llvm::isAlnum(letter), "the equation has odd letters");
      if (llvm::isDigit(letter) && !has(most, letter))
        most += letter;
    }
  }
  llvm::sort(most, std::greater<char>());
  if (isExplicit) {
    const size_t at = right.find("...");
    result = at == llvm::StringRef::npos ? right.str()
                                         : right.take_front(at).str() + most +
                                               right.drop_front(at + 3).str();
  } else {
    std::string once;
    for (char letter : all)
      if (llvm::isAlpha(letter) && llvm::count(all, letter) == 1)
        once += letter;
    llvm::sort(once);
    result = most + once;
  }
  for (char letter : result)
    node.require(has(all, letter) && llvm::count(result, letter) == 1,
                 "the result has a letter twice, or one that no operand has");
}

/// Where dimensions `first` and `again` have one place, as the last dimension:
/// of both in line every `size` + 1-th element. What is beside it is not
/// touched, as infinity times 0 is no number.
Lettered Einsum::diagonal(Lettered operand, size_t first, size_t again) {
  const char letter = operand.letters[first];
  Shape order, shape;
  std::string letters;
  for (size_t dim = 0; dim < operand.letters.size(); ++dim)
    if (dim != first && dim != again) {
      order.push_back(static_cast<int64_t>(dim));
      shape.push_back(operand.value.shape[dim]);
      letters += operand.letters[dim];
    }
  order.append({static_cast<int64_t>(first), static_cast<int64_t>(again)});
  const int64_t size = operand.value.shape[first], all = size * size;
  shape.push_back(all);
  Value value = llvm::is_sorted(order) ? operand.value
                                       : node.permute(operand.value, order);
  value = node.reshape(value, shape);
  if (size > 1) {
    Shape steps(shape.size(), 1), ends = shape;
    steps.back() = size + 1;
    shape.back() = size;
    value = node.slice(value, Shape(shape.size(), 0), ends, steps, shape);
  }
  return {value, letters + letter};
}

/// Of a letter that an operand has twice: its diagonal.
Lettered Einsum::withoutRepeats(Lettered operand) {
  for (size_t i = 0; i < operand.letters.size(); ++i) {
    const size_t again = operand.letters.find(operand.letters[i], i + 1);
    if (again == std::string::npos)
      continue;
    const int64_t size = operand.value.shape[i];
    node.require(size == operand.value.shape[again],
                 "a diagonal of what is no square");
    operand = diagonal(std::move(operand), i, again);
    return withoutRepeats(std::move(operand));
  }
  return operand;
}

/// Without the letters that nobody else needs.
Lettered Einsum::sumOut(Lettered operand, const std::string &kept) {
  Shape axes;
  std::string letters;
  for (auto [dim, letter] : llvm::enumerate(operand.letters))
    if (has(kept, letter))
      letters += letter;
    else
      axes.push_back(static_cast<int64_t>(dim));
  if (axes.empty())
    return operand;
  return {node.reduce("ReduceSum", operand.value, axes, false), letters};
}

/// Its dimensions in that order.
Lettered Einsum::arrange(const Lettered &operand, const std::string &letters) {
  Shape order;
  for (char letter : letters)
    order.push_back(static_cast<int64_t>(operand.letters.find(letter)));
  return {llvm::is_sorted(order) ? operand.value
                                 : node.permute(operand.value, order),
          letters};
}

int64_t Einsum::sizeOf(char letter, const Lettered &a,
                       const Lettered &b) const {
  int64_t size = 1;
  for (const Lettered *side : {&a, &b})
    if (const size_t at = side->letters.find(letter); at != std::string::npos)
      if (const int64_t own = side->value.shape[at]; own != 1) {
        node.require(size == 1 || size == own,
                     "dimension '" + llvm::Twine(letter) + "' has two sizes");
        size = own;
      }
  return size;
}

/// A batch of products of matrices: letters of both sides that are kept are
/// the batch, those that are not are summed.
Lettered Einsum::product(const Lettered &left, const Lettered &right,
                         const std::string &kept) {
  const Lettered a = sumOut(left, kept + right.letters),
                 b = sumOut(right, kept + left.letters);
  std::string batch, sums, rows, columns;
  for (char letter : a.letters)
    (!has(b.letters, letter) ? rows
     : has(kept, letter)     ? batch
                             : sums) += letter;
  for (char letter : b.letters)
    if (!has(a.letters, letter))
      columns += letter;
  auto shapeOf = [&](const std::string &letters) {
    Shape shape;
    for (char letter : letters)
      shape.push_back(sizeOf(letter, a, b));
    return shape;
  };
  auto matrix = [&](const Lettered &side, const std::string &first,
                    const std::string &second) {
    const Value arranged = arrange(side, batch + first + second).value;
    const Value whole = node.expand(arranged, shapeOf(batch + first + second));
    return node.reshape(whole, {node.elements(shapeOf(batch)),
                                node.elements(shapeOf(first)),
                                node.elements(shapeOf(second))});
  };
  const Value made =
      node.matmul(matrix(a, rows, sums), matrix(b, sums, columns));
  return {node.reshape(made, shapeOf(batch + rows + columns)),
          batch + rows + columns};
}

Value Einsum::run() {
  readEquation();
  Lettered sum = withoutRepeats(operands.front());
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string kept = result;
    for (size_t rest = i + 1; rest < operands.size(); ++rest)
      kept += operands[rest].letters;
    sum = product(sum, withoutRepeats(operands[i]), kept);
  }
  return arrange(sumOut(sum, result), result).value;
}

static void buildEinsum(NodeContext &node) { node.give(Einsum(node).run()); }

void addMatrixRules(RuleTable &rules) {
  rules.add({TPU_RULE(Einsum), TPU_RULE(Gemm), TPU_RULE(MatMul)});
}

} // namespace tpu_mlir::importer
