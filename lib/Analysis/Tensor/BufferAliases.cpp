//===- BufferAliases.cpp - Who shares storage with whom -------------------===//

#include "tpu_mlir/Analysis/Tensor/BufferAliases.h"

#include "lib/Analysis/Tensor/AliasRemarks.h"
#include "lib/Analysis/Tensor/AliasSets.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir {

using namespace detail;

class AliasBuilder {
public:
  AliasBuilder(ModuleOp module, const OpSchedule &schedule,
               const AliasOptions &options)
      : module(module), schedule(schedule), options(options), sets(schedule) {}

  FailureOr<BufferAliases> run();

private:
  LogicalResult collectValues();
  LogicalResult addValue(Value value);
  FailureOr<int64_t> bytesOf(Value value);
  LogicalResult joinCalls();
  LogicalResult joinViews();
  void joinRegionResults();
  void joinBranches(Operation *op);
  void joinParts(Operation *op);
  LogicalResult joinConcats();
  void joinUpdates();
  void makeClasses();

  std::optional<int64_t> id(Value value) const {
    auto found = result.idOf.find(value);
    return found == result.idOf.end() ? std::nullopt
                                      : std::optional(found->second);
  }
  /// Where the part begins in the whole, in this chip's bytes; nullopt when
  /// it is no run of them.
  std::optional<int64_t> offsetOf(Operation *op, const InPlaceEdge &edge) const;
  bool isStoredByItself(Value value) const;
  /// The same of a view, when it may be one.
  std::optional<int64_t> viewOffset(Operation *op,
                                    const InPlaceEdge &edge) const;
  bool yieldCanBeResult(int64_t yielded, int64_t result, Operation *owner);
  bool isReadTwice(Operation *op, const InPlaceEdge &edge);
  int64_t lastReadStep(int64_t value);

  ModuleOp module;
  const OpSchedule &schedule;
  AliasOptions options;
  BufferAliases result;
  AliasSets sets;
};

FailureOr<int64_t> AliasBuilder::bytesOf(Value value) {
  std::optional<int64_t> bytes;
  auto opResult = dyn_cast<OpResult>(value);
  auto footprint =
      opResult ? dyn_cast<MemoryFootprintOpInterface>(opResult.getOwner())
               : MemoryFootprintOpInterface();
  if (footprint)
    bytes = footprint.getResultBytes(opResult.getResultNumber(), options.fourN);
  else
    bytes = typeBytes(value.getType(), options.fourN);
  if (bytes)
    return *bytes;
  return emitNoStaticSize(value);
}

LogicalResult AliasBuilder::addValue(Value value) {
  if (!isa<TensorType>(value.getType()))
    return success();
  FailureOr<int64_t> bytes = bytesOf(value);
  if (failed(bytes))
    return failure();
  result.idOf[value] = result.allValues.size();
  result.allValues.push_back(value);
  Operation *made = value.getDefiningOp();
  int64_t newId =
      sets.add(*bytes, made ? made : value.getParentBlock()->getParentOp());
  AliasSets::Set &set = sets.of(newId);
  set.isWeight = value.getDefiningOp<top::WeightOp>() != nullptr;
  set.isNetworkInput = value.getDefiningOp<top::InputOp>() != nullptr;
  return success();
}

/// The argument of an entry function is on the host side when top.Input ops
/// alone read it.
static bool isHostArgument(BlockArgument argument) {
  return llvm::all_of(argument.getUsers(),
                      [](Operation *op) { return isa<top::InputOp>(op); });
}

LogicalResult AliasBuilder::collectValues() {
  auto addArguments = [&](Block &block, bool isEntry) -> LogicalResult {
    for (BlockArgument argument : block.getArguments()) {
      if (isEntry && isHostArgument(argument))
        continue;
      if (failed(addValue(argument)))
        return failure();
      if (isEntry)
        if (auto newId = id(argument))
          sets.of(*newId).isNetworkInput = true;
    }
    return success();
  };
  for (auto function : schedule.functions())
    for (Block &block : function.getBody())
      if (failed(addArguments(block, schedule.isEntry(function))))
        return failure();
  for (Operation *op : schedule.ops()) {
    for (Value value : op->getResults())
      if (failed(addValue(value)))
        return failure();
    if (regionTiming(op) != RegionTiming::Leaf)
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (failed(addArguments(block, false)))
            return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Who shares with whom
//===----------------------------------------------------------------------===//

LogicalResult AliasBuilder::joinCalls() {
  for (func::FuncOp function : schedule.functions())
    for (Block &block : function.getBody())
      if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator()))
        if (failed(checkHandedOver(ret, options.fourN)))
          return failure();
  auto handOver = [&](ValueRange from, ValueRange to) {
    for (auto [passed, received] : llvm::zip(from, to))
      if (auto source = id(passed), target = id(received); source && target) {
        sets.dropContent(*target);
        sets.join(*source, *target, 0);
      }
  };
  for (Operation *op : schedule.ops()) {
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee = call ? schedule.callee(call) : func::FuncOp();
    if (!callee)
      continue;
    if (failed(checkHandedOver(call, options.fourN)))
      return failure();
    handOver(call.getOperands(), callee.getArguments());
    for (Block &block : callee.getBody())
      if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator()))
        handOver(ret.getOperands(), call.getResults());
  }
  return success();
}

