#ifndef TPU_MLIR_TRANSFORMS_MERGEALLOC
#define TPU_MLIR_TRANSFORMS_MERGEALLOC

include "mlir/Pass/PassBase.td"

def MergeAlloc : Pass<"merge-alloc"> {
  let summary = "Merge memref.allocs of static size into one, by when they are alive";
  let description = [{
    After bufferization a function has a `memref.alloc` for every intermediate
    result. This pass finds out when each of them is in use, gives those that
    are never in use together the same bytes, and leaves one allocation of bytes
    a scope and memory space, with a `memref.view` for each buffer:

    ```mlir
    %a = memref.alloc() : memref<128x128xf32>
    linalg.matmul ins(%x, %y: ...) outs(%a: ...)
    %b = memref.alloc() : memref<128x128xf32>
    linalg.matmul ins(%a, %y: ...) outs(%b: ...)
    %c = memref.alloc() : memref<128x128xf32>
    linalg.matmul ins(%b, %y: ...) outs(%c: ...)
    // becomes
    %bytes = memref.alloc() {alignment = 64 : i64} : memref<131072xi8>
    %a = memref.view %bytes[%c0][] : memref<131072xi8> to memref<128x128xf32>
    ...
    %c = memref.view %bytes[%c0][] : memref<131072xi8> to memref<128x128xf32>
    ```

    A scope is the nearest op around an alloc that is an
    `AutomaticAllocationScope` but not a loop whose iterations follow on each
    other: the function, a parallel loop, a kernel. Lives come from data flow: what is carried round a loop covers
    it, branches that exclude each other may share, unstructured control flow
    is followed edge by edge.

    Buffers of dynamic size, with a layout, or that escape (returned, yielded by
    a loop, stored, address taken, used asynchronously, handed to an op that
    may keep them) are left alone, and so is what a function that is called may
    free: on a module the pass knows which functions do that, on a function
    alone it takes every call for one of them; `remarks` says which and why. Legal IR never
    makes the pass fail, only a capacity that cannot be met (E001) or an option
    without sense (E016, E018). Nothing is merged where it would save nothing,
    unless `merge-always` asks for one allocation a scope all the same.
    Allocations that nothing accesses are removed, and the `memref.dealloc`s of
    merged buffers replaced by one at the end of the scope; with
    `free` it is there in any case. Run the pass before deallocation is inserted.
  }];
  let options = [
    Option<"analysisOnly", "analysis-only", "bool", /*default=*/"false",
           "Rewrite nothing; write __mergealloc_lifetime and __mergealloc_scope">,
    Option<"planner", "planner", "std::string", /*default=*/"\"auto\"",
           "How to pack: a name of the strategy registry">,
    Option<"plannerOptions", "planner-options", "std::string", /*default=*/"\"\"",
           "cost-model or size-first: an online planner that follows the order of time">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Bytes that the allocation and every buffer in it is aligned to; a power of two">,
    Option<"memorySpaces", "memory-spaces", "std::string", /*default=*/"\"\"",
           "The memory spaces to merge, with ',' between: default, numbers, workgroup, "
           "#dialect.space<1>, ...; in '{}' where there are strings or blanks: {\"sram\"}; none: all">,
    Option<"capacity", "capacity", "std::string", /*default=*/"\"\"",
           "Limits in bytes, SPACE:BYTES with ',' between: an error where a scope needs more">,
    Option<"inPlace", "in-place", "bool", /*default=*/"true",
           "Let an elementwise op write to the bytes of an operand that dies there">,
    Option<"hoistThreads", "hoist-threads", "bool", /*default=*/"false",
           "Allocate for all threads of scf.forall and scf.parallel at once, outside of it">,
    Option<"free", "free", "bool", /*default=*/"false",
           "Free the allocation at the end of its scope, also when nothing was freed before">,
    Option<"mergeAlways", "merge-always", "bool", /*default=*/"false",
           "Merge a scope also where that saves nothing">,
    Option<"reorder", "reorder", "bool", /*default=*/"false",
           "Put ops in an order in which merged buffers need less, as far as their effects "
           "allow it; not with 'analysis-only'">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what each scope saves, and why a buffer is left alone">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect",
  ];
}

#endif // TPU_MLIR_TRANSFORMS_MERGEALLOC
