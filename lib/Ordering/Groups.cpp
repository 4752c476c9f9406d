//===- Groups.cpp - Ops that stand together in some best order ----------===//

#include "lib/Ordering/Groups.h"

#include "lib/Ordering/OpSet.h"

#include <algorithm>
#include <unordered_map>

namespace tpu_mlir::ordering {

/// Of more ops none is put together with others.
static constexpr size_t kMostGrouped = 1500;

namespace {

/// Ops in a row, or the end of a tensor with several readers, which has none.
struct Node {
  Order ops;
  /// Added to the level while it runs, and once it has.
  int64_t peak = 0, change = 0;
  /// Both are the same in all orders.
  bool isConstant = false;
  bool isGone = false;

  bool isFree() const { return ops.empty(); }
};

class Grouping {
public:
  Grouping(const Uses &uses, LiveSet &alive, const Order &ops);
  Groups run();

private:
  void addOps();
  void addFreeNodes();
  void connect();
  bool isConstant(int op) const;
  bool isPlain(int tensor, int op) const;
  int readersHere(int tensor) const;
  bool diesHere(int tensor) const;
  void insertEdge(int before, int after);
  bool fuseBehind(int v);
  bool fuseAhead(int u);
  bool orderTwins();
  bool orderTwins(int a, int b);
  bool shouldPrecede(int a, int b) const;
  void append(int u, int v);
  void remove(int node);
  Groups result() const;