/// Weights are stored by their own mode, without slots as a rule, and what an
/// op makes of them as the chip does it.
bool AliasBuilder::isStoredByItself(Value value) const {
  auto weight = value.getDefiningOp<top::WeightOp>();
  if (!weight)
    return false;
  return readWord(weight->getAttr("store_mode")).value_or("1N") != "1N" ||
         (options.fourN && sharesSlots(value.getType()));
}

std::optional<int64_t> AliasBuilder::offsetOf(Operation *op,
                                              const InPlaceEdge &edge) const {
  Value whole = op->getOperand(edge.operand), part = op->getResult(edge.result);
  if (edge.direction == InPlaceEdge::Direction::OperandInResult)
    std::swap(whole, part);
  auto wholeId = id(whole), partId = id(part);
  auto wholeType = dyn_cast<RankedTensorType>(whole.getType());
  auto partType = dyn_cast<RankedTensorType>(part.getType());
  if (!wholeId || !partId || !wholeType || !partType)
    return std::nullopt;
  auto offset =
      offsetInStorage(wholeType, partType, edge.offsetBytes, options.fourN);
  if (isStoredByItself(whole) || isStoredByItself(part))
    return std::nullopt;
  if (!offset || *offset > sets.sizes[*wholeId] - sets.sizes[*partId])
    return std::nullopt;
  return offset;
}

std::optional<int64_t> AliasBuilder::viewOffset(Operation *op,
                                                const InPlaceEdge &edge) const {
  std::optional<int64_t> offset = offsetOf(op, edge);
  if (!offset)
    return std::nullopt;
  // A dynamic function computes shapes, and so slice offsets, at run time.
  auto function = op->getParentOfType<func::FuncOp>();
  bool isWhole =
      *offset == 0 && sets.sizes[*id(op->getOperand(edge.operand))] ==
                          sets.sizes[*id(op->getResult(edge.result))];
  bool isFixed = edge.required || !function || !isDynamicFunction(function);
  return isWhole || isFixed ? offset : std::nullopt;
}

LogicalResult AliasBuilder::joinViews() {
  for (Operation *op : schedule.ops()) {
    auto inPlace = dyn_cast<InPlaceOpInterface>(op);
    if (!inPlace)
      continue;
    remarkOnCopies(op);
    for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
      if (edge.overwrites ||
          edge.direction != InPlaceEdge::Direction::ResultInOperand)
        continue;
      Value whole = op->getOperand(edge.operand);
      Value part = op->getResult(edge.result);
      std::optional<int64_t> offset = viewOffset(op, edge);
      if (!offset) {
        if (!edge.required || !id(whole) || !id(part))
          continue;
        return emitCodedError(op->getLoc(), ErrorCode::InPlaceImpossible,
                              "'" + op->getName().getStringRef() +
                                  "' emits no copy, but '" + valueName(part) +
                                  "' is no run of bytes of '" +
                                  valueName(whole) + "' on this chip");
      }
      int64_t operand = *id(whole), view = *id(part);
      sets.dropContent(view);
      sets.join(operand, view, *offset);
    }
  }
  return success();
}

/// A value may become the storage of a region's result when everything in its
/// class is written inside the region.
bool AliasBuilder::yieldCanBeResult(int64_t yielded, int64_t result,
                                    Operation *owner) {
  const AliasSets::Set &set = sets.of(yielded);
  return sets.sizes[yielded] == sets.sizes[result] && !set.isWeight &&
         !set.isNetworkInput &&
         llvm::all_of(set.contents, [&](const AliasSets::Content &content) {
           return schedule.isInside(content.writer, owner);
         });
}

