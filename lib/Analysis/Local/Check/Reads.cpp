//===- Reads.cpp - The ops and what they read -----------------------------===//

#include "lib/Analysis/Local/Check/ReadsOfOperand.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tpu_mlir::local {

/// Pairs of element and tap that are enumerated at most; also keeps products
/// of an index and a stride in 63 bits.
static constexpr int64_t kMaxPairs = int64_t(1) << 24;

DimReads DimReads::same(int resultDim) {
  DimReads reads = taps(resultDim, 1, [](int64_t element, int64_t) {
    return std::optional<int64_t>(element);
  });
  reads.isSame = true;
  return reads;
}

DimReads DimReads::taps(int resultDim, int64_t numTaps, TapFunction at) {
  DimReads reads;
  reads.resultDim = resultDim;
  reads.numTaps = numTaps;
  reads.at = std::move(at);
  return reads;
}

std::optional<SmallVector<int64_t>>
ReadsOfOperand::numbers(StringRef name, size_t count, int64_t fallback,
                        int64_t least) const {
  auto values = integers(op, name);
  if (!values || values->empty())
    return SmallVector<int64_t>(count, fallback);
  for (int64_t value : *values)
    if (value < least || value > kMaxAttribute)
      return std::nullopt;
  if (values->size() != count)
    return std::nullopt;
  return values;
}

/// Dimensions meet from the last one on; one of extent 1 is read at its only
/// element, and one that fits nothing is read whole.
ReadsOfOperand::Result ReadsOfOperand::broadcast() const {
  SmallVector<DimReads> reads = allWhole();
  const int shift = static_cast<int>(outShape.size()) - rank();
  for (int dim = 0; dim < rank(); ++dim)
    if (dim + shift >= 0 && inShape[dim] == outShape[dim + shift])
      reads[dim] = DimReads::same(dim + shift);
  return reads;
}

ReadsOfOperand::Result ReadsOfOperand::elementwise() const {
  Result reads = broadcast();
  for (DimReads &dim : *reads)
    dim.isInPlace = dim.isSame;
  return reads;
}

/// Numbers of channels that lie on the result's, [1, c, 1 ..], are read where
/// the element is. Of any other shape all are, however long the result is in
/// the dimension that counts them.
ReadsOfOperand::Result ReadsOfOperand::channelNumbers() const {
  if (operand == 0)
    return elementwise();
  const auto isOne = [](int64_t size) { return size == 1; };
  SmallVector<DimReads> reads = allWhole();
  if (rank() >= 2 && outShape.size() == inShape.size() &&
      inShape[1] == outShape[1] && isOne(inShape[0]) &&
      llvm::all_of(inShape.drop_front(2), isOne))
    reads[1] = DimReads::same(1);
  return reads;
}

/// The result's dimensions are the operand's; some are mixed.
ReadsOfOperand::Result
ReadsOfOperand::sameExcept(llvm::function_ref<bool(int)> isWhole) const {
  if (outShape.size() != inShape.size())
    return std::nullopt;
  SmallVector<DimReads> reads = allWhole();
  for (int dim = 0; dim < rank(); ++dim)
    if (!isWhole(dim) && inShape[dim] == outShape[dim])
      reads[dim] = DimReads::same(dim);
  return reads;
}

/// Operand 0 element by element; what follows is looked up.
ReadsOfOperand::Result ReadsOfOperand::table() const {
  return operand == 0 ? broadcast() : allWhole();
}

/// Operand 1 has a row for each place along an axis.
ReadsOfOperand::Result ReadsOfOperand::rowTable() const {
  Result reads = table();
  const int64_t given = number("rq_axis", 1);
  const int64_t axis = given < 0 ? given + rank() : given;
  if (operand == 1 && outShape.size() == inShape.size() && axis >= 0 &&
      axis < rank() && inShape[axis] == outShape[axis])
    (*reads)[axis] = DimReads::same(static_cast<int>(axis));
  return reads;
}

/// Norms and softmax: what is scaled and shifted by is read whole.
ReadsOfOperand::Result
ReadsOfOperand::mixing(llvm::function_ref<bool(int)> isMixed) const {
  return operand == 0 ? sameExcept(isMixed) : allWhole();
}

ReadsOfOperand::Result ReadsOfOperand::alongAxis() const {
  return mixing([&](int dim) { return dim == axis(-1); });
}

ReadsOfOperand::Result ReadsOfOperand::fromAxis() const {
  return mixing([&](int dim) { return dim >= axis(-1); });
}

ReadsOfOperand::Result ReadsOfOperand::lastAxis() const {
  auto reads = broadcast();
  if (!reads->empty())
    reads->back() = DimReads::whole();
  return reads;
}

