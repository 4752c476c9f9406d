//===- BlockProblem.cpp - Build the ordering problem of a block -----------===//
//
// Data, effects and regions become edges; tensors that share storage count
// once.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/BlockProblem/BlockProblem.h"

#include "tpu_mlir/Analysis/Local/Schedule.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir::reorder {

using namespace ordering;

/// Nobody knows what else it does than to make values of values.
static bool mayHaveEffects(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        const StringRef dialect = inner->getName().getDialectNamespace();
        const bool isOurs =
            inner->isRegistered() && (dialect == "top" || dialect == "tpu");
        return isOurs || isMemoryEffectFree(inner) ||
                       inner->hasTrait<OpTrait::IsTerminator>()
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

namespace {

class Builder {
public:
  Builder(func::FuncOp function, const GlobalFacts &facts,
          const TensorRules &rules)
      : block(function.getBody().front()), facts(facts), rules(rules) {}
  BlockProblem run();

private:
  void collectOps();
  void addDependencies();
  void addTensors();
  void addUpdates();
  Tensor makeTensor(const AliasClass &aliasClass, const ClassLife &life);
  void addUse(Tensor &tensor, Value value);
  int numberOf(Operation *op) const;

  Block &block;
  const GlobalFacts &facts;
  const TensorRules &rules;
  BlockProblem result;
  llvm::DenseMap<Operation *, int> numbers;
  llvm::DenseMap<int64_t, int> tensorOf; ///< By storage class.
};

} // namespace

/// Weights and the like run no step, and inputs are there before all others.
static bool runs(Operation *op, const OpSchedule &schedule) {
  return schedule.contains(op) && schedule.steps(op).length() > 0 &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

void Builder::collectOps() {
  for (Operation &op : block) {
    if (!runs(&op, facts.schedule))
      continue;
    numbers[&op] = static_cast<int>(result.ops.size());
    result.ops.push_back(&op);
  }
  result.problem.ops.resize(result.ops.size());
}

/// -1: it is not in the block, nor inside an op of it, or it runs no step.
int Builder::numberOf(Operation *op) const {
  op = block.findAncestorOpInBlock(*op);
  auto found = op ? numbers.find(op) : numbers.end();
  return found == numbers.end() ? -1 : found->second;
}

void Builder::addDependencies() {
  int lastWithEffects = -1;
  for (auto [number, op] : llvm::enumerate(result.ops)) {
    llvm::SetVector<int> before;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *made = operand.getDefiningOp())
          if (int other = numberOf(made); other >= 0)
            before.insert(other);
    });
    before.remove(static_cast<int>(number));
    if (mayHaveEffects(op)) {
      if (lastWithEffects >= 0)
        before.insert(lastWithEffects);
      lastWithEffects = static_cast<int>(number);
    }
    llvm::append_range(result.problem.ops[number].after, before);
  }
}

void Builder::addUse(Tensor &tensor, Value value) {
  if (Operation *made = value.getDefiningOp()) {
    if (int writer = numberOf(made); writer >= 0)
      tensor.writers.push_back(writer);
  } else if (value.getParentBlock() == &block) {
    tensor.fromStart = true;
  }
  for (Operation *user : value.getUsers())
    if (int reader = numberOf(user); reader >= 0)
      tensor.readers.push_back(reader);
    else
      tensor.toEnd |= user == block.getTerminator();
}

Tensor Builder::makeTensor(const AliasClass &aliasClass,
                           const ClassLife &life) {
  Tensor tensor;
  tensor.size = alignUp(aliasClass.sizeBytes, rules.alignment);
  bool isInput = false;
  for (Value value : aliasClass.values) {
    addUse(tensor, value);
    isInput |= value.getDefiningOp<top::InputOp>() != nullptr;
  }
  const Interval steps = {facts.schedule.steps(&block.front()).begin,
                          facts.schedule.steps(&block.back()).end};
  tensor.fromStart |= isInput || life.steps.begin < steps.begin;
  tensor.toEnd |= (isInput && !rules.inReuse) || life.steps.end > steps.end;
  // Scratch is there with the first op that uses it.
  if (tensor.writers.empty() && !tensor.fromStart)
    tensor.writers = tensor.readers;
  return tensor;
}

