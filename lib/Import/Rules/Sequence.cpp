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
    for (int64_t length : node.wholes(4))
      node.require(length == sequence.steps, "sequences of several lengths");
  for (unsigned state : {5u, 6u})
    node.require(!node.has(state) || node.shape(state) == stateShape(sequence),
                 "operand " + llvm::Twine(state) + " is no state of it");
  node.require(!node.hasAttribute("clip"), "'clip' is not known");
  return sequence;
}

/// Activations other than those that the layer computes.
static void checkActivations(NodeContext &node,
                             llvm::ArrayRef<llvm::StringRef> known) {
  auto found = node.node.attributes.find("activations");
  if (found == node.node.attributes.end())
    return;
  const auto *list = std::get_if<std::vector<std::string>>(&found->second);
  node.require(list && list->size() % known.size() == 0,
               "'activations' makes no sense");
  for (size_t i = 0; i < list->size(); ++i)
    node.require(
        llvm::StringRef((*list)[i]).equals_insensitive(known[i % known.size()]),
        "activation '" + (*list)[i] + "' is not known here");
}

/// From the end: one direction, its steps the other way round.
static Value turned(NodeContext &node, const Sequence &sequence, Value value) {
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
  checkActivations(node, {"Sigmoid", "Tanh", "Tanh"});
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
  checkActivations(node, {"Sigmoid", "Tanh"});
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

/// Without its first dimension, of size 1, turned: what a row is multiplied
/// with.
static Value columns(NodeContext &node, const Value &weights) {
  return node.permute(
      node.reshape(weights, {weights.shape[1], weights.shape[2]}), {1, 0});
}

/// h' = tanh(x W + h R + Wb + Rb), step by step, as there is no layer for it.
static void buildRNN(NodeContext &node) {
  const Sequence sequence = readSequence(node, 1);
  checkActivations(node, {"Tanh"});
  const int64_t hidden = sequence.hidden, batch = sequence.batch;
  node.require(sequence.directions == 1 && sequence.steps <= 1 << 10,
               "two directions, or too many steps");
  const int64_t axis = sequence.batchFirst ? 1 : 0;
  const Value x = turned(node, sequence, node.in(0));
  const Value weights = columns(node, node.in(1)),
              states = columns(node, node.in(2));
  std::optional<Value> bias, h;
  if (node.has(3)) {
    const Value both = node.reshape(node.in(3), {2, hidden});
    bias = node.reduce("ReduceSum", both, {0}, true);
  }
  if (node.has(5))
    h = node.reshape(node.in(5), {batch, hidden});
  std::vector<Value> all;
  for (int64_t step = 0; step < sequence.steps; ++step) {
    Value sum = node.matmul(
        node.reshape(node.slice(x, axis, step, step + 1), {batch, x.shape[2]}),
        weights);
    if (h)
      sum = node.binary("Add", sum, node.matmul(*h, states));
    if (bias)
      sum = node.binary("Add", sum, *bias);
    h = node.unary("Tanh", sum);
    all.push_back(node.reshape(*h, sequence.batchFirst
                                       ? Shape{batch, 1, 1, hidden}
                                       : Shape{1, 1, batch, hidden}));
  }
  giveAll(node, sequence,
          {node.concat(all, axis), node.reshape(*h, stateShape(sequence))});
}

void addSequenceRules(RuleTable &rules) {
  rules.add({TPU_RULE(GRU), TPU_RULE(LSTM), TPU_RULE(RNN)});
}

} // namespace tpu_mlir::importer
