//===- Rotation.cpp - Rotary position embedding ---------------------------===//
//
// x * cos + turned(x) * sin, where turned() has of each pair (a, b) in the last
// dimension (-b, a): of both halves, or of neighbours.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tpu_mlir::fusion {

namespace {

/// Elements of the last dimension of x: every `step`-th from `offset` on.
struct Part {
  Value x;
  int64_t offset = 0, step = 1;
  double factor = 1;
};

struct Turned {
  Value x;
  StringRef mode;
};

} // namespace

/// A slice of the last dimension alone.
static std::optional<Part> sliceOf(Value value, Chain &chain) {
  Operation *op = chain.find(value, "Slice");
  if (!op || operandOf(op, 1) || operandOf(op, 2) || operandOf(op, 3))
    return std::nullopt;
  const Value x = op->getOperand(0);
  const ArrayRef<int64_t> from = shapeOf(x), to = shapeOf(value);
  const int64_t rank = from.size();
  SmallVector<int64_t> offsets = listOf(op, "offset"),
                       steps = listOf(op, "steps"), axes = listOf(op, "axes");
  if (axes.empty())
    for (int64_t dim = 0; dim < rank; ++dim)
      axes.push_back(dim);
  if (rank == 0 || from.size() != to.size() || offsets.size() != axes.size() ||
      steps.size() != axes.size() || from.drop_back() != to.drop_back())
    return std::nullopt;
  Part part{x};
  for (auto [given, offset, step] : llvm::zip_equal(axes, offsets, steps)) {
    auto axis = axisOf(given, rank);
    if (!axis || (*axis != rank - 1 && step != 1))
      return std::nullopt;
    if (*axis != rank - 1)
      continue;
    part.offset = offset + (offset < 0 ? from.back() : 0);
    part.step = step;
  }
  return part;
}

/// A part of x, negated or not, under its own shape or with a dimension more.
static std::optional<Part> partOf(Value value, Chain &chain) {
  double factor = 1;
  for (unsigned depth = 0; depth < 4; ++depth) {
    if (auto part = sliceOf(value, chain)) {
      part->factor = factor;
      return part;
    }
    if (Operation *view = chain.find(value, kViews)) {
      value = view->getOperand(0);
    } else {
      const Affine scaled = chain.affine(value);
      if (scaled.x == value || scaled.offset != 0)
        return std::nullopt;
      factor *= scaled.factor;
      value = scaled.x;
    }
  }
  return std::nullopt;
}

/// Two parts of x one after the other along the last dimension, the first of
/// them negated and `away` after the second.
static Value turnedParts(Operation *concat, int64_t away, int64_t step,
                         Chain &chain) {
  auto first = partOf(concat->getOperand(0), chain),
       second = partOf(concat->getOperand(1), chain);
  const bool fits = first && second && first->x == second->x &&
                    first->factor == -1 && second->factor == 1 &&
                    first->step == step && second->step == step &&
                    second->offset == 0 && first->offset == away;
  return fits ? first->x : Value();
}

/// A concat of two along the last dimension.
static Operation *pairOf(Value value, Chain &chain) {
  Operation *op = chain.find(value, "Concat");
  const int64_t rank = shapeOf(value).size();
  return op && op->getNumOperands() == 2 &&
                 axisOf(integerOf(op, "axis", 1), rank) == rank - 1
             ? op
             : nullptr;
}

static std::optional<Turned> turnedOf(Value value, Chain &chain) {
  const ArrayRef<int64_t> shape = shapeOf(value);
  if (shape.empty() || shape.back() % 2 != 0 ||
      value.getType() != chain.root->getResult(0).getType())
    return std::nullopt;
  const int64_t half = shape.back() / 2;
  SmallVector<int64_t> halves(shape), column(shape);
  halves.back() = column.back() = half;
  column.push_back(1);
  if (Operation *concat = pairOf(value, chain)) {
    if (shapeOf(concat->getOperand(0)) != ArrayRef(halves))
      return std::nullopt;
    const Value x = turnedParts(concat, half, 1, chain);
    return x ? std::optional(Turned{x, "contiguous_halves"}) : std::nullopt;
  }
  Operation *view = chain.find(value, kViews);
  Operation *concat = view ? pairOf(view->getOperand(0), chain) : nullptr;
  if (!concat || shapeOf(concat->getOperand(0)) != ArrayRef(column) ||
      shapeOf(concat->getOperand(1)) != ArrayRef(column))
    return std::nullopt;
  const Value x = turnedParts(concat, 1, 2, chain);
  return x ? std::optional(Turned{x, "interleaved_pairs"}) : std::nullopt;
}

/// The factors of a product that is of the type of the root.
static std::optional<std::array<Value, 2>> factorsOf(Value value,
                                                     Chain &chain) {
  Operation *op = chain.find(value, "Mul");
  return op && value.getType() == chain.root->getResult(0).getType()
             ? Chain::sides(op)
             : std::nullopt;
}

static LogicalResult fuseRope(Operation *root, WeightValues &weights,
                              PatternRewriter &rewriter) {
  auto terms = Chain::sides(root);
  if (!terms || hasRelu(root))
    return failure();
  // Which term is turned, which factor of it, and which of the other one x is.
  for (unsigned choice = 0; choice < 8; ++choice) {
    const unsigned term = choice & 1, factor = choice >> 1 & 1,
                   own = choice >> 2;
    Chain chain(root, weights);
    auto turnedTerm = factorsOf((*terms)[term], chain),
         ownTerm = factorsOf((*terms)[1 - term], chain);
    auto turned = turnedTerm && ownTerm ? turnedOf((*turnedTerm)[factor], chain)
                                        : std::nullopt;
    if (!turned || turned->x != (*ownTerm)[own] ||
        turned->x.getType() != root->getResult(0).getType() ||
        !chain.isClosed())
      continue;
    const Value sine = (*turnedTerm)[1 - factor], cosine = (*ownTerm)[1 - own];
    replaceRoot(rewriter, root, "Rope", {turned->x, sine, cosine},
                {rewriter.getNamedAttr("rope_mode",
                                       rewriter.getStringAttr(turned->mode)),
                 rewriter.getNamedAttr("is_permute_optimize",
                                       rewriter.getBoolAttr(false))});
    return success();
  }
  return failure();
}

void addRotations(RewritePatternSet &patterns, WeightValues &weights) {
  addRule(patterns, weights, {"Add"}, fuseRope);
}

} // namespace tpu_mlir::fusion
