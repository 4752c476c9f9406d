//===- Storage.cpp - Bytes and addresses of tensor types ------------------===//

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tpu_mlir {

std::optional<int64_t> getAddress(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return std::nullopt;
  if (isa<IntegerAttr>(tensor.getEncoding()))
    return readInteger(tensor.getEncoding());
  auto encoding = dyn_cast<AddressEncodingAttrInterface>(tensor.getEncoding());
  return encoding ? encoding.getEncodedAddress() : std::nullopt;
}

static Type withEncoding(RankedTensorType tensor, Attribute encoding) {
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               encoding);
}

Type withAddress(Type type, int64_t address) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  if (auto encoding =
          dyn_cast_or_null<AddressEncodingAttrInterface>(tensor.getEncoding()))
    return withEncoding(tensor, encoding.withEncodedAddress(address));
  auto i64 = IntegerType::get(type.getContext(), 64);
  return withEncoding(tensor, IntegerAttr::get(i64, address));
}

Type withoutAddress(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return type;
  if (auto encoding =
          dyn_cast<AddressEncodingAttrInterface>(tensor.getEncoding()))
    return withEncoding(tensor, encoding.withEncodedAddress(std::nullopt));
  if (isa<IntegerAttr>(tensor.getEncoding()))
    return withEncoding(tensor, Attribute());
  return type;
}

std::optional<int64_t> elementBits(Type elementType) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(elementType)) {
    // Calibration only annotates a type: the value is still what it was.
    Type stored = quantized.getStorageType();
    elementType = stored ? stored : quantized.getExpressedType();
  }
  if (!elementType)
    return std::nullopt;
  // These come all the time, and what is a float is looked up in a table.
  if (elementType.isF16() || elementType.isBF16())
    return 16;
  if (elementType.isF32())
    return 32;
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return integer.getWidth();
  if (auto real = dyn_cast<FloatType>(elementType))
    return real.getWidth();
  if (elementType.isIndex())
    return IndexType::kInternalStorageBitWidth;
  return std::nullopt;
}

/// Slots for `size` images, `images` of them in one.
static int64_t slotsFor(int64_t size, int64_t images) {
  return size / images + (size % images != 0);
}

bool sharesSlots(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto bits = tensor && tensor.getRank() > 0
                  ? elementBits(tensor.getElementType())
                  : std::nullopt;
  return bits == 8 || bits == 16;
}

std::optional<int64_t> typeBytes(Type type, bool fourN) {
  if (isa<NoneType>(type))
    return 0;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  std::optional<int64_t> bits = elementBits(tensor.getElementType());
  if (!bits)
    return std::nullopt;

  // An empty tensor takes nothing, however large its other dimensions are.
  if (llvm::is_contained(tensor.getShape(), 0))
    return 0;
  bool packed = fourN && sharesSlots(tensor);
  int64_t total = packed ? 32 : *bits;
  for (auto [index, size] : llvm::enumerate(tensor.getShape())) {
    int64_t slots = packed && index == 0 ? slotsFor(size, 32 / *bits) : size;
    std::optional<int64_t> product = checkedMul(total, slots);
    if (!product)
      return std::nullopt;
    total = *product;
  }
  return total / 8 + (total % 8 != 0);
}

std::optional<int64_t> offsetInStorage(RankedTensorType whole,
                                       RankedTensorType part,
                                       int64_t offsetBytes, bool fourN) {
  auto wholeBytes = typeBytes(whole, fourN), partBytes = typeBytes(part, fourN);
  if (!wholeBytes || !partBytes)
    return std::nullopt;
  const int64_t bits = *elementBits(whole.getElementType());
  const int64_t partBits = *elementBits(part.getElementType());
  if (!fourN || *partBytes == 0 || (!sharesSlots(whole) && !sharesSlots(part)))
    return offsetBytes;
  if (bits != partBits || *wholeBytes == 0 || whole.getRank() == 0 ||
      part.getRank() == 0 || offsetBytes % (bits / 8) != 0)
    return std::nullopt;

  const auto imageOf = [](RankedTensorType type) {
    return type.getNumElements() / type.getDimSize(0);
  };
  constexpr int64_t kSlotBytes = 4;
  const int64_t images = 8 * kSlotBytes / bits;
  const int64_t inner = imageOf(whole), partInner = imageOf(part);
  const int64_t first = offsetBytes / (bits / 8);
  const int64_t image = first / inner, inImage = first % inner;
  if (image % images != 0)
    return std::nullopt;
  const bool isImages = inImage == 0 && partInner == inner;
  const bool isInOne = part.getDimSize(0) == 1 && partInner <= inner - inImage;
  if (!isImages && !isInOne)
    return std::nullopt;
  return (image / images * inner + inImage) * kSlotBytes;
}

} // namespace tpu_mlir