/// The branches of an If yield the same results, each either in place or by a
/// copy at its end. A result has room for the copies of all branches until
/// each of them is known to need none.
void AliasBuilder::joinBranches(Operation *op) {
  SmallVector<Operation *> yields;
  for (Region &region : op->getRegions())
    if (!region.empty() && !region.front().empty())
      yields.push_back(&region.front().back());
  for (Value value : op->getResults())
    if (auto to = id(value); to && !yields.empty()) {
      sets.dropContent(*to);
      for (Operation *yield : yields)
        sets.addContent(*to, yield);
    }
  for (Operation *yield : yields)
    for (auto [yielded, value] :
         llvm::zip(yield->getOperands(), op->getResults())) {
      auto from = id(yielded), to = id(value);
      if (!from || !to || !yieldCanBeResult(*from, *to, op))
        continue;
      sets.dropContent(*to, yield);
      if (!sets.tryJoin(*to, *from, 0))
        sets.addContent(*to, yield);
    }
}

/// The regions of a parallel op yield one part of the results each.
void AliasBuilder::joinParts(Operation *op) {
  unsigned next = 0;
  for (Region &region : op->getRegions()) {
    if (region.empty() || region.front().empty())
      continue;
    for (Value yielded : region.front().back().getOperands()) {
      if (next == op->getNumResults())
        return;
      auto from = id(yielded), to = id(op->getResult(next++));
      if (!from || !to || !yieldCanBeResult(*from, *to, op))
        continue;
      sets.dropContent(*to);
      if (!sets.tryJoin(*to, *from, 0))
        sets.addContent(*to, op);
    }
  }
}

void AliasBuilder::joinRegionResults() {
  for (Operation *op : schedule.ops())
    if (regionTiming(op) == RegionTiming::Exclusive)
      joinBranches(op);
    else if (tpu::isParallel(op))
      joinParts(op);
}

LogicalResult AliasBuilder::joinConcats() {
  for (Operation *op : schedule.ops()) {
    auto inPlace = dyn_cast<InPlaceOpInterface>(op);
    if (!inPlace)
      continue;
    SmallVector<InPlaceEdge> edges = inPlace.getInPlaceEdges();
    if (auto concat = dyn_cast<tpu::ConcatOp>(op);
        concat && concat.getOnlyMerge() && edges.empty())
      return emitCodedError(
          op->getLoc(), ErrorCode::InPlaceImpossible,
          "'tpu.Concat' is marked 'only_merge', but its operands are not "
          "consecutive pieces of the result; clear 'only_merge' on the op");
    if (isa<tpu::ConcatOp>(op) && !edges.empty())
      remarkOnNoEffect(op);
    for (const InPlaceEdge &edge : edges) {
      if (edge.direction != InPlaceEdge::Direction::OperandInResult)
        continue;
      auto operand = id(op->getOperand(edge.operand));
      auto whole = id(op->getResult(edge.result));
      std::optional<int64_t> offset = offsetOf(op, edge);
      bool fits = offset.has_value();
      if (fits) {
        sets.dropContent(*whole);
        fits = !sets.of(*operand).isWeight &&
               sets.tryJoin(*whole, *operand, *offset);
      }
      if (fits)
        continue;
      if (!edge.required) {
        if (whole)
          sets.addContent(*whole, op);
        continue;
      }
      Value value = op->getOperand(edge.operand);
      auto diagnostic = emitCodedError(
          op->getLoc(), ErrorCode::InPlaceImpossible,
          "'" + op->getName().getStringRef() + "' emits no copy, but '" +
              valueName(value) +
              (offset || value.getDefiningOp<top::WeightOp>()
                   ? "' cannot lie inside its result: it is a weight, or the "
                     "place is taken by another tensor"
                   : "' is no run of bytes of its result on this chip") +
              (isa<tpu::ConcatOp>(op) ? "; clear 'only_merge' on the op"
                                      : "; copy it by an op of its own"));
      diagnostic.attachNote(value.getLoc()) << "the operand comes from here";
      return failure();
    }
  }
  return success();
}

/// The last step at which anything reads a value of the class, loops counted
/// to their end.
int64_t AliasBuilder::lastReadStep(int64_t value) {
  int64_t last = -1;
  for (int64_t member : sets.membersOf(value))
    for (Operation *user : result.allValues[member].getUsers()) {
      // What a group loads, the group reads.
      while (user && !schedule.contains(user))
        user = user->getParentOp();
      for (Operation *op = user; op; op = schedule.repeating(op))
        last = std::max(last, schedule.steps(op).end - 1);
    }
  return last;
}

