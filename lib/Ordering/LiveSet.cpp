//===- LiveSet.cpp - Maintain what is alive -------------------------------===//
//
// Running or undoing an op changes the live bytes in time linear in its
// operands.
//
//===----------------------------------------------------------------------===//

#include "lib/Ordering/LiveSet.h"

#include <algorithm>

namespace tpu_mlir::ordering {

static std::vector<int> sortedOnce(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Uses::Uses(const OrderProblem &problem)
    : problem(problem), uses(problem.ops.size()),
      byTensor(problem.tensors.size()), successors(problem.ops.size()),
      predecessors(problem.ops.size()) {
  for (size_t number = 0; number < problem.tensors.size(); ++number) {
    const Tensor &tensor = problem.tensors[number];
    const std::vector<int> writers = sortedOnce(tensor.writers);
    std::vector<int> all = writers;
    all.insert(all.end(), tensor.readers.begin(), tensor.readers.end());
    byTensor[number] = sortedOnce(std::move(all));
    for (int op : byTensor[number])
      uses[op].push_back(
          {static_cast<int>(number),
           std::binary_search(writers.begin(), writers.end(), op)});
  }
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    predecessors[op] = sortedOnce(problem.ops[op].after);
    for (int before : predecessors[op])
      successors[before].push_back(static_cast<int>(op));
  }
}

bool Uses::mayBeInPlace(int op, int tensor) const {
  const std::vector<InPlace> &all = problem.ops[op].inPlace;
  return std::any_of(all.begin(), all.end(),
                     [&](const InPlace &pair) { return pair.made == tensor; });
}

LiveSet::LiveSet(const Uses &uses)
    : uses(uses), states(uses.problem.tensors.size()),
      done(uses.problem.ops.size()) {
  for (size_t number = 0; number < states.size(); ++number) {
    states[number] = {
        static_cast<int>(uses.users(static_cast<int>(number)).size()), 0};
    if (isAlive(static_cast<int>(number)))
      bytes += uses.problem.tensors[number].size;
  }
}

bool LiveSet::isAlive(int tensor) const {
  const Tensor &facts = uses.problem.tensors[tensor];
  const State &state = states[tensor];
  return (facts.fromStart || state.writersRun > 0) &&
         (facts.toEnd || state.usersLeft > 0);
}

/// Each tensor that dies gives its place to one, the first that fits.
int64_t LiveSet::savedInPlace(int op) const {
  std::vector<InPlace> taken;
  int64_t saved = 0;
  for (const auto &[dying, made] : uses.problem.ops[op].inPlace) {
    const Tensor &old = uses.problem.tensors[dying];
    const int64_t size = uses.problem.tensors[made].size;
    if (old.toEnd || states[dying].usersLeft != 1 || !isAlive(dying) ||
        isAlive(made) || size > old.size)
      continue;
    const bool isTaken = std::any_of(
        taken.begin(), taken.end(), [dying = dying, made = made](auto pair) {
          return pair.dying == dying || pair.made == made;
        });
    if (isTaken)
      continue;
    taken.push_back({dying, made});
    saved += size;
  }
  return saved;
}

LiveSet::Step LiveSet::look(int op) const {
  int64_t made = 0, freed = 0;
  for (const auto &[number, writes] : uses.of(op)) {
    const Tensor &tensor = uses.problem.tensors[number];
    const bool isMade = writes && !isAlive(number);
    if (isMade)
      made += tensor.size;
    if (!tensor.toEnd && states[number].usersLeft == 1 &&
        (isMade || isAlive(number)))
      freed += tensor.size;
  }
  const int64_t during = bytes + made + uses.problem.ops[op].scratch;
  return {during -
              (uses.problem.ops[op].inPlace.empty() ? 0 : savedInPlace(op)),
          bytes + made - freed};
}

void LiveSet::move(int op, int by) {
  for (const auto &[number, writes] : uses.of(op)) {
    const int64_t size = uses.problem.tensors[number].size;
    bytes -= isAlive(number) ? size : 0;
    states[number].usersLeft -= by;
    states[number].writersRun += writes ? by : 0;
    bytes += isAlive(number) ? size : 0;
  }
}

void LiveSet::run(int op) {
  move(op, 1);
  done[op] = true;
}

void LiveSet::undo(int op) {
  move(op, -1);
  done[op] = false;
}

} // namespace tpu_mlir::ordering
