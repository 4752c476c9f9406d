//===- TopMath.td - Convolution, matrices, elementwise -----*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPMATH_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPMATH_TD

include "tpu_mlir/Dialect/Top/IR/TopBase.td"

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

defvar TopWindowAttrs = (ins Ints:$kernel_shape, Ints:$strides, Ints:$pads, OptStr:$auto_pad);

class Top_Conv<string mnemonic> : Top_Compute<mnemonic, !con(
    (ins TensorOrNone:$input, TensorOrNone:$filter, Rest:$bias), TopWindowAttrs,
    (ins Int<1>:$group, Ints:$dilations, Ints:$inserts, Ints:$output_padding, Flag<0>:$dynweight_reorderd,
         Int<1>:$weight_is_coeff, OptFlag:$do_winograd), ReluAttrs)>;

def Top_ConvOp : Top_Conv<"Conv">;
def Top_DeconvOp : Top_Conv<"Deconv">;

class Top_Pool<string mnemonic> : Top_Compute<mnemonic, !con(
    (ins TensorOrNone:$input), TopWindowAttrs,
    (ins OptFlag:$ceil_mode, Flag<0>:$is_adaptive, Flag<1>:$keepdims, Int<0>:$pad_value, Flag<0>:$count_include_pad,
         OptStr:$round_mode, OptStr:$first_round_mode), ReluAttrs)>;

def Top_AvgPoolOp : Top_Pool<"AvgPool">;
def Top_MaxPoolOp : Top_Pool<"MaxPool">;
def Top_AdaptiveAvgPoolOp : Top_Unary<"AdaptiveAvgPool", (ins Ints:$output_size)>;
def Top_MaxPoolWithMaskOp : Top_ManyOut<"MaxPoolWithMask", !con((ins TensorOrNone:$input), TopWindowAttrs, ReluAttrs)> {
  let results = (outs TensorOrNone:$output, TensorOrNone:$mask);
}
def Top_MaxUnpoolOp : Top_Compute<"MaxUnpool",
  (ins TensorOrNone:$input, TensorOrNone:$mask, OptInt:$scale_h, OptInt:$scale_w)>;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

def Top_MatMulOp : Top_Compute<"MatMul", !con(
  (ins TensorOrNone:$input, TensorOrNone:$right, Rest:$bias, Flag<0>:$left_transpose, Flag<0>:$right_transpose,
       Flag<0>:$output_transpose, Flag<0>:$hdim_is_batch, Flag<1>:$keep_dims, Flag<0>:$is_lora, OptInt:$weight_bits,
       Int<0>:$q_group_size, Str<"NONE">:$dq_type), ReluAttrs)>;

def Top_A16MatMulOp : Top_Compute<"A16MatMul",
  (ins TensorOrNone:$input, TensorOrNone:$weight, TensorOrNone:$scale, TensorOrNone:$zp, Rest:$bias,
       Flag<0>:$right_transpose, Int<0>:$q_group_size, OptInt:$weight_bits, Str<"NONE">:$dq_type)>;

def Top_EinsumOp : Top_Nary<"Einsum", (ins OptStr:$mode)>;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

class Top_Arith<string mnemonic> : Top_Nary<mnemonic, !con(
    (ins Flag<0>:$is_scalar, Flag<0>:$is_reverse, Reals:$coeff), ReluAttrs)>;

def Top_AddOp : Top_Arith<"Add">;
def Top_SubOp : Top_Arith<"Sub">;
def Top_MulOp : Top_Arith<"Mul">;
def Top_DivOp : Top_Arith<"Div">;
def Top_MaxOp : Top_Arith<"Max">;
def Top_MinOp : Top_Arith<"Min">;

class Top_Const<string mnemonic> : Top_Unary<mnemonic, !con(
    (ins Real<"0.0">:$const_val, Flag<0>:$is_reverse, Flag<0>:$is_scalar), ReluAttrs)>;

def Top_AddConstOp : Top_Const<"AddConst">;
def Top_SubConstOp : Top_Const<"SubConst">;
def Top_MulConstOp : Top_Const<"MulConst">;
def Top_DivConstOp : Top_Const<"DivConst">;
def Top_MaxConstOp : Top_Const<"MaxConst">;
def Top_MinConstOp : Top_Const<"MinConst">;
def Top_BinaryShiftOp : Top_Nary<"BinaryShift", (ins OptStr:$mode, OptInt:$shift, OptFlag:$saturation,
  OptStr:$round_mode, OptFlag:$is_reverse)>;
def Top_BinaryConstShiftOp : Top_Unary<"BinaryConstShift", (ins OptStr:$mode, OptInt:$scale, OptInt:$shift,
  OptFlag:$saturation, OptStr:$round_mode, OptFlag:$is_reverse)>;
