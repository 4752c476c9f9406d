#ifndef TPU_MLIR_TRANSFORMS_COREPARALLEL
#define TPU_MLIR_TRANSFORMS_COREPARALLEL

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def CoreParallel : Pass<"core-parallel", "::mlir::ModuleOp"> {
  let summary = "Divide layers in global memory among the cores";
  let description = [{
    Where a module runs on several cores (`module.cores`), replaces layers
    outside of groups by `tpu.CoreParallel`: a piece of the result for each core.
    Pieces are of the first dimension that has as many elements as there are
    cores, and only dimensions of 1 are in front of it, so that each is where it
    is in the whole and nothing is copied.

    An op is divided when tpu-mlir's tables let it carry `do_core_parallel`, it
    does not say `do_core_parallel = false` or `multicore = true` (its kernel
    divides itself then), each operand is read either in the same pieces or as a
    whole, no weight would have to be in pieces, and the cost model says that it
    takes fewer cycles: operands that are read as a whole are read by every
    core, unless `objective=traffic` rules that out. Functions that are not TPU_STATIC, and ops in regions, are left alone.

    ```mlir
    // before, on two cores
    %1 = "tpu.MatMul"(%x, %w, %b) {...} : (tensor<1x384x768xf16>, ...) -> tensor<1x384x768xf16> loc("y")
    // after
    %1 = "tpu.CoreParallel"(%x) ({
      %2:2 = "tpu.CoreSplit"(%x) {axis = 1 : si32} : (tensor<1x384x768xf16>) -> (tensor<1x192x768xf16>, tensor<1x192x768xf16>)
      %3 = "tpu.MatMul"(%2#0, %w, %b) {...} : (tensor<1x192x768xf16>, ...) -> tensor<1x192x768xf16> loc("y_0")
      %4 = "tpu.MatMul"(%2#1, %w, %b) {...} : (tensor<1x192x768xf16>, ...) -> tensor<1x192x768xf16> loc("y_1")
      %5 = "tpu.CoreJoin"(%3, %4) {axis = 1 : si32} : (...) -> tensor<1x384x768xf16> loc("y")
      "tpu.Yield"(%5) : (tensor<1x384x768xf16>) -> ()
    }) {offset = 0 : i64, size = 2 : i64} : (tensor<1x384x768xf16>) -> tensor<1x384x768xf16> loc("y")
    ```
  }];
  let options = ChipOptions.all # [
    Option<"objective", "objective", "std::string", /*default=*/"\"balanced\"",
           "balanced or cycles; traffic: no layer is divided whose pieces read an operand several times">,
    Option<"l2", "l2", "bool", /*default=*/"true",
           "Expect tensors in L2 where a pool line of the chip or of the module opens it">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_COREPARALLEL
