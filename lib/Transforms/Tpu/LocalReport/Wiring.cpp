//===- Wiring.cpp - Where values of a network come from -------------------===//

#include "lib/Transforms/Tpu/LocalReport/Wiring.h"

#include "tpu_mlir/Analysis/Tensor/Merges.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;

namespace tpu_mlir::local_report {

RankedTensorType typeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && typeBytes(type) ? type : nullptr;
}

void Wiring::add(ValueRange names, ValueRange values) {
  for (auto [name, value] : llvm::zip(names, values))
    across[name] = value;
}

Wiring::Wiring(ModuleOp module, ArrayRef<func::FuncOp> entries)
    : entries(entries) {
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp, 1>> calls;
  module.walk([&](func::CallOp call) {
    calls[call.getCalleeAttr().getAttr()].push_back(call);
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    auto found = calls.find(function.getSymNameAttr());
    if (found == calls.end() || found->second.size() != 1 ||
        !llvm::hasSingleElement(function.getBody()))
      continue;
    calledOnce.insert(function);
    func::CallOp call = found->second.front();
    add(function.getArguments(), call.getOperands());
    add(call.getResults(),
        function.getBody().front().getTerminator()->getOperands());
  }
  module.walk([&](Operation *op) {
    if (!tpu::isParallel(op) && !isa<tpu::GroupOp>(op))
      return;
    size_t next = 0;
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.front().empty())
        for (Value yielded : region.front().back().getOperands())
          if (next < op->getNumResults())
            across[op->getResult(next++)] = yielded;
  });
}

bool Wiring::isGiven(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return llvm::any_of(entries, [&](func::FuncOp entry) {
      return !entry.isExternal() &&
             argument.getOwner() == &entry.getBody().front();
    });
  return value.getDefiningOp<top::WeightOp>() != nullptr;
}

SmallVector<Value> Wiring::outputs() const {
  SmallVector<Value> outputs;
  for (func::FuncOp entry : entries)
    if (!entry.isExternal() && llvm::hasSingleElement(entry.getBody()))
      llvm::append_range(
          outputs, entry.getBody().front().getTerminator()->getOperands());
  return outputs;
}

SmallVector<BytesOf> Wiring::originsOf(Value value) const {
  SmallVector<BytesOf> origins;
  const auto whole = typeBytes(value.getType());
  SmallVector<BytesOf> open = {{value, {0, whole.value_or(0)}}};
  // Functions that call each other hand values on in a circle.
  llvm::DenseSet<std::tuple<Value, int64_t, int64_t>> seen;
  while (!open.empty()) {
    const BytesOf each = open.pop_back_val();
    if (!seen.insert({each.value, each.bytes.begin, each.bytes.end}).second)
      continue;
    Operation *op = each.value.getDefiningOp();
    if (auto next = across.find(each.value); next != across.end()) {
      open.push_back({next->second, each.bytes});
      continue;
    }
    const auto edges = op ? sharedBytes(op) : SmallVector<InPlaceEdge>();
    bool isShared = false;
    for (const InPlaceEdge &edge : llvm::reverse(edges)) {
      if (op->getResult(edge.result) != each.value)
        continue;
      isShared = true;
      const Value operand = op->getOperand(edge.operand);
      Interval bytes = each.bytes;
      if (edge.direction == InPlaceEdge::Direction::ResultInOperand) {
        bytes = {bytes.begin + edge.offsetBytes, bytes.end + edge.offsetBytes};
      } else {
        const int64_t size = typeBytes(operand.getType()).value_or(0);
        bytes = {std::max<int64_t>(bytes.begin - edge.offsetBytes, 0),
                 std::min(bytes.end - edge.offsetBytes, size)};
      }
      if (!bytes.empty())
        open.push_back({operand, bytes});
    }
    if (!isShared)
      origins.push_back(each);
  }
  return origins;
}

/// What a concat has for a piece, whichever memory that is handed on from.
static Value madeAs(Value piece) {
  Operation *op = piece.getDefiningOp();
  while (op && isHandedOn(op)) {
    piece = op->getOperand(0);
    op = piece.getDefiningOp();
  }
  return piece;
}

/// Its pieces may be written where they stand.
static bool mayWriteInto(tpu::ConcatOp concat) {
  llvm::DenseSet<Value> seen;
  return llvm::all_of(concat->getOperands(), [&](Value piece) {
    const Value made = madeAs(piece);
    return made.getDefiningOp() && !made.getDefiningOp<top::WeightOp>() &&
           seen.insert(made).second;
  });
}

SmallVector<InPlaceEdge> sharedBytes(Operation *op) {
  if (isHandedOn(op))
    return {InPlaceEdge()};
  if (auto concat = dyn_cast<tpu::ConcatOp>(op);
      concat && !concat.getOnlyMerge())
    return mayWriteInto(concat) ? edgesIfMerged(concat)
                                : SmallVector<InPlaceEdge>();
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  if (!inPlace)
    return {};
  SmallVector<InPlaceEdge> edges = inPlace.getInPlaceEdges();
  llvm::erase_if(edges,
                 [](const InPlaceEdge &edge) { return edge.overwrites; });
  return edges;
}

bool isHandedOn(Operation *op) {
  return op->getNumResults() == 1 && op->getNumOperands() > 0 &&
         isa<top::InputOp, tpu::LoadOp, tpu::StoreOp, tpu::LineBufferOp>(op);
}

} // namespace tpu_mlir::local_report
