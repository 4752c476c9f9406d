//===- TpuMath.td - Convolution, matrices, elementwise -----*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUMATH_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUMATH_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuClasses.td"

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

defvar WindowAttrs = (ins Ints:$kernel_shape, Ints:$strides, Ints:$pads);

class Tpu_Conv<string mnemonic> : Tpu_Compute<mnemonic, !con(
    (ins TensorOrNone:$input, TensorOrNone:$filter, Rest:$rest), WindowAttrs,
    (ins Int<1>:$group, Ints:$dilations, Ints:$inserts)), [LocalSlice, CompactCoefficients]>;

def Tpu_Conv1DOp : Tpu_Conv<"Conv1D">;
def Tpu_Conv2DOp : Tpu_Conv<"Conv2D">;
def Tpu_Conv3DOp : Tpu_Conv<"Conv3D">;
def Tpu_DeconvOp : Tpu_Conv<"Deconv">;

class Tpu_Pool<string mnemonic>
    : Tpu_Unary<mnemonic, !con(WindowAttrs, (ins Flag<0>:$is_adaptive)), [LocalSlice]>;

def Tpu_Pool1DOp : Tpu_Pool<"Pool1D">;
def Tpu_Pool2DOp : Tpu_Pool<"Pool2D">;
def Tpu_Pool3DOp : Tpu_Pool<"Pool3D">;

foreach name = ["Convbwd", "MaxPoolWithMask"] in
  def Tpu_ # name # Op : Tpu_Named<name>;
foreach name = ["Deconv3D", "ConvBwdWeight", "ConvBwd_Weight", "ConcatVolume", "DeformGather", "MaxPoolingIndicesBwd",
                "MaxUnpool", "PoolMask"] in
  def Tpu_ # name # Op : Tpu_ManyOut<name>;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

// After the bias: multipliers and scratch.
def Tpu_MatMulOp : Tpu_Compute<"MatMul",
  (ins TensorOrNone:$input, TensorOrNone:$right, Rest:$rest, Flag<0>:$left_transpose, Flag<0>:$right_transpose,
       Flag<0>:$output_transpose, Flag<0>:$hdim_is_batch, Int<0>:$weight_bits), [LocalSlice]>;
def Tpu_A16MatMulOp : Tpu_Compute<"A16MatMul",
  (ins TensorOrNone:$input, TensorOrNone:$weight, TensorOrNone:$scale, TensorOrNone:$zp, Rest:$rest), [LocalSlice]>;

foreach name = ["MatMulLut", "Mlp", "CastAdd"] in
  def Tpu_ # name # Op : Tpu_ManyOut<name>;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

foreach name = ["Add", "Sub", "Max", "Min", "Mul", "Div"] in
  def Tpu_ # name # Op : Tpu_Elementwise<name, (ins Variadic<TensorOrNone>:$inputs), [WritesOverOperand]>;
foreach name = ["Mod", "Pow", "Pow2", "Pow3", "BinaryShift",
                "AddConst", "SubConst", "MulConst", "DivConst", "MaxConst", "MinConst", "BinaryConstShift", "MulShift",
                "Compare", "CompareConst", "LogicalAnd", "LogicalOr", "BitwiseAnd", "MaskedFill", "Trilu"] in
  def Tpu_ # name # Op : Tpu_Elementwise<name>;
// After the data of a selection there may be scratch.
def Tpu_WhereOp : Tpu_Elementwise<"Where", (ins TensorOrNone:$cond, TensorOrNone:$tbrn, TensorOrNone:$fbrn, Rest:$rest)>;
def Tpu_SquaredSumOp : Tpu_Nary<"SquaredSum">;

//===----------------------------------------------------------------------===//
// Functions of one operand, tables, types
//===----------------------------------------------------------------------===//

def Tpu_ActiveOp : Tpu_Elementwise<"Active", (ins TensorOrNone:$input, Enum<"ActiveMode", "EXP">:$mode)>;
foreach name = ["Relu", "LeakyRelu", "Clip", "Reciprocal", "Cast", "DtypeCast"] in
  def Tpu_ # name # Op : Tpu_Elementwise<name, (ins TensorOrNone:$input)>;
// One version of the dialect spells it with `Op`.
def Tpu_PReluOp : Tpu_Elementwise<"PRelu", (ins TensorOrNone:$input, TensorOrNone:$slope), [CompactCoefficients]>;
def Tpu_PReluOpOp : Tpu_Elementwise<"PReluOp", (ins TensorOrNone:$input, TensorOrNone:$slope)>;

// Requantisation along an axis has a row of its table for each place there.
foreach name = ["Lut", "LutBF16"] in
  def Tpu_ # name # Op : Tpu_Table<name, [CompactCoefficients, BroadcastTables]>;
def Tpu_ScaleLutOp : Tpu_Table<"ScaleLut", [BroadcastTables]>;
def Tpu_RequantIntAxisOp : Tpu_Table<"RequantIntAxis", [CompactCoefficients]>;
foreach name = ["RequantInt", "RequantFp", "RequantFpAxis", "DequantInt", "DequantIntAxis"] in
  def Tpu_ # name # Op : Tpu_Table<name>;

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUMATH_TD
