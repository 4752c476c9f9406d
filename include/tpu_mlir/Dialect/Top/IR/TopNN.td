//===- TopNN.td - Layers: norms, attention, detection ------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD

include "tpu_mlir/Dialect/Top/IR/TopBase.td"

// Normalisation and reduction.
foreach name = ["Softmax", "SoftmaxBwd", "RMSNorm", "LayerNorm", "PixelNorm", "InstanceNorm", "GroupNorm", "BatchNorm",
                "Normalize", "Scale", "LRN", "MeanStdScale", "Reduce", "CumSum", "Variance"] in
  def Top_ # name # Op : Top_Compute<name>;
foreach name = ["LayerNormTrain", "LayerNormBwd", "GroupNormTrain", "BatchNormTrain", "BatchNormBwd", "MeanRstd", "TopK",
                "Sort", "Arg"] in
  def Top_ # name # Op : Top_Named<name>;

// Sequences.
foreach name = ["Rope", "FAttention", "Attention", "ScaledDotProductAttention", "ScaleDotProductAttention",
                "ChunkGatedDeltaRule", "RecurrentGatedDeltaRule", "SelectiveScan", "RWKV",
                "EmbDenseBwd"] in
  def Top_ # name # Op : Top_Compute<name>;
foreach name = ["LSTM", "GRU"] in
  def Top_ # name # Op : Top_Named<name>;
// A new value each time, so not Pure.
def Top_RandnLikeOp : Top_Layer<"RandnLike">;

// Vision.
foreach name = ["DetectionOutput", "YoloDetection", "FrcnDetection", "RetinaFaceDetection", "Proposal", "PriorBox",
                "Nms", "ROIPooling", "RoiAlign", "RoiExtractor", "GridSampler", "MatchTemplate", "Correlation",
                "Yuv2rgbFormula", "Preprocess", "PackRaw", "DepackRaw", "Mmap2Rgbmap", "Csc", "MaskRCNN_MaskPooler",
                "MaskRCNN_RPNGetBboxes", "CopyMultiUse"] in
  def Top_ # name # Op : Top_Compute<name>;

foreach name = ["MaskRCNN_BboxPooler", "MaskRCNN_GetBboxB"] in
  def Top_ # name # Op : Top_Named<name>;

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPNN_TD