/// Rows of operand 0 times a packed matrix.
ReadsOfOperand::Result ReadsOfOperand::rows() const {
  const int last = rank() - 1;
  return mixing([&](int dim) { return dim == last; });
}

ReadsOfOperand::Result ReadsOfOperand::planes() const {
  return mixing([](int dim) { return dim >= 2; });
}

ReadsOfOperand::Result ReadsOfOperand::images() const {
  return mixing([](int dim) { return dim >= 1; });
}

ReadsOfOperand::Result ReadsOfOperand::allChannels() const {
  return mixing([](int dim) { return dim == 1; });
}

ReadsOfOperand::Result ReadsOfOperand::run() const {
  using Self = ReadsOfOperand;
  using Function = Result (Self::*)() const;
  StringRef name = op->getName().getStringRef();
  name.consume_front("tpu.");
  const Function function =
      llvm::StringSwitch<Function>(name)
          .Cases({"Add", "Sub", "Mul", "Div", "Min", "Max"}, &Self::elementwise)
          .Cases({"AddConst", "SubConst", "MulConst", "DivConst", "MinConst",
                  "MaxConst", "MulShift", "Pow", "Pow2", "Pow3", "Mod"},
                 &Self::elementwise)
          .Cases({"BinaryShift", "BinaryConstShift", "Compare", "CompareConst",
                  "LogicalAnd", "LogicalOr", "BitwiseAnd", "Where",
                  "MaskedFill", "Trilu"},
                 &Self::elementwise)
          .Cases({"Active", "Relu", "LeakyRelu", "Clip", "Reciprocal", "Cast",
                  "DtypeCast", "Expand", "LineBuffer"},
                 &Self::elementwise)
          .Cases({"PRelu", "Scale"}, &Self::channelNumbers)
          .Cases({"Lut", "LutBF16", "RequantInt", "RequantFp", "DequantInt"},
                 &Self::table)
          .Cases(
              {"ScaleLut", "RequantIntAxis", "RequantFpAxis", "DequantIntAxis"},
              &Self::rowTable)
          .Cases({"Conv1D", "Conv2D", "Conv3D"}, &Self::convolution)
          .Cases({"Deconv", "Deconv3D"}, &Self::transposedConvolution)
          .Cases({"Pool1D", "Pool2D", "Pool3D"}, &Self::pooling)
          .Case("MatMul", &Self::matrix)
          .Case("A16MatMul", &Self::rows)
          .Case("Concat", &Self::concat)
          .Case("Slice", &Self::slice)
          .Case("Pad", &Self::pad)
          .Case("Upsample", &Self::upsample)
          .Case("Permute", &Self::permute)
          .Case("Tile", &Self::tile)
          .Case("Reduce", &Self::reduce)
          .Cases({"Reshape", "Squeeze", "Unsqueeze"}, &Self::reshape)
          .Cases({"Softmax", "SoftmaxCast", "CumSum"}, &Self::alongAxis)
          .Case("LayerNorm", &Self::fromAxis)
          .Cases({"RMSNorm", "Rope"}, &Self::lastAxis)
          .Case("InstanceNorm", &Self::planes)
          .Case("GroupNorm", &Self::images)
          .Cases({"PixelNorm", "LRN"}, &Self::allChannels)
          .Default(nullptr);
  return function ? (this->*function)() : std::nullopt;
}

SmallVector<DimReads> operandReads(Operation *op, unsigned operand,
                                   bool *known) {
  auto in = cast<RankedTensorType>(op->getOperand(operand).getType());
  std::optional<SmallVector<DimReads>> reads;
  if (isa<RankedTensorType>(op->getResult(0).getType()) && whyUnfit(op).empty())
    reads = ReadsOfOperand(op, operand).run();
  if (known)
    *known = reads.has_value();
  return reads ? *reads : SmallVector<DimReads>(in.getRank());
}

ReadHull enumerateReads(const DimReads &reads, Interval part, int64_t extent) {
  ReadHull hull;
  const bool isTooMuch =
      part.length() > kMaxPairs / reads.numTaps || reads.numTaps > kMaxPairs;
  if (reads.resultDim < 0 || isTooMuch) {
    hull.needed = {0, extent};
    return hull;
  }
  hull.needed = {extent, 0};
  for (int64_t element = part.begin; element < part.end; ++element)
    for (int64_t tap = 0; tap < reads.numTaps; ++tap) {
      const std::optional<int64_t> index = reads.at(element, tap);
      if (!index)
        continue;
      hull.padsBelow |= *index < 0;
      hull.padsAbove |= *index >= extent;
      if (*index < 0 || *index >= extent)
        continue;
      hull.needed.begin = std::min(hull.needed.begin, *index);
      hull.needed.end = std::max(hull.needed.end, *index + 1);
    }
  return hull;
}

} // namespace tpu_mlir::local
