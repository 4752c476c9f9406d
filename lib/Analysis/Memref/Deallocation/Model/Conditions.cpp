//===- Conditions.cpp - Relate the i1 values of a function ----------------===//
//
// Builds the roots that stand for equal or contrary conditions, and answers
// which values of one follow from another.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/Model/Conditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/RegionGraphTraits.h"

#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

/// After so many rounds what is passed on is taken to be different.
static constexpr int kRounds = 8;

static bool isCondition(Value value) { return value.getType().isInteger(1); }

static std::optional<Literal> constantOf(Value condition) {
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return Literal{Value(), !constant.isZero()};
  return std::nullopt;
}

bool Conditions::isLogic(Operation *op) {
  return isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp,
             arith::CmpIOp>(op) &&
         llvm::all_of(op->getOperands(), isCondition) &&
         isCondition(op->getResult(0));
}

Conditions::Conditions(Operation *function, const Flow &flow,
                       DominanceInfo &dominance)
    : dominance(dominance) {
  for (Region &region : function->getRegions())
    collect(region, flow);
  llvm::erase_if(order, [&](Value condition) {
    Operation *op = condition.getDefiningOp();
    return !(op && isLogic(op)) && !sides.contains(condition) &&
           !sources.contains(condition);
  });
  solve();
  index();
}

//===----------------------------------------------------------------------===//
// Where conditions come from
//===----------------------------------------------------------------------===//

void Conditions::collect(Region &region, const Flow &flow) {
  if (region.empty())
    return;
  auto add = [&](ValueRange values) {
    llvm::copy_if(values, std::back_inserter(order), isCondition);
  };
  for (Block *block : llvm::ReversePostOrderTraversal(&region.front())) {
    add(block->getArguments());
    for (Operation &op : *block) {
      for (Region &inner : op.getRegions())
        collect(inner, flow);
      add(op.getResults());
      collectPasses(&op, flow);
      collectSides(&op, flow);
    }
  }
}

/// The op may pass an i1 on; where edges lead is not asked of others.
static bool passesConditions(Operation *op) {
  if (op->getNumSuccessors() > 0)
    return llvm::any_of(op->getSuccessors(), [](Block *block) {
      return llvm::any_of(block->getArguments(), isCondition);
    });
  Operation *around = Flow::isOpen(op)      ? op
                      : Flow::endsBlock(op) ? op->getParentOp()
                                            : nullptr;
  return around && (llvm::any_of(around->getResults(), isCondition) ||
                    llvm::any_of(around->getRegions(), [](Region &region) {
                      return !region.empty() &&
                             llvm::any_of(region.getArguments(), isCondition);
                    }));
}

void Conditions::collectPasses(Operation *op, const Flow &flow) {
  if (!passesConditions(op))
    return;
  for (const Edge &edge : flow.edgesOf(op))
    for (const auto &[target, source] : edge.passes)
      if (isCondition(target))
        sources[target].push_back(source);
}

void Conditions::collectSides(Operation *branch, const Flow &flow) {
  if (auto op = dyn_cast<scf::IfOp>(branch))
    for (OpResult result : op.getResults())
      if (isCondition(result))
        sides[result] = {op.getCondition(),
                         op.thenYield().getOperand(result.getResultNumber()),
                         op.elseYield().getOperand(result.getResultNumber())};
  auto op = dyn_cast<cf::CondBranchOp>(branch);
  Block *end = op ? flow.endOfSides(branch) : nullptr;
  if (!end)
    return;
  for (BlockArgument argument : end->getArguments()) {
    auto passedOn = [&](unsigned side) {
      auto [last, index] = flow.lastOfSide(branch, side);
      return cast<BranchOpInterface>(last).getSuccessorOperands(
          index)[argument.getArgNumber()];
    };
    if (isCondition(argument) && passedOn(0) && passedOn(1))
      sides[argument] = {op.getCondition(), passedOn(0), passedOn(1)};
  }
}

//===----------------------------------------------------------------------===//
// Which are equal
//===----------------------------------------------------------------------===//

std::optional<Literal> Conditions::known(Value condition) const {
  if (!condition)
    return std::nullopt;
  if (auto constant = constantOf(condition))
    return constant;
  auto found = literals.find(condition);
  return found == literals.end() ? Literal{condition} : found->second;
}

/// A comparison of two i1, by the four rows of its table.
static Choice compare(arith::CmpIPredicate predicate, Literal a, Literal b) {
  auto row = [&](bool left) {
    auto holds = [&](bool right) {
      return arith::applyCmpPredicate(predicate, APInt(1, left),
                                      APInt(1, right));
    };
    if (holds(false) == holds(true))
      return Literal{Value(), holds(true)};
    return holds(true) ? b : !b;
  };
  return {a, row(true), row(false)};
}

