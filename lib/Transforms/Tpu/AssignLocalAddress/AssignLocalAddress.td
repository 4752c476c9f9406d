#ifndef TPU_MLIR_TRANSFORMS_ASSIGNLOCALADDRESS
#define TPU_MLIR_TRANSFORMS_ASSIGNLOCALADDRESS

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def AssignLocalAddress : Pass<"tpu-assign-local-address", "::mlir::ModuleOp"> {
  let summary = "Give the buffers of layer groups addresses in local memory";
  let description = [{
    Sets `out_addr` and `buffer_addr` in the `ginfo` of every op of every
    `tpu.Group`, whatever they were before; a store gets the address of what it
    stores. Sizes, sections, stages and `flow` stay as they are and say who
    lives when: a result from the row of its op to that of its last reader,
    scratch in its op's row. With several sections the rows repeat, time is a
    circle, and what is loaded once is always there; with one section time is a
    line, in which the stages follow one another, so that a buffer of a later
    stage may lie where one of an earlier stage was.

    Every address is a multiple of the chip's execution unit. Among the
    placements that fit into a lane, the one with the fewest bank conflicts is
    looked for: the buffers of one op, and a buffer that is computed with while
    another one is loaded or stored, should lie in different banks. A conflict
    costs as many rows of the whole run as the two meet in. `minimize-peak` puts
    the highest address first and conflicts second.

    On chips that allow it, the result of an elementwise op or a Reshape may lie
    on its first operand, if that is not needed any more and has the same
    sections, layout and width of elements. Groups do that when it pays: when
    they do not fit otherwise, or come out better.

    In tpu-mlir's files a group may run loads of the group after it, and stores
    of the one before, in rows of its own (`other_up_overlap_op` and its like).
    With new addresses their bytes need not be free in those rows any more, so
    these lists are cleared, in all groups: every transfer then runs where
    `flow` has it. A remark says so.

    A group that does not fit is an error with the bytes that are missing, the
    row, and what lives then (E001; E022 when only the search gave up); so is one whose schedule cannot be read
    (E040, E044, E045, E046, E050). All groups are looked at; when one fails,
    none is changed. The same input gives the same bytes. O(buffers^2) for each
    group and `node-limit` steps of search.

    ```mlir
    // before
    %2 = "tpu.Load"(%0) {ginfo = #tpu.lg<out_addr = 0, out_size = 1024, ..., id = 0, stage = 0, ...>, ...} : ...
    %3 = "tpu.Pool2D"(%2) {ginfo = #tpu.lg<out_addr = 0, out_size = 256, ..., id = 1, stage = 1, ...>, ...} : ...
    // after
    %2 = "tpu.Load"(%0) {ginfo = #tpu.lg<out_addr = 0, out_size = 1024, ..., id = 0, stage = 0, ...>, ...} : ...
    %3 = "tpu.Pool2D"(%2) {ginfo = #tpu.lg<out_addr = 16384, out_size = 256, ..., id = 1, stage = 1, ...>, ...} : ...
    ```
  }];
  let options = ChipOptions.all # [
    Option<"nodeLimit", "node-limit", "int64_t", /*default=*/"100000",
           "Search limit of each group in nodes of about 100 ns; 0: one-pass methods only">,
    Option<"minimizePeak", "minimize-peak", "bool", /*default=*/"false",
           "The lowest high-water mark first, then the fewest bank conflicts">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_ASSIGNLOCALADDRESS
