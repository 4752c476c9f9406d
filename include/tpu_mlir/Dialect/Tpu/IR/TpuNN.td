//===- TpuNN.td - Layers: norms, attention, detection ------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUNN_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUNN_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuClasses.td"

//===----------------------------------------------------------------------===//
// Normalisation and reduction
//===----------------------------------------------------------------------===//

def Tpu_SoftmaxOp : Tpu_Compute<"Softmax", (ins TensorOrNone:$input, Rest:$rest, SInt32<-1>:$axis, Flag<0>:$log,
  Real<"1.0">:$beta, Opt<RoundModeAttr>:$round_mode), [LocalSlice]>;
def Tpu_SoftmaxCastOp : Tpu_Compute<"SoftmaxCast", (ins TensorOrNone:$input, Rest:$rest, SInt32<-1>:$axis,
  Flag<0>:$log, Real<"1.0">:$beta, Opt<RoundModeAttr>:$round_mode), [LocalSlice]>;
def Tpu_SoftmaxBwdOp : Tpu_Compute<"SoftmaxBwd", (ins TensorOrNone:$grad_output, TensorOrNone:$output_, OptInt:$dim)>;
def Tpu_RMSNormOp : Tpu_Compute<"RMSNorm",
  (ins TensorOrNone:$input, TensorOrNone:$gamma, Rest:$rest, Real<"1e-6">:$eps, Flag<0>:$weight_keep_f32),
  [LocalSlice]>;

class Tpu_Norm<string mnemonic, dag attrs, list<Trait> traits = [LocalSlice]> : Tpu_Compute<mnemonic,
    !con((ins TensorOrNone:$input, Rest:$rest), attrs), traits>;
def Tpu_LayerNormOp : Tpu_Norm<"LayerNorm", (ins Ints:$normalized_shape, SInt32<-1>:$axis, Real<"1e-5">:$eps)>;
def Tpu_PixelNormOp : Tpu_Norm<"PixelNorm", (ins Real<"1e-5">:$eps)>;
def Tpu_InstanceNormOp : Tpu_Norm<"InstanceNorm", (ins Real<"1e-5">:$eps)>;
def Tpu_GroupNormOp : Tpu_Norm<"GroupNorm", (ins OptInt:$num_groups, Real<"1e-5">:$eps)>;
def Tpu_ScaleOp : Tpu_Norm<"Scale", ReluAttrs>;
def Tpu_LRNOp : Tpu_Norm<"LRN", (ins OptInt:$size, OptReal:$alpha, OptReal:$beta, OptReal:$bias), []>;
def Tpu_BatchNormTrainOp : Tpu_ManyOut<"BatchNormTrain",
  (ins Variadic<TensorOrNone>:$inputs, Real<"1e-5">:$epsilon, Real<"0.1">:$momentum),
  [DeclareOpInterfaceMethods<InPlaceOpInterface>]>;
def Tpu_BatchNormBwdOp : Tpu_ManyOut<"BatchNormBwd", (ins Variadic<TensorOrNone>:$inputs, Real<"1e-5">:$epsilon)>;
def Tpu_GroupNormTrainOp : Tpu_ManyOut<"GroupNormTrain", (ins Variadic<TensorOrNone>:$inputs, OptInt:$num_groups,
  Real<"1e-5">:$eps)>;
def Tpu_LayerNormTrainOp : Tpu_ManyOut<"LayerNormTrain", (ins Variadic<TensorOrNone>:$inputs, Ints:$normalized_shape,
  SInt32<-1>:$axis, Real<"1e-5">:$eps)>;
def Tpu_LayerNormBwdOp : Tpu_ManyOut<"LayerNormBwd", (ins Variadic<TensorOrNone>:$inputs, Ints:$normalized_shape)>;
def Tpu_MeanRstdOp : Tpu_ManyOut<"MeanRstd", (ins Variadic<TensorOrNone>:$inputs, OptReal:$eps, OptReal:$momentum)>;
def Tpu_WhereBnbwdOp : Tpu_ManyOut<"WhereBnbwd", (ins Variadic<TensorOrNone>:$inputs, OptInt:$do_recompute)>;

def Tpu_ReduceOp : Tpu_Compute<"Reduce",
  (ins TensorOrNone:$input, Rest:$rest, Ints:$axes, Flag<1>:$keepdims, OptStr:$mode, Flag<0>:$is_scalar,
       Ints:$multiplier, Ints:$rshift), [LocalSlice]>;
def Tpu_CumSumOp : Tpu_Compute<"CumSum", (ins TensorOrNone:$input, Rest:$rest, OptInt:$axis)>;
def Tpu_VarianceOp : Tpu_Compute<"Variance", (ins TensorOrNone:$input, Rest:$rest, Ints:$reduce_list,
  OptReal:$correction)>;
