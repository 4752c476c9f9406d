#include "lib/Transforms/VerifyAddresses/TiedPlaces.h"

#include "lib/Transforms/VerifyAddresses/PartPlace.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir {

int64_t TiedPlaces::idOf(Value value) {
  auto [entry, isNew] = ids.try_emplace(value, parent.size());
  if (isNew) {
    parent.push_back(entry->second);
    lowest.push_back(*getAddress(value.getType()));
  }
  return entry->second;
}

int64_t TiedPlaces::find(int64_t id) const {
  while (parent[id] != id)
    id = parent[id] = parent[parent[id]];
  return id;
}

int64_t TiedPlaces::groupOf(Value value) const {
  auto found = ids.find(value);
  return found == ids.end() ? -1 : find(found->second);
}

void TiedPlaces::tie(Value a, Value b) {
  int64_t first = find(idOf(a)), second = find(idOf(b));
  parent[second] = first;
  lowest[first] = std::min(lowest[first], lowest[second]);
}

void TiedPlaces::tieEqual(ValueRange from, ValueRange to) {
  for (auto [a, b] : llvm::zip(from, to)) {
    auto source = getAddress(a.getType()), target = getAddress(b.getType());
    if (source && source == target)
      tie(a, b);
  }
}

void TiedPlaces::tieInPlace(Operation *op, bool fourN, bool updates) {
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
        (isPiece ? *from - *to : *to - *from) == findPartPlace(op, edge, fourN))
      tie(operand, result);
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
                       bool updates) {
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
    tieInPlace(op, fourN, updates);
    tieStructure(op, symbols);
  });
}

} // namespace tpu_mlir
