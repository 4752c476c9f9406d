//===- LeastTraffic.cpp - What any way to run a network moves -------------===//

#include "lib/Transforms/Tpu/LocalReport/LeastTraffic.h"

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "lib/Transforms/Tpu/LocalReport/NeededBox.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;

namespace tpu_mlir::local_report {

namespace {

/// A value as far as it is known to be needed.
struct Needed {
  bool isAny = false;
  NeededBox box; ///< Of these elements; meaningless without a static size.
  /// What a layer moves of it from where it is given, if it is.
  int64_t movedBytes = 0;
};

/// Something that makes results of operands.
struct Step {
  /// It, or one core's piece of it; null: the result is the operand.
  Operation *op = nullptr;
  SmallVector<Value, 2> operands, results;
};

/// From the outputs back.
class NeedWalk {
public:
  NeedWalk(ModuleOp module, const Wiring &wiring, const target::ChipSpec &chip)
      : module(module), wiring(wiring), chip(chip) {}

  int64_t loadBytes();

private:
  void addSteps();
  void addStep(Operation *op);
  bool addPieces(tpu::CoreJoinOp join);
  void addEnd(Operation *op);
  void run(const Step &step);
  void runSame(Value operand, Value result);
  void runLayer(const Step &step);
  void readOperands(const Step &step, Operation *op, bool isShared);
  bool readByRules(const Step &step, Operation *op, unsigned index,
                   ArrayRef<DimRule> rules, bool isShared);
  void readWhole(const Step &step, Operation *op, unsigned index,
                 bool isShared);
  void handOn(const Step &step, ArrayRef<InPlaceEdge> edges);
  void needAll(Value value);
  void need(Value value, NeededBox box);
  void move(Value value, int64_t bytes);
  bool isAnyNeeded(Value value) const;
  bool isAllNeeded(Value value) const;

  ModuleOp module;
  const Wiring &wiring;
  const target::ChipSpec &chip;
  std::vector<Step> steps;
  llvm::MapVector<Value, Needed> needed;
};

} // namespace

void NeedWalk::needAll(Value value) {
  auto type = typeOf(value);
  need(value, type ? wholeBox(type.getShape()) : NeededBox());
}

void NeedWalk::need(Value value, NeededBox box) {
  auto type = typeOf(value);
  if (type && countElements(box) == 0)
    return;
  Needed &known = needed[value];
  known.box = known.isAny && type ? unite(known.box, box) : std::move(box);
  known.isAny = true;
}

void NeedWalk::move(Value value, int64_t bytes) {
  int64_t &known = needed[value].movedBytes;
  known = std::max(known, bytes);
}

bool NeedWalk::isAnyNeeded(Value value) const {
  const auto found = needed.find(value);
  return found != needed.end() && found->second.isAny;
}

bool NeedWalk::isAllNeeded(Value value) const {
  auto type = typeOf(value);
  return isAnyNeeded(value) &&
         (!type || isWhole(needed.find(value)->second.box, type.getShape()));
}

//===----------------------------------------------------------------------===//
// Steps, and their order
//===----------------------------------------------------------------------===//

/// What is not handed on is an output, or may be one.
void NeedWalk::addEnd(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op->getParentOp());
  if (!function || wiring.isCalledOnce(function))
    return;
  for (Value value : op->getOperands())
    needAll(value);
}

/// What cores do side by side is one op.
bool NeedWalk::addPieces(tpu::CoreJoinOp join) {
  Operation *piece = join->getNumOperands() > 0
                         ? join->getOperand(0).getDefiningOp()
                         : nullptr;
  auto local = dyn_cast_or_null<LocalSliceOpInterface>(piece);
  if (!local || piece->getNumResults() != 1 || !typeOf(piece->getResult(0)) ||
      local.getLocalFacts().isGlobal())
    return false;
  Step step = {piece, {}, {join->getResult(0)}};
  for (Value operand : piece->getOperands()) {
    auto split = operand.getDefiningOp<tpu::CoreSplitOp>();
    step.operands.push_back(split ? split->getOperand(0) : operand);
  }
  steps.push_back(std::move(step));
  return true;
}

/// The value that a layer reads: a weight as it is outside of groups.
static Value asOutside(Value operand) {
  auto load = operand.getDefiningOp<tpu::LoadOp>();
  return load && grouping::isWeight(load->getOperand(0)) ? load->getOperand(0)
                                                         : operand;
}

void NeedWalk::addStep(Operation *op) {
  if (auto join = dyn_cast<tpu::CoreJoinOp>(op); join && addPieces(join))
    return;
  if (isHandedOn(op)) {
    steps.push_back({nullptr, {op->getOperand(0)}, {op->getResult(0)}});
    return;
  }
  Step step = {op, {}, {}};
  llvm::append_range(step.results, op->getResults());
  for (Value operand : op->getOperands())
    step.operands.push_back(asOutside(operand));
  steps.push_back(std::move(step));
}

