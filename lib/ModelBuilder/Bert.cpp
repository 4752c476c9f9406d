//===- Bert.cpp - Bidirectional transformer encoder -----------------------===//
//
// Devlin, Chang, Lee, Toutanova: "BERT: Pre-training of Deep Bidirectional
// Transformers for Language Understanding", 2018, the base model, on the
// encoder of Vaswani et al.: "Attention Is All You Need", 2017, with the
// normalisation after each residual and GELU. Dropout is gone at inference.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

#include <cmath>

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

namespace {

constexpr int64_t kLayers = 12, kHidden = 768, kHeads = 12,
                  kHeadSize = kHidden / kHeads, kInner = 4 * kHidden,
                  kWords = 30522, kPositions = 512, kSegments = 2;
constexpr double kEpsilon = 1e-12;

class BertBuilder {
public:
  BertBuilder(GraphBuilder &g, const NetworkSize &size)
      : g(g), batch(size.batch), seq(size.seq) {}

  Outputs build();

private:
  Value embed(Value words, Value segments);
  Value attention(const Twine &name, Value x);
  Value layer(const Twine &name, Value x);
  /// [batch, heads, seq, headSize] of a projection of x.
  Value heads(const Twine &name, Value x, llvm::ArrayRef<int64_t> order) {
    x = g.linear(name, x, kHidden);
    x = g.reshape(name + ".heads", x, {batch, seq, kHeads, kHeadSize});
    return g.permute(name + ".permute", x, order);
  }
  Value lookUp(const Twine &name, int64_t rows, Value indices) {
    return g.gatherRows(name, g.weight(name + ".weight", {rows, kHidden}),
                        indices);
  }

  GraphBuilder &g;
  int64_t batch, seq;
  /// Added to attention scores: 0, or -10000 where there is padding.
  Value penalty;
};

} // namespace

Value BertBuilder::embed(Value words, Value segments) {
  Value x = lookUp("embeddings.word", kWords, words);
  Value segment = lookUp("embeddings.segment", kSegments, segments);
  x = g.add("embeddings.add_segment", x, segment);
  Value table = g.weight("embeddings.position.weight", {kPositions, kHidden});
  Value index = g.indexWeight("embeddings.position_index", {1, seq});
  Value position = g.gatherRows("embeddings.position", table, index);
  x = g.add("embeddings.add_position", x, position);
  return g.layerNorm("embeddings.norm", x, kEpsilon);
}

/// Softmax(Q K^T / sqrt(headSize) + penalty) V, all heads at once.
Value BertBuilder::attention(const Twine &name, Value x) {
  Value query = heads(name + ".query", x, {0, 2, 1, 3});
  Value key = heads(name + ".key", x, {0, 2, 3, 1});
  Value scores = g.matmul(name + ".scores", query, key);
  scores =
      g.mulConst(name + ".scaled", scores, 1.0 / std::sqrt(double(kHeadSize)));
  scores = g.add(name + ".masked", scores, penalty);
  Value weights = g.softmax(name + ".softmax", scores, 3);
  Value value = heads(name + ".value", x, {0, 2, 1, 3});
  Value y = g.matmul(name + ".context", weights, value);
  y = g.permute(name + ".context.permute", y, {0, 2, 1, 3});
  return g.reshape(name + ".context.reshape", y, {batch, seq, kHidden});
}

Value BertBuilder::layer(const Twine &name, Value x) {
  Value y = attention(name + ".attention", x);
  y = g.linear(name + ".attention.output", y, kHidden);
  y = g.add(name + ".attention.add", y, x);
  x = g.layerNorm(name + ".attention.norm", y, kEpsilon);
  y = g.linear(name + ".intermediate", x, kInner);
  y = g.activate(name + ".gelu", y, Function::GELU);
  y = g.linear(name + ".output", y, kHidden);
  y = g.add(name + ".add", y, x);
  return g.layerNorm(name + ".norm", y, kEpsilon);
}

Outputs BertBuilder::build() {
  Value words = g.indexInput("input_ids", {batch, seq});
  Value mask = g.input("attention_mask", {batch, seq});
  Value segments = g.indexInput("token_type_ids", {batch, seq});

  mask = g.reshape("mask.reshape", mask, {batch, 1, 1, seq});
  mask = g.subFromConst("mask.inverted", mask, 1.0);
  penalty = g.mulConst("mask.penalty", mask, -10000.0);

  Value x = embed(words, segments);
  for (int64_t i = 0; i < kLayers; ++i)
    x = layer("layer" + Twine(i), x);

  // The pooler reads the first token, [CLS].
  Value first = g.slice("pooler.first", x, 1, 0, 1);
  first = g.reshape("pooler.squeeze", first, {batch, kHidden});
  Value pooled = g.linear("pooler.dense", first, kHidden);
  return {x, g.activate("pooler.tanh", pooled, Function::Tanh)};
}

Outputs buildBertBase(GraphBuilder &g, const NetworkSize &size) {
  return BertBuilder(g, size).build();
}

} // namespace tpu_mlir::model_builder
