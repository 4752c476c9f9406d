//===- Trees.cpp - Best orders of trees ---------------------------------===//

#include "lib/Ordering/Trees.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tpu_mlir::ordering {

namespace {

/// A piece of the order of a subtree: up to its hill, and down to its valley.
/// Both are above what was alive before the subtree began.
struct Segment {
  int64_t hill, valley;
  int first, last; ///< Nodes; others are chained between them.
};
using Row = std::vector<Segment>;

/// The problem without all but one use of what an op makes. Nodes are ops, and
/// after them what is alive from the beginning.
class Forest {
public:
  Forest(const Uses &uses, bool prefersLast);
  TreeOrder run();

private:
  struct Node {
    int64_t peak = 0, change = 0; ///< Added while it runs, and after it.
    std::optional<int> reader;
  };
  void addOp(int op);
  void addInput(int tensor);
  std::optional<int> chooseReader(const std::vector<int> &tensors,
                                  int firstUser) const;
  void append(Row &row, Segment segment);
  Row solve();
  Order orderOf(const Row &row) const;

  const Uses &uses;
  const bool prefersLast;
  std::vector<Node> nodes;
  std::vector<int> next; ///< In the order of a segment; -1: its last node.
  int64_t pinned = 0;
};

} // namespace

static bool hasOneWriter(const Tensor &tensor) {
  return !tensor.fromStart && !tensor.writers.empty() &&
         std::all_of(tensor.writers.begin(), tensor.writers.end(),
                     [&](int op) { return op == tensor.writers.front(); });
}

Forest::Forest(const Uses &uses, bool prefersLast)
    : uses(uses), prefersLast(prefersLast), nodes(uses.problem.ops.size()) {
  for (size_t op = 0; op < uses.problem.ops.size(); ++op)
    addOp(static_cast<int>(op));
  for (size_t tensor = 0; tensor < uses.problem.tensors.size(); ++tensor)
    if (uses.problem.tensors[tensor].fromStart)
      addInput(static_cast<int>(tensor));
  next.assign(nodes.size(), -1);
}

/// That of the most bytes, of those from `firstUser` on.
std::optional<int> Forest::chooseReader(const std::vector<int> &tensors,
                                        int firstUser) const {
  std::map<int, int64_t> bytes;
  for (int tensor : tensors)
    for (int user : uses.users(tensor))
      if (user >= firstUser)
        bytes[user] += uses.problem.tensors[tensor].size;
  std::optional<int> best;
  for (auto [reader, sum] : bytes)
    if (!best || sum > bytes[*best] || (sum == bytes[*best] && prefersLast))
      best = reader;
  return best;
}

/// What it makes and nobody reads any more is there while it runs; what it has
/// to keep to the end stays.
void Forest::addOp(int op) {
  std::vector<int> made;
  for (const Uses::Use &use : uses.of(op))
    if (use.writes && hasOneWriter(uses.problem.tensors[use.tensor]))
      made.push_back(use.tensor);
  const std::optional<int> reader = chooseReader(made, op + 1);
  nodes[op].reader = reader;
  nodes[op].peak = uses.problem.ops[op].scratch;
  for (int tensor : made) {
    const Tensor &facts = uses.problem.tensors[tensor];
    const std::vector<int> &users = uses.users(tensor);
    const bool isRead =
        reader && std::binary_search(users.begin(), users.end(), *reader);
    if (!uses.mayBeInPlace(op, tensor))
      nodes[op].peak += facts.size;
    if (isRead || facts.toEnd)
      nodes[op].change += facts.size;
    if (isRead && !facts.toEnd)
      nodes[*reader].change -= facts.size;
  }
}

/// Made by a node of its own, any time before its reader: less than it is.
void Forest::addInput(int tensor) {
  const Tensor &facts = uses.problem.tensors[tensor];
  if (uses.users(tensor).empty() && !facts.toEnd)
    return;
  if (facts.toEnd) {
    pinned += facts.size;
    return;
  }
  const std::optional<int> reader = chooseReader({tensor}, 0);
  nodes[*reader].change -= facts.size;
  nodes.push_back({facts.size, facts.size, reader});
}

/// Hills fall and valleys rise, or segments become one.
void Forest::append(Row &row, Segment segment) {
  while (!row.empty() && (segment.hill >= row.back().hill ||
                          segment.valley <= row.back().valley)) {
    segment.hill = std::max(segment.hill, row.back().hill);
    next[row.back().last] = segment.first;
    segment.first = row.back().first;
    row.pop_back();
  }
  row.push_back(segment);
}

/// By falling height of hill over valley, which keeps the order of each row.
static Row merged(const std::vector<Row> &rows) {
  Row all; // Above what was there before the segment.
  for (const Row &row : rows) {
    int64_t level = 0;
    for (const Segment &segment : row) {
      all.push_back({segment.hill - level, segment.valley - level,
                     segment.first, segment.last});
      level = segment.valley;
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Segment &a, const Segment &b) {
                     return a.hill - a.valley > b.hill - b.valley;
                   });
  int64_t level = 0;
  for (Segment &segment : all) {
    segment.hill += level;
    level = segment.valley += level;
  }
  return all;
}

/// The row of all trees together.
Row Forest::solve() {
  std::vector<std::vector<Row>> below(nodes.size() + 1);
  const auto finish = [&](size_t number, Row row) {
    const std::optional<int> reader = nodes[number].reader;
    below[reader ? size_t(*reader) : nodes.size()].push_back(std::move(row));
  };
  const auto join = [&](const std::vector<Row> &rows) {
    Row row;
    for (const Segment &segment : merged(rows))
      append(row, segment);
    return row;
  };
  const auto run = [&](size_t number) {
    std::vector<Row> &rows = below[number];
    Row row = rows.size() == 1 ? std::move(rows.front()) : join(rows);
    rows.clear();
    const int64_t level = row.empty() ? 0 : row.back().valley;
    const Node &node = nodes[number];
    append(row, {level + std::max(node.peak, node.change), level + node.change,
                 static_cast<int>(number), static_cast<int>(number)});
    finish(number, std::move(row));
  };
  const size_t ops = uses.problem.ops.size();
  for (size_t input = ops; input < nodes.size(); ++input)
    run(input);
  for (size_t op = 0; op < ops; ++op)
    run(op);
  return join(below.back());
}

/// Ops that have to come before come first, in their turn.
Order Forest::orderOf(const Row &row) const {
  std::vector<int> wanted;
  for (const Segment &segment : row)
    for (int node = segment.first; node >= 0; node = next[node])
      if (node < static_cast<int>(uses.problem.ops.size()))
        wanted.push_back(node);
  std::vector<char> state(uses.problem.ops.size()); // 1: entered, 2: done.
  Order order;
  for (int first : wanted) {
    std::vector<int> open = {first};
    while (!open.empty()) {
      const int op = open.back();
      if (state[op] == 0) {
        state[op] = 1;
        for (int before : uses.after(op))
          if (state[before] == 0)
            open.push_back(before);
        continue;
      }
      open.pop_back();
      if (std::exchange(state[op], 2) == 1)
        order.push_back(op);
    }
  }
  return order;
}

TreeOrder Forest::run() {
  const Row row = solve();
  int64_t bound = 0;
  for (const Segment &segment : row)
    bound = std::max(bound, segment.hill);
  return {pinned + bound, orderOf(row)};
}

std::array<TreeOrder, 2> treeOrders(const Uses &uses) {
  return {Forest(uses, false).run(), Forest(uses, true).run()};
}

} // namespace tpu_mlir::ordering
