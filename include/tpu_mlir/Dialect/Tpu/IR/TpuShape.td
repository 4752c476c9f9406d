//===- TpuShape.td - Ops that move elements ----------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUSHAPE_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUSHAPE_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuClasses.td"

def Tpu_ReshapeOp : Tpu_ShapeView<"Reshape", (ins Ints:$shape, Int<-1>:$flatten_start_dim)>;
def Tpu_UnsqueezeOp : Tpu_ShapeView<"Unsqueeze", (ins Ints:$axes)>;
def Tpu_SqueezeOp : Tpu_ShapeView<"Squeeze", (ins Ints:$axes, OptFlag:$is_scalar)>;

def Tpu_ConcatOp : Tpu_Nary<"Concat", !con(
    (ins SInt32<1>:$axis, Flag<0>:$only_merge, Ints:$multipliers, Ints:$rshifts, OptFlag:$multicore,
         Opt<RoundModeAttr>:$round_mode), ReluAttrs),
    [LocalSlice, DeclareOpInterfaceMethods<InPlaceOpInterface>]> {
  let description = [{
    `only_merge`: the operands already are where the result is, one behind the
    other; there is nothing to do at run time.
  }];
  let hasVerifier = 1;
}
// The last elements along the axis of both operands one after the other, as
// many as the first operand has: a state that moves on.
// The state may be updated where it is, as decoders do with theirs.
def Tpu_ConcatSliceOp : Tpu_Compute<"ConcatSlice", (ins TensorOrNone:$left, TensorOrNone:$right, Int<0>:$axis),
    [DeclareOpInterfaceMethods<InPlaceOpInterface>]>;

def Tpu_SliceOp : Tpu_Compute<"Slice",
    (ins TensorOrNone:$input, Rest:$rest, Ints:$offset, Ints:$steps, Ints:$ends, Ints:$axes,
         Ints:$hasparamConvert_axes), [LocalSlice, DeclareOpInterfaceMethods<InPlaceOpInterface>]> {
  let description = [{
    The first three operands behind the input are offset, ends and steps when
    these are known at run time only; the last is scratch. Attributes are one
    number for each dimension, or for each entry of `axes`. A negative offset
    counts from the end.
  }];
}
def Tpu_StridedSliceOp : Tpu_Compute<"StridedSlice",
  (ins TensorOrNone:$input, TensorOrNone:$starts, TensorOrNone:$ends, TensorOrNone:$strides, OptInt:$begin_mask,
       OptInt:$end_mask, OptInt:$ellipsis_mask, OptInt:$new_axis_mask, OptInt:$shrink_axis_mask)>;
def Tpu_SplitOp : Tpu_ManyOut<"Split",
  (ins TensorOrNone:$input, Rest:$rest, Int<0>:$axis, OptInt:$num, Ints:$split_size)>;
def Tpu_UnpackOp : Tpu_ManyOut<"Unpack", (ins TensorOrNone:$input, Int<0>:$axis, OptInt:$num)>;
def Tpu_PackOp : Tpu_Nary<"Pack", (ins OptInt:$axis, OptInt:$values_count)>;

def Tpu_PermuteOp : Tpu_Compute<"Permute", (ins TensorOrNone:$input, Rest:$rest, Ints:$order)>;
def Tpu_TransposeOp : Tpu_Compute<"Transpose", (ins TensorOrNone:$input, Rest:$rest, OptInt:$dim0, OptInt:$dim1)>;
def Tpu_ShuffleChannelOp : Tpu_Compute<"ShuffleChannel", (ins TensorOrNone:$input, OptInt:$group)>;
def Tpu_SwapChannelOp : Tpu_Compute<"SwapChannel", (ins TensorOrNone:$input, Ints:$channel_order)>;
def Tpu_SwapDimInnerOp : Tpu_Compute<"SwapDimInner", (ins TensorOrNone:$input, Ints:$offset)>;
def Tpu_ReverseOp : Tpu_Compute<"Reverse", (ins TensorOrNone:$input, OptInt:$axis)>;
def Tpu_RollOp : Tpu_Compute<"Roll", (ins TensorOrNone:$input, Ints:$shifts, Ints:$dims)>;
def Tpu_Depth2SpaceOp : Tpu_Compute<"Depth2Space", (ins TensorOrNone:$input, Rest:$rest, OptInt:$block_h,
  OptInt:$block_w, OptFlag:$is_CRD, OptFlag:$is_inversed, OptFlag:$in_is_NCHW, OptFlag:$out_is_NCHW,
  OptFlag:$swap_cr)>;
