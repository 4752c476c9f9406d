//===- TpuMath.td - Convolution, matrices, elementwise -----*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUMATH_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUMATH_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuClasses.td"

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

defvar WindowAttrs = (ins Ints:$kernel_shape, Ints:$strides, Ints:$pads);

class Tpu_Conv<string mnemonic, list<Trait> traits = []> : Tpu_Compute<mnemonic, !con(
    (ins TensorOrNone:$input, TensorOrNone:$filter, Rest:$rest), WindowAttrs,
    (ins Int<1>:$group, Ints:$dilations, Ints:$inserts, Ints:$output_padding, OptFlag:$with_bias, Int<0>:$kernel_zp,
         Flag<0>:$coeff_merged, Int<0>:$use_3ic_optimize, Flag<0>:$dynweight_reorderd, Int<1>:$weight_is_coeff,
         OptFlag:$do_winograd, OptFlag:$support_compress, OptFlag:$multicore, Ints:$multiplier, Ints:$rshift),
    QuantAttrs, ReluAttrs), traits>;

def Tpu_Conv1DOp : Tpu_Conv<"Conv1D", [LocalSlice]>;
def Tpu_Conv2DOp : Tpu_Conv<"Conv2D", [LocalSlice]>;
def Tpu_Conv3DOp : Tpu_Conv<"Conv3D", [LocalSlice]>;
def Tpu_DeconvOp : Tpu_Conv<"Deconv", [LocalSlice]>;
def Tpu_Deconv3DOp : Tpu_Conv<"Deconv3D">;
def Tpu_ConvbwdOp : Tpu_ManyOut<"Convbwd", (ins Variadic<TensorOrNone>:$inputs)>;
def Tpu_ConvBwdWeightOp : Tpu_Nary<"ConvBwdWeight">;

class Tpu_Pool<string mnemonic> : Tpu_Compute<mnemonic, !con(
    (ins TensorOrNone:$input, Rest:$rest), WindowAttrs,
    (ins Opt<PoolModeAttr>:$pool_mode, OptFlag:$ceil_mode, Flag<0>:$is_adaptive, Flag<1>:$keepdims, Int<0>:$pad_value,
         Flag<0>:$count_include_pad, OptInt:$multiplier, OptInt:$rshift, OptReal:$scale, OptReal:$offset,
         OptReal:$fp8_out_scale, Opt<RoundModeAttr>:$round_mode, Opt<RoundModeAttr>:$first_round_mode),
    ReluAttrs), [LocalSlice]>;

def Tpu_Pool1DOp : Tpu_Pool<"Pool1D">;
def Tpu_Pool2DOp : Tpu_Pool<"Pool2D">;
def Tpu_Pool3DOp : Tpu_Pool<"Pool3D">;
def Tpu_MaxPoolWithMaskOp : Tpu_ManyOut<"MaxPoolWithMask", !con((ins TensorOrNone:$input), WindowAttrs, ReluAttrs)> {
  let results = (outs TensorOrNone:$output, TensorOrNone:$mask);
}
def Tpu_MaxUnpoolOp : Tpu_Compute<"MaxUnpool",
  (ins TensorOrNone:$input, TensorOrNone:$mask, OptInt:$scale_h, OptInt:$scale_w)>;
def Tpu_MaxPoolingIndicesBwdOp : Tpu_Nary<"MaxPoolingIndicesBwd", WindowAttrs>;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

// Behind the bias: multipliers and scratch.
def Tpu_MatMulOp : Tpu_Compute<"MatMul", !con(
  (ins TensorOrNone:$input, TensorOrNone:$right, Rest:$rest, Flag<0>:$left_transpose, Flag<0>:$right_transpose,
       Flag<0>:$output_transpose, Flag<0>:$hdim_is_batch, Flag<1>:$keep_dims, Flag<0>:$is_lora, Int<0>:$left_reuse,
       Int<0>:$input_zp, Int<0>:$right_zp, Flag<0>:$fuse_rq, OptInt:$weight_bits, Int<0>:$q_group_size,
       Str<"NONE">:$dq_type, OptFlag:$multicore, Ints:$multipliers, Ints:$rshifts), QuantAttrs, ReluAttrs),
  [LocalSlice]>;

