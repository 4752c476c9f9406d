//===- TpuInPlace.cpp - Which Tpu ops share bytes -------------------------===//

#include "Attributes.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"
#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;

namespace tpu_mlir::tpu {

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

std::optional<SliceStarts> sliceStarts(SliceOp op, RankedTensorType input) {
  if (llvm::any_of(op.getRest().take_front(3),
                   [](Value value) { return !isa<NoneType>(value.getType()); }))
    return std::nullopt;
  SmallVector<int64_t> offset = op.getOffset(), steps = op.getSteps();
  SmallVector<int64_t> axes = op.getAxes();
  int64_t rank = input.getRank();
  if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (offset.size() != axes.size() || steps.size() != axes.size())
    return std::nullopt;

  SliceStarts starts{SmallVector<int64_t>(rank, 0),
                     SmallVector<int64_t>(rank, 1)};
  for (auto [axis, from, step] : llvm::zip_equal(axes, offset, steps)) {
    int64_t dim = axis < 0 ? axis + rank : axis;
    if (dim < 0 || dim >= rank)
      return std::nullopt;
    int64_t size = input.getDimSize(dim);
    starts.offsets[dim] = from < 0 ? from + size : from;
    starts.steps[dim] = step;
  }
  return starts;
}

static bool isAllOnes(ArrayRef<int64_t> sizes) {
  return llvm::all_of(sizes, [](int64_t size) { return size == 1; });
}

/// The one dimension that gets shorter, after nothing but ones, so that the
/// result is one run of memory. nullopt when there is no such dimension.
static std::optional<int64_t> slicedDim(ArrayRef<int64_t> input,
                                        ArrayRef<int64_t> output) {
  std::optional<int64_t> sliced;
  for (auto [dim, from, to] : llvm::enumerate(input, output)) {
    if (from == to)
      continue;
    if (sliced)
      return std::nullopt;
    sliced = dim;
  }
  if (!sliced || !isAllOnes(input.take_front(*sliced)))
    return std::nullopt;
  return sliced;
}

/// Offset in `dim` when the slice takes consecutive elements that are inside
/// the input there, and everything in all other dimensions.
static std::optional<int64_t> consecutiveOffset(const SliceStarts &starts,
                                                int64_t dim, int64_t fromSize,
                                                int64_t toSize) {
  for (auto [index, offset, step] :
       llvm::enumerate(starts.offsets, starts.steps))
    if (step != 1 || (static_cast<int64_t>(index) != dim && offset != 0))
      return std::nullopt;
  int64_t offset = starts.offsets[dim];
  if (offset < 0 || offset > fromSize || toSize > fromSize - offset)
    return std::nullopt;
  return offset;
}

/// Where the result starts in the operand, in bytes; nullopt when the result
/// is not one run of whole bytes of it.
static std::optional<int64_t> sliceOffsetBytes(SliceOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto output = dyn_cast<RankedTensorType>(op.getOutput().getType());
  if (!input || !output || !typeBytes(input) || !typeBytes(output) ||
      input.getRank() != output.getRank() ||
      input.getElementType() != output.getElementType())
    return std::nullopt;

  std::optional<SliceStarts> starts = sliceStarts(op, input);
  std::optional<int64_t> dim = slicedDim(input.getShape(), output.getShape());
  if (!starts || !dim)
    return std::nullopt;
  std::optional<int64_t> offset = consecutiveOffset(
      *starts, *dim, input.getDimSize(*dim), output.getDimSize(*dim));
  std::optional<int64_t> innerBits = elementBits(input.getElementType());
  for (int64_t size : input.getShape().drop_front(*dim + 1))
    innerBits = innerBits ? checkedMul(*innerBits, size) : std::nullopt;
  if (!offset || !innerBits)
    return std::nullopt;

  auto offsetBits = checkedMul(*offset, *innerBits);
  auto sizeBits = checkedMul(output.getDimSize(*dim), *innerBits);
  if (!offsetBits || !sizeBits || *offsetBits % 8 != 0 || *sizeBits % 8 != 0)
    return std::nullopt;
  return *offsetBits / 8;
}

SmallVector<InPlaceEdge> SliceOp::statedInPlaceEdges() {
  std::optional<int64_t> offset = sliceOffsetBytes(*this);
  if (!offset)
    return {};
  InPlaceEdge edge;
  edge.offsetBytes = *offset;
  return {edge};
}

//===----------------------------------------------------------------------===//
// Concat, CoreSplit, CoreJoin: pieces one after the other
//===----------------------------------------------------------------------===//

/// False where the last byte of a tensor has bits to spare: what comes after
/// its elements begins inside a byte.
static bool fillsItsBytes(Type type, int64_t bytes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto bits = tensor ? elementBits(tensor.getElementType()) : std::nullopt;
  return !bits || *bits * tensor.getNumElements() == bytes * 8;
}

/// The last dimension in which a piece is smaller than the whole; the rank
/// where none is. nullopt for pieces that are no boxes of the whole's elements.
static std::optional<int64_t> lastCutDim(ArrayRef<RankedTensorType> pieces,
                                         RankedTensorType whole) {
  const auto bits = elementBits(whole.getElementType());
  int64_t cut = whole.getRank();
  for (RankedTensorType piece : pieces) {
    if (!bits || piece.getRank() != whole.getRank() ||
        elementBits(piece.getElementType()) != bits)
      return std::nullopt;
    for (auto [dim, own, all] :
         llvm::enumerate(piece.getShape(), whole.getShape()))
      if (own != all && (cut == whole.getRank() || cut < int64_t(dim)))
        cut = dim;
  }
  return cut;
}

/// Whether pieces along an axis are runs of memory, one after the other: with
/// nothing but ones in front of the axis. The whole may have more there when it
/// is cut in these dimensions, too, row by row. An axis after all that is cut
/// is not one that pieces are along.
static bool arePiecesRuns(Operation *op, ValueRange pieces, Value whole) {
  auto type = dyn_cast<RankedTensorType>(whole.getType());
  SmallVector<RankedTensorType> types;
  for (Value piece : pieces)
    if (auto ranked = dyn_cast<RankedTensorType>(piece.getType()))
      types.push_back(ranked);
  auto cut = type ? lastCutDim(types, type) : std::nullopt;
  if (!cut || *cut == type.getRank())
    return cut.has_value();
  const int64_t axis = readInteger(op->getAttr("axis")).value_or(0);
  if ((axis < 0 ? axis + type.getRank() : axis) > *cut)
    return false;
  int64_t begin = 0; // In its row.
  for (RankedTensorType piece : types) {
    const int64_t left = type.getDimSize(*cut) - begin;
    if (!isAllOnes(piece.getShape().take_front(*cut)) ||
        piece.getDimSize(*cut) > left)
      return false;
    begin = piece.getDimSize(*cut) == left ? 0 : begin + piece.getDimSize(*cut);
  }
  return true;
}

/// One edge a piece, at running unpadded bytes; none at all unless every size
/// is known, every piece is a run that begins at a byte, and they fit into the
/// whole.
static SmallVector<InPlaceEdge> pieceEdges(Operation *op, ValueRange pieces,
                                           Value whole,
                                           InPlaceEdge::Direction direction) {
  std::optional<int64_t> wholeBytes = typeBytes(whole.getType());
  if (!wholeBytes || !arePiecesRuns(op, pieces, whole))
    return {};
  SmallVector<InPlaceEdge> edges;
  int64_t offset = 0;
  bool isAtByte = true;
  for (auto [index, piece] : llvm::enumerate(pieces)) {
    std::optional<int64_t> bytes = typeBytes(piece.getType());
    if (!bytes || *bytes > *wholeBytes - offset || (*bytes && !isAtByte))
      return {};
    isAtByte &= fillsItsBytes(piece.getType(), *bytes);
    if (isa<NoneType>(piece.getType()))
      continue;
    InPlaceEdge edge;
    edge.direction = direction;
    edge.offsetBytes = offset;
    edge.required = true;
    (direction == InPlaceEdge::Direction::OperandInResult ? edge.operand
                                                          : edge.result) =
        index;
    edges.push_back(edge);
    offset += *bytes;
  }
  // What is joined is all of the whole: nobody else would write the rest.
  if (direction == InPlaceEdge::Direction::OperandInResult &&
      offset != *wholeBytes)
    return {};
  return edges;
}

/// The inputs are the pieces of the output.
template <typename OpTy> static SmallVector<InPlaceEdge> joinEdges(OpTy op) {
  return pieceEdges(op, op.getInputs(), op.getOutput(),
                    InPlaceEdge::Direction::OperandInResult);
}

/// The outputs are the pieces of the input.
template <typename OpTy> static SmallVector<InPlaceEdge> splitEdges(OpTy op) {
  return pieceEdges(op, op.getOutputs(), op.getInput(),
                    InPlaceEdge::Direction::ResultInOperand);
}

SmallVector<InPlaceEdge> ConcatOp::statedInPlaceEdges() {
  return getOnlyMerge() ? joinEdges(*this) : SmallVector<InPlaceEdge>();
}

SmallVector<InPlaceEdge> CoreJoinOp::statedInPlaceEdges() {
  return joinEdges(*this);
}

SmallVector<InPlaceEdge> JoinOp::statedInPlaceEdges() {
  return joinEdges(*this);
}

SmallVector<InPlaceEdge> CoreSplitOp::statedInPlaceEdges() {
  return splitEdges(*this);
}

SmallVector<InPlaceEdge> SplitOp::statedInPlaceEdges() {
  // As a layer it may have work to do.
  return isForCores(*this) ? splitEdges(*this) : SmallVector<InPlaceEdge>();
}

//===----------------------------------------------------------------------===//
// Results that are operands, as they are or updated
//===----------------------------------------------------------------------===//

/// Result `result` is operand `operand`, when there are both and they take the
/// same, known number of bytes.
static void addSame(SmallVector<InPlaceEdge> &edges, Operation *op,
                    unsigned operand, unsigned result, bool overwrites) {
  if (operand >= op->getNumOperands() || result >= op->getNumResults())
    return;
  Type from = op->getOperand(operand).getType(),
       to = op->getResult(result).getType();
  auto fromBytes = typeBytes(from), toBytes = typeBytes(to);
  if (isa<NoneType>(from) || isa<NoneType>(to) || !fromBytes ||
      fromBytes != toBytes)
    return;
  InPlaceEdge edge;
  edge.operand = operand;
  edge.result = result;
  edge.overwrites = overwrites;
  edges.push_back(edge);
}

SmallVector<InPlaceEdge> IdentityOp::statedInPlaceEdges() {
  SmallVector<InPlaceEdge> edges;
  for (unsigned i = 0, e = getNumOperands(); i < e; ++i)
    addSame(edges, *this, i, i, /*overwrites=*/false);
  return edges;
}

/// Results that are operands, updated: pairs of indices.
static SmallVector<InPlaceEdge>
updateEdges(Operation *op,
            std::initializer_list<std::pair<unsigned, unsigned>> pairs) {
  SmallVector<InPlaceEdge> edges;
  for (auto [operand, result] : pairs)
    addSame(edges, op, operand, result, /*overwrites=*/true);
  return edges;
}

SmallVector<InPlaceEdge> AutoIncreaseOp::statedInPlaceEdges() {
  return updateEdges(*this, {{0, 0}});
}

SmallVector<InPlaceEdge> Weight2ActivationOp::statedInPlaceEdges() {
  return viewEdges(*this);
}

SmallVector<InPlaceEdge> InsertOp::statedInPlaceEdges() {
  return updateEdges(*this, {{0, 0}});
}

SmallVector<InPlaceEdge> ConcatSliceOp::statedInPlaceEdges() {
  return updateEdges(*this, {{0, 0}});
}

SmallVector<InPlaceEdge> BatchNormTrainOp::statedInPlaceEdges() {
  // The running mean and variance.
  return updateEdges(*this, {{1, 3}, {2, 4}});
}

} // namespace tpu_mlir::tpu