/// nullopt: it is none, or what it is made of is not known yet.
std::optional<Choice> Conditions::choiceMade(Value condition) const {
  Operation *op = condition.getDefiningOp();
  SmallVector<std::optional<Literal>, 3> parts;
  if (auto found = sides.find(condition); found != sides.end())
    for (Value part : found->second)
      parts.push_back(known(part));
  else if (op && isLogic(op))
    for (Value operand : op->getOperands())
      parts.push_back(known(operand));
  if (parts.empty() || llvm::is_contained(parts, std::nullopt))
    return std::nullopt;
  if (parts.size() == 3)
    return Choice{*parts[0], *parts[1], *parts[2]};
  Literal a = *parts[0], b = *parts[1];
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison.getPredicate(), a, b);
  if (isa<arith::XOrIOp>(op))
    return Choice{a, !b, b};
  return isa<arith::AndIOp>(op) ? Choice{a, b, {Value(), false}}
                                : Choice{a, {Value(), true}, b};
}

/// The one literal that the choice always is; nullopt: it is none.
static std::optional<Literal> simplify(Choice &choice) {
  auto &[condition, then, otherwise] = choice;
  if (!condition.root)
    return condition.is ? then : otherwise;
  for (Literal *side : {&then, &otherwise})
    if (side->root == condition.root)
      *side = {Value(), (side->is == condition.is) == (side == &then)};
  if (then == otherwise)
    return then;
  if (then.root || otherwise.root)
    return std::nullopt;
  return then.is ? condition : !condition;
}

/// What all ways that are known so far pass on to it; nullopt: they differ.
std::optional<Literal> Conditions::passed(Value condition) const {
  std::optional<Literal> result;
  for (Value source : sources.lookup(condition)) {
    std::optional<Literal> literal = known(source);
    if (!source || (literal && result && *literal != *result))
      return std::nullopt;
    if (literal)
      result = literal;
  }
  return result;
}

/// What is defined in a region is not the same outside.
bool Conditions::isThere(Literal literal, Value condition) const {
  return !literal.root || dominance.dominates(literal.root.getParentBlock(),
                                              condition.getParentBlock());
}

/// By what is known of others in this round.
void Conditions::update(Value condition) {
  std::optional<Literal> literal;
  if (!isPassed(condition)) {
    std::optional<Choice> choice = choiceMade(condition);
    if (!choice)
      return;
    literal = simplify(*choice);
    choices[condition] = *choice;
  } else if (!merges.contains(condition)) {
    literal = passed(condition);
  }
  literals[condition] =
      literal && isThere(*literal, condition) ? *literal : Literal{condition};
}

/// Nothing but branches and loops says what it is.
bool Conditions::isPassed(Value condition) const {
  return sources.contains(condition) && !sides.contains(condition);
}

/// What was taken for granted is true of all that is passed on to it.
bool Conditions::isConfirmed(Value condition) const {
  Literal literal = literalOf(condition);
  return literal.root == condition ||
         llvm::all_of(sources.lookup(condition), [&](Value source) {
           return source && literalOf(source) == literal;
         });
}

/// Takes what is passed on to be always the same as far as that is known, and
/// looks again without what was wrong, until nothing was: what goes round a
/// loop is what went in if what comes back is that.
void Conditions::solve() {
  bool isConsistent = false;
  for (int round = 0; !isConsistent; ++round) {
    if (round == kRounds)
      for (const auto &[target, from] : sources)
        merges.insert(target);
    for (Value condition : order)
      literals[condition] = std::nullopt;
    llvm::for_each(order, [&](Value condition) { update(condition); });
    isConsistent = true;
    for (Value condition : order)
      if (isPassed(condition) && !isConfirmed(condition)) {
        merges.insert(condition);
        isConsistent = false;
      }
  }
}

void Conditions::index() {
  for (Value condition : order) {
    Literal literal = literalOf(condition);
    if (literal.root && literal.root != condition)
      names[literal.root].push_back(condition);
    const Choice *choice = choiceOf(condition);
    if (!choice)
      continue;
    for (Literal part : {choice->condition, choice->then, choice->otherwise})
      if (part.root)
        if (Values &all = users[part.root];
            all.empty() || all.back() != condition)
          all.push_back(condition);
  }
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Literal Conditions::literalOf(Value condition) const {
  return known(condition).value_or(Literal{condition});
}

const Choice *Conditions::choiceOf(Value root) const {
  auto found = choices.find(root);
  return found != choices.end() && literalOf(root) == Literal{root}
             ? &found->second
             : nullptr;
}

static ArrayRef<Value>
valuesIn(const llvm::DenseMap<Value, SmallVector<Value, 2>> &map, Value value) {
  auto found = map.find(value);
  return found == map.end() ? ArrayRef<Value>() : found->second;
}

ArrayRef<Value> Conditions::namesOf(Value root) const {
  return valuesIn(names, root);
}

ArrayRef<Value> Conditions::dependents(Value root) const {
  return valuesIn(users, root);
}

} // namespace tpu_mlir::verify_deallocation
