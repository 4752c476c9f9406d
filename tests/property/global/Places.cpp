//===- Places.cpp - What an op reads, and where tensors are ---------------===//

#include "tests/property/global/Connections.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir::test {

SmallVector<ModuleOp> modulesOfFunctions(ModuleOp root) {
  SmallVector<ModuleOp> modules;
  root.walk<WalkOrder::PreOrder>([&](ModuleOp module) {
    if (!module.getOps<func::FuncOp>().empty())
      modules.push_back(module);
  });
  return modules;
}

func::FuncOp calledBody(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {};
  auto callee = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(op, call.getCalleeAttr()));
  return callee && !callee.isExternal() ? callee : func::FuncOp();
}

SmallVector<func::FuncOp> entriesOf(ModuleOp functions) {
  llvm::SmallPtrSet<Operation *, 8> called;
  functions.walk([&](Operation *op) {
    if (auto callee = calledBody(op))
      called.insert(callee);
  });
  SmallVector<func::FuncOp> entries;
  for (auto function : functions.getOps<func::FuncOp>())
    if (!function.isExternal() && !called.contains(function))
      entries.push_back(function);
  llvm::stable_sort(entries, [](func::FuncOp a, func::FuncOp b) {
    return (a.getSymName() == "main") > (b.getSymName() == "main");
  });
  return entries;
}

std::optional<Interval> placeOf(Value value, bool fourN) {
  std::optional<int64_t> address = getAddress(value.getType());
  std::optional<int64_t> size = typeBytes(value.getType(), fourN);
  if (auto result = dyn_cast<OpResult>(value))
    if (auto footprint =
            dyn_cast<MemoryFootprintOpInterface>(result.getOwner()))
      size = footprint.getResultBytes(result.getResultNumber(), fourN);
  if (!address || !size)
    return std::nullopt;
  return Interval{*address, *address + *size};
}

bool atSameAddress(Value a, Value b) {
  auto from = getAddress(a.getType()), to = getAddress(b.getType());
  return from && to && *from == *to;
}

/// The bit at which an element of `value` begins, counted from its start.
static int64_t bitOfElement(Value value, int64_t element, bool fourN) {
  auto type = cast<RankedTensorType>(value.getType());
  const int64_t bits = *elementBits(type.getElementType());
  if (!fourN || type.getRank() == 0 || (bits != 8 && bits != 16) ||
      value.getDefiningOp<top::WeightOp>())
    return element * bits;
  const int64_t images = 32 / bits;
  const int64_t perImage = type.getNumElements() / type.getDimSize(0);
  const int64_t image = element / perImage;
  return (image / images * perImage + element % perImage) * 32 +
         image % images * bits;
}

bool edgeHolds(Operation *op, const InPlaceEdge &edge, bool fourN) {
  Value whole = op->getOperand(edge.operand), part = op->getResult(edge.result);
  if (edge.direction == InPlaceEdge::Direction::OperandInResult)
    std::swap(whole, part);
  auto from = getAddress(whole.getType()), to = getAddress(part.getType());
  if (!from || !to)
    return false;
  if (!fourN)
    return *to == *from + edge.offsetBytes;
  auto type = cast<RankedTensorType>(part.getType());
  const int64_t bits = *elementBits(type.getElementType());
  const int64_t first = edge.offsetBytes * 8 / bits;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    if (*from * 8 + bitOfElement(whole, first + i, fourN) !=
        *to * 8 + bitOfElement(part, i, fourN))
      return false;
  // One image of several in a slot is no tensor of its own.
  return *typeBytes(type, fourN) + *to <=
         *from + *typeBytes(whole.getType(), fourN);
}

SmallVector<Value> tensorsRead(Operation *op) {
  llvm::SmallSetVector<Value, 8> values;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (isa<TensorType>(operand.getType()) &&
          (nested == op ||
           !op->isProperAncestor(operand.getParentBlock()->getParentOp())) &&
          (nested == op || operand.getParentBlock()->getParentOp() != op))
        values.insert(operand);
  });
  return values.takeVector();
}

//===----------------------------------------------------------------------===//
// Places that follow from each other
//===----------------------------------------------------------------------===//

void Connections::connect(Operation *op) {
  if (auto inPlace = dyn_cast<InPlaceOpInterface>(op))
    for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
      if (edgeHolds(op, edge, fourN) && (updates || !edge.overwrites))
        unite(op->getOperand(edge.operand), op->getResult(edge.result));
    }
  if (auto callee = calledBody(op)) {
    uniteAll(op->getOperands(), callee.getArguments());
    for (Block &block : callee.getBody())
      if (isa<func::ReturnOp>(block.getTerminator()))
        uniteAll(block.getTerminator()->getOperands(), op->getResults());
  }
  if (!isa<tpu::IfOp, tpu::GroupOp, tpu::CoreParallelOp, tpu::GroupParallelOp>(
          op))
    return;
  unsigned first = 0;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    ValueRange yielded = region.front().getTerminator()->getOperands();
    uniteAll(yielded, ValueRange(op->getResults()).drop_front(first));
    if (!isa<tpu::IfOp>(op))
      first += yielded.size();
  }
}

std::vector<SmallVector<Value>> sharedPlaces(ModuleOp functions, bool fourN) {
  Connections connections(functions, fourN);
  llvm::MapVector<const void *, SmallVector<Value>> members;
  for (Value value : connections.values())
    members[connections.classOf(value)].push_back(value);
  std::vector<SmallVector<Value>> places;
  for (auto &[leader, values] : members)
    places.push_back(values);
  llvm::stable_sort(places, [](const auto &a, const auto &b) {
    return *getAddress(a.front().getType()) < *getAddress(b.front().getType());
  });
  return places;
}

} // namespace tpu_mlir::test