def Tpu_MeanStdScaleOp : Tpu_Compute<"MeanStdScale", (ins TensorOrNone:$input, Rest:$rest, OptStr:$quant_mode,
  Reals:$std, Reals:$mean, Reals:$scale)>;
def Tpu_TopKOp : Tpu_ManyOut<"TopK", (ins TensorOrNone:$input, Rest:$rest, OptInt:$axis, OptInt:$K, OptFlag:$largest,
  OptFlag:$sorted, OptFlag:$replace_topk_indices, OptFlag:$values_used_only)> {
  let results = (outs TensorOrNone:$values, TensorOrNone:$indices);
}
def Tpu_SortOp : Tpu_ManyOut<"Sort", (ins TensorOrNone:$input, Rest:$rest, OptInt:$axis, OptFlag:$descending)> {
  let results = (outs TensorOrNone:$values, TensorOrNone:$indices);
}
def Tpu_ArgOp : Tpu_ManyOut<"Arg", (ins TensorOrNone:$input, Rest:$rest, OptInt:$axis, OptFlag:$keepdims, OptStr:$mode,
  OptFlag:$select_last_index)> {
  let results = (outs TensorOrNone:$indices, TensorOrNone:$values);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

def Tpu_RopeOp : Tpu_Compute<"Rope", (ins TensorOrNone:$input1, TensorOrNone:$input2, TensorOrNone:$input3,
  Rest:$rest, OptFlag:$is_permute_optimize, OptInt:$mul1_shift, OptInt:$mul2_shift, OptInt:$add_shift),
  [LocalSlice]>;
def Tpu_FAttentionOp : Tpu_Compute<"FAttention",
  (ins TensorOrNone:$queries, TensorOrNone:$keys, TensorOrNone:$values, Rest:$rest, OptReal:$scale, OptInt:$batch,
       OptInt:$q_head, OptInt:$kv_head, OptInt:$dim, OptInt:$mq, OptInt:$mk, OptFlag:$keep_dims)>;
def Tpu_AttentionOp : Tpu_Nary<"Attention", (ins OptReal:$scale, OptInt:$head, OptInt:$dim, OptInt:$has_bias)>;

defvar GatedDeltaAttrs = (ins OptInt:$d, OptInt:$num_k_heads, OptInt:$num_v_heads, OptReal:$scale,
  Flag<0>:$use_qk_l2norm);
def Tpu_ChunkGatedDeltaRuleOp : Tpu_Nary<"ChunkGatedDeltaRule", !con(GatedDeltaAttrs, (ins OptInt:$chunk_size))>;
def Tpu_RecurrentGatedDeltaRuleOp : Tpu_Nary<"RecurrentGatedDeltaRule", GatedDeltaAttrs>;

class Tpu_Recurrent<string mnemonic> : Tpu_ManyOut<mnemonic, (ins TensorOrNone:$input, TensorOrNone:$filter,
  TensorOrNone:$recurrence, Rest:$rest, OptInt:$hidden_size, OptFlag:$bidirectional, OptFlag:$linear_before_reset,
  OptFlag:$batch_first)>;
def Tpu_LSTMOp : Tpu_Recurrent<"LSTM"> {
  let results = (outs TensorOrNone:$Y, TensorOrNone:$Y_h, TensorOrNone:$Y_c);
}
def Tpu_GRUOp : Tpu_Recurrent<"GRU"> {
  let results = (outs TensorOrNone:$Y, TensorOrNone:$Y_h);
}
def Tpu_SelectiveScanOp : Tpu_Nary<"SelectiveScan">;
def Tpu_RWKVOp : Tpu_Nary<"RWKV">;
def Tpu_EmbDenseBwdOp : Tpu_Nary<"EmbDenseBwd", (ins SInt32<0>:$num_weights)>;

// A new value each time, so not Pure.
def Tpu_RandnLikeOp : Tpu_Op<"RandnLike"> {
  let arguments = (ins Variadic<TensorOrNone>:$inputs, OptStr:$randn_like_npz);
  let results = (outs TensorOrNone:$output);
}

//===----------------------------------------------------------------------===//
// Vision
//===----------------------------------------------------------------------===//

foreach name = ["DetectionOutput", "YoloDetection", "Nms", "RoiAlign", "RoiExtractor", "GridSampler", "DeformGather",
                "MatchTemplate", "Correlation", "Yuv2rgbFormula", "Preprocess", "PackRaw", "Mmap2Rgbmap", "Csc"] in
  def Tpu_ # name # Op : Tpu_ManyOut<name, (ins Variadic<TensorOrNone>:$inputs)>;

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUNN_TD
