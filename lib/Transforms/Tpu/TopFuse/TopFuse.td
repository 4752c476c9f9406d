#ifndef TPU_MLIR_TRANSFORMS_TOPFUSE
#define TPU_MLIR_TRANSFORMS_TOPFUSE

include "mlir/Pass/PassBase.td"

def TopFuse : Pass<"top-fuse", "::mlir::ModuleOp"> {
  let summary = "Put one layer of Top where several compute the same";
  let description = [{
    Front ends write activations, norms, rotary embeddings and pixel shuffles as
    the arithmetic that they are. Chips have one layer for each. This finds them,
    in every order and with every kind of constant that means the same, and puts
    the one layer in their place; it takes factors, biases, pads and relus into
    the layers in front, and makes one of permutes and reshapes in a row. The
    table of patterns: `docs/passes/TopFuse.md`.

    Only where the result is the same up to the rounding of floats, and where
    nobody else reads what is in between. The layer that is made has the name of
    the last one that it replaces. Modules may be of any origin; what is not of
    the Top dialect is left alone.

    Numbers of weights are read when a pattern asks for them: from `weight-file`, or
    else from the file that `module.weight_file` names, relative to the folder of
    the module or, where its locations do not say that, to the working
    directory. Where they are not there the patterns that need none apply, and a
    remark says how many layers were left. New numbers need a place: `new-weight-file`
    names a file to which all weights of the module are written, and which
    becomes its `module.weight_file`; without it layers that would need new
    numbers are left, too. Near linear.

    ```mlir
    // before
    func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x8xf32> {
      %0 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
      %1 = "top.Sigmoid"(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("gate")
      %2 = "top.Mul"(%0, %1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32> loc("y")
      return %2 : tensor<1x8xf32>
    }
    // after
    func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x8xf32> {
      %0 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
      %1 = "top.SiLU"(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("y")
      return %1 : tensor<1x8xf32>
    }
    ```
  }];
  let options = [
    Option<"weightFile", "weight-file", "std::string", /*default=*/"\"\"",
           "The .npz file of the weights; empty: what 'module.weight_file' names">,
    Option<"newWeightFile", "new-weight-file", "std::string", /*default=*/"\"\"",
           "An .npz file to write, with the weights of the module afterwards">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_TOPFUSE
