//===- Facts.cpp - What a world knows of conditions -----------------------===//

#include "lib/Analysis/Memref/Deallocation/Model/Worlds.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

/// How many conditions are looked at for one, and blocks up from an allocation.
static constexpr int kSteps = 64;
static constexpr int kDepth = 16;

std::optional<bool> Worlds::fact(const World &world, Value root) const {
  int id = names.find(root);
  auto found = llvm::lower_bound(world.facts, 2 * id);
  if (id < 0 || found == world.facts.end() || *found / 2 != id)
    return std::nullopt;
  return *found % 2 != 0;
}

std::optional<bool> Worlds::truth(const World &world, Literal literal,
                                  int &steps) const {
  if (!literal.root)
    return literal.is;
  if (auto is = fact(world, literal.root))
    return *is == literal.is;
  const Choice *choice = names.conditions().choiceOf(literal.root);
  if (!choice || ++steps > kSteps)
    return std::nullopt;
  std::optional<bool> result;
  if (auto condition = truth(world, choice->condition, steps)) {
    result = truth(world, *condition ? choice->then : choice->otherwise, steps);
  } else {
    result = truth(world, choice->then, steps);
    if (result && result != truth(world, choice->otherwise, steps))
      return std::nullopt;
  }
  return result ? std::optional(*result == literal.is) : std::nullopt;
}

std::optional<bool> Worlds::truth(const World &world, Literal literal) const {
  int steps = 0;
  return truth(world, literal, steps);
}

std::optional<bool> Worlds::truth(const World &world, Value value) const {
  if (!value || !value.getType().isInteger(1))
    return std::nullopt;
  return truth(world, names.conditions().literalOf(value));
}

/// What has to be true as a choice is what it is.
void Worlds::infer(const World &world, Value root,
                   SmallVectorImpl<Literal> &found) const {
  const Choice *choice = names.conditions().choiceOf(root);
  std::optional<bool> is = truth(world, Literal{root});
  if (!choice || !is)
    return;
  auto differs = [&](Literal side) {
    std::optional<bool> other = truth(world, side);
    return other && *other != *is;
  };
  std::optional<bool> condition = truth(world, choice->condition);
  if (!condition && differs(choice->otherwise))
    condition = true;
  else if (!condition && differs(choice->then))
    condition = false;
  if (!condition)
    return;
  auto isTrue = [](Literal literal, bool is) {
    return is ? literal : !literal;
  };
  found.push_back(isTrue(choice->condition, *condition));
  found.push_back(isTrue(*condition ? choice->then : choice->otherwise, *is));
}

/// By what is made of a condition that is known now.
void Worlds::inferFrom(const World &world, Value root,
                       SmallVectorImpl<Literal> &found) const {
  SmallVector<Value> open = {root};
  for (int steps = 0; !open.empty();)
    for (Value other : names.conditions().dependents(open.pop_back_val())) {
      if (++steps > kSteps)
        return;
      if (fact(world, other))
        infer(world, other, found);
      else if (truth(world, Literal{other}))
        open.push_back(other);
    }
}

/// With all that follows. False when it cannot be.
bool Worlds::learn(World &world, Literal literal) {
  SmallVector<Literal> open = {literal};
  for (int steps = 0; !open.empty() && steps < kSteps; ++steps) {
    Literal at = open.pop_back_val();
    if (auto known = truth(world, at)) {
      if (!*known)
        return false;
      continue;
    }
    insertOnce(world.facts, 2 * names.idOf(at.root) + at.is);
    infer(world, at.root, open);
    inferFrom(world, at.root, open);
  }
  return true;
}

bool Worlds::learn(World &world, Value value, bool is) {
  Literal literal = names.conditions().literalOf(value);
  return learn(world, is ? literal : !literal);
}

/// What goes along an edge is what it becomes, be that known by another name.
/// False when the edge cannot be taken.
bool Worlds::learnPasses(World &world, const Edge &edge) {
  for (const auto &[target, source] : edge.passes) {
    if (!source || !source.getType().isInteger(1))
      continue;
    Literal literal = names.conditions().literalOf(target);
    if (edge.defines(literal.root))
      continue;
    if (auto is = truth(world, source)) {
      if (!learn(world, *is ? literal : !literal))
        return false;
    } else if (auto is = truth(world, literal)) {
      learn(world, source, *is);
    }
  }
  return true;
}

/// What holds wherever the op runs: the branches that alone lead to it.
void Worlds::learnAround(World &world, Operation *op) {
  for (int steps = 0; steps < kDepth; ++steps) {
    Block *block = flow.headOf(flow.pointOf(op).chain);
    Operation *via = nullptr;
    if (Block *before = block->getSinglePredecessor())
      via = before->getTerminator();
    else if (block->isEntryBlock() && flow.contains(block->getParentOp()))
      via = block->getParentOp();
    if (!via)
      return;
    std::optional<bool> when;
    int ways = 0;
    if (Flow::conditionOf(via))
      for (const Edge &edge : flow.edgesOf(via))
        if (edge.at == &block->front()) {
          when = edge.when;
          ++ways;
        }
    if (ways == 1 && when)
      learn(world, Flow::conditionOf(via), *when);
    op = via;
  }
}

//===----------------------------------------------------------------------===//
// Along an edge
//===----------------------------------------------------------------------===//

/// Somebody asks for it later, and means what it is now.
bool Worlds::stays(const World &next, const Edge &edge, Value root) {
  return !edge.defines(root) && names.isLive(names.idOf(root), next.point);
}

/// Nobody asks for it any more, but for two conditions of which it says
/// something, and neither is known.
bool Worlds::bindsOthers(const World &world, const World &next,
                         const Edge &edge, Value root) {
  const Choice *choice = names.conditions().choiceOf(root);
  if (!choice)
    return false;
  SmallVector<Value, 3> unknown;
  for (Literal part : {choice->condition, choice->then, choice->otherwise}) {
    if (truth(world, part) || llvm::is_contained(unknown, part.root))
      continue;
    if (!stays(next, edge, part.root))
      return false;
    unknown.push_back(part.root);
  }
  return unknown.size() > 1;
}

/// To what was made of it, and is asked for later.
void Worlds::handOn(const World &world, World &next, const Edge &edge,
                    Value root) {
  SmallVector<Value> open = {root};
  for (int steps = 0; !open.empty();)
    for (Value other : names.conditions().dependents(open.pop_back_val())) {
      if (++steps > kDepth)
        return;
      if (!stays(next, edge, other))
        open.push_back(other);
      else if (auto is = truth(world, Literal{other}))
        insertOnce(next.facts, 2 * names.idOf(other) + *is);
    }
}

void Worlds::passFacts(const World &world, World &next, const Edge &edge) {
  for (int fact : world.facts) {
    Value root = names[fact / 2];
    if (stays(next, edge, root) || bindsOthers(world, next, edge, root))
      insertOnce(next.facts, fact);
    else
      handOn(world, next, edge, root);
  }
  for (const auto &[target, source] : edge.passes)
    if (!target.use_empty() && target.getType().isInteger(1))
      // What is equal to something else is known by that.
      if (names.conditions().literalOf(target).root == target)
        if (auto is = truth(world, source))
          if (int id = names.idOf(target); names.isLive(id, next.point))
            insertOnce(next.facts, 2 * id + *is);
}

} // namespace tpu_mlir::verify_deallocation
