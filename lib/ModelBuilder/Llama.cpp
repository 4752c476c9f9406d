//===- Llama.cpp - A decoder block with cached keys and values ------------===//
//
// Touvron et al.: "LLaMA", 2023, and "Llama 2", 2023, 7B: normalisation in
// front (Zhang, Sennrich: "Root Mean Square Layer Normalization", 2019), rotary
// positions (Su et al.: "RoFormer", 2021) and SwiGLU (Shazeer: "GLU Variants
// Improve Transformer", 2020).
//
// This is one block of 32 while it reads a part of a prompt: `seq` new tokens
// that see as many older ones, whose keys and values come in. Keys and values
// of the new tokens go out.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

#include <cmath>

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

namespace {

constexpr int64_t kHidden = 4096, kHeads = 32, kHeadSize = kHidden / kHeads,
                  kInner = 11008, kContext = 4096;
constexpr double kEpsilon = 1e-5;

class LlamaBuilder {
public:
  LlamaBuilder(GraphBuilder &g, const NetworkSize &size)
      : g(g), batch(size.batch), seq(size.seq) {}

  Outputs build();

private:
  /// [batch, seq, heads, headSize] of a projection of x.
  Value heads(const Twine &name, Value x) {
    x = g.linear(name, x, kHidden, /*hasBias=*/false);
    return g.reshape(name + ".heads", x, {batch, seq, kHeads, kHeadSize});
  }
  /// Row `position` of a table of sines or cosines, the same for all heads.
  Value angles(const Twine &name, Value positions) {
    Value table = g.weight(name + ".table", {kContext, 1, kHeadSize});
    return g.gatherRows(name, table, positions);
  }
  Value rotate(const Twine &name, Value x);
  Value attend(const Twine &name, Value query, Value key, Value value);
  Value feedForward(const Twine &name, Value x);

  GraphBuilder &g;
  int64_t batch, seq;
  Value mask, cos, sin;
};

} // namespace

/// Pairs (x[i], x[i + headSize/2]) turn by an angle that depends on the
/// position: x cos + (-x2, x1) sin.
Value LlamaBuilder::rotate(const Twine &name, Value x) {
  constexpr int64_t kHalf = kHeadSize / 2;
  Value straight = g.mul(name + ".mul_cos", x, cos);
  Value first = g.slice(name + ".first", x, 3, 0, kHalf);
  Value second = g.slice(name + ".second", x, 3, kHalf, kHeadSize);
  second = g.mulConst(name + ".negated", second, -1.0);
  Value turned = g.concat(name + ".turned", {second, first}, 3);
  turned = g.mul(name + ".mul_sin", turned, sin);
  return g.add(name, straight, turned);
}

/// Softmax(Q K^T / sqrt(headSize) + mask) V over old and new tokens.
Value LlamaBuilder::attend(const Twine &name, Value query, Value key,
                           Value value) {
  query = g.permute(name + ".query", query, {0, 2, 1, 3});
  key = g.permute(name + ".key", key, {0, 2, 3, 1});
  Value scores = g.matmul(name + ".scores", query, key);
  scores =
      g.mulConst(name + ".scaled", scores, 1.0 / std::sqrt(double(kHeadSize)));
  scores = g.add(name + ".masked", scores, mask);
  Value weights = g.softmax(name + ".softmax", scores, 3);
  value = g.permute(name + ".value", value, {0, 2, 1, 3});
  Value y = g.matmul(name + ".context", weights, value);
  y = g.permute(name + ".context.permute", y, {0, 2, 1, 3});
  return g.reshape(name + ".context.reshape", y, {batch, seq, kHidden});
}

/// SwiGLU: down(silu(gate(x)) * up(x)).
Value LlamaBuilder::feedForward(const Twine &name, Value x) {
  Value gate = g.linear(name + ".gate_proj", x, kInner, /*hasBias=*/false);
  gate = g.activate(name + ".silu", gate, Function::SiLU);
  Value up = g.linear(name + ".up_proj", x, kInner, /*hasBias=*/false);
  Value y = g.mul(name + ".mul", gate, up);
  return g.linear(name + ".down_proj", y, kHidden, /*hasBias=*/false);
}

Outputs LlamaBuilder::build() {
  Value x = g.input("input_states", {batch, seq, kHidden});
  Value positions = g.indexInput("position_ids", {batch, seq});
  mask = g.input("attention_mask", {batch, 1, seq, 2 * seq});
  Value oldKeys = g.input("history_k", {batch, seq, kHeads, kHeadSize});
  Value oldValues = g.input("history_v", {batch, seq, kHeads, kHeadSize});

  Value y = g.rmsNorm("input_layernorm", x, kEpsilon);
  cos = angles("rotary.cos", positions);
  sin = angles("rotary.sin", positions);
  Value query = rotate("self_attn.q_rotary", heads("self_attn.q_proj", y));
  Value key = rotate("self_attn.k_rotary", heads("self_attn.k_proj", y));
  Value value = heads("self_attn.v_proj", y);
  Value keys = g.concat("self_attn.keys", {oldKeys, key}, 1);
  Value values = g.concat("self_attn.values", {oldValues, value}, 1);
  y = attend("self_attn", query, keys, values);
  y = g.linear("self_attn.o_proj", y, kHidden, /*hasBias=*/false);
  x = g.add("self_attn.add", x, y);

  y = g.rmsNorm("post_attention_layernorm", x, kEpsilon);
  y = feedForward("mlp", y);
  return {g.add("output_states", x, y), key, value};
}

Outputs buildLlamaBlock(GraphBuilder &g, const NetworkSize &size) {
  return LlamaBuilder(g, size).build();
}

} // namespace tpu_mlir::model_builder
