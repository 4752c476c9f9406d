//===- TiedPlaces.cpp - Places that follow from one another ---------------===//

#include "lib/Transforms/Tpu/VerifyAddresses/TiedPlaces.h"

#include "lib/Transforms/Tpu/VerifyAddresses/PartPlace.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <utility>

using namespace mlir;

namespace tpu_mlir::verify_addresses {

int64_t TiedPlaces::idOf(Value value) {
  auto [entry, isNew] = ids.try_emplace(value, parent.size());
  if (isNew) {
    const int64_t begin = *getAddress(value.getType());
    auto size = typeBytes(value.getType(), fourN);
    parent.push_back(entry->second);
    lowest.push_back(begin);
    sameAs.push_back(entry->second);
    madeOf.emplace_back();
    bytesOf.push_back(
        {begin, checkedAdd(begin, size.value_or(0)).value_or(begin)});
  }
  return entry->second;
}

int64_t TiedPlaces::find(std::vector<int64_t> &parent, int64_t id) {
  while (parent[id] != id)
    id = parent[id] = parent[parent[id]];
  return id;
}

int64_t TiedPlaces::groupOf(Value value) const {
  auto found = ids.find(value);
  return found == ids.end() ? -1 : find(parent, found->second);
}

bool TiedPlaces::isMadeOf(Value value, Value written, Interval bytes) const {
  const int64_t last = find(sameAs, ids.lookup(written));
  SmallVector<int64_t> open = {find(sameAs, ids.lookup(value))};
  llvm::SmallDenseSet<int64_t> seen(open.begin(), open.end());
  while (!open.empty()) {
    const int64_t at = open.pop_back_val();
    if (at == last)
      return true;
    for (int64_t part : madeOf[at])
      if (bytesOf[part].empty() || bytesOf[part].overlaps(bytes))
        if (int64_t next = find(sameAs, part); seen.insert(next).second)
          open.push_back(next);
  }
  return false;
}

void TiedPlaces::tie(Value a, Value b) {
  int64_t first = find(parent, idOf(a)), second = find(parent, idOf(b));
  parent[second] = first;
  lowest[first] = std::min(lowest[first], lowest[second]);
}

void TiedPlaces::tieEqual(ValueRange from, ValueRange to) {
  for (auto [a, b] : llvm::zip(from, to)) {
    auto source = getAddress(a.getType()), target = getAddress(b.getType());
    if (!source || source != target)
      continue;
    tie(a, b);
    sameAs[find(sameAs, idOf(b))] = find(sameAs, idOf(a));
  }
}

void TiedPlaces::tieInPlace(Operation *op, bool updates) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  if (!inPlace)
    return;
  for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
    if (edge.overwrites && !updates)
      continue;
    Value operand = op->getOperand(edge.operand);
    Value result = op->getResult(edge.result);
    auto from = getAddress(operand.getType()),
         to = getAddress(result.getType());
    bool isPiece = edge.direction == InPlaceEdge::Direction::OperandInResult;
    if (from && to &&
        (isPiece ? *from - *to : *to - *from) ==
            findPartPlace(op, edge, fourN)) {
      tie(operand, result);
      madeOf[idOf(result)].push_back(idOf(operand));
    }
  }
}

void TiedPlaces::tieStructure(Operation *op, SymbolTable &symbols) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return;
    tieEqual(call.getOperands(), callee.getArguments());
    for (Block &block : callee.getBody())
      if (auto ret = dyn_cast<func::ReturnOp>(&block.back()))
        tieEqual(ret.getOperands(), call.getResults());
    return;
  }
  bool isExclusive = isa<tpu::IfOp, top::IfOp>(op);
  if (!isExclusive && !tpu::isParallel(op))
    return;
  size_t first = 0;
  for (Region &region : op->getRegions()) {
    if (region.empty() || region.front().empty())
      continue;
    ValueRange yielded = region.front().back().getOperands();
    tieEqual(yielded, ValueRange(op->getResults()).drop_front(first));
    if (!isExclusive)
      first = std::min<size_t>(first + yielded.size(), op->getNumResults());
  }
}

TiedPlaces::TiedPlaces(ModuleOp module, SymbolTable &symbols, bool fourN,
                       bool updates)
    : fourN(fourN) {
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (getAddress(value.getType()))
        idOf(value);
  };
  module.walk([&](Operation *op) {
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  module.walk([&](Operation *op) {
    tieInPlace(op, updates);
    tieStructure(op, symbols);
  });
  for (size_t id = 0; id < madeOf.size(); ++id)
    if (size_t group = find(sameAs, id); group != id)
      llvm::append_range(madeOf[group], std::exchange(madeOf[id], {}));
}

namespace {

/// Where a tensor keeps each element: one after the other, or several images
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
  /// The first element after `element` that does not follow it as those of
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

} // namespace tpu_mlir::verify_addresses
