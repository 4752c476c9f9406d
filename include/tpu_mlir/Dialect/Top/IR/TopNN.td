//===- TopNN.td - Layers: norms, attention, detection ------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD

include "tpu_mlir/Dialect/Top/IR/TopBase.td"

//===----------------------------------------------------------------------===//
// Normalisation and reduction
//===----------------------------------------------------------------------===//

def Top_SoftmaxOp : Top_Unary<"Softmax", (ins SInt32<-1>:$axis, Flag<0>:$log, Real<"1.0">:$beta, OptStr:$round_mode)>;
def Top_RMSNormOp : Top_Compute<"RMSNorm",
  (ins TensorOrNone:$input, TensorOrNone:$gamma, Real<"1e-6">:$eps, Flag<0>:$weight_keep_f32)>;

class Top_Norm<string mnemonic, dag attrs> : Top_Compute<mnemonic,
    !con((ins TensorOrNone:$input, Rest:$params), attrs)>;
def Top_LayerNormOp : Top_Norm<"LayerNorm", (ins Ints:$normalized_shape, SInt32<-1>:$axis, Real<"1e-5">:$eps)>;
def Top_PixelNormOp : Top_Norm<"PixelNorm", (ins Real<"1e-5">:$eps)>;
def Top_InstanceNormOp : Top_Norm<"InstanceNorm", (ins Real<"1e-5">:$eps)>;
def Top_GroupNormOp : Top_Norm<"GroupNorm", (ins OptInt:$num_groups, Real<"1e-5">:$eps)>;
def Top_BatchNormOp : Top_Norm<"BatchNorm", !con((ins Real<"1e-5">:$epsilon), ReluAttrs)>;
def Top_ScaleOp : Top_Norm<"Scale", ReluAttrs>;
def Top_LRNOp : Top_Unary<"LRN", (ins OptInt:$size, OptReal:$alpha, OptReal:$beta, OptReal:$bias)>;
def Top_NormalizeOp : Top_Compute<"Normalize", (ins TensorOrNone:$input, TensorOrNone:$scale, OptFlag:$across_spatial,
  OptFlag:$channel_shared)>;
def Top_BatchNormTrainOp : Top_ManyOut<"BatchNormTrain", (ins Variadic<TensorOrNone>:$inputs, Real<"1e-5">:$epsilon,
  Real<"0.1">:$momentum)>;
def Top_BatchNormBwdOp : Top_ManyOut<"BatchNormBwd", (ins Variadic<TensorOrNone>:$inputs, Real<"1e-5">:$epsilon)>;
def Top_LayerNormTrainOp : Top_ManyOut<"LayerNormTrain", (ins Variadic<TensorOrNone>:$inputs,
  Ints:$normalized_shape, SInt32<-1>:$axis, Real<"1e-5">:$eps)>;
def Top_LayerNormBwdOp : Top_ManyOut<"LayerNormBwd", (ins Variadic<TensorOrNone>:$inputs, Ints:$normalized_shape)>;

