//===- TpuNN.td - Layers: norms, attention, detection ------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUNN_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUNN_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuClasses.td"

//===----------------------------------------------------------------------===//
// Normalisation and reduction
//===----------------------------------------------------------------------===//

def Tpu_LayerNormOp : Tpu_Unary<"LayerNorm", (ins Int<-1>:$axis), [LocalSlice, CompactCoefficients]>;
foreach name = ["Softmax", "SoftmaxCast"] in
  def Tpu_ # name # Op : Tpu_Unary<name, (ins Int<-1>:$axis), [LocalSlice]>;
foreach name = ["RMSNorm", "PixelNorm", "InstanceNorm", "GroupNorm", "Scale"] in
  def Tpu_ # name # Op : Tpu_Unary<name, (ins), [LocalSlice, CompactCoefficients]>;
def Tpu_ReduceOp : Tpu_Unary<"Reduce", (ins Ints:$axes, Flag<1>:$keepdims), [LocalSlice]>;

// The running mean and variance are updated where they are.
def Tpu_BatchNormTrainOp : Tpu_Named<"BatchNormTrain", [InPlace]>;

foreach name = ["BatchNormBwd", "GroupNormTrain", "LayerNormBwd", "LayerNormTrain", "MeanRstd", "WhereBnbwdOp", "TopK",
                "Sort", "Arg"] in
  def Tpu_ # name # Op : Tpu_Named<name>;
foreach name = ["LRN", "SoftmaxBwd", "LayerNormCast", "WhereBnbwd", "CumSum", "Variance", "MeanStdScale"] in
  def Tpu_ # name # Op : Tpu_ManyOut<name>;

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

def Tpu_RopeOp : Tpu_Compute<"Rope", (ins TensorOrNone:$input1, TensorOrNone:$input2, TensorOrNone:$input3, Rest:$rest,
  Flag<0>:$is_permute_optimize), [LocalSlice]>;

foreach name = ["FAttention", "Attention", "ScaleDotProductAttention", "ChunkGatedDeltaRule",
                "RecurrentGatedDeltaRule", "SelectiveScan", "RWKV", "EmbDenseBwd",
                "GridSampleInDeformableAttn"] in
  def Tpu_ # name # Op : Tpu_ManyOut<name>;

foreach name = ["LSTM", "GRU"] in
  def Tpu_ # name # Op : Tpu_Named<name>;

// A new value each time, so not Pure.
def Tpu_RandnLikeOp : Tpu_Layer<"RandnLike", (ins Variadic<TensorOrNone>:$inputs)>;

//===----------------------------------------------------------------------===//
// Vision
//===----------------------------------------------------------------------===//

foreach name = ["DetectionOutput", "YoloDetection", "Nms", "RoiAlign", "RoiExtractor", "GridSampler", "MatchTemplate",
                "Correlation", "Yuv2rgbFormula", "Preprocess", "PackRaw", "DepackRaw", "Mmap2Rgbmap", "Csc",
                "MaskRCNN_MaskPooler", "MaskRCNN_RPNGetBboxes"] in
  def Tpu_ # name # Op : Tpu_ManyOut<name>;
foreach name = ["MaskRCNN_BboxPooler", "MaskRCNN_GetBboxB"] in
  def Tpu_ # name # Op : Tpu_Named<name>;

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUNN_TD