def Tpu_A16MatMulOp : Tpu_Compute<"A16MatMul",
  (ins TensorOrNone:$input, TensorOrNone:$weight, TensorOrNone:$scale, TensorOrNone:$zp, Rest:$rest,
       Flag<0>:$w_transpose, Flag<0>:$sign, OptInt:$weight_bits, Int<0>:$q_group_size, Str<"NONE">:$dq_type,
       OptFlag:$multicore), [LocalSlice]>;

def Tpu_MlpOp : Tpu_Nary<"Mlp">;
def Tpu_ScaleDotProductAttentionOp : Tpu_Nary<"ScaleDotProductAttention">;

//===----------------------------------------------------------------------===//
// Arithmetic. Quantised forms have a multiplier and a shift for each operand;
// Mul and its like have one for the product.
//===----------------------------------------------------------------------===//

class Tpu_Arith<string mnemonic, dag attrs = (ins)> : Tpu_ElementwiseNary<mnemonic, !con(
    attrs, (ins Flag<0>:$is_scalar, Flag<0>:$is_reverse), ReluAttrs)>;
defvar PerOperandQuant = (ins Ints:$multipliers, Ints:$rshifts, Reals:$f8_scales, Opt<RoundModeAttr>:$round_mode);
defvar ProductQuant = !con((ins SInt32<1>:$multiplier, SInt32<0>:$rshift), QuantAttrs);

def Tpu_AddOp : Tpu_Arith<"Add", PerOperandQuant>;
def Tpu_SubOp : Tpu_Arith<"Sub", PerOperandQuant>;
def Tpu_MaxOp : Tpu_Arith<"Max", PerOperandQuant>;
def Tpu_MinOp : Tpu_Arith<"Min", PerOperandQuant>;
def Tpu_MulOp : Tpu_Arith<"Mul", ProductQuant>;
def Tpu_DivOp : Tpu_Arith<"Div", ProductQuant>;
def Tpu_BinaryShiftOp : Tpu_ElementwiseNary<"BinaryShift", (ins OptStr:$mode, OptInt:$shift, OptFlag:$saturation,
  Opt<RoundModeAttr>:$round_mode, OptFlag:$is_reverse)>;

class Tpu_Const<string mnemonic> : Tpu_Unary<mnemonic, !con(
    (ins Real<"0.0">:$const_val, Flag<0>:$is_reverse, Flag<0>:$is_scalar, OptReal:$f8_scale, SInt32<1>:$multiplier,
         SInt32<0>:$rshift), QuantAttrs, ReluAttrs)>;

def Tpu_AddConstOp : Tpu_Const<"AddConst">;
def Tpu_SubConstOp : Tpu_Const<"SubConst">;
def Tpu_MulConstOp : Tpu_Const<"MulConst">;
def Tpu_DivConstOp : Tpu_Const<"DivConst">;
def Tpu_MaxConstOp : Tpu_Const<"MaxConst">;
def Tpu_MinConstOp : Tpu_Const<"MinConst">;
def Tpu_BinaryConstShiftOp : Tpu_Unary<"BinaryConstShift", (ins OptStr:$mode, OptInt:$scale, OptInt:$shift,
  OptFlag:$saturation, Opt<RoundModeAttr>:$round_mode, OptFlag:$is_reverse)>;
def Tpu_MulShiftOp : Tpu_Unary<"MulShift", (ins OptInt:$multiplier, OptInt:$rshift)>;
def Tpu_PowOp : Tpu_Unary<"Pow", (ins Real<"1.0">:$exponent)>;
def Tpu_Pow2Op : Tpu_Unary<"Pow2", (ins Real<"1.0">:$const_val)>;
def Tpu_Pow3Op : Tpu_ElementwiseNary<"Pow3">;
def Tpu_ModOp : Tpu_ElementwiseNary<"Mod">;
def Tpu_SquaredSumOp : Tpu_Nary<"SquaredSum">;

def Tpu_CompareOp : Tpu_ElementwiseNary<"Compare", (ins OptStr:$mode)>;
def Tpu_CompareConstOp : Tpu_Unary<"CompareConst", (ins OptStr:$mode, OptReal:$const_val, OptFlag:$inversed)>;
def Tpu_LogicalAndOp : Tpu_ElementwiseNary<"LogicalAnd">;
def Tpu_LogicalOrOp : Tpu_ElementwiseNary<"LogicalOr">;
def Tpu_BitwiseAndOp : Tpu_ElementwiseNary<"BitwiseAnd">;
def Tpu_WhereOp : Tpu_Elementwise<"Where", (ins TensorOrNone:$cond, TensorOrNone:$tbrn, TensorOrNone:$fbrn, Rest:$rest,
  OptFlag:$x_is_const, OptFlag:$y_is_const, OptReal:$x_const_val, OptReal:$y_const_val)>;