def Top_ReduceOp : Top_Unary<"Reduce", (ins Ints:$axes, Flag<1>:$keepdims, OptStr:$mode, Flag<0>:$is_scalar)>;
def Top_CumSumOp : Top_Compute<"CumSum", (ins TensorOrNone:$input, Rest:$rest, OptInt:$axis)>;
def Top_VarianceOp : Top_Unary<"Variance", (ins Ints:$reduce_list, OptReal:$correction)>;
def Top_MeanStdScaleOp : Top_Unary<"MeanStdScale", (ins OptStr:$quant_mode, Reals:$std, Reals:$mean, Reals:$scale)>;
def Top_TopKOp : Top_ManyOut<"TopK", (ins TensorOrNone:$input, Rest:$rest, OptInt:$axis, OptInt:$K, OptFlag:$largest,
  OptFlag:$sorted, OptFlag:$replace_topk_indices)> {
  let results = (outs TensorOrNone:$values, TensorOrNone:$indices);
}
def Top_SortOp : Top_ManyOut<"Sort", (ins TensorOrNone:$input, OptInt:$axis, OptFlag:$descending)> {
  let results = (outs TensorOrNone:$values, TensorOrNone:$indices);
}
def Top_ArgOp : Top_ManyOut<"Arg", (ins TensorOrNone:$input, OptInt:$axis, OptFlag:$keepdims, OptStr:$mode,
  OptFlag:$select_last_index)> {
  let results = (outs TensorOrNone:$indices, TensorOrNone:$values);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

def Top_RopeOp : Top_Compute<"Rope", (ins TensorOrNone:$input1, TensorOrNone:$input2, TensorOrNone:$input3,
  Rest:$rest, OptStr:$rope_mode, OptFlag:$is_permute_optimize, OptInt:$mul1_shift, OptInt:$mul2_shift,
  OptInt:$add_shift)>;
def Top_FAttentionOp : Top_Compute<"FAttention",
  (ins TensorOrNone:$queries, TensorOrNone:$keys, TensorOrNone:$values, Rest:$rest, OptReal:$scale, OptInt:$batch,
       OptInt:$q_head, OptInt:$kv_head, OptInt:$dim, OptInt:$mq, OptInt:$mk, OptFlag:$keep_dims)>;
def Top_AttentionOp : Top_Nary<"Attention", (ins OptReal:$scale, OptInt:$head, OptInt:$dim, OptInt:$has_bias)>;
def Top_ScaledDotProductAttentionOp : Top_Nary<"ScaledDotProductAttention", (ins OptReal:$scale, OptReal:$dropout_p,
  OptFlag:$is_causal)>;

defvar TopGatedDeltaAttrs = (ins OptInt:$d, OptInt:$num_k_heads, OptInt:$num_v_heads, OptReal:$scale,
  Flag<0>:$use_qk_l2norm);
def Top_ChunkGatedDeltaRuleOp : Top_Nary<"ChunkGatedDeltaRule", !con(TopGatedDeltaAttrs, (ins OptInt:$chunk_size))>;
def Top_RecurrentGatedDeltaRuleOp : Top_Nary<"RecurrentGatedDeltaRule", TopGatedDeltaAttrs>;

class Top_Recurrent<string mnemonic> : Top_ManyOut<mnemonic, (ins TensorOrNone:$input, TensorOrNone:$filter,
  TensorOrNone:$recurrence, Rest:$rest, OptInt:$hidden_size, OptFlag:$bidirectional, OptFlag:$linear_before_reset,
  OptFlag:$batch_first)>;
def Top_LSTMOp : Top_Recurrent<"LSTM"> {
  let results = (outs TensorOrNone:$Y, TensorOrNone:$Y_h, TensorOrNone:$Y_c);
}
def Top_GRUOp : Top_Recurrent<"GRU"> {
  let results = (outs TensorOrNone:$Y, TensorOrNone:$Y_h);
}
def Top_SelectiveScanOp : Top_Nary<"SelectiveScan">;
def Top_RWKVOp : Top_Nary<"RWKV">;
def Top_EmbDenseBwdOp : Top_Nary<"EmbDenseBwd", (ins SInt32<0>:$num_weights)>;

//===----------------------------------------------------------------------===//
// Vision
//===----------------------------------------------------------------------===//

foreach name = ["DetectionOutput", "YoloDetection", "FrcnDetection", "RetinaFaceDetection", "Proposal", "PriorBox",
                "Nms", "ROIPooling", "RoiAlign", "RoiExtractor", "GridSampler", "DeformConv2D", "MatchTemplate",
                "Correlation", "Yuv2rgbFormula", "Preprocess", "PackRaw", "Mmap2Rgbmap", "ScaleLut", "CopyMultiUse"] in
  def Top_ # name # Op : Top_ManyOut<name, (ins Variadic<TensorOrNone>:$inputs)>;

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD
