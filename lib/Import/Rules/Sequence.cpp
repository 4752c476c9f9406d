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
  const std::string direction = node.text("direction", "forward");
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

/// A refusal of what the layers LSTM and GRU do not compute.
static void requirePlain(NodeContext &node,
                         llvm::ArrayRef<llvm::StringRef> known) {
  node.require(!node.hasAttribute("clip"), "'clip' is not supported");
  const std::vector<std::string> list = activationsOf(node);
  node.require(list.size() % known.size() == 0, "'activations' makes no sense");
  for (size_t i = 0; i < list.size(); ++i)
    node.require(
        llvm::StringRef(list[i]).equals_insensitive(known[i % known.size()]),
        "activation '" + list[i] + "' is not known here");
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

static void buildLSTM(NodeContext &node) {
  const Sequence sequence = readSequence(node, 4);
  requirePlain(node, {"Sigmoid", "Tanh", "Tanh"});
  node.require(!node.has(7), "peepholes");
  node.require(!node.flag("input_forget"), "coupled gates");
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
  const Sequence sequence = readSequence(node, 3);
  requirePlain(node, {"Sigmoid", "Tanh"});
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

/// An RNN while its steps are laid out, as there is no layer for it:
/// h' = f(x W + h R + Wb + Rb).
struct Steps {
  NodeContext &node;
  const Sequence &sequence;
  int64_t axis; ///< The dimension of X that steps are.

  /// Of an operand what is there for a direction, `dimension` of it.
  Value of(int64_t direction, unsigned operand, int64_t dimension = 0) {
    const Value all = node.in(operand);
    return sequence.directions == 1
               ? all
               : node.slice(all, dimension, direction, direction + 1);
  }
  Value joined(const std::vector<Value> &pieces, int64_t dimension) {
    return pieces.size() == 1 ? pieces[0] : node.concat(pieces, dimension);
  }
  /// Turned: what a row is multiplied with.
  Value columns(unsigned operand, int64_t direction) {
    const Value one = of(direction, operand);
    return node.permute(node.reshape(one, {one.shape[1], one.shape[2]}),
                        {1, 0});
  }
  std::optional<Value> bias(int64_t direction) {
    if (!node.has(3))
      return std::nullopt;
    const Value both = node.reshape(of(direction, 3), {2, sequence.hidden});
    return node.reduce("ReduceSum", both, {0}, true);
  }
  std::optional<Value> initial(int64_t direction) {
    if (!node.has(5))
      return std::nullopt;
    return node.reshape(of(direction, 5, sequence.batchFirst ? 1 : 0),
                        {sequence.batch, sequence.hidden});
  }
  Value activate(Value sum, llvm::StringRef activation) {
    if (node.hasAttribute("clip")) {
      const double edge = node.real("clip");
      sum = node.unary("Clip", sum, {{"min", -edge}, {"max", edge}});
    }
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

  /// The states of a direction in the order of their steps. `isReverse`: they
  /// are computed from the last one on.
  std::vector<Value> run(int64_t direction, bool isReverse,
                         llvm::StringRef activation) {
    const Value weights = columns(1, direction), states = columns(2, direction),
                x = node.in(0);
    const std::optional<Value> offset = bias(direction);
    std::optional<Value> h = initial(direction);
    std::vector<Value> all(sequence.steps);
    for (int64_t i = 0; i < sequence.steps; ++i) {
      const int64_t step = isReverse ? sequence.steps - 1 - i : i;
      Value sum = node.matmul(node.reshape(node.slice(x, axis, step, step + 1),
                                           {sequence.batch, x.shape[2]}),
                              weights);
      if (h)
        sum = node.binary("Add", sum, node.matmul(*h, states));
      if (offset)
        sum = node.binary("Add", sum, *offset);
      h = all[step] = activate(sum, activation);
    }
    return all;
  }
};

static void buildRNN(NodeContext &node) {
  const Sequence sequence = readSequence(node, 1);
  node.require(sequence.steps >= 1 && sequence.steps <= 1 << 10,
               llvm::Twine(sequence.steps) +
                   " steps, as layers of their own 1 to 1024");
  std::vector<std::string> activations = activationsOf(node);
  if (activations.empty())
    activations.assign(sequence.directions, "Tanh");
  // Where the file has none there is one of the schema, which has two.
  node.require(int64_t(activations.size()) >= sequence.directions,
               "'activations' makes no sense");
  // Dimensions of all states; of the last ones that of directions is `axis`.
  const int64_t axis = sequence.batchFirst ? 1 : 0, directions = axis + 1;
  Steps steps{node, sequence, axis};
  std::vector<Value> results, last;
  for (int64_t direction = 0; direction < sequence.directions; ++direction) {
    const bool isReverse = sequence.isReverse || direction == 1;
    const std::vector<Value> all =
        steps.run(direction, isReverse, activations[direction]);
    Shape one = allShape(sequence);
    one[axis] = one[directions] = 1;
    std::vector<Value> rows;
    for (const Value &h : all)
      rows.push_back(node.reshape(h, one));
    results.push_back(steps.joined(rows, axis));
    Shape state = stateShape(sequence);
    state[axis] = 1;
    last.push_back(node.reshape(isReverse ? all.front() : all.back(), state));
  }
  if (node.wants(0))
    node.give(0, steps.joined(results, directions), node.type());
  if (node.wants(1))
    node.give(1, steps.joined(last, axis), node.type());
}

void addSequenceRules(RuleTable &rules) {
  rules.add({TPU_RULE(GRU), TPU_RULE(LSTM), TPU_RULE(RNN)});
}

} // namespace tpu_mlir::importer
