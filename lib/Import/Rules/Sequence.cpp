//===- Sequence.cpp - Recurrent layers ------------------------------------===//

#include "lib/Import/Rule.h"

namespace tpu_mlir::importer {

namespace {

/// What LSTM, GRU and RNN have in common. Operands: X, W, R, B,
/// sequence_lens, initial_h.
struct Sequence {
  int64_t hidden, steps, batch, directions;
  bool isReverse, batchFirst;
};

} // namespace

static Shape stateShape(const Sequence &sequence) {
  return sequence.batchFirst
             ? Shape{sequence.batch, sequence.directions, sequence.hidden}
             : Shape{sequence.directions, sequence.batch, sequence.hidden};
}

/// A refusal of lengths in operand 4 that are not all `steps`.
static void requireLengths(const NodeContext &node, int64_t steps) {
  const Shape lengths = node.wholes(4);
  for (int64_t length : lengths) {
    node.require(length == lengths[0], "sequences of several lengths");
    node.require(length == steps, "sequences of " + llvm::Twine(length) +
                                      " steps in an input of " +
                                      llvm::Twine(steps));
  }
}

static Sequence readSequence(NodeContext &node, int64_t gates) {
  std::string direction = node.text("direction", "forward");
  // The default of GRU in opset 1.
  if (direction == "foward")
    direction = "forward";
  const bool batchFirst = node.integer("layout") != 0;
  node.require(direction == "forward" || direction == "reverse" ||
                   direction == "bidirectional",
               "direction '" + direction + "' is not known");
  node.require(node.rank() == 3 && node.rank(2) == 3, "[steps, batch, in] and "
                                                      "weights are expected");
  Sequence sequence{node.integer("hidden_size", node.shape(2)[2]),
                    node.shape()[batchFirst ? 1 : 0],
                    node.shape()[batchFirst ? 0 : 1],
                    direction == "bidirectional" ? 2 : 1,
                    direction == "reverse",
                    batchFirst};
  const int64_t count = sequence.directions, hidden = sequence.hidden;
  node.require(hidden >= 1 && hidden <= 1 << 20,
               "'hidden_size' makes no sense");
  node.require(node.shape(1) == Shape{count, gates * hidden, node.shape()[2]} &&
                   node.shape(2) == Shape{count, gates * hidden, hidden},
               "the weights do not fit the input");
  node.require(!node.has(3) ||
                   node.shape(3) == Shape{count, 2 * gates * hidden},
               "the bias does not fit");
  // A length for each of a batch that is all of it says nothing.
  node.require(!node.has(4) || node.shape(4) == Shape{sequence.batch},
               "a length for each of the batch is expected");
  if (node.has(4))
    requireLengths(node, sequence.steps);
  for (unsigned state : {5u, 6u})
    node.require(!node.has(state) || node.shape(state) == stateShape(sequence),
                 "operand " + llvm::Twine(state) + " is no state of it");
  return sequence;
}

/// Those of each direction; empty: nothing is said.
static std::vector<std::string> activationsOf(NodeContext &node) {
  auto found = node.node.attributes.find("activations");
  if (found == node.node.attributes.end())
    return {};
  const auto *list = std::get_if<std::vector<std::string>>(&found->second);
  node.require(list, "'activations' makes no sense");
  return *list;
}

/// Whether the layer LSTM or GRU computes it: these activations, and none of
/// their sums is cut off.
static bool isPlain(NodeContext &node, llvm::ArrayRef<llvm::StringRef> known) {
  const std::vector<std::string> list = activationsOf(node);
  node.require(list.size() % known.size() == 0, "'activations' makes no sense");
  for (size_t i = 0; i < list.size(); ++i)
    if (!llvm::StringRef(list[i]).equals_insensitive(known[i % known.size()]))
      return false;
  return !node.hasAttribute("clip");
}

/// From the end: one direction, its steps the other way round.
static Value turned(NodeContext &node, const Sequence &sequence,
                    const Value &value) {
  const int64_t axis = sequence.batchFirst ? 1 : 0;
  return sequence.isReverse
             ? node.layer("Reverse", {value}, value.shape, {{"axis", axis}})
             : value;
}

static Shape allShape(const Sequence &sequence) {
  return sequence.batchFirst ? Shape{sequence.batch, sequence.steps,
                                     sequence.directions, sequence.hidden}
                             : Shape{sequence.steps, sequence.directions,
                                     sequence.batch, sequence.hidden};
}

static void giveAll(NodeContext &node, const Sequence &sequence,
                    const std::vector<Value> &results) {
  for (unsigned i = 0; i < results.size(); ++i)
    if (results[i].id >= 0)
      node.give(i, i == 0 ? turned(node, sequence, results[0]) : results[i],
                node.type());
}

/// A shape for each result that somebody reads.
static std::vector<std::optional<Shape>> resultShapes(const NodeContext &node,
                                                      const Sequence &sequence,
                                                      unsigned count) {
  std::vector<std::optional<Shape>> shapes(count);
  for (unsigned i = 0; i < count; ++i)
    if (node.wants(i))
      shapes[i] = i == 0 ? allShape(sequence) : stateShape(sequence);
  return shapes;
}

//===----------------------------------------------------------------------===//
// Step by step
//===----------------------------------------------------------------------===//

namespace {

/// One direction of a node while its steps are laid out, where no layer means
/// the same. Numbers of all gates are side by side: [rows, gates * hidden].
struct Cell {
  NodeContext &node;
  const Sequence &sequence;
  int64_t direction;
  std::vector<std::string> activations;          ///< Of this direction.
  std::vector<std::optional<Value>> states = {}; ///< nullopt: zeros.
  Value weights = {}, recurrence = {};
  std::optional<Value> biases = {}; ///< Rows: of the input and of the state.
  std::optional<Value> bias = {};   ///< Their sum.

