#ifndef TPU_MLIR_TRANSFORMS_DEALLOCATEBUFFERS
#define TPU_MLIR_TRANSFORMS_DEALLOCATEBUFFERS

include "mlir/Pass/PassBase.td"

def DeallocateBuffers : Pass<"memref-deallocate"> {
  let summary = "Free every allocated memref once, on every path, where it is dead";
  let description = [{
    Gives every `memref.alloc` that does not leave the function one owner at
    every point of the program and inserts `memref.dealloc` where the owner is
    dead: after the last use in a block, and on the edges that lead from where
    it is alive to where it is not. Loops and branches may be made of blocks
    (`BranchOpInterface`) or regions (`RegionBranchOpInterface`) in any mix.

    A block argument or op result that may be one of several buffers, not all
    of which are allocated above it, owns what it gets. On each edge to it the
    buffer is handed over when nothing else uses it any more; else a copy of it
    is (`memref.alloc`, `memref.copy`), provided that nothing writes to either
    afterwards. When neither is possible it is lent: an i1 that goes the same
    ways as the memref says whether there is something to free. What can not
    even be lent stays as it is, and a remark says so.

    ```mlir
    // before
      %0 = memref.alloc() : memref<2xf32>
      cf.cond_br %c, ^bb1, ^bb2
    ^bb1:
      %1 = memref.alloc() : memref<2xf32>
      cf.br ^bb3(%1 : memref<2xf32>)
    ^bb2:
      cf.br ^bb3(%0 : memref<2xf32>)
    ^bb3(%2: memref<2xf32>):
      "test.use"(%2) : (memref<2xf32>) -> ()
    // after
    ^bb1:
      memref.dealloc %0 : memref<2xf32>
      %1 = memref.alloc() : memref<2xf32>
      cf.br ^bb3(%1 : memref<2xf32>)
    ^bb2:
      cf.br ^bb3(%0 : memref<2xf32>)
    ^bb3(%2: memref<2xf32>):
      "test.use"(%2) : (memref<2xf32>) -> ()
      memref.dealloc %2 : memref<2xf32>
    ```

    Arguments are never freed; a buffer that is returned belongs to the caller.
    Deallocations that are there already are kept, and completed on paths that
    lack them; what a function frees of its arguments its callers do not. Each
    allocation that may be left has a remark, unless `remarks` is false. Legal
    IR never makes the pass fail; a second run changes nothing. It runs on a
    module, or another op with a symbol table.
    The rules are in `tpu_mlir/docs/passes/BufferDeallocation.md`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
  ];
  let options = [
    Option<"prefersFlags", "prefer-flags", "bool", /*default=*/"false",
           "Lend a buffer that others still use, with an i1 beside it that says "
           "so, even where a copy would do">,
    Option<"remarks", "remarks", "bool", /*default=*/"true",
           "Say of each allocation that may be left allocated why it is">,
  ];
}

#endif // TPU_MLIR_TRANSFORMS_DEALLOCATEBUFFERS
