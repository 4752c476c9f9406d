#ifndef TPU_MLIR_TRANSFORMS_SECTION
#define TPU_MLIR_TRANSFORMS_SECTION

include "mlir/Pass/PassBase.td"

def Section : Pass<"tpu-section", "::mlir::ModuleOp"> {
  let summary = "Run a stretch of layers part by part through global memory";
  let description = [{
    Between two layers of a stretch a large tensor may be alive as a whole
    although each of its parts is read by one part of the next layer only. The
    layers that make `tensors` are replaced by `parts` copies of them, one after
    the other, each of which computes a part of dimension `dim` of the last
    tensor: at a time only parts are alive.

    The ops tell which part of which operand a part of the result needs
    (LocalSliceOpInterface); here it has to be the same interval of one
    dimension, which may be another one as in a transposition, or the whole
    operand. Windows (convolutions with kernels larger than one along it) and
    weights that would have to be cut are refused. What comes from outside of
    the stretch is cut by a `tpu.Slice`, what is read outside is put together by
    a `tpu.Concat`; where dimensions in front of the one that is cut are ones,
    neither costs a byte: slices are views, and parts are computed in the place
    where they belong.

    Every element is computed from the same numbers by the same op. Parts have
    the name of the tensor with '_part' and their number after it.

    ```mlir
    // before
    %s = "tpu.MatMul"(%q, %k, ...) {...} : (...) -> tensor<1x32x512x1024xf16> loc("s")
    %c = "tpu.MatMul"(%s, %v, ...) {...} : (...) -> tensor<1x32x512x128xf16> loc("c")
    // after, with tensors={s;c} dim=1 parts=2
    %q0 = "tpu.Slice"(%q, ...) {offset = [0, 0, 0, 0], ...} : (...) -> tensor<1x16x512x128xf16>
    ...
    %s0 = "tpu.MatMul"(%q0, %k0, ...) {...} : (...) -> tensor<1x16x512x1024xf16> loc("s_part0")
    %c0 = "tpu.MatMul"(%s0, %v0, ...) {...} : (...) -> tensor<1x16x512x128xf16> loc("c_part0")
    ...
    %c = "tpu.Concat"(%c0, %c1) {axis = 1 : i32, only_merge = true} : (...) -> tensor<1x32x512x128xf16> loc("c")
    ```
  }];
  let options = [
    Option<"tensors", "tensors", "std::string", /*default=*/"\"\"",
           "Names of the tensors that the layers of the stretch make, with ';' between">,
    Option<"dim", "dim", "int64_t", /*default=*/"0",
           "The dimension of the last of them that is cut, from 0">,
    Option<"parts", "parts", "int64_t", /*default=*/"2",
           "Of how many parts">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_SECTION