/// True when the op uses the bytes that the edge updates in another way, too:
/// then it may not change them while it runs.
bool AliasBuilder::isReadTwice(Operation *op, const InPlaceEdge &edge) {
  auto [root, offset] = sets.find(*id(op->getOperand(edge.operand)));
  int64_t begin = offset + *offsetOf(op, edge);
  Interval updated{begin, begin + sets.sizes[*id(op->getResult(edge.result))]};
  const auto isUpdated = [&](Value value) {
    auto other = id(value);
    if (!other)
      return false;
    auto [otherRoot, at] = sets.find(*other);
    return otherRoot == root && updated.overlaps({at, at + sets.sizes[*other]});
  };
  // Another result may have taken the place before this one.
  if (llvm::any_of(op->getResults(), isUpdated))
    return true;
  const Value operand = op->getOperand(edge.operand);
  return op
      ->walk([&](Operation *inner) {
        for (OpOperand &used : inner->getOpOperands()) {
          // What a group loads of the operand is known to the edge.
          const bool isKnown = inner == op
                                   ? used.getOperandNumber() == edge.operand
                                   : used.get() == operand;
          if (!isKnown && isUpdated(used.get()))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

void AliasBuilder::joinUpdates() {
  for (Operation *op : schedule.ops()) {
    auto inPlace = dyn_cast<InPlaceOpInterface>(op);
    if (!inPlace)
      continue;
    for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
      auto operand = id(op->getOperand(edge.operand));
      auto updated = id(op->getResult(edge.result));
      std::optional<int64_t> offset = offsetOf(op, edge);
      if (!edge.overwrites || !offset)
        continue;
      const AliasSets::Set &set = sets.of(*operand);
      auto [rootU, offsetU] = sets.find(*updated);
      bool alone = sets.of(rootU).contents.size() == 1 &&
                   sets.of(rootU).contents.front().valueId == *updated;
      if (set.isWeight || set.isNetworkInput || !alone ||
          sets.find(*operand).first == rootU || isReadTwice(op, edge) ||
          lastReadStep(*operand) > schedule.steps(op).begin)
        continue;
      // The old value dies here: its contents stand for the new one too.
      sets.dropContent(*updated);
      sets.join(*operand, *updated, *offset);
    }
  }
}

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

void AliasBuilder::makeClasses() {
  int64_t numValues = result.allValues.size();
  std::vector<int64_t> lowest(numValues, 0), highest(numValues, 0);
  std::vector<int64_t> classOf(numValues, -1);
  for (int64_t value = 0; value < numValues; ++value) {
    auto [root, offset] = sets.find(value);
    lowest[root] = std::min(lowest[root], offset);
    highest[root] = std::max(highest[root], offset + sets.sizes[value]);
  }
  result.storage.resize(numValues);
  for (int64_t value = 0; value < numValues; ++value) {
    auto [root, offset] = sets.find(value);
    if (classOf[root] < 0) {
      classOf[root] = result.aliasClasses.size();
      result.aliasClasses.emplace_back();
      result.aliasClasses.back().sizeBytes = highest[root] - lowest[root];
    }
    AliasClass &aliasClass = result.aliasClasses[classOf[root]];
    aliasClass.add(result.allValues[value]);
    if (result.allValues[value].getDefiningOp<top::WeightOp>())
      aliasClass.weight = result.allValues[value];
    result.storage[value] = {classOf[root], offset - lowest[root],
                             sets.sizes[value]};
  }
}

FailureOr<BufferAliases> AliasBuilder::run() {
  if (failed(collectValues()) || failed(joinCalls()))
    return failure();
  // What has to share storage comes before what only may.
  if (failed(joinViews()) || failed(joinConcats()))
    return failure();
  joinRegionResults();
  joinUpdates();
  makeClasses();
  return result;
}

FailureOr<BufferAliases> BufferAliases::build(ModuleOp module,
                                              const OpSchedule &schedule,
                                              const AliasOptions &options) {
  return AliasBuilder(module, schedule, options).run();
}

void AliasClass::add(Value value) {
  const auto isMade = [](Value one) {
    Operation *op = one.getDefiningOp();
    return op && !isa<func::CallOp>(op);
  };
  if (values.empty() || (!isMade(knownBy) && isMade(value)))
    knownBy = value;
  values.push_back(value);
}

const ValueStorage *BufferAliases::lookup(Value value) const {
  auto found = idOf.find(value);
  return found == idOf.end() ? nullptr : &storage[found->second];
}

} // namespace tpu_mlir