def Tpu_TriluOp : Tpu_Unary<"Trilu", (ins OptInt:$upper, OptInt:$diagonal)>;
def Tpu_WeightReorderOp : Tpu_Compute<"WeightReorder", (ins TensorOrNone:$input, OptInt:$reorder_mode)>;

def Tpu_PadOp : Tpu_Compute<"Pad", (ins TensorOrNone:$input, Rest:$rest, Ints:$paddings, Real<"0.0">:$val,
  Opt<PaddingModeAttr>:$mode, Flag<0>:$with_insert_zero, Ints:$insert_zeros), [LocalSlice]>;
def Tpu_TileOp : Tpu_Compute<"Tile", (ins TensorOrNone:$input, Rest:$rest, Ints:$tile)>;
def Tpu_ExpandOp : Tpu_Compute<"Expand", (ins TensorOrNone:$input, Rest:$rest, Ints:$shape)>;
def Tpu_UpsampleOp : Tpu_Compute<"Upsample", !con(
  (ins TensorOrNone:$input, OptInt:$scale_h, OptInt:$scale_w), ReluAttrs), [LocalSlice]>;
def Tpu_InterpOp : Tpu_Compute<"Interp", (ins TensorOrNone:$input, Rest:$rest, Opt<ResizeModeAttr>:$mode,
  Opt<ResizeCoordModeAttr>:$coord_mode, Real<"-1.0">:$scale_h, Real<"-1.0">:$scale_w)>;

def Tpu_GatherOp : Tpu_Compute<"Gather", (ins TensorOrNone:$input, TensorOrNone:$indices, Rest:$rest,
  SInt32<0>:$axis, Flag<1>:$keepdims, Flag<0>:$is_scalar, Flag<0>:$is_lora, OptFlag:$if_neg_index)>;
def Tpu_GatherElementsOp : Tpu_Compute<"GatherElements",
  (ins TensorOrNone:$input, TensorOrNone:$indices, Rest:$rest, OptInt:$axis)>;
def Tpu_GatherNDOp : Tpu_Compute<"GatherND",
  (ins TensorOrNone:$input, TensorOrNone:$indices, Rest:$rest, OptInt:$batch_dims, OptInt:$indice_dims)>;
def Tpu_ScatterElementsOp : Tpu_Compute<"ScatterElements", (ins TensorOrNone:$input, TensorOrNone:$indices,
  TensorOrNone:$updates, Rest:$rest, OptInt:$axis, OptStr:$reduction, OptFlag:$nc_can_split)>;
def Tpu_ScatterNDOp : Tpu_Compute<"ScatterND",
  (ins TensorOrNone:$input_data, TensorOrNone:$indices, TensorOrNone:$updates, Rest:$rest, OptInt:$reduction)>;
def Tpu_IndexPutOp : Tpu_Compute<"IndexPut",
  (ins TensorOrNone:$input, TensorOrNone:$indices, TensorOrNone:$values, Rest:$rest, OptFlag:$accumulate)>;
def Tpu_InsertOp : Tpu_Compute<"Insert",
  (ins TensorOrNone:$input, TensorOrNone:$rhs, Rest:$rest, OptInt:$axis, OptInt:$offset),
  [DeclareOpInterfaceMethods<InPlaceOpInterface>]>;
def Tpu_NonZeroOp : Tpu_Compute<"NonZero", (ins TensorOrNone:$input, Rest:$rest, OptStr:$order)>;

def Tpu_RangeOp : Tpu_Compute<"Range", (ins TensorOrNone:$start, TensorOrNone:$limit, TensorOrNone:$delta)>;
def Tpu_ArangeOp : Tpu_Compute<"Arange", (ins TensorOrNone:$start, TensorOrNone:$end, TensorOrNone:$step)>;
def Tpu_ConstantFillOp : Tpu_Compute<"ConstantFill", (ins TensorOrNone:$input, OptReal:$value)>;
def Tpu_CopyOp : Tpu_Compute<"Copy", (ins TensorOrNone:$input, Ints:$shape, Ints:$input_stride, Ints:$output_stride)>;

// Shapes computed at run time, on the host.
class Tpu_ShapeMath<string mnemonic> : Tpu_Nary<mnemonic>;
foreach name = ["Arith", "Assign", "Cast", "Clip", "Pack", "Power", "Reduce", "Reshape", "Slice", "Squeeze", "Tile",
                "Transpose", "Unsqueeze", "Concat", "Gather", "Pow", "Add", "Sub", "Mul", "Div"] in
  def Tpu_Shape # name # Op : Tpu_ShapeMath<"Shape" # name>;
def Tpu_ShapeOp : Tpu_Compute<"Shape", (ins TensorOrNone:$input, OptInt:$start, OptInt:$end, OptInt:$step)>;

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUSHAPE_TD
