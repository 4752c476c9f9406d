#ifndef TPU_MLIR_TRANSFORMS_LOCALREPORT
#define TPU_MLIR_TRANSFORMS_LOCALREPORT

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def LocalReport : Pass<"tpu-local-report", "::mlir::ModuleOp"> {
  let summary = "Print what layer groups keep in local memory, move and compute";
  let description = [{
    For every module of functions: one line a `tpu.Group` (layers, timesteps,
    sections, peak bytes of a lane and their lower bound, bank conflicts, bytes
    loaded and stored, work and loads done more than once, estimated cycles),
    and the totals with the layers that stay global, by which two groupings of
    one network can be compared. `text` adds the schedule and the buffers of
    each group; `svg` and `html` draw addresses over timesteps. Counts from the
    IR alone (`ginfo`, `flow`, types), so it works on any module with layer
    groups, whoever made them. Changes nothing.

    Fails when a group cannot be read. A group that can be read but is wrong is
    reported as it stands; `--tpu-verify-local` finds what is wrong.

    ```mlir
    // tpuc-opt --tpu-local-report=format=table
    %1 = "tpu.Group"(%arg0) ({
      %2 = "tpu.Load"(%arg0) {ginfo = #tpu.lg<out_addr = 0, out_size = 1024, ...>, ...} : ...
      %3 = "tpu.Pool2D"(%2) {ginfo = #tpu.lg<out_addr = 16384, out_size = 256, ...>, ...} : ...
      %4 = "tpu.Store"(%3, %0) {ginfo = #tpu.lg<...>} : ...
      "tpu.Yield"(%4) : (tensor<1x64x16x16xf16>) -> ()
    }) {flow = [-1, 1, -2, 0, 2], hsecs = 2 : i64, ...} : ...
    ```
  }];
  let options = ChipOptions.all # [
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text, table (no ops and buffers), json, or a map of addresses over timesteps as svg or html">,
    Option<"group", "group", "int64_t", /*default=*/"-1",
           "Ops, buffers or map of this group only; -1: of all">,
    Option<"file", "file", "std::string", /*default=*/"\"\"",
           "Write to this file; empty: to standard error">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_LOCALREPORT