  const Uses &uses;
  LiveSet &alive;
  const Order &ops;
  std::unordered_map<int, int> places; ///< Of ops, which are their nodes.
  std::vector<Node> nodes;
  std::vector<std::pair<int, int>> tensorEnds; ///< Tensor and node.
  /// What comes before and after each node in every order, and how many.
  std::vector<OpSet> before, after;
  std::vector<int> countBefore, countAfter;
};

} // namespace

Grouping::Grouping(const Uses &uses, LiveSet &alive, const Order &ops)
    : uses(uses), alive(alive), ops(ops) {
  for (size_t place = 0; place < ops.size(); ++place)
    places[ops[place]] = static_cast<int>(place);
}

//===----------------------------------------------------------------------===//
// Ops as numbers
//===----------------------------------------------------------------------===//

/// One writer, which has run before every order of the part, or comes before
/// the op in all of them.
bool Grouping::isPlain(int tensor, int op) const {
  const Tensor &facts = uses.problem.tensors[tensor];
  if (facts.writers.empty())
    return true;
  const int writer = facts.writers.front();
  const bool isOne = std::all_of(facts.writers.begin(), facts.writers.end(),
                                 [&](int other) { return other == writer; });
  if (!isOne || facts.fromStart)
    return false;
  if (writer == op || alive.hasRun(writer))
    return true;
  auto place = places.find(writer);
  return place != places.end() && before[places.at(op)].contains(place->second);
}

int Grouping::readersHere(int tensor) const {
  const std::vector<int> &writers = uses.problem.tensors[tensor].writers;
  int count = 0;
  for (int user : uses.users(tensor))
    count += places.count(user) != 0 &&
             std::find(writers.begin(), writers.end(), user) == writers.end();
  return count;
}

/// Its last user is in the part.
bool Grouping::diesHere(int tensor) const {
  const std::vector<int> &users = uses.users(tensor);
  return !uses.problem.tensors[tensor].toEnd &&
         std::all_of(users.begin(), users.end(), [&](int user) {
           return alive.hasRun(user) || places.count(user);
         });
}

bool Grouping::isConstant(int op) const {
  for (const Uses::Use &use : uses.of(op))
    if (!isPlain(use.tensor, op))
      return false;
  for (const InPlace &pair : uses.problem.ops[op].inPlace)
    if (readersHere(pair.dying) > 1 && diesHere(pair.dying))
      return false;
  return true;
}

void Grouping::insertEdge(int earlier, int later) {
  before[later] |= before[earlier];
  before[later].insert(earlier);
}

/// What each op needs is that in the order in which they stand.
void Grouping::addOps() {
  for (int op : ops) {
    const LiveSet::Step step = alive.look(op);
    Node node;
    node.ops = {op};
    node.peak = step.during - alive.level();
    node.change = step.after - alive.level();
    nodes.push_back(std::move(node));
    alive.run(op);
  }
  for (size_t i = ops.size(); i-- > 0;)
    alive.undo(ops[i]);
}

/// The op that freed such a tensor in this order did not.
void Grouping::addFreeNodes() {
  std::vector<int> tensors;
  for (int op : ops)
    for (const Uses::Use &use : uses.of(op))
      tensors.push_back(use.tensor);
  std::sort(tensors.begin(), tensors.end());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  for (int tensor : tensors) {
    if (readersHere(tensor) < 2 || !diesHere(tensor))
      continue;
    int last = -1;
    for (int user : uses.users(tensor))
      if (auto place = places.find(user); place != places.end())
        last = std::max(last, place->second);
    const int64_t size = uses.problem.tensors[tensor].size;
    nodes[last].change += size;
    nodes[last].peak = std::max(nodes[last].peak, nodes[last].change);
    Node node;
    node.change = -size;
    node.isConstant = true;
    tensorEnds.push_back({tensor, static_cast<int>(nodes.size())});
    nodes.push_back(std::move(node));
  }
}

void Grouping::connect() {
  const size_t count = nodes.size();
  before.assign(count, OpSet(count));
  after = before;
  for (size_t place = 0; place < ops.size(); ++place)
    for (int other : uses.after(ops[place]))
      if (auto found = places.find(other); found != places.end())
        insertEdge(found->second, static_cast<int>(place));
  for (auto [tensor, node] : tensorEnds)
    for (int user : uses.users(tensor))
      if (auto found = places.find(user); found != places.end())
        insertEdge(found->second, node);
  countBefore.assign(count, 0);
  countAfter.assign(count, 0);
  for (size_t a = 0; a < count; ++a)
    for (size_t b = 0; b < count; ++b)
      if (before[b].contains(static_cast<int>(a))) {
        after[a].insert(static_cast<int>(b));
        ++countBefore[b];
        ++countAfter[a];
      }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// u;v, under the name of u.
void Grouping::append(int u, int v) {
  Node &first = nodes[u];
  const Node &second = nodes[v];
  first.ops.insert(first.ops.end(), second.ops.begin(), second.ops.end());
  first.peak = std::max(first.peak, first.change + second.peak);
  first.change += second.change;
  first.isConstant = first.isConstant && second.isConstant;
}

void Grouping::remove(int node) {
  for (size_t other = 0; other < nodes.size(); ++other) {
    const int number = static_cast<int>(other);
    if (after[node].contains(number)) {
      before[other].erase(node);
      --countBefore[other];
    }
    if (before[node].contains(number)) {
      after[other].erase(node);
      --countAfter[other];
    }
  }
  nodes[node].isGone = true;
}

/// v goes right after the one node that is directly before it: that has one
/// less before it than v.
bool Grouping::fuseBehind(int v) {
  const Node &node = nodes[v];
  if (node.isGone || !node.isConstant || node.change > 0)
    return false;
  for (size_t other = 0; other < nodes.size(); ++other) {
    const int u = static_cast<int>(other);
    if (!before[v].contains(u) || countBefore[u] != countBefore[v] - 1)
      continue;
    // The end of a tensor is no more than what has been there.
    const bool fits =
        node.isFree() ||
        (nodes[u].isConstant && nodes[u].change + node.peak <= nodes[u].peak);
    if (!fits || nodes[u].isFree())
      return false;
    append(u, v);
    remove(v);
    return true;
  }
  return false;
}

/// u goes right before the one node that is directly after it.
bool Grouping::fuseAhead(int u) {
  const Node &node = nodes[u];
  if (node.isGone || node.isFree() || !node.isConstant || node.change < 0)
    return false;
  for (size_t other = 0; other < nodes.size(); ++other) {
    const int v = static_cast<int>(other);
    if (!after[u].contains(v) || countAfter[v] != countAfter[u] - 1)
      continue;
    if (nodes[v].isFree() || !nodes[v].isConstant ||
        node.peak > node.change + nodes[v].peak)
      return false;
    // Under the name of v: what is before it stays.
    append(u, v);
    nodes[v].ops = std::move(nodes[u].ops);
    nodes[v].peak = nodes[u].peak;
    nodes[v].change = nodes[u].change;
    remove(u);
    return true;
  }
  return false;
}

bool Grouping::shouldPrecede(int a, int b) const {
  const Node &x = nodes[a], &y = nodes[b];
  if (x.change <= 0 && y.change <= 0)
    return x.peak <= y.peak;
  return x.change >= 0 && y.change >= 0 &&
         x.peak - x.change >= y.peak - y.change;
}

bool Grouping::orderTwins(int a, int b) {
  if (countBefore[a] != countBefore[b] || countAfter[a] != countAfter[b] ||
      !nodes[a].isConstant || !nodes[b].isConstant ||
      !(before[a] == before[b]) || !(after[a] == after[b]))
    return false;
  if (!shouldPrecede(a, b))
    std::swap(a, b);
  if (!shouldPrecede(a, b))
    return false;
  before[b].insert(a);
  after[a].insert(b);
  ++countBefore[b];
  ++countAfter[a];
  return true;
}

bool Grouping::orderTwins() {
  std::vector<int> there;
  for (size_t node = 0; node < nodes.size(); ++node)
    if (!nodes[node].isGone && !nodes[node].isFree())
      there.push_back(static_cast<int>(node));
  bool hasChanged = false;
  for (size_t i = 0; i < there.size(); ++i)
    for (size_t j = i + 1; j < there.size(); ++j)
      hasChanged |= orderTwins(there[i], there[j]);
  return hasChanged;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

/// An edge that others imply is left out.
Groups Grouping::result() const {
  std::vector<int> there;
  for (size_t node = 0; node < nodes.size(); ++node)
    if (!nodes[node].isGone && !nodes[node].isFree())
      there.push_back(static_cast<int>(node));
  std::sort(there.begin(), there.end(), [&](int a, int b) {
    return nodes[a].ops.front() < nodes[b].ops.front();
  });
  Groups all;
  for (int node : there) {
    OpSet implied(nodes.size());
    for (int other : there)
      if (before[node].contains(other))
        implied |= before[other];
    all.groups.push_back(nodes[node].ops);
    all.after.emplace_back();
    for (size_t other = 0; other < there.size(); ++other)
      if (before[node].contains(there[other]) &&
          !implied.contains(there[other]))
        all.after.back().push_back(static_cast<int>(other));
  }
  return all;
}

Groups Grouping::run() {
  addOps();
  addFreeNodes();
  connect();
  for (size_t place = 0; place < ops.size(); ++place)
    nodes[place].isConstant = isConstant(ops[place]);
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (size_t node = 0; node < nodes.size(); ++node) {
      hasChanged |= fuseBehind(static_cast<int>(node));
      hasChanged |= fuseAhead(static_cast<int>(node));
    }
    hasChanged |= orderTwins();
  }
  return result();
}

/// Each op by itself.
static Groups singles(const Uses &uses, const Order &ops) {
  Order sorted = ops;
  std::sort(sorted.begin(), sorted.end());
  std::unordered_map<int, int> places;
  Groups all;
  for (int op : sorted) {
    places[op] = static_cast<int>(all.groups.size());
    all.groups.push_back({op});
    all.after.emplace_back();
    for (int before : uses.after(op))
      if (auto found = places.find(before); found != places.end())
        all.after.back().push_back(found->second);
  }
  return all;
}

Groups groupOps(const Uses &uses, LiveSet &alive, const Order &ops) {
  return ops.size() > kMostGrouped ? singles(uses, ops)
                                   : Grouping(uses, alive, ops).run();
}

} // namespace tpu_mlir::ordering
