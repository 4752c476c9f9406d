//===- PartPlace.cpp - Where a part begins in its whole -------------------===//

#include "lib/Transforms/VerifyAddresses/PartPlace.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir {

namespace {

/// Where a tensor keeps each element: one behind the other, or several images
/// interleaved in slots of 32 bits.
struct ElementPlaces {
  int64_t bits = 0;
  int64_t imagesInSlot = 0; ///< 0: no slots.
  int64_t perImage = 1;
  int64_t numElements = 0;

  int64_t bitOf(int64_t element) const {
    if (!imagesInSlot)
      return element * bits;
    const int64_t image = element / perImage, inImage = element % perImage;
    return (image / imagesInSlot * perImage + inImage) * 32 +
           image % imagesInSlot * bits;
  }
  /// The first element behind `element` that does not follow it as those of
  /// one image follow each other.
  int64_t endOfRun(int64_t element) const {
    return imagesInSlot ? (element / perImage + 1) * perImage : numElements;
  }
};

} // namespace

/// How many images share a slot: what a weight says of itself, else what the
/// chip does with 8 and 16 bits.
static int64_t imagesInSlot(Value value, int64_t bits, bool fourN) {
  if (auto weight = value.getDefiningOp<top::WeightOp>()) {
    StringRef mode = readWord(weight->getAttr("store_mode")).value_or("1N");
    return mode == "4N" ? 4 : mode == "2N" ? 2 : 0;
  }
  return fourN && (bits == 8 || bits == 16) ? 32 / bits : 0;
}

static std::optional<ElementPlaces> placesOf(Value value, bool fourN) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto bits = type ? elementBits(type.getElementType()) : std::nullopt;
  if (!bits || !typeBytes(type, fourN))
    return std::nullopt;
  ElementPlaces places;
  places.bits = *bits;
  places.numElements = type.getNumElements();
  if (type.getRank() && places.numElements) {
    places.imagesInSlot = imagesInSlot(value, *bits, fourN);
    places.perImage = places.numElements / type.getDimSize(0);
  }
  return places;
}

std::optional<int64_t> findPartPlace(Operation *op, const InPlaceEdge &edge,
                                     bool fourN) {
  Value whole = op->getOperand(edge.operand), part = op->getResult(edge.result);
  if (edge.direction == InPlaceEdge::Direction::OperandInResult)
    std::swap(whole, part);
  auto from = placesOf(whole, fourN), to = placesOf(part, fourN);
  if (!from || !to)
    return std::nullopt;
  if ((!from->imagesInSlot && !to->imagesInSlot) || !to->numElements)
    return edge.offsetBytes;
  if (from->bits != to->bits || edge.offsetBytes * 8 % from->bits != 0)
    return std::nullopt;

  const int64_t first = edge.offsetBytes * 8 / from->bits;
  if (first > from->numElements - to->numElements)
    return std::nullopt;
  const int64_t distance = from->bitOf(first) - to->bitOf(0);
  for (int64_t begin = 0; begin < to->numElements;) {
    const int64_t end = std::min({to->endOfRun(begin), to->numElements,
                                  from->endOfRun(first + begin) - first});
    for (int64_t element : {begin, end - 1})
      if (from->bitOf(first + element) - to->bitOf(element) != distance)
        return std::nullopt;
    begin = end;
  }
  // An image that is not the first of its slot begins inside a slot, and a
  // tensor of its own would take the bytes of the others, too.
  return distance % 32 == 0 && distance >= 0 ? std::optional(distance / 8)
                                             : std::nullopt;
}

} // namespace tpu_mlir
