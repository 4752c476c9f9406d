#ifndef TPU_MLIR_TRANSFORMS_REORDERWEIGHTS
#define TPU_MLIR_TRANSFORMS_REORDERWEIGHTS

include "mlir/Pass/PassBase.td"

def ReorderWeights : Pass<"tpu-reorder-weights", "::mlir::ModuleOp"> {
  let summary = "Store coefficients of convolutions and packed matrices as the chip reads them";
  let description = [{
    A lowered convolution of integers has a filter, a bias, and a multiplier and
    a shift for each channel among its attributes. A chip reads these from
    memory, in an order of its own:

    * where it multiplies by a fraction (`requantBytes` 5), bias, multiplier and
      shift of a channel are 9 bytes, or 5 without a bias, of a weight
      `<op>_bias_packed`; the filter `<op>_filter_reordered` has its input
      channels last, an even number of them where there are several;
    * elsewhere all of them are one weight `<op>_merge`, lane by lane. Where
      few input channels come in, rows or columns of the kernel or both count as
      input channels, as long as these fit into a block (`use_3ic_optimize` 1, 2
      or 3).

    Scales and zero points of a `tpu.A16MatMul` [columns, groups] become
    [lanes, columns / lanes, groups], column n in lane n mod lanes; on chips with
    `scalePairs` one weight of 16-bit pairs (zero point, scale) without a
    second.

    A filter of f16 or bf16 is a weight of its own on chips that multiply several
    input channels at once (`icParallelBytes`): `<op>_filter_reorderd`
    [1, oc, 1, row], where a row is all taps of a block of input channels, then
    those of the next, and what is missing in the last block is zeros. Taps count
    as input channels where these are few, as above. A row of more than 65,535
    elements has a block in each row of [1, oc, blocks, row]. A depthwise filter
    is [1, oc, kh, kw], under its own name. A filter that something else reads as
    well, or convolutions of another form, stays.

    The multipliers are no attributes any more. Other ops, filters of f32, and
    scales that are no whole lanes stay as they are, as does everything in a
    module whose coefficients are in such an order already. Numbers of weights
    are read from `weights` and written to `weights-out`; without them only types
    change, and what reads a filter of floats under the name in its attribute
    `origin` finds it in the order of layers. Linear in the size of the weights.

    Transposed convolutions of chips with one weight stay as they are, and so do
    floats of cv18xx.

    ```mlir
    // before, cv181x
    %w = "top.Weight"() : () -> tensor<32x3x3x3xsi8> loc("c_filter_i8")
    %b = "top.Weight"() : () -> tensor<1x32x1x1xi32> loc("c_bias_int32")
    %1 = "tpu.Conv2D"(%0, %w, %b) {multiplier = [...], rshift = [...], ...} : ... loc("c")
    // after
    %b = "top.Weight"() : () -> tensor<1x32x1x9xi8> loc("c_bias_packed")
    %w = "top.Weight"() : () -> tensor<1x32x9x4xsi8> loc("c_filter_reordered")
    %1 = "tpu.Conv2D"(%0, %w, %b) {...} : ... loc("c")
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "The chip by name; empty: the attribute module.chip">,
    Option<"chipFile", "chip-file", "std::string", /*default=*/"\"\"",
           "A JSON file that describes the chip; wins over the name">,
    Option<"weights", "weights", "std::string", /*default=*/"\"\"",
           "The numbers of the weights, .npz">,
    Option<"weightsOut", "weights-out", "std::string", /*default=*/"\"\"",
           "Where those of the module are written, .npz">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_REORDERWEIGHTS
