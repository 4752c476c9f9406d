//===- TopShape.td - Ops that move elements ----------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPSHAPE_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPSHAPE_TD

include "tpu_mlir/Dialect/Top/IR/TopBase.td"

// The bytes of the operand, seen under another shape.
class Top_View<string mnemonic, dag attrs = (ins)> : Top_Compute<mnemonic,
    !con((ins TensorOrNone:$input, Rest:$rest), attrs), [InPlaceOpInterface]> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::tpu_mlir::InPlaceEdge> getInPlaceEdges() {
      return ::tpu_mlir::viewEdges(getOperation());
    }
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tpu_mlir::verifySameElementCount(getOperation());
    }
  }];
}

def Top_ReshapeOp : Top_View<"Reshape", (ins Ints:$shape, Int<-1>:$flatten_start_dim)>;
def Top_UnsqueezeOp : Top_View<"Unsqueeze", (ins Ints:$axes)>;
def Top_SqueezeOp : Top_View<"Squeeze", (ins Ints:$axes, OptFlag:$is_scalar)>;
def Top_FlattenOp : Top_View<"Flatten", (ins OptInt:$start_dim, OptInt:$end_dim)>;
def Top_ViewOp : Top_Compute<"View", (ins TensorOrNone:$input, TensorOrNone:$shape)>;

def Top_ConcatOp : Top_Nary<"Concat", !con((ins SInt32<1>:$axis), ReluAttrs)> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tpu_mlir::verifyConcat(getOperation(), getAxis());
    }
  }];
}
// The last elements along the axis of both operands one after the other, as
// many as the first operand has: a state that moves on.
def Top_ConcatSliceOp : Top_Compute<"ConcatSlice", (ins TensorOrNone:$left, TensorOrNone:$right, Int<0>:$axis)>;
def Top_StackOp : Top_Nary<"Stack", (ins OptInt:$axis)>;

def Top_SliceOp : Top_Compute<"Slice",
  (ins TensorOrNone:$input, Rest:$rest, Ints:$offset, Ints:$steps, Ints:$ends, Ints:$axes,
       Ints:$hasparamConvert_axes)>;
def Top_SliceAxisOp : Top_Compute<"SliceAxis", (ins TensorOrNone:$input, Rest:$rest)>;
def Top_StridedSliceOp : Top_Compute<"StridedSlice",
  (ins TensorOrNone:$input, TensorOrNone:$starts, TensorOrNone:$ends, TensorOrNone:$strides, OptInt:$begin_mask,
       OptInt:$end_mask, OptInt:$ellipsis_mask, OptInt:$new_axis_mask, OptInt:$shrink_axis_mask)>;
def Top_SplitOp : Top_ManyOut<"Split",
  (ins TensorOrNone:$input, Rest:$rest, Int<0>:$axis, OptInt:$num, Ints:$split_size)>;
def Top_UnpackOp : Top_ManyOut<"Unpack", (ins TensorOrNone:$input, Int<0>:$axis, OptInt:$num)>;
def Top_PackOp : Top_Nary<"Pack", (ins OptInt:$axis, OptInt:$values_count)>;
def Top_MeshGridOp : Top_ManyOut<"MeshGrid", (ins Variadic<TensorOrNone>:$inputs, OptFlag:$is_reverse)>;

def Top_PermuteOp : Top_Compute<"Permute", (ins TensorOrNone:$input, Rest:$rest, Ints:$order)>;
def Top_TransposeOp : Top_Compute<"Transpose", (ins TensorOrNone:$input, Rest:$rest, OptInt:$dim0, OptInt:$dim1)>;
def Top_ShuffleChannelOp : Top_Unary<"ShuffleChannel", (ins OptInt:$group)>;
def Top_SwapChannelOp : Top_Unary<"SwapChannel", (ins Ints:$channel_order)>;
def Top_SwapDimInnerOp : Top_Unary<"SwapDimInner", (ins Ints:$offset)>;
def Top_ReverseOp : Top_Unary<"Reverse", (ins OptInt:$axis)>;
def Top_RollOp : Top_Unary<"Roll", (ins Ints:$shifts, Ints:$dims)>;
def Top_Depth2SpaceOp : Top_Unary<"Depth2Space", (ins OptInt:$block_h, OptInt:$block_w, OptFlag:$is_CRD,
  OptFlag:$is_inversed, OptFlag:$in_is_NCHW, OptFlag:$out_is_NCHW, OptFlag:$swap_cr)>;
