//===- OpRulesNN.cpp - Norms, reductions, sequences, detection ------------===//

#include "lib/Transforms/ConvertTopToTpu/AdaptAttributes.h"
#include "lib/Transforms/ConvertTopToTpu/OpRules.h"

namespace tpu_mlir {

static void addNormRules(OpRules &rules) {
  rules.add("RMSNorm").adapt(adaptRmsNorm);
  // Tables of chips without an exponential unit, and scratch.
  rules.add("Softmax").pad(6).with(
      "round_mode = #tpu<round_mode HalfAwayFromZero>");
  // Gamma and beta, then the tables.
  for (auto name : {"LayerNorm", "PixelNorm", "InstanceNorm", "GroupNorm"})
    rules.add(name).pad(5);
  rules.add("Scale").pad(4).fusesRelu();
  rules.add("LRN").pad(3);
  for (auto name : {"BatchNormTrain", "BatchNormBwd", "LayerNormTrain",
                    "LayerNormBwd", "MeanStdScale"})
    rules.add(name);
}

static void addReductionRules(OpRules &rules) {
  rules.add("Reduce").pad(3);
  rules.add("CumSum").operands(".i");
  rules.add("Variance");
  // What is largest must not change by rounding, and neither halves nor
  // bfloat16 can count: values in f32, indices in i32.
  rules.add("TopK")
      .in(Compute::F32)
      .operands(".i")
      .results(".i")
      .pad(3)
      .with("values_used_only = false");
  rules.add("Sort").in(Compute::F32).results(".i");
  rules.add("Arg").in(Compute::F32).results("i.");
  rules.add("NonZero").results("i").pad(2);
}

static void addSequenceRules(OpRules &rules) {
  rules.add("Rope");
  rules.add("FAttention").pad(5);
  rules.add("ScaledDotProductAttention", "ScaleDotProductAttention");
  for (auto name : {"Attention", "ChunkGatedDeltaRule",
                    "RecurrentGatedDeltaRule", "SelectiveScan", "RWKV"})
    rules.add(name);
  // Weights, initial states, scratch, tables.
  rules.add("LSTM").pad(12);
  rules.add("GRU").pad(10);
  rules.add("EmbDenseBwd").operands(".i");
}

static void addVisionRules(OpRules &rules) {
  // Boxes of a large image need more than eight bits of mantissa.
  for (auto name : {"DetectionOutput", "YoloDetection", "Nms"})
    rules.add(name).in(Compute::F32);
  for (auto name : {"RoiAlign", "RoiExtractor", "GridSampler", "MatchTemplate",
                    "Correlation", "Yuv2rgbFormula", "Preprocess", "PackRaw",
                    "Mmap2Rgbmap"})
    rules.add(name);
}

void addNNRules(OpRules &rules) {
  addNormRules(rules);
  addReductionRules(rules);
  addSequenceRules(rules);
  addVisionRules(rules);
}

} // namespace tpu_mlir
