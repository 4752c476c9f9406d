//===- LeastTraffic.cpp - What any way to run a network moves -------------===//

#include "lib/Transforms/Tpu/LocalReport/LeastTraffic.h"

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include <utility>

using namespace mlir;

namespace tpu_mlir::local_report {

LeastTraffic::LeastTraffic(ModuleOp module, ArrayRef<func::FuncOp> entries)
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
    func::CallOp call = found->second.front();
    Operation *end = function.getBody().front().getTerminator();
    for (auto [argument, operand] :
         llvm::zip(function.getArguments(), call.getOperands()))
      across[argument] = operand;
    for (auto [result, returned] :
         llvm::zip(call.getResults(), end->getOperands()))
      across[result] = returned;
  }
  module.walk([&](Operation *op) {
    if (!tpu::isParallel(op))
      return;
    size_t next = 0;
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.front().empty())
        for (Value yielded : region.front().back().getOperands())
          if (next < op->getNumResults())
            across[op->getResult(next++)] = yielded;
  });
}

bool LeastTraffic::isGiven(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return llvm::any_of(entries, [&](func::FuncOp entry) {
      return !entry.isExternal() &&
             argument.getOwner() == &entry.getBody().front();
    });
  return value.getDefiningOp<top::WeightOp>() != nullptr;
}

SmallVector<std::pair<Value, int64_t>>
LeastTraffic::originsOf(Value value, int64_t bytes) const {
  SmallVector<std::pair<Value, int64_t>> origins, open = {{value, bytes}};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    auto [each, most] = open.pop_back_val();
    if (!seen.insert(each).second)
      continue;
    most = std::min(most, typeBytes(each.getType()).value_or(most));
    Operation *op = each.getDefiningOp();
    if (auto next = across.find(each); next != across.end())
      open.push_back({next->second, most});
    else if (op && isa<top::InputOp>(op))
      open.push_back({op->getOperand(0), most});
    else if (op && grouping::isFreeGlobally(op))
      for (Value operand : op->getOperands()) {
        if (!isa<NoneType>(operand.getType()))
          open.push_back({operand, most});
      }
    else
      origins.push_back({each, most});
  }
  return origins;
}

SmallVector<Value> LeastTraffic::originsOf(Value value) const {
  SmallVector<Value> origins;
  for (auto [origin, most] : originsOf(value, INT64_MAX))
    origins.push_back(origin);
  return origins;
}

SmallVector<Value> LeastTraffic::outputs() const {
  SmallVector<Value> outputs;
  for (func::FuncOp entry : entries)
    if (!entry.isExternal() && llvm::hasSingleElement(entry.getBody()))
      llvm::append_range(
          outputs, entry.getBody().front().getTerminator()->getOperands());
  return outputs;
}

static void raise(llvm::MapVector<Value, int64_t> &known, Value value,
                  int64_t bytes) {
  int64_t &least = known[value];
  least = std::max(least, bytes);
}

/// Of a tensor that is cut for several cores all their pieces are needed.
void LeastTraffic::addPieces() {
  llvm::MapVector<Operation *, int64_t> needed;
  for (auto [piece, bytes] : std::exchange(pieces, {})) {
    int64_t &sum = needed[piece.getDefiningOp()];
    sum = saturatedAdd(sum, bytes);
  }
  for (auto [split, bytes] : needed)
    addRead(split->getOperand(0), bytes);
}

void LeastTraffic::addRead(Value value, int64_t bytes) {
  Operation *op = value.getDefiningOp();
  if (op && op->getNumResults() > 1 && tpu::isForCores(op) &&
      grouping::isFreeGlobally(op))
    return raise(pieces, value, bytes);
  const auto origins = originsOf(value, bytes);
  // Which of several the bytes are of nobody knows.
  if (origins.size() == 1 && isGiven(origins.front().first))
    raise(read, origins.front().first, origins.front().second);
}

void LeastTraffic::addWritten(Value value, int64_t bytes) {
  raise(written, value, bytes);
}

report::TrafficBound LeastTraffic::bound() {
  addPieces();
  report::TrafficBound bound;
  for (auto [value, bytes] : read)
    bound.loadBytes = saturatedAdd(bound.loadBytes, bytes);
  llvm::MapVector<Value, int64_t> stored;
  for (Value output : outputs())
    if (auto bytes = typeBytes(output.getType()))
      for (auto [origin, most] : originsOf(output, *bytes))
        if (auto made = written.find(origin); made != written.end())
          raise(stored, origin, std::min(most, made->second));
  for (auto [value, bytes] : stored)
    bound.storeBytes = saturatedAdd(bound.storeBytes, bytes);
  return bound;
}

} // namespace tpu_mlir::local_report
