#ifndef TPU_MLIR_TRANSFORMS_GROUPOVERLAP
#define TPU_MLIR_TRANSFORMS_GROUPOVERLAP

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def GroupOverlap : Pass<"tpu-group-overlap", "::mlir::ModuleOp"> {
  let summary = "Let a layer group load for the next one, and store for the one before";
  let description = [{
    When the last section of a group computes, nothing of its own is left to
    load; when the first section of the next one does, nothing of that one is
    there to store. Where two groups follow each other, this pass moves

    * loads of the second group, for its first section, into the last loop in
      which the first one computes: those of stage 0, and what is held for all
      sections, such as weights, which then is of stage 0, too (its bytes are
      its own in all loops);
    * stores of the first group, of its last section, into the first loop in
      which the second one computes: those of stage 2.

    Both are said in tpu-mlir's form: `self_up_overlap_op` and
    `self_down_overlap_op` of the group that they are of,
    `other_up_overlap_op` and `other_down_overlap_op` of the one that runs them.
    A transfer moves where the bytes in local memory are free, where what it
    loads is stored by then and what it stores is not loaded yet, and where both
    groups together take fewer cycles of the cost model, waits for banks
    included. Traffic and addresses stay.

    Left alone are groups of one section, or of several cores; loads where the
    first group has no more than two parts along n and h, as tpu-mlir leaves
    them; pairs of groups that share transfers already; functions that are not
    TPU_STATIC; groups in regions. What is moved is right for groups that
    follow each other: passes that put ops into another order come before.

    ```mlir
    // before: id 0 is a weight of stage 1 that is held
    "tpu.Group"(%a) ({...}) {flow = [-1, 5, 3, -2, 4, 6], other_up_overlap_op = [], ...}
    "tpu.Group"(%b) ({...}) {flow = [-1, 7, 0, -2, 1], self_up_overlap_op = [], ...}
    // after: it is of stage 0, and loaded in row 1 of the first group
    "tpu.Group"(%a) ({...}) {flow = [-1, 5, 3, -2, 4, 6], other_up_overlap_op = [-2, 0], ...}
    "tpu.Group"(%b) ({...}) {flow = [-1, 7, 0, -2, 1], self_up_overlap_op = [0], ...}
    ```
  }];
  let options = ChipOptions.all;
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_GROUPOVERLAP
