#ifndef TPU_MLIR_TRANSFORMS_CONVERTTOPTOTPU
#define TPU_MLIR_TRANSFORMS_CONVERTTOPTOTPU

include "mlir/Pass/PassBase.td"

def ConvertTopToTpu : Pass<"convert-top-to-tpu", "::mlir::ModuleOp"> {
  let summary = "Lower a network from the Top to the Tpu dialect";
  let description = [{
    Replaces every Top op but inputs, weights and `top.None` by its Tpu
    counterpart in one float type: `mode` is F32, F16 or BF16, or W4F16, W8F16,
    W4BF16, W8BF16 for networks whose large matrices are packed into 4
    or 8 bits: by a front end (`top.A16MatMul`, which plain F16 keeps, too), or
    here, where a product has a weight of two dimensions on the right whose rows
    are whole groups of `q-group-size` and as many as whole lanes of the chip, or INT8 after `--import-calibration-table`.

    In INT8 a tensor with a range is integers where there is a rule for the op:
    convolutions with a multiplier and a shift for each channel, sums with one
    for each operand, functions of one number as tables of 256 entries. All
    other ops compute in f16, or bf16 where the chip says so (`halfFloat`);
    `quantize-table` names further ones. F8E4M3 and F8E5M2 are the same with
    floats of 8 bits, on chips that have them. Numbers of
    weights are read from `weights` and written to `weights-out`; without them
    shapes and types are the same, multipliers are stand-ins, and one warning
    says so.

    Activations become the mode's type. Float weights are stored in it under
    the name `<name>_bf16`, packed ones stay `ui8` as `<op>_weight` and
    `<op>_zp`, each with its old name in `origin`; a convolution's bias stays f32 (but f16 when it is depthwise in
    F16), and so does the bias of a matrix product in F16. Shapes stay as they
    are: reordering weights for the hardware is the backend's.

    In f32 whatever the mode: SiLU, as the toolchain lowers it; TopK, Sort and
    Arg, whose indices become i32; box detection; ops with `force_f32`; and those
    with `whole_numbers`, which an importer gives layers of integers. With
    `high-precision` also the other functions that tpu.Active approximates
    (sigmoid, softplus, ...), as accuracy often needs it. Which further layers
    the toolchain computes in f32 on single chips is not taken over.
    Where types meet there is one tpu.Cast after the producer. Reshapes keep
    the type of their operand. Integers that are only moved stay integers.
    Strings that are enums of the Tpu dialect become these.

    The function keeps its argument types; results are cast back to what it
    returned, but integers (TopK's indices) are returned as integers. A Relu
    becomes `do_relu` of its producer when nothing else reads that one.

    The module gets `module.chip` (option `chip` or `chip-file`),
    `module.mode`, `module.state = "TPU_LOWERED"` and, where missing,
    `module.addr_mode = "basic"` and one core and device. The weight file is
    not touched: `module.weight_file` is what the front end wrote.

    An op whose Tpu op has another name or other attributes is said in these:
    `Swish` is an `Active` with `coeffs`, `Transpose` a `Permute`. `Split`,
    `Unpack` and `Pack` are taken apart into slices and concats.
    A Top op that no rule knows, or that has not the operands of its rule, or
    an attribute that no Tpu op has,
    becomes the Tpu op of its name with the same attributes; an op of another
    dialect stays, with operands of the types that it had. Both with a remark.
    Regions of such an op are an error (E010), a quantised tensor or an unknown
    mode another (E005), and so is INT8 of a module that is not calibrated; nothing is lowered then. A module that is lowered already is left alone
    when it is of the mode asked for, and an error otherwise. Linear in the
    size of the module.

    ```mlir
    // before
    %1 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<8x4xf32> loc("w")
    %3 = "top.MatMul"(%1, %2, %0) : (tensor<1x8xf32>, tensor<8x4xf32>, none) -> tensor<1x4xf32> loc("y")
    return %3 : tensor<1x4xf32>
    // after, mode=BF16
    %1 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    %2 = "tpu.Cast"(%1) {...} : (tensor<1x8xf32>) -> tensor<1x8xbf16> loc("xy_bf16")
    %3 = "top.Weight"() {origin = "w"} : () -> tensor<8x4xbf16> loc("w_bf16")
    %4 = "tpu.MatMul"(%2, %3, %0, %0, %0) {...} : (tensor<1x8xbf16>, tensor<8x4xbf16>, none, none, none) -> tensor<1x4xbf16> loc("y")
    %5 = "tpu.Cast"(%4) {...} : (tensor<1x4xbf16>) -> tensor<1x4xf32> loc("y_f32")
    return %5 : tensor<1x4xf32>
    ```
  }];
  let options = [
    Option<"mode", "mode", "std::string", /*default=*/"\"\"",
           "F32, F16, BF16, W4F16, W8F16, W4BF16, W8BF16, INT8, F8E4M3 or F8E5M2; empty: the attribute module.mode">,
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "The chip by name; empty: the attribute module.chip stays as it is">,
    Option<"chipFile", "chip-file", "std::string", /*default=*/"\"\"",
           "A JSON file that describes the chip; wins over the name">,
    Option<"highPrecision", "high-precision", "bool", /*default=*/"false",
           "Compute what tpu.Active approximates in f32">,
    Option<"weights", "weights", "std::string", /*default=*/"\"\"",
           "INT8, W4.., W8..: the numbers of the weights, .npz">,
    Option<"weightsOut", "weights-out", "std::string", /*default=*/"\"\"",
           "The same: where those of the lowered module are written, .npz">,
    Option<"qGroupSize", "q-group-size", "int64_t", /*default=*/"64",
           "W4.., W8..: numbers of a row that have one scale; 0, -1: the whole row">,
    Option<"qSymmetric", "q-symmetric", "bool", /*default=*/"false",
           "W4.., W8..: zero points in the middle">,
    Option<"quantizeTable", "quantize-table", "std::string", /*default=*/"\"\"",
           "INT8: a file with a line 'name F32', F16 or BF16 for each op that stays a float">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect",
                           "::mlir::quant::QuantDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_CONVERTTOPTOTPU
