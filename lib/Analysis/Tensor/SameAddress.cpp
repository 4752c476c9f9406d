//===- SameAddress.cpp - Let outputs take the place of inputs -------------===//
//
// Reads and checks the pairs of the option `same-addr` and merges the storage
// of those that are sound.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/PlanOptionsOf.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir {

FailureOr<SmallVector<std::pair<int64_t, int64_t>>>
sameAddressOf(ModuleOp module, StringRef option) {
  Attribute attribute = findModuleAttr(module, kSameAddress);
  if (option.empty() && attribute && !isa<StringAttr>(attribute))
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "attribute '" + kSameAddress +
                              "' has to be a string");
  StringRef text = option;
  if (text.empty() && attribute)
    text = cast<StringAttr>(attribute).getValue();
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (StringRef pair : llvm::split(text, ',')) {
    if (text.empty())
      break;
    auto [input, output] = pair.split(':');
    int64_t in = 0, out = 0;
    if (input.getAsInteger(10, in) || output.getAsInteger(10, out))
      return emitCodedError(module.getLoc(), ErrorCode::SameAddressConflict,
                            "'" + pair +
                                "' is no pair of an input and an output; "
                                "write positions as in 'same-addr=0:0,1:2'");
    pairs.push_back({in, out});
  }
  return pairs;
}

bool BufferAliases::mergeByRequest(Value a, Value b) {
  const ValueStorage first = *lookup(a), second = *lookup(b);
  int64_t shift = first.offsetBytes - second.offsetBytes;
  if (first.classId == second.classId)
    return shift == 0;
  AliasClass &into = aliasClasses[first.classId];
  AliasClass &from = aliasClasses[second.classId];
  int64_t lowest = std::min<int64_t>(0, shift);
  into.sizeBytes = std::max(into.sizeBytes, shift + from.sizeBytes) - lowest;
  for (Value value : into.values)
    storage[idOf[value]].offsetBytes -= lowest;
  for (Value value : from.values) {
    ValueStorage &moved = storage[idOf[value]];
    moved.classId = first.classId;
    moved.offsetBytes += shift - lowest;
    into.add(value);
  }
  if (from.weight)
    into.weight = from.weight;
  from = AliasClass();
  return true;
}

/// True when an op at `step` updates the input in place, so that the output,
/// at the input's address, is what the op makes of it.
static bool isUpdated(const GlobalFacts &facts, Value input, Value output,
                      int64_t step) {
  const ValueStorage *in = facts.aliases.lookup(input);
  const ValueStorage *out = facts.aliases.lookup(output);
  auto updates = [&](Operation *op, const InPlaceEdge &edge) {
    const ValueStorage *read =
        facts.aliases.lookup(op->getOperand(edge.operand));
    const ValueStorage *made = facts.aliases.lookup(op->getResult(edge.result));
    return edge.overwrites && read && made && read->classId == in->classId &&
           made->classId == out->classId &&
           read->offsetBytes - in->offsetBytes + edge.offsetBytes ==
               made->offsetBytes - out->offsetBytes &&
           llvm::none_of(op->getOpOperands(), [&](OpOperand &other) {
             const ValueStorage *storage = facts.aliases.lookup(other.get());
             return storage && other.getOperandNumber() != edge.operand &&
                    storage->classId == in->classId;
           });
  };
  for (Value member : facts.aliases.classes()[out->classId].values) {
    Operation *op = member.getDefiningOp();
    auto inPlace = op ? dyn_cast<InPlaceOpInterface>(op) : InPlaceOpInterface();
    if (inPlace && facts.schedule.contains(op) &&
        facts.schedule.steps(op).begin == step &&
        llvm::any_of(inPlace.getInPlaceEdges(), [&](const InPlaceEdge &edge) {
          return updates(op, edge);
        }))
      return true;
  }
  return false;
}

/// Sound when the input has had its last reader before the output is first
/// written, or when that reader updates it in place.
static LogicalResult shareOne(ModuleOp module, GlobalFacts &facts,
                              int64_t input, int64_t output) {
  auto reject = [&](const Twine &why) {
    return emitCodedError(module.getLoc(), ErrorCode::SameAddressConflict,
                          "input " + Twine(input) + " and output " +
                              Twine(output) +
                              " cannot share an address: " + why);
  };
  if (input < 0 || input >= int64_t(facts.inputs.size()) || output < 0 ||
      output >= int64_t(facts.outputs.size()))
    return reject("the network has " + Twine(facts.inputs.size()) +
                  " inputs and " + Twine(facts.outputs.size()) + " outputs");
  Value in = facts.inputs[input], out = facts.outputs[output];
  const ValueStorage *inStorage = facts.aliases.lookup(in);
  const ValueStorage *outStorage = facts.aliases.lookup(out);
  if (inStorage->classId == outStorage->classId) {
    if (inStorage->offsetBytes == outStorage->offsetBytes)
      return success();
    return reject("'" + valueName(in) + "' and '" + valueName(out) +
                  "' are different parts of one tensor");
  }
  if (inStorage->sizeBytes != outStorage->sizeBytes)
    return reject("'" + valueName(in) + "' has " +
                  formatCount(inStorage->sizeBytes) + " bytes, '" +
                  valueName(out) + "' " + formatCount(outStorage->sizeBytes));
  const ClassLife &inLife = facts.lives[inStorage->classId];
  const ClassLife &outLife = facts.lives[outStorage->classId];
  int64_t lastRead = inLife.readSteps.empty() ? -1 : inLife.readSteps.back();
  for (Value value : {in, out})
    if (facts.aliases.classes()[facts.aliases.lookup(value)->classId].weight)
      return reject("'" + valueName(value) + "' is part of a weight");
  for (Value other : facts.inputs)
    if (facts.aliases.lookup(other)->classId == outStorage->classId)
      return reject("'" + valueName(out) + "' is part of input '" +
                    valueName(other) + "'");
  bool updates = isUpdated(facts, in, out, outLife.steps.begin);
  if (lastRead > outLife.steps.begin ||
      (lastRead == outLife.steps.begin && !updates))
    return reject("'" + valueName(in) + "' is read until step " +
                  Twine(lastRead) + ", and '" + valueName(out) +
                  "' is written from step " + Twine(outLife.steps.begin));
  ClassLife merged = outLife;
  merged.steps = {std::min(inLife.steps.begin, outLife.steps.begin),
                  std::max(inLife.steps.end, outLife.steps.end)};
  merged.readSteps.insert(merged.readSteps.begin(), inLife.readSteps.begin(),
                          inLife.readSteps.end());
  llvm::sort(merged.readSteps);
  merged.readSteps.erase(llvm::unique(merged.readSteps),
                         merged.readSteps.end());
  int64_t into = inStorage->classId;
  facts.aliases.mergeByRequest(in, out);
  facts.lives[into] = std::move(merged);
  return success();
}

LogicalResult shareAddresses(ModuleOp module, GlobalFacts &facts,
                             ArrayRef<std::pair<int64_t, int64_t>> pairs) {
  for (auto [input, output] : pairs)
    if (failed(shareOne(module, facts, input, output)))
      return failure();
  return success();
}

} // namespace tpu_mlir
