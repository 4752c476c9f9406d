#ifndef TPU_MLIR_TRANSFORMS_REMATERIALIZE
#define TPU_MLIR_TRANSFORMS_REMATERIALIZE

include "mlir/Pass/PassBase.td"

def Rematerialize : Pass<"tpu-rematerialize", "::mlir::ModuleOp"> {
  let summary = "Compute tensors again for their late readers";
  let description = [{
    A tensor that is read early and again much later takes memory all the time
    in between. For each of `tensors` the op that makes it is copied in front of
    the readers after the longest pause between two of its readers, and those
    read the copy: memory for work. `depth` is how many ops in a row are copied
    with it, from the tensor upwards; what they read has to be there then. In a
    layer group the copy never reaches global memory.

    Only ops are copied that compute each element of one result from their
    operands, in a block of a function: those with LocalSliceOpInterface,
    without scratch. A copy computes what the op does, bit for bit. Its result
    has the name of the tensor with '_again' after it.

    ```mlir
    // before
    %a = "tpu.Conv2D"(%x, %w, %0) {...} : (...) -> tensor<1x64x64x64xf16> loc("a")
    %b = "tpu.Pool2D"(%a) {...} : (...) -> tensor<1x64x32x32xf16> loc("b")
    ...
    %z = "tpu.Add"(%a, %y) : (...) -> tensor<1x64x64x64xf16> loc("z")
    // after, with tensors=a
    %a = "tpu.Conv2D"(%x, %w, %0) {...} : (...) -> tensor<1x64x64x64xf16> loc("a")
    %b = "tpu.Pool2D"(%a) {...} : (...) -> tensor<1x64x32x32xf16> loc("b")
    ...
    %again = "tpu.Conv2D"(%x, %w, %0) {...} : (...) -> tensor<1x64x64x64xf16> loc("a_again")
    %z = "tpu.Add"(%again, %y) : (...) -> tensor<1x64x64x64xf16> loc("z")
    ```
  }];
  let options = [
    Option<"tensors", "tensors", "std::string", /*default=*/"\"\"",
           "Names of tensors, with ';' between">,
    Option<"depth", "depth", "int64_t", /*default=*/"1",
           "Ops in a row that are copied, at most: 1 copies the op that makes the tensor">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_REMATERIALIZE
