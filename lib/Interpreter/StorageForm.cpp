//===- StorageForm.cpp - Convert between plain and stored elements --------===//
//
// On chips that keep four images in a slot: plain bytes into stored ones and
// back, and where a part lies in its whole.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/StorageForm.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cstring>

using namespace mlir;

namespace tpu_mlir::interpreter {

static std::optional<int64_t> bytesOf(Value value, bool fourN) {
  if (auto result = dyn_cast<OpResult>(value))
    if (auto footprint =
            dyn_cast<MemoryFootprintOpInterface>(result.getOwner()))
      return footprint.getResultBytes(result.getResultNumber(), fourN);
  return typeBytes(value.getType(), fourN);
}

/// What a weight says of itself, else what the chip does.
static int64_t imagesInSlot(Value value, int64_t bits, bool fourN) {
  if (auto weight = value.getDefiningOp<top::WeightOp>()) {
    StringRef mode = readWord(weight->getAttr("store_mode")).value_or("1N");
    return mode == "4N" ? 4 : mode == "2N" ? 2 : 0;
  }
  return fourN && sharesSlots(value.getType()) ? 32 / bits : 0;
}

std::optional<StorageForm> storageFormOf(Value value, bool fourN) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<int64_t> bytes = bytesOf(value, fourN);
  auto bits = type ? elementBits(type.getElementType()) : std::nullopt;
  if (!bytes || !bits)
    return std::nullopt;
  StorageForm form;
  form.bytes = *bytes;
  if (*bits % 8 != 0 || type.getRank() == 0 || type.getNumElements() == 0)
    return form;
  form.images = imagesInSlot(value, *bits, fourN);
  form.elementBytes = *bits / 8;
  form.imageElements = type.getNumElements() / type.getDimSize(0);
  return form;
}

int64_t StorageForm::placeOf(int64_t index) const {
  if (images == 0)
    return index * elementBytes;
  const int64_t image = index / imageElements, e = index % imageElements;
  return ((image / images * imageElements + e) * images + image % images) *
         elementBytes;
}

std::optional<int64_t> offsetInForm(const StorageForm &whole,
                                    const StorageForm &part, int64_t offset,
                                    int64_t bytes) {
  const int64_t size = part.elementBytes;
  if (whole.images == 0 && part.images == 0)
    return offset;
  if (whole.elementBytes != size || offset % size != 0)
    return std::nullopt;
  const int64_t first = offset / size, distance = whole.placeOf(first);
  for (int64_t i = 0; i < bytes / size; ++i)
    if (whole.placeOf(first + i) - part.placeOf(i) != distance)
      return std::nullopt;
  // Inside of a slot it would take the bytes of other images, too.
  return distance % 4 == 0 ? std::optional(distance) : std::nullopt;
}

/// Calls `each(place of an element, place in storage)`, in bytes, of those that
/// both have.
template <typename Each>
static void forEachElement(const StorageForm &form, int64_t bytes, Each each) {
  const int64_t size = form.elementBytes;
  for (int64_t i = 0; (i + 1) * size <= bytes; ++i) {
    const int64_t place = form.placeOf(i);
    if (place + size <= form.bytes)
      each(i * size, place);
  }
}

std::vector<uint8_t> toStorage(const StorageForm &form,
                               llvm::ArrayRef<uint8_t> elements) {
  std::vector<uint8_t> stored(form.bytes);
  const int64_t bytes = static_cast<int64_t>(elements.size());
  if (form.images == 0)
    std::copy_n(elements.begin(), std::min(bytes, form.bytes), stored.begin());
  else
    forEachElement(form, bytes, [&](int64_t from, int64_t to) {
      std::memcpy(&stored[to], &elements[from], form.elementBytes);
    });
  return stored;
}

std::vector<uint8_t> fromStorage(const StorageForm &form,
                                 llvm::ArrayRef<uint8_t> stored,
                                 int64_t elementBytes) {
  std::vector<uint8_t> elements(elementBytes);
  if (form.images == 0)
    std::copy_n(stored.begin(), std::min<int64_t>(stored.size(), elementBytes),
                elements.begin());
  else
    forEachElement(form, elementBytes, [&](int64_t to, int64_t from) {
      std::memcpy(&elements[to], &stored[from], form.elementBytes);
    });
  return elements;
}

} // namespace tpu_mlir::interpreter
