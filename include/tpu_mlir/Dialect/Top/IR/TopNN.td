//===- TopNN.td - Layers: norms, attention, detection ------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD

include "tpu_mlir/Dialect/Top/IR/TopBase.td"

// Normalisation and reduction.
foreach name = ["Softmax", "SoftmaxBwd", "RMSNorm", "LayerNorm", "LayerNormTrain", "LayerNormBwd", "PixelNorm",
                "InstanceNorm", "GroupNorm", "GroupNormTrain", "BatchNorm", "BatchNormTrain", "BatchNormBwd",
                "Normalize", "Scale", "LRN", "MeanRstd", "MeanStdScale", "Reduce", "CumSum", "Variance"] in
  def Top_ # name # Op : Top_Compute<name>;

// The results are called what they are, for people who read IR.
foreach name = ["TopK", "Sort"] in
  def Top_ # name # Op : Top_Compute<name> {
    let results = (outs TensorOrNone:$values, TensorOrNone:$indices);
  }
def Top_ArgOp : Top_Compute<"Arg"> {
  let results = (outs TensorOrNone:$indices, TensorOrNone:$values);
}

// Sequences.
foreach name = ["Rope", "FAttention", "Attention", "ScaledDotProductAttention", "ScaleDotProductAttention",
                "ChunkGatedDeltaRule", "RecurrentGatedDeltaRule", "LSTM", "GRU", "SelectiveScan", "RWKV",
                "EmbDenseBwd"] in
  def Top_ # name # Op : Top_Compute<name>;
// A new value each time, so not Pure.
def Top_RandnLikeOp : Top_Layer<"RandnLike">;

// Vision.
foreach name = ["DetectionOutput", "YoloDetection", "FrcnDetection", "RetinaFaceDetection", "Proposal", "PriorBox",
                "Nms", "ROIPooling", "RoiAlign", "RoiExtractor", "GridSampler", "MatchTemplate", "Correlation",
                "Yuv2rgbFormula", "Preprocess", "PackRaw", "DepackRaw", "Mmap2Rgbmap", "Csc", "MaskRCNN_BboxPooler",
                "MaskRCNN_GetBboxB", "MaskRCNN_MaskPooler", "MaskRCNN_RPNGetBboxes", "CopyMultiUse"] in
  def Top_ # name # Op : Top_Compute<name>;

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD
