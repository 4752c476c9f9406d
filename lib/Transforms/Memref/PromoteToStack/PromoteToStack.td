#ifndef TPU_MLIR_TRANSFORMS_PROMOTETOSTACK
#define TPU_MLIR_TRANSFORMS_PROMOTETOSTACK

include "mlir/Pass/PassBase.td"

def PromoteToStack : Pass<"memref-promote-to-stack"> {
  let summary = "Put small buffers that stay in their block on the stack";
  let description = [{
    As MLIR's `promote-buffers-to-stack`, for fewer buffers and in linear time
    and memory: a `memref.alloc` becomes a `memref.alloca` when it is small,
    nothing frees it, no terminator hands it on, nothing may keep it, and it is
    executed at most once for each execution of the function or of the
    `memref.alloca_scope` around it. What is allocated in a loop without a scope
    in it would pile up on the stack.

    A buffer is small when it has at most `max-bytes` bytes, or when its rank is
    at most `max-rank` and each dynamic size is the result of a `memref.rank`.
    A buffer in a memory space other than the default one, that of the stack by
    the data layout, and private memory of GPU threads stays where it is.
    Run it before deallocation is inserted.

    A buffer that a function which is called may free stays on the heap. On a
    module the pass knows which functions do that; on a function alone it takes
    every call for one of them.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"1024",
           "Bytes that a buffer of static size may have">,
    Option<"maxRank", "max-rank", "int64_t", /*default=*/"1",
           "Rank up to which buffers whose dynamic sizes are ranks are small">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say why a buffer stays on the heap">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_PROMOTETOSTACK