def Top_PowOp : Top_Unary<"Pow", (ins Real<"1.0">:$exponent)>;
def Top_Pow2Op : Top_Unary<"Pow2", (ins Real<"1.0">:$const_val)>;
def Top_Pow3Op : Top_Compute<"Pow3", (ins TensorOrNone:$base, TensorOrNone:$expn)>;
def Top_ModOp : Top_Nary<"Mod">;
def Top_SquaredDifferenceOp : Top_Nary<"SquaredDifference">;

class Top_Compare<string mnemonic, dag attrs> : Top_Nary<mnemonic, !con((ins OptStr:$mode), attrs)>;
def Top_CompareOp : Top_Compare<"Compare", (ins)>;
def Top_CompareConstOp : Top_Compare<"CompareConst", (ins OptReal:$const_val, OptFlag:$inversed)>;
def Top_LogicalAndOp : Top_Nary<"LogicalAnd">;
def Top_LogicalOrOp : Top_Nary<"LogicalOr">;
def Top_BitwiseAndOp : Top_Nary<"BitwiseAnd">;
def Top_NotOp : Top_Unary<"Not">;

def Top_WhereOp : Top_Compute<"Where", (ins TensorOrNone:$cond, TensorOrNone:$tbrn, TensorOrNone:$fbrn,
  OptFlag:$x_is_const, OptFlag:$y_is_const, OptReal:$x_const_val, OptReal:$y_const_val)>;
def Top_MaskedFillOp : Top_Compute<"MaskedFill",
  (ins TensorOrNone:$cond, TensorOrNone:$brn, OptFlag:$inversed, OptReal:$const_val)>;

def Top_CastOp : Top_Unary<"Cast", (ins OptStr:$to, OptStr:$round_mode)>;
def Top_DtypeCastOp : Top_Unary<"DtypeCast">;
def Top_RequantIntOp : Top_Unary<"RequantInt", (ins Ints:$multiplier, Ints:$rshift, OptInt:$offset,
  OptStr:$quant_mode, OptStr:$round_mode, OptInt:$rq_axis, OptFlag:$fuse_rq)>;
def Top_RequantFpOp : Top_Unary<"RequantFp", (ins Reals:$scale, Reals:$offset, OptStr:$quant_mode,
  OptStr:$round_mode, OptStr:$first_round_mode)>;
def Top_DequantIntOp : Top_Unary<"DequantInt", (ins Ints:$multiplier, Ints:$shift, OptInt:$lshift,
  OptStr:$quant_mode, OptStr:$round_mode)>;
def Top_DequantizeLinearOp : Top_Unary<"DequantizeLinear", (ins Reals:$x_scale, OptionalAttr<ArrayAttr>:$x_zero_point,
  OptInt:$axis)>;
def Top_QuantizeLinearOp : Top_Unary<"QuantizeLinear", (ins Reals:$y_scale, OptionalAttr<ArrayAttr>:$y_zero_point,
  OptInt:$axis)>;

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

class Top_Active<string mnemonic> : Top_Unary<mnemonic,
    (ins OptReal:$scale, OptReal:$bias, OptFlag:$log, OptStr:$round_mode, OptStr:$approx_mode)>;

foreach name = ["Abs", "Arccos", "Arcsin", "Arctan", "Arctanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "GELU",
                "HardSwish", "Log", "LogB", "Mish", "Neg", "QGELU", "Relu6", "Round", "Rsqrt", "Sigmoid",
                "SiLU", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Swish", "Tan", "Tanh"] in
  def Top_ # name # Op : Top_Active<name>;

def Top_ReluOp : Top_Unary<"Relu", (ins Real<"-1.0">:$relu_limit, OptStr:$round_mode)>;
def Top_LeakyReluOp : Top_Unary<"LeakyRelu", (ins OptReal:$alpha, OptStr:$round_mode)>;
def Top_EluOp : Top_Unary<"Elu", (ins OptReal:$alpha, OptStr:$round_mode)>;
def Top_HardSigmoidOp : Top_Unary<"HardSigmoid", (ins Real<"0.2">:$alpha, Real<"0.5">:$beta, OptStr:$round_mode)>;
def Top_ClipOp : Top_Unary<"Clip", (ins OptReal:$min, OptReal:$max, OptStr:$round_mode)>;
def Top_ReciprocalOp : Top_Unary<"Reciprocal", !con((ins Real<"1.0">:$const_val), ReluAttrs)>;
def Top_PReluOp : Top_Compute<"PRelu", (ins TensorOrNone:$input, TensorOrNone:$slope, OptStr:$round_mode)>;
def Top_LutOp : Top_Compute<"Lut", (ins TensorOrNone:$input, TensorOrNone:$table)>;
def Top_RemainderOp : Top_Nary<"Remainder">;

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPMATH_TD
