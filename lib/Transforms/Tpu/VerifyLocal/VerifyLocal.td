#ifndef TPU_MLIR_TRANSFORMS_VERIFYLOCAL
#define TPU_MLIR_TRANSFORMS_VERIFYLOCAL

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def VerifyLocal : Pass<"tpu-verify-local", "::mlir::ModuleOp"> {
  let summary = "Check sections, schedule and addresses of every layer group";
  let description = [{
    Reads each `tpu.Group` (the lists of `ginfo`, `flow`, stages, addresses) and
    checks that it can run as it stands, whoever planned it. It uses no code of
    planners: it has its own formula for bytes, and finds what a section reads
    by going through elements and kernel taps.

    The model: a group of T rows runs (sections + 2) loops of them; in loop i an
    op of stage s acts on section i - s. Transfers and computations are two
    engines that run side by side within a row and wait for each other at its
    end; within a row each does its ops in the order of `flow`. A tensor has one
    copy, from the row that writes it to the last row that reads it, both
    included. A load with the same part for all sections runs once and is held.

    * I1 sections of a store follow one another and cover every axis of its
      tensor; every list has one entry, or one for each section;
    * I2 what a section reads is in the section that its operand holds;
    * I3 padding is read only where that section ends at the tensor's border;
    * I4 room for the largest section in the layout of the lanes, alignment of
      what has `eu_align`, the end of local memory; compact layout only where a
      kernel reads it (weights of convolutions, norms, tables, ...), and stores
      read the layout that is there;
    * I5 what is alive at the same time, scratch included, in any loop from the
      first to the last, shares no byte; a store reads where its operand is;
    * I6 nothing is read before it is there, nor in the row in which the other
      engine makes it;
    * I7 as I5, where it is only the two engines within one row that collide;
    * I8 as I5, where one of the two is held;
    * I9 every result of the group is stored by one store, and nothing else is;
    * I10 `flow` opens rows 0, 1, ... and lists every id once; stages are 0 to 2
      and grow from operand to reader; `swpipl_stage_num` is 3 where it is there.

    What is allowed although it looks wrong, as tpu-mlir's own plans do it:

    * sections of a store overlap where other ops of the group read the tensor,
      too, and need more rows: what two sections compute is stored twice, with
      the same values;
    * with one section time is linear: a buffer may be used again by what runs
      in another stage of the same row, as no loop comes back to it;
    * a result of Add, Sub, Mul, Div, Min, Max or Reshape is where operand 0 is,
      if the chip may do that, no other op reads the operand in that row or
      later, and both have the same sections, layout and width of elements;
    * `eu_align` may be set where kernels read the compact layout (filters of
      transposed convolutions have it on some chips); the load then has to fit
      the aligned layout;
    * a load of stage 0 listed in `self_up_overlap_op` runs, for section 0, in
      the last computing loop of the group in front, in the row where that
      group's `other_up_overlap_op` lists it; a store of stage 2 listed in
      `self_down_overlap_op` runs, for the last section, in the first computing
      loop of the group after. Their bytes have to be free in the host from
      (until) that row, and in their own group from the start (until the end),
      and what is loaded has to be stored by then.

    Not checked: banks, times, the size that a kernel needs for scratch, and
    whether a lane's channels can reach another lane. An op that is not known is
    taken to read all of its operands. `can_merge` and `in_hslice_offset` are not
    looked at. A group that cannot be read (no `ginfo`, no static shape, ops that
    move data in local memory, a `slice_idx` that is no section) is an error, too.

    Errors: E040 (cannot be read), E041 to E050 for I1 to I10, at most 20 a
    group. O(elements of all sections + buffers^2). Changes nothing.

    For example, `%c` is computed from rows [0, 9) of its operand for section 0,
    but only [0, 8) are loaded:

    ```mlir
    %l = "tpu.Load"(%x) {ginfo = #tpu.lg<... h_idx = [0, 7], h_slice = [8, 9] ...>} ...
    %c = "tpu.Conv2D"(%l, ...) {kernel_shape = [3, 3], pads = [1, 1, 1, 1],
        ginfo = #tpu.lg<... h_idx = [0, 8], h_slice = [8, 8] ...>} ...
    // error: I2: 'c' (id 2) needs [0, 9) of 'x' (id 0) on axis h for section 0,
    // which holds [0, 8) [TPUMEM-E042]
    ```
  }];
  let options = ChipOptions.all;
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_VERIFYLOCAL