/// What is in regions of other ops than those that are seen through is not
/// counted, so that nothing of it has to be.
void NeedWalk::addSteps() {
  for (auto [name, value] : wiring.handedOn())
    steps.push_back({nullptr, {value}, {name}});
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (tpu::isParallel(op) || isa<ModuleOp, func::FuncOp, tpu::GroupOp>(op))
      return WalkResult::advance();
    if (op->hasTrait<OpTrait::IsTerminator>())
      addEnd(op);
    else if (!isa<func::CallOp, top::WeightOp, top::NoneOp, tpu::BufferOp>(op))
      addStep(op);
    return WalkResult::skip();
  });
}

int64_t NeedWalk::loadBytes() {
  addSteps();
  // A step is taken when all that read its results are done.
  llvm::DenseMap<Value, SmallVector<size_t, 1>> makers;
  llvm::DenseMap<Value, int64_t> readers;
  std::vector<int64_t> open(steps.size());
  const auto unique = [](ArrayRef<Value> values) {
    llvm::SetVector<Value> each(values.begin(), values.end());
    return each.takeVector();
  };
  for (auto [index, step] : llvm::enumerate(steps)) {
    for (Value result : step.results)
      makers[result].push_back(index);
    for (Value operand : unique(step.operands))
      ++readers[operand];
  }
  std::vector<size_t> ready;
  for (auto [index, step] : llvm::enumerate(steps)) {
    for (Value result : step.results)
      open[index] += readers.lookup(result) > 0;
    if (open[index] == 0)
      ready.push_back(index);
  }
  while (!ready.empty()) {
    const size_t index = ready.back();
    ready.pop_back();
    run(steps[index]);
    for (Value operand : unique(steps[index].operands))
      if (--readers[operand] == 0)
        for (size_t maker : makers.lookup(operand))
          if (--open[maker] == 0)
            ready.push_back(maker);
  }
  int64_t sum = 0;
  for (const auto &[value, known] : needed)
    if (wiring.isGiven(value))
      sum = saturatedAdd(sum, known.movedBytes);
  return sum;
}

//===----------------------------------------------------------------------===//
// What one step needs
//===----------------------------------------------------------------------===//

void NeedWalk::run(const Step &step) {
  if (!step.results.empty() && llvm::none_of(step.results, [&](Value result) {
        return isAnyNeeded(result);
      }))
    return;
  if (!step.op)
    return runSame(step.operands.front(), step.results.front());
  runLayer(step);
}

void NeedWalk::runSame(Value operand, Value result) {
  const Needed known = needed.lookup(result);
  auto from = typeOf(operand), to = typeOf(result);
  if (!from || !to || from.getNumElements() != to.getNumElements())
    return isAllNeeded(result) ? needAll(operand) : void();
  need(operand, boxOfView(known.box, from.getShape(), to.getShape()));
  move(operand, known.movedBytes);
}

/// Through bytes that results and operands have in common.
void NeedWalk::handOn(const Step &step, ArrayRef<InPlaceEdge> edges) {
  llvm::MapVector<Value, int64_t> moved;
  for (const InPlaceEdge &edge : edges) {
    const Value operand = step.operands[edge.operand];
    const int64_t bytes = needed.lookup(step.results[edge.result]).movedBytes;
    if (edge.direction == InPlaceEdge::Direction::ResultInOperand) {
      moved[operand] = saturatedAdd(moved[operand], bytes);
      continue;
    }
    // The rest of it may be all the others.
    const int64_t all =
        typeBytes(step.results[edge.result].getType()).value_or(0);
    const int64_t own = typeBytes(operand.getType()).value_or(0);
    moved[operand] = bytes - (all - own);
  }
  for (auto [operand, bytes] : moved)
    move(operand, std::min(bytes, typeBytes(operand.getType()).value_or(0)));
}

/// Rules are those of the operand's own type, or of its form in local memory.
static NeededBox boxByRules(const NeededBox &results, ArrayRef<DimRule> rules,
                            ArrayRef<int64_t> shape) {
  NeededBox box;
  llvm::DenseSet<int> followed;
  for (auto [rule, length] : llvm::zip_equal(rules, shape)) {
    box.push_back(rule.kind == DimRule::Kind::Whole
                      ? neededSet(rule, {{0, 1}}, length)
                      : neededSet(rule, results[rule.resultDim], length));
    // Not all combinations of what two dimensions need for one.
    if (rule.kind != DimRule::Kind::Whole &&
        !followed.insert(rule.resultDim).second && !box.back().empty())
      box.back() = {{box.back().front().begin, box.back().front().begin + 1}};
  }
  return box;
}

