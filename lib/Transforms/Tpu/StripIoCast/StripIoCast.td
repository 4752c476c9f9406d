#ifndef TPU_MLIR_TRANSFORMS_STRIPIOCAST
#define TPU_MLIR_TRANSFORMS_STRIPIOCAST

include "mlir/Pass/PassBase.td"

def StripIoCast : Pass<"tpu-strip-io-cast", "::mlir::ModuleOp"> {
  let summary = "Hand inputs and outputs over in the type the network computes in";
  let description = [{
    A lowered network casts its float inputs to the type it computes in and its
    outputs back. An application that delivers and takes that type needs
    neither cast: no copy of the input in global memory, no transfer.

    A `top.Input` all of whose users are `tpu.Cast`s to one narrower type, or
    ask the processor for that (`tpu.GenericCpu` "quant"), takes over that type; the function's argument keeps what the front end said. A
    returned `tpu.Cast` to a wider type is replaced by its operand, and the
    function's result type follows. Lists choose among inputs and outputs, counted from 1; others stay.
    Only in functions that nothing calls. Does nothing where
    nothing matches. Linear.

    ```mlir
    // before
    func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x8xf32> {
      %0 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
      %1 = "tpu.Cast"(%0) {with_scale = true} : (tensor<1x8xf32>) -> tensor<1x8xf16>
      %2 = "tpu.Relu"(%1) : (tensor<1x8xf16>) -> tensor<1x8xf16>
      %3 = "tpu.Cast"(%2) {with_scale = true} : (tensor<1x8xf16>) -> tensor<1x8xf32>
      return %3 : tensor<1x8xf32>
    }
    // after
    func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x8xf16> {
      %0 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf16>
      %1 = "tpu.Relu"(%0) : (tensor<1x8xf16>) -> tensor<1x8xf16>
      return %1 : tensor<1x8xf16>
    }
    ```
  }];
  let options = [
    Option<"inputs", "inputs", "bool", /*default=*/"true", "Strip casts of inputs">,
    Option<"outputs", "outputs", "bool", /*default=*/"true", "Strip casts of outputs">,
    Option<"inputList", "input-list", "std::string", /*default=*/"\"\"",
           "Of these inputs only, counted from 1: 1,3">,
    Option<"outputList", "output-list", "std::string", /*default=*/"\"\"",
           "Of these outputs only, counted from 1: 1,3">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_STRIPIOCAST
