#ifndef TPU_MLIR_TRANSFORMS_MEMORYREPORT
#define TPU_MLIR_TRANSFORMS_MEMORYREPORT

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def MemoryReport : Pass<"tpu-memory-report", "::mlir::ModuleOp"> {
  let summary = "Print what stands where in an addressed module";
  let description = [{
    For every module of functions: a table of regions (used bytes, capacity,
    peak step, lower bound, gap), what is alive at the peak, and every tensor
    with its kind, address range, size, life, and the tensor that it is a view
    of. Reads types and attributes only, so it works on any addressed module,
    whoever made it. Changes nothing. As `html` and `svg` it draws addresses over
    steps; `csv` begins with the columns of minimalloc. With `before` it compares.
  }];
  let options = ChipOptions.all # [
    Option<"gmemBytes", "gmem-bytes", "int64_t", /*default=*/"0",
           "Bytes of global memory on the board, for capacities; 0: the chip's address windows">,
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text, table (regions only), json, html (a page with the map), svg (the map alone) or csv (a row a tensor)">,
    Option<"localMap", "local-map", "std::string", /*default=*/"\"\"",
           "With format=html: a page of tpu-local-report, to which layer groups are linked">,
    Option<"before", "before", "std::string", /*default=*/"\"\"",
           "Say what is different from this addressed module or memory report (JSON), as text, json or html; an error when a region has grown">,
    Option<"tolerance", "tolerance", "std::string", /*default=*/"\"0\"",
           "With before: how much more in a region is no error, in percent">,
    Option<"file", "file", "std::string", /*default=*/"\"\"",
           "Write to this file; empty: to standard error">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_MEMORYREPORT
