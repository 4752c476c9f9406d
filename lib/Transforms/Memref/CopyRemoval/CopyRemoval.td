#ifndef TPU_MLIR_TRANSFORMS_COPYREMOVAL
#define TPU_MLIR_TRANSFORMS_COPYREMOVAL

include "mlir/Pass/PassBase.td"

def CopyRemoval : Pass<"copy-removal"> {
  let summary = "Remove copies of buffers where source or target can do for both";
  let description = [{
    A copy, with the allocation and the deallocations of the buffer that it makes
    superfluous, is removed in one of two ways.

    Reuse of the source: the target is allocated for the copy, and the source is
    freed after it, or neither is written while both are in use.

    ```mlir
    %t = memref.alloc(%m, %n) : memref<?x?xf32>
    memref.copy %s, %t : memref<?x?xf32> to memref<?x?xf32>
    memref.dealloc %s : memref<?x?xf32>
    return %t : memref<?x?xf32>
    // becomes
    return %s : memref<?x?xf32>
    ```

    Reuse of the target: the source is an allocation of the same block, and
    nothing touches the target from the first use of the source to the copy.

    ```mlir
    %s = memref.alloc() : memref<2xf32>
    linalg.exp ins(%x : memref<2xf32>) outs(%s : memref<2xf32>)
    memref.copy %s, %t : memref<2xf32> to memref<2xf32>
    memref.dealloc %s : memref<2xf32>
    // becomes
    linalg.exp ins(%x : memref<2xf32>) outs(%t : memref<2xf32>)
    ```

    Copies are `memref.copy`, `linalg.copy`, a `linalg.generic` that yields its
    operand, `bufferization.clone`, and the ops that `copy-ops` names, where they
    have two memrefs of one shape and nothing else, read the one and write the
    other by their effects; of an op without known effects the first operand is
    the source. Only allocations are removed with them.
    Accesses count under every name of a buffer, in nested regions and in calls.
    Memrefs that are arguments of the function may overlap. `remarks` says why a
    copy stays. The pass never fails.
  }];
  let options = [
    Option<"assumeNoArgumentOverlap", "assume-no-argument-overlap", "bool", /*default=*/"false",
           "What one argument of a function points to is reached by no other argument or global">,
    ListOption<"copyOps", "copy-ops", "std::string",
               "Other ops that copy one memref to another, by name: mydialect.copy,...">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say how a copy was removed, and why one stays">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_COPYREMOVAL
