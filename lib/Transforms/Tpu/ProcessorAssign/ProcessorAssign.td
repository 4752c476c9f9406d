#ifndef TPU_MLIR_TRANSFORMS_PROCESSORASSIGN
#define TPU_MLIR_TRANSFORMS_PROCESSORASSIGN

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def ProcessorAssign : Pass<"processor-assign", "::mlir::ModuleOp"> {
  let summary = "Say on which chip, and on how many of its cores, a module runs";
  let description = [{
    Records the chip as `module.chip` and `num_core` as `module.cores`. What
    comes after it plans for these: layer groups deal their sections to the
    cores, second-level memory is that of so many cores.

    Where there are several, convolutions with one group of channels and
    concats get `multicore = true`, unless they say otherwise: their kernels for
    global memory split themselves over the cores. These are the ops that
    tpu-mlir marks so. The attribute says nothing in layer groups, and nothing
    on one core.

    ```mlir
    // before
    module @net attributes {module.chip = "bm1688", module.cores = 1 : i64} {
      ...
      %1 = "tpu.Conv2D"(%x, %w, %b) {group = 1 : i64, ...} : ...
    // after, with num_core=2
    module @net attributes {module.chip = "bm1688", module.cores = 2 : i64} {
      ...
      %1 = "tpu.Conv2D"(%x, %w, %b) {group = 1 : i64, multicore = true, ...} : ...
    ```
  }];
  let options = ChipOptions.all # [
    Option<"numCore", "num_core", "int64_t", /*default=*/"1",
           "Cores that the module runs on, at most what the chip has">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_PROCESSORASSIGN