def Top_TriluOp : Top_Unary<"Trilu", (ins OptInt:$upper, OptInt:$diagonal)>;

def Top_PadOp : Top_Compute<"Pad",
  (ins TensorOrNone:$input, Rest:$rest, Ints:$paddings, Real<"0.0">:$val, OptStr:$mode)>;
def Top_TileOp : Top_Compute<"Tile", (ins TensorOrNone:$input, Rest:$rest, Ints:$tile)>;
def Top_ExpandOp : Top_Compute<"Expand", (ins TensorOrNone:$input, Rest:$rest, Ints:$shape)>;
def Top_RepeatOp : Top_Compute<"Repeat", (ins TensorOrNone:$input, TensorOrNone:$repeats)>;
def Top_UpsampleOp : Top_Unary<"Upsample", !con((ins OptInt:$scale_h, OptInt:$scale_w), ReluAttrs)>;
def Top_InterpOp : Top_Compute<"Interp",
  (ins TensorOrNone:$input, Rest:$rest, OptStr:$mode, OptStr:$coord_mode, Real<"-1.0">:$scale_h, Real<"-1.0">:$scale_w)>;

def Top_GatherOp : Top_Compute<"Gather",
  (ins TensorOrNone:$input, TensorOrNone:$indices, Flag<1>:$keepdims, SInt32<0>:$axis, Flag<0>:$is_scalar,
       Flag<0>:$is_lora)>;
def Top_GatherElementsOp : Top_Compute<"GatherElements", (ins TensorOrNone:$input, TensorOrNone:$indices, OptInt:$axis)>;
def Top_GatherNDOp : Top_Compute<"GatherND",
  (ins TensorOrNone:$input, TensorOrNone:$indices, OptInt:$batch_dims, OptInt:$indice_dims)>;
def Top_ScatterElementsOp : Top_Compute<"ScatterElements",
  (ins TensorOrNone:$input, TensorOrNone:$indices, TensorOrNone:$updates, OptInt:$axis, OptStr:$reduction,
       OptFlag:$nc_can_split)>;
def Top_ScatterNDOp : Top_Compute<"ScatterND",
  (ins TensorOrNone:$input_data, TensorOrNone:$indices, TensorOrNone:$updates, OptInt:$reduction)>;
def Top_IndexPutOp : Top_Compute<"IndexPut",
  (ins TensorOrNone:$input, TensorOrNone:$indices, TensorOrNone:$values, OptFlag:$accumulate)>;
def Top_InsertOp : Top_Compute<"Insert",
  (ins TensorOrNone:$input, TensorOrNone:$rhs, Rest:$rest, OptInt:$axis, OptInt:$offset)>;
def Top_NonZeroOp : Top_Unary<"NonZero", (ins OptStr:$order)>;

def Top_ShapeOp : Top_Unary<"Shape", (ins OptInt:$start, OptInt:$end, OptInt:$step)>;
def Top_SizeOp : Top_Unary<"Size", (ins OptInt:$axis)>;
def Top_ArangeOp : Top_Compute<"Arange", (ins TensorOrNone:$start, TensorOrNone:$end, TensorOrNone:$step)>;
def Top_RangeOp : Top_Compute<"Range", (ins TensorOrNone:$start, TensorOrNone:$limit, TensorOrNone:$delta)>;
def Top_ConstantFillOp : Top_Unary<"ConstantFill", (ins OptReal:$value)>;

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPSHAPE_TD