/// What no op of the block uses is alive before and after, or never.
void Builder::addTensors() {
  for (auto [id, aliasClass, life] :
       llvm::enumerate(facts.aliases.classes(), facts.lives)) {
    if (aliasClass.weight || aliasClass.values.empty())
      continue;
    Tensor tensor = makeTensor(aliasClass, life);
    if (id < rules.isElsewhere.size() && rules.isElsewhere[id])
      tensor.size = 0;
    if (tensor.writers.empty() && tensor.readers.empty())
      continue;
    tensorOf[static_cast<int64_t>(id)] =
        static_cast<int>(result.problem.tensors.size());
    result.problem.tensors.push_back(std::move(tensor));
  }
}

/// Which order makes an operand die at the op that may write over it, the
/// search finds out. What the block was given stays.
void Builder::addUpdates() {
  const auto find = [&](Value value) {
    const ValueStorage *storage = facts.aliases.lookup(value);
    auto found = storage ? tensorOf.find(storage->classId) : tensorOf.end();
    return found == tensorOf.end() ? -1 : found->second;
  };
  for (auto [number, op] : llvm::enumerate(result.ops)) {
    auto inPlace = dyn_cast<InPlaceOpInterface>(op);
    if (!inPlace)
      continue;
    for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
      const int dying = find(op->getOperand(edge.operand)),
                made = find(op->getResult(edge.result));
      if (edge.overwrites && dying >= 0 && made >= 0 && dying != made &&
          !result.problem.tensors[dying].fromStart)
        result.problem.ops[number].inPlace.push_back({dying, made});
    }
  }
}

BlockProblem Builder::run() {
  collectOps();
  addDependencies();
  addTensors();
  if (rules.inPlace)
    addUpdates();
  return std::move(result);
}

std::vector<bool> outsideNeurons(const GlobalProblem &global) {
  std::vector<bool> isOutside;
  for (auto [buffer, id] :
       llvm::zip_equal(global.problem.buffers, global.classOf)) {
    if (size_t(id) >= isOutside.size())
      isOutside.resize(size_t(id) + 1, false);
    isOutside[size_t(id)] = llvm::none_of(buffer.pools, [&](auto pool) {
      return global.regions[pool].role == RegionRole::Neuron;
    });
  }
  return isOutside;
}

BlockProblem makeBlockProblem(func::FuncOp function, const GlobalFacts &facts,
                              const TensorRules &rules) {
  return Builder(function, facts, rules).run();
}

/// A group that shares transfers with the one after it.
static bool leansOnNext(Operation *op) {
  auto group = dyn_cast<tpu::GroupOp>(op);
  return group &&
         sharesAny(group, {"other_up_overlap_op", "self_down_overlap_op"});
}

bool keepsNeighbours(const BlockProblem &block, const Order &order) {
  for (auto [place, number] : llvm::enumerate(order))
    if (leansOnNext(block.ops[number]) &&
        (place + 1 == order.size() || order[place + 1] != number + 1))
      return false;
  return true;
}

void applyOrder(const BlockProblem &block, const Order &order) {
  if (order.empty())
    return;
  Block *body = block.ops.front()->getBlock();
  llvm::DenseSet<Operation *> running(block.ops.begin(), block.ops.end());
  std::vector<Operation *> inputs, others;
  llvm::DenseMap<Operation *, size_t> places;
  for (Operation &op : body->without_terminator())
    if (isa<top::InputOp>(op)) {
      inputs.push_back(&op);
    } else if (!running.contains(&op)) {
      places[&op] = others.size();
      others.push_back(&op);
    }
  Operation *end = body->getTerminator();
  // Inputs are there from the start, also those that nobody reads.
  for (Operation *input : inputs)
    input->moveBefore(end);
  size_t moved = 0;
  const auto moveOthers = [&](size_t count) {
    for (; moved < count; ++moved)
      others[moved]->moveBefore(end);
  };
  for (int number : order) {
    Operation *op = block.ops[number];
    size_t needed = 0;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto found = places.find(operand.getDefiningOp());
            found != places.end())
          needed = std::max(needed, found->second + 1);
    });
    moveOthers(needed);
    op->moveBefore(end);
  }
  moveOthers(others.size());
}

} // namespace tpu_mlir::reorder
