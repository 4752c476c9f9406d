//===- TpuShape.td - Ops that move elements ----------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUSHAPE_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUSHAPE_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuClasses.td"

def Tpu_ReshapeOp : Tpu_ShapeView<"Reshape", [WritesOverOperand]>;
foreach name = ["Squeeze", "Unsqueeze"] in
  def Tpu_ # name # Op : Tpu_ShapeView<name>;

def Tpu_ConcatOp : Tpu_Nary<"Concat", (ins Int<1>:$axis, Flag<0>:$only_merge), [LocalSlice, InPlace]> {
  let description = [{
    `only_merge`: the operands already are where the result is, one after the
    other; there is nothing to do at run time.
  }];
  let hasVerifier = 1;
}
// The last elements along the axis of both operands one after the other, as
// many as the first operand has: a state that moves on.
// The state may be updated where it is, as decoders do with theirs.
def Tpu_ConcatSliceOp : Tpu_Compute<"ConcatSlice", (ins TensorOrNone:$left, TensorOrNone:$right), [InPlace]>;

def Tpu_SliceOp : Tpu_Unary<"Slice", (ins Ints:$offset, Ints:$steps, Ints:$axes), [LocalSlice, InPlace, PicksElements]> {
  let description = [{
    The first three operands after the input are offset, ends and steps when
    these are known at run time only; the last is scratch. Attributes are one
    number for each dimension, or for each entry of `axes`. A negative offset
    counts from the end.
  }];
}

def Tpu_PadOp : Tpu_Unary<"Pad", (ins Ints:$paddings, Enum<"PaddingMode", "constant">:$mode,
  Flag<0>:$with_insert_zero), [LocalSlice]>;
def Tpu_UpsampleOp : Tpu_Unary<"Upsample", (ins Int<1>:$scale_h, Int<1>:$scale_w), [LocalSlice]>;
def Tpu_InsertOp : Tpu_Compute<"Insert", (ins TensorOrNone:$input, TensorOrNone:$rhs, Rest:$rest), [InPlace]>;

foreach name = ["StridedSlice", "Gather", "GatherElements", "GatherND"] in
  def Tpu_ # name # Op : Tpu_ManyOut<name, (ins Variadic<TensorOrNone>:$inputs), [PicksElements]>;

foreach name = ["Unpack", "Pack", "Permute", "Transpose", "ShuffleChannel", "SwapChannel",
                "SwapDimInner", "Reverse", "Roll", "Depth2Space", "Batch2Space", "Space2Batch",
                "WeightReorder", "Tile", "Expand", "Interp", "ScatterElements",
                "ScatterND", "IndexPut", "NonZero", "Range", "Arange", "ConstantFill", "Copy", "FusedActiveCast",
                "Shape"] in
  def Tpu_ # name # Op : Tpu_ManyOut<name>;

// Shapes computed at run time, on the host.
foreach name = ["Arith", "Cast", "Clip", "Pack", "Power", "Reduce", "Reshape", "Reverse", "ScatterElements", "Slice",
                "Squeeze", "Tile", "Transpose", "Unsqueeze", "Concat", "Gather", "Pow", "Add", "Sub", "Mul", "Div"] in
  def Tpu_Shape # name # Op : Tpu_ManyOut<"Shape" # name>;

// These write where something else reads.
foreach name = ["ShapeAssign", "D2D", "Device2Host", "Host2Device"] in
  def Tpu_ # name # Op : Tpu_Layer<name, (ins Variadic<TensorOrNone>:$inputs)>;

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUSHAPE_TD