  void read(unsigned stateCount);

  /// Of an operand what is there for the direction, `dimension` of it.
  Value of(unsigned operand, int64_t dimension = 0) {
    const Value all = node.in(operand);
    return sequence.directions == 1
               ? all
               : node.slice(all, dimension, direction, direction + 1);
  }
  /// Turned: what a row is multiplied with.
  Value columns(unsigned operand) {
    const Value one = of(operand);
    return node.permute(node.reshape(one, {one.shape[1], one.shape[2]}),
                        {1, 0});
  }
  Value gate(const Value &all, int64_t index) {
    return node.slice(all, 1, index * sequence.hidden,
                      (index + 1) * sequence.hidden);
  }
  Value plus(const Value &x, const Value &y) {
    return node.binary("Add", x, y);
  }
  Value times(const Value &x, const Value &y) {
    return node.binary("Mul", x, y);
  }
  /// 1 - x
  Value rest(const Value &x) {
    return node.withConst("AddConst", node.withConst("MulConst", x, -1), 1);
  }
  /// x W + h R + Wb + Rb
  Value sums(const Value &x) {
    Value sum = node.matmul(x, weights);
    if (states[0])
      sum = plus(sum, node.matmul(*states[0], recurrence));
    return bias ? plus(sum, *bias) : sum;
  }
  Value activate(Value sum, size_t index);
};

} // namespace

void Cell::read(unsigned stateCount) {
  weights = columns(1);
  recurrence = columns(2);
  if (node.has(3))
    biases = node.reshape(of(3), {2, node.shape(3)[1] / 2});
  for (unsigned operand = 5; operand < 5 + stateCount; ++operand) {
    states.emplace_back();
    if (node.has(operand))
      states.back() = node.reshape(of(operand, sequence.batchFirst ? 1 : 0),
                                   {sequence.batch, sequence.hidden});
  }
}

Value Cell::activate(Value sum, size_t index) {
  if (node.hasAttribute("clip")) {
    const double edge = node.real("clip");
    sum = node.unary("Clip", sum, {{"min", -edge}, {"max", edge}});
  }
  const llvm::StringRef activation = activations[index];
  if (activation.equals_insensitive("Relu"))
    return node.unary("Relu", sum, {{"relu_limit", -1.0}});
  for (llvm::StringRef op : {"Tanh", "Softplus", "Softsign"})
    if (activation.equals_insensitive(op))
      return node.unary(op, sum);
  node.require(activation.equals_insensitive("Sigmoid"),
               "activation '" + activation + "' is not known here");
  return node.unary("Sigmoid", sum,
                    {{"scale", 1.0}, {"bias", 0.0}, {"log", false}});
}

/// h' = f(x W + h R + Wb + Rb)
static void stepRNN(Cell &cell, const Value &x) {
  cell.states[0] = cell.activate(cell.sums(x), 0);
}

/// Gates i, o, f and c, of which the first three look through peepholes at C,
/// or at C': C' = f C + i c and h' = o h(C').
static void stepLSTM(Cell &cell, const Value &x) {
  const Value all = cell.sums(x);
  const std::optional<Value> before = cell.states[1];
  const auto gate = [&](int64_t index, const std::optional<Value> &seen) {
    Value sum = cell.gate(all, index);
    if (seen && cell.node.has(7))
      sum = cell.plus(sum, cell.times(*seen, cell.gate(cell.of(7), index)));
    return cell.activate(sum, 0);
  };
  const Value i = gate(0, before);
  Value now = cell.times(i, cell.activate(cell.gate(all, 3), 1));
  if (before) {
    const Value f =
        cell.node.flag("input_forget") ? cell.rest(i) : gate(2, before);
    now = cell.plus(now, cell.times(f, *before));
  }
  const Value o = gate(1, now);
  cell.states = {cell.times(o, cell.activate(now, 2)), now};
}

/// Gates z, r and h: h' = (1 - z) c + z h, where c is made of r h, or of r and
/// what is made of h.
static void stepGRU(Cell &cell, const Value &x) {
  NodeContext &node = cell.node;
  if (!cell.states[0]) {
    const Shape shape = {cell.sequence.batch, cell.sequence.hidden};
    node.requireFew(shape);
    cell.states[0] = node.weight(
        "zeros", shape, std::vector<float>(node.elements(shape), 0.0f));
  }
  const Value h = *cell.states[0];
  const auto withBias = [&](const Value &sum, int64_t row, int64_t gate) {
    if (!cell.biases)
      return sum;
    const Value bias = node.slice(*cell.biases, 0, row, row + 1);
    return cell.plus(sum, gate < 0 ? bias : cell.gate(bias, gate));
  };
  const Value ofX = withBias(node.matmul(x, cell.weights), 0, -1),
              ofH = withBias(node.matmul(h, cell.recurrence), 1, -1);
  const auto gate = [&](int64_t index) {
    return cell.activate(
        cell.plus(cell.gate(ofX, index), cell.gate(ofH, index)), 0);
  };
  const Value z = gate(0), r = gate(1);
  const Value last = node.flag("linear_before_reset")
                         ? cell.times(r, cell.gate(ofH, 2))
                         : withBias(node.matmul(cell.times(r, h),
                                                cell.gate(cell.recurrence, 2)),
                                    1, 2);
  const Value c = cell.activate(cell.plus(cell.gate(ofX, 2), last), 1);
  cell.states[0] = cell.plus(cell.times(cell.rest(z), c), cell.times(z, h));
}

/// The activations of a direction: those of the file, or else these.
static std::vector<std::string>
activationsOf(NodeContext &node, int64_t directions, int64_t direction,
              llvm::ArrayRef<llvm::StringRef> absent) {
  const std::vector<std::string> list = activationsOf(node);
  if (list.empty())
    return {absent.begin(), absent.end()};
  const auto count = static_cast<int64_t>(absent.size());
  // Where a file has none of an RNN there is one of the schema, which has two.
  node.require(int64_t(list.size()) >= directions * count,
               "'activations' makes no sense");
  return {list.begin() + direction * count,
          list.begin() + (direction + 1) * count};
}

/// What is laid out of a sequence: a result for each step, and the last states.
struct Laid {
  std::vector<Value> all;
  std::vector<std::vector<Value>> last; ///< Of each state, by direction.
};

static void layDirection(Cell &cell, void (*step)(Cell &, const Value &),
                         Laid &laid) {
  NodeContext &node = cell.node;
  const Sequence &sequence = cell.sequence;
  const bool isReverse = sequence.isReverse || cell.direction == 1;
  const int64_t axis = sequence.batchFirst ? 1 : 0;
  Shape one = allShape(sequence), state = stateShape(sequence);
  one[axis] = one[axis + 1] = state[axis] = 1;
  std::vector<Value> rows(sequence.steps);
  for (int64_t i = 0; i < sequence.steps; ++i) {
    const int64_t at = isReverse ? sequence.steps - 1 - i : i;
    const Value x = node.in(0);
    step(cell, node.reshape(node.slice(x, axis, at, at + 1),
                            {sequence.batch, x.shape[2]}));
    rows[at] = *cell.states[0];
  }
  for (Value &row : rows)
    row = node.reshape(row, one);
  laid.all.push_back(rows.size() == 1 ? rows[0] : node.concat(rows, axis));
  laid.last.resize(cell.states.size());
  for (size_t i = 0; i < cell.states.size(); ++i)
    laid.last[i].push_back(node.reshape(*cell.states[i], state));
}

static void giveSteps(NodeContext &node, const Sequence &sequence,
                      llvm::ArrayRef<llvm::StringRef> activations,
                      unsigned states, void (*step)(Cell &, const Value &)) {
  node.require(sequence.steps >= 1 && sequence.steps <= 1 << 10,
               llvm::Twine(sequence.steps) +
                   " steps, as layers of their own 1 to 1024");
  Laid laid;
  for (int64_t direction = 0; direction < sequence.directions; ++direction) {
    Cell cell{node, sequence, direction,
              activationsOf(node, sequence.directions, direction, activations)};
    cell.read(states);
    if (cell.biases && step != stepGRU)
      cell.bias = node.reduce("ReduceSum", *cell.biases, {0}, true);
    layDirection(cell, step, laid);
  }
  const auto joined = [&](const std::vector<Value> &pieces, int64_t axis) {
    return pieces.size() == 1 ? pieces[0] : node.concat(pieces, axis);
  };
  // Dimensions of all states; of the last ones that of directions is `axis`.
  const int64_t axis = sequence.batchFirst ? 1 : 0;
  if (node.wants(0))
    node.give(0, joined(laid.all, axis + 1), node.type());
  for (unsigned i = 0; i < states; ++i)
    if (node.wants(i + 1))
      node.give(i + 1, joined(laid.last[i], axis), node.type());
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void buildLSTM(NodeContext &node) {
  const llvm::StringRef activations[] = {"Sigmoid", "Tanh", "Tanh"};
  const Sequence sequence = readSequence(node, 4);
  node.require(!node.has(7) || node.shape(7) == Shape{sequence.directions,
                                                      3 * sequence.hidden},
               "the peepholes do not fit");
  if (!isPlain(node, activations) || node.has(7) || node.flag("input_forget"))
    return giveSteps(node, sequence, activations, 2, stepLSTM);
  giveAll(node, sequence,
          node.layers("LSTM",
                      {turned(node, sequence, node.in(0)),
                       node.in(1),
                       node.in(2),
                       node.optional(3),
                       node.optional(5),
                       node.optional(6),
                       {}},
                      resultShapes(node, sequence, 3),
                      {{"hidden_size", sequence.hidden},
                       {"bidirectional", sequence.directions == 2},
                       {"batch_first", sequence.batchFirst}}));
}

static void buildGRU(NodeContext &node) {
  const llvm::StringRef activations[] = {"Sigmoid", "Tanh"};
  const Sequence sequence = readSequence(node, 3);
  if (!isPlain(node, activations))
    return giveSteps(node, sequence, activations, 1, stepGRU);
  giveAll(
      node, sequence,
      node.layers("GRU",
                  {turned(node, sequence, node.in(0)), node.in(1), node.in(2),
                   node.optional(3), node.optional(5)},
                  resultShapes(node, sequence, 2),
                  {{"hidden_size", sequence.hidden},
                   {"bidirectional", sequence.directions == 2},
                   {"linear_before_reset", node.flag("linear_before_reset")},
                   {"batch_first", sequence.batchFirst}}));
}

/// There is no layer for it.
static void buildRNN(NodeContext &node) {
  const Sequence sequence = readSequence(node, 1);
  giveSteps(node, sequence, {"Tanh"}, 1, stepRNN);
}

void addSequenceRules(RuleTable &rules) {
  rules.add({TPU_RULE(GRU), TPU_RULE(LSTM), TPU_RULE(RNN)});
}

} // namespace tpu_mlir::importer