static int64_t bytesOf(const NeededBox &box, Type elementType) {
  const int64_t bits = elementBits(elementType).value_or(0);
  return ceilDiv(saturatedMul(countElements(box), bits), 8);
}

bool NeedWalk::readByRules(const Step &step, Operation *op, unsigned index,
                           ArrayRef<DimRule> rules, bool isShared) {
  const Value operand = step.operands[index];
  const NeededBox &results = needed.find(step.results.front())->second.box;
  auto type = typeOf(operand);
  const bool isWeight = grouping::isWeight(op->getOperand(index));
  if (int64_t(rules.size()) != type.getRank() ||
      llvm::any_of(rules, [&](const DimRule &rule) {
        return rule.resultDim >= int(results.size());
      }))
    return false;
  const grouping::LmemForm form = grouping::lmemForm(op, index, rules, chip);
  const NeededBox box = boxByRules(
      results, form.rules, isWeight ? form.type.getShape() : type.getShape());
  // What a form in local memory adds to it is not counted.
  int64_t bytes =
      std::min({bytesOf(box, form.type.getElementType()), *typeBytes(type),
                grouping::mostBytesRead(op, index)});
  // Others may have arranged a weight in another way.
  if (auto load = step.op->getOperand(index).getDefiningOp<tpu::LoadOp>())
    bytes =
        std::min(bytes, typeBytes(load->getResult(0).getType()).value_or(0));
  if (!isShared && grouping::isCounted(type))
    move(operand, bytes);
  if (!isWeight)
    need(operand, box);
  return true;
}

void NeedWalk::readWhole(const Step &step, Operation *op, unsigned index,
                         bool isShared) {
  const Value operand = step.operands[index];
  needAll(operand);
  if (!isShared && grouping::isCounted(operand.getType()))
    move(operand, std::min(*typeBytes(operand.getType()),
                           grouping::mostBytesRead(op, index)));
}

/// What the op does is asked of one that reads what is outside of groups.
void NeedWalk::readOperands(const Step &step, Operation *op, bool isShared) {
  auto local = dyn_cast<LocalSliceOpInterface>(op);
  const bool hasRules =
      local && op->getNumResults() == 1 && typeOf(step.results.front()) &&
      llvm::all_of(op->getOperands(), [](Value operand) {
        return isa<NoneType>(operand.getType()) || typeOf(operand);
      });
  const LocalFacts facts =
      hasRules ? local.getLocalFacts() : LocalFacts::global("it has no rules");
  // How others run in groups what is known to run from global memory only
  // nobody knows.
  if (facts.isGlobal() && step.op->getParentOfType<tpu::GroupOp>() &&
      !llvm::all_of(step.results,
                    [&](Value result) { return isAllNeeded(result); }))
    return;
  for (unsigned index = 0; index < step.operands.size(); ++index)
    if (!isa<NoneType>(step.operands[index].getType()) &&
        (facts.isGlobal() || index >= facts.operands.size() ||
         !readByRules(step, op, index, facts.operands[index], isShared)))
      readWhole(step, op, index, isShared);
}

void NeedWalk::runLayer(const Step &step) {
  if (grouping::isMasked(step.op))
    return;
  const bool isPiece =
      !step.results.empty() && step.results.front().getDefiningOp() != step.op;
  const auto edges =
      isPiece ? SmallVector<InPlaceEdge>() : sharedBytes(step.op);
  handOn(step, edges);
  if (grouping::isView(step.op))
    return runSame(step.operands.front(), step.results.front());
  grouping::callAsOutside(
      step.op, [&](Operation *op) { readOperands(step, op, !edges.empty()); });
}

/// Bytes that are in several outputs are stored once.
static int64_t storeBytes(const Wiring &wiring) {
  llvm::MapVector<Value, std::vector<Interval>> stored;
  for (Value output : wiring.outputs())
    for (const BytesOf &origin : wiring.originsOf(output))
      // What several calls return counts once, in the function.
      if (Operation *made = origin.value.getDefiningOp();
          made && !isa<top::WeightOp, func::CallOp>(made) &&
          grouping::isCounted(origin.value.getType()))
        stored[origin.value].push_back(origin.bytes);
  int64_t sum = 0;
  for (auto &[value, bytes] : stored)
    for (const Interval &run : normalize(std::move(bytes)))
      sum = saturatedAdd(sum, run.length());
  return sum;
}

report::TrafficBound leastTraffic(ModuleOp module, const Wiring &wiring,
                                  const target::ChipSpec &chip) {
  report::TrafficBound bound;
  bound.loadBytes = NeedWalk(module, wiring, chip).loadBytes();
  bound.storeBytes = storeBytes(wiring);
  return bound;
}

} // namespace tpu_mlir::local_report
