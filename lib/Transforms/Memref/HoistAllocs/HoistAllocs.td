#ifndef TPU_MLIR_TRANSFORMS_HOISTALLOCS
#define TPU_MLIR_TRANSFORMS_HOISTALLOCS

include "mlir/Pass/PassBase.td"

def HoistAllocs : Pass<"memref-hoist"> {
  let summary = "Move memref.allocs out of loops, or as far up as their sizes allow";
  let description = [{
    With `mode=cost` an allocation leaves every loop in which one buffer can do
    for all iterations: none of them hands it on to the next one, stores it or
    gives it away. It goes to right before the outermost such loop, with what
    its sizes are computed from, and only where each iteration would reach it:
    on no path more is allocated than before.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %n = memref.dim %x, %c0 : memref<?xf32>
      %a = memref.alloc(%n) : memref<?xf32>
      "test.use"(%a) : (memref<?xf32>) -> ()
    }
    // becomes
    %n = memref.dim %x, %c0 : memref<?xf32>
    %a = memref.alloc(%n) : memref<?xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      "test.use"(%a) : (memref<?xf32>) -> ()
    }
    ```

    A loop that turns out not to run allocates once instead of not at all. With
    `assume-loops-run=false`, only loops that are known to run are left.

    With `mode=dominator` an allocation goes as far up as its sizes allow,
    whatever that costs: out of branches, to the start of the function. Sizes
    are then evaluated, and memory is asked for, also where it is not needed.

    Loops may be made of blocks or regions, in any mix. A `memref.dealloc` in
    the block of its allocation moves along, after the loop; what is freed in
    any other way stays, also what a function that is called may free. On a
    module the pass knows which functions do; on a function alone it takes every
    call for one of them. Nothing leaves parallel loops, `memref.alloca_scope`
    and ops of unknown control flow. Legal IR never makes the pass fail; a
    second run changes nothing. See `tpu_mlir/docs/passes/BufferHoisting.md`.
  }];
  let options = [
    Option<"mode", "mode", "::tpu_mlir::HoistMode",
           /*default=*/"::tpu_mlir::HoistMode::Cost",
           "What is moved how far", [{::llvm::cl::values(
             clEnumValN(::tpu_mlir::HoistMode::Cost, "cost",
                        "Out of loops, never where more would be allocated"),
             clEnumValN(::tpu_mlir::HoistMode::Dominator, "dominator",
                        "As far up as the sizes allow"))}]>,
    Option<"assumeLoopsRun", "assume-loops-run", "bool", /*default=*/"true",
           "Take loops of unknown trip count to run at least once">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say why an allocation stays in its loop">
  ];
}

#endif // TPU_MLIR_TRANSFORMS_HOISTALLOCS
