#ifndef TPU_MLIR_TRANSFORMS_ASSIGNWEIGHTADDRESS
#define TPU_MLIR_TRANSFORMS_ASSIGNWEIGHTADDRESS

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def AssignWeightAddress : Pass<"tpu-assign-weight-address", "::mlir::ModuleOp"> {
  let summary = "Give every weight its place in global memory";
  let description = [{
    Walks the `top.Weight` ops in the order of the text and gives them
    sequential addresses from the chip's weight base on, each aligned to the
    chip's weight alignment (4096 bytes on most chips, 16 on those with base
    registers). Weights of functions that run statically come first, those of
    dynamic functions after them.

    Addresses are written into the types (`tensor<4xf32, 4294967296 : i64>`).
    The module that holds the functions gets `module.coeff_addr` and
    `module.coeff_size` (bytes, a multiple of the alignment), and, except on
    base-register chips, `module.dynamic_coeff_offset`: where the weights of
    dynamic functions begin.

    With `pack` weights are aligned as the chip's kernels need it and no more: to
    the bytes that an execution unit takes at once (`euBytes` of the chip), where
    the chip's own alignment is a multiple of that. `module.coeff_align` records
    it. The region's size stays a multiple of the chip's alignment.

    Read-only pools of the user (option `pools`, attribute `module.pools`) take
    weights before the weight region does: in the order of the lines as long as
    there is room, or, where one of them or `coeff` has a cost, so that the sum
    of bytes x uses x cost is small. What stays in the weight region goes one
    after the other. `pins` puts single weights into one pool, or at an offset.

    Assumes that `top.Weight` results are ranked, static tensors. Invariants:
    W1 (addresses only grow in walk order, each aligned), W2 (no overlap, but
    for weights that are shared by `dedup`).

    ```mlir
    // before
    %0 = "top.Weight"() : () -> tensor<64x3x7x7xf16>
    %1 = "top.Weight"() : () -> tensor<64xf32>
    // after, for bm1684x
    %0 = "top.Weight"() : () -> tensor<64x3x7x7xf16, 4294967296 : i64>
    %1 = "top.Weight"() : () -> tensor<64xf32, 4294987776 : i64>
    ```
  }];
  let options = ChipOptions.all # [
    Option<"dedup", "dedup", "bool", /*default=*/"false",
           "Let weights with equal inline bytes, type and store mode share one address">,
    Option<"pack", "pack", "bool", /*default=*/"false",
           "Align weights to what an execution unit takes at once, not to the chip's weight alignment">,
    Option<"gmemBytes", "gmem-bytes", "int64_t", /*default=*/"0",
           "Bytes of global memory on the board; 0: no limit but the chip's address windows">,
    Option<"pools", "pools", "std::string", /*default=*/"\"\"",
           "Memories besides the chip's, as lines with ';' between: name=flash,base=0x8000000,size=2MiB,access=ro; empty: the attribute module.pools">,
    Option<"pins", "pins", "std::string", /*default=*/"\"\"",
           "Weights and tensors that have to be in one pool, with ';' between: w=flash;x=sram@0x400; empty: the attribute module.pins">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_ASSIGNWEIGHTADDRESS