def Tpu_MaskedFillOp : Tpu_Elementwise<"MaskedFill",
  (ins TensorOrNone:$cond, TensorOrNone:$brn, OptFlag:$inversed, OptReal:$const_val)>;

//===----------------------------------------------------------------------===//
// Functions of one operand, tables, types
//===----------------------------------------------------------------------===//

def Tpu_ActiveOp : Tpu_Unary<"Active", (ins Opt<ActiveModeAttr>:$mode, OptReal:$scale, OptReal:$bias, OptFlag:$log,
  Reals:$coeffs, Opt<RoundModeAttr>:$round_mode)>;
def Tpu_ReluOp : Tpu_Unary<"Relu", (ins Real<"-1.0">:$relu_limit)>;
def Tpu_LeakyReluOp : Tpu_Unary<"LeakyRelu", (ins OptReal:$alpha, OptInt:$multiplier, OptInt:$rshift,
  OptInt:$multiplier_pos, OptInt:$multiplier_neg, OptInt:$rshift_pos, OptInt:$rshift_neg,
  Opt<RoundModeAttr>:$round_mode)>;
def Tpu_PReluOp : Tpu_Elementwise<"PRelu",
  (ins TensorOrNone:$input, TensorOrNone:$slope, OptInt:$rshift, OptInt:$rshift_pos, OptInt:$multiplier_pos)>;
def Tpu_ClipOp : Tpu_Unary<"Clip", (ins OptReal:$min, OptReal:$max)>;
def Tpu_ReciprocalOp : Tpu_Unary<"Reciprocal", !con((ins Real<"1.0">:$const_val), ReluAttrs)>;

def Tpu_LutOp : Tpu_Table<"Lut", (ins TensorOrNone:$input, TensorOrNone:$table)>;
def Tpu_LutBF16Op : Tpu_Table<"LutBF16", (ins TensorOrNone:$input, TensorOrNone:$table, TensorOrNone:$mantissa,
  OptStr:$lut_mode, OptReal:$min_range, OptReal:$max_range)>;
def Tpu_ScaleLutOp : Tpu_Table<"ScaleLut", (ins TensorOrNone:$input, TensorOrNone:$table, OptInt:$sign)>;

def Tpu_CastOp : Tpu_Unary<"Cast", (ins Flag<1>:$with_scale, Opt<RoundModeAttr>:$round_mode)>;
def Tpu_DtypeCastOp : Tpu_Unary<"DtypeCast">;

class Tpu_Requant<string mnemonic, dag attrs> : Tpu_Table<mnemonic, !con(
    (ins TensorOrNone:$input, Rest:$rest), attrs, (ins OptFlag:$fuse_rq), QuantAttrs)>;
def Tpu_RequantIntOp : Tpu_Requant<"RequantInt", (ins OptInt:$multiplier, OptInt:$rshift, OptInt:$offset)>;
def Tpu_RequantIntAxisOp : Tpu_Requant<"RequantIntAxis", (ins OptInt:$rq_axis)>;
def Tpu_RequantFpOp : Tpu_Requant<"RequantFp",
  (ins OptReal:$scale, OptReal:$offset, Opt<RoundModeAttr>:$first_round_mode)>;
def Tpu_RequantFpAxisOp : Tpu_Requant<"RequantFpAxis", (ins Opt<RoundModeAttr>:$first_round_mode)>;

class Tpu_Dequant<string mnemonic, dag attrs> : Tpu_Table<mnemonic, !con(
    (ins TensorOrNone:$input, Rest:$rest), attrs,
    (ins OptInt:$lshift, Opt<DequantModeAttr>:$quant_mode, Opt<RoundModeAttr>:$round_mode))>;
def Tpu_DequantIntOp : Tpu_Dequant<"DequantInt", (ins OptInt:$multiplier, OptInt:$shift)>;
def Tpu_DequantIntAxisOp : Tpu_Dequant<"DequantIntAxis", (ins)>;

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUMATH_TD
