#ifndef TPU_MLIR_TRANSFORMS_ASSIGNPOOLS
#define TPU_MLIR_TRANSFORMS_ASSIGNPOOLS

include "mlir/Pass/PassBase.td"

def AssignPools : Pass<"tpu-assign-pools", "::mlir::ModuleOp"> {
  let summary = "Plan all memory of a program together, into memory pools";
  let description = [{
    On a network (Top and Tpu ops on tensors) the same as
    `tpu-assign-weight-address` and `tpu-assign-global-address` with the options
    `pools`, `pins`, `pool-io`, `strategy`, `problem-file`, `plan-file` and
    `pool-data`; the rest of this
    text is about functions on memrefs.

    Takes the functions of a module as one program: what a function allocates
    and what the functions that it calls allocate share bytes where they are
    never in use together. Each `memref.alloc` of static size becomes a
    `memref.view` of a pool; pools are arguments that are passed on through
    calls:

    ```mlir
    func.func @main(%x: memref<64xf32>, %sram: memref<512xi8> {tpu.pool = "sram"}) {
      %c0 = arith.constant 0 : index
      %a = memref.view %sram[%c0][] : memref<512xi8> to memref<64xf32>
      call @op(%x, %a, %sram) : (memref<64xf32>, memref<64xf32>, memref<512xi8>) -> ()
    ```

    Pools come from `pools`, or the attribute `module.pools`. Those that may be
    written take allocs, by the attribute `candidate_pools` of an alloc, else all
    of them in order; read-only ones take constant `memref.global`s, the same
    contents once. Without a pool to write there is an internal one, `workspace`,
    a private global of the module, and entry functions keep their signature.

    A buffer lives up to its last access inside the functions that it is handed
    to, once for each of their calls. With `in-place` elementwise ops write to
    the bytes of an operand that dies there, where that saves something.

    The memref arguments of entries are the caller's. With `pool-io` those of
    static size are buffers of the pools, and no arguments any more: an input
    lives from before the function to its last read, what is written to after
    the function. `problem-file` says where they are.

    An attribute `tpu.target = "accel"` of a function says where it runs. Buffers
    and constants then go to pools that all targets which access them can reach
    (`target=c,accel` of a pool; a pool without is reached by all).

    Functions that call themselves, whose address is taken, or that are called
    in parallel keep their allocs, and so does what merge-alloc leaves alone;
    `remarks` says which and why. Legal IR never makes the pass fail, only pools
    that are too small (E001) or make no sense (E005), options without sense
    (E016, E018), and files that cannot be written (E017).

    Assumes that entry functions run one at a time, and that functions defined
    elsewhere neither keep what they are given nor call back into the module.
  }];
  let options = [
    Option<"pools", "pools", "std::string", /*default=*/"\"\"",
           "Memories, as lines with ';' between: name=sram,base=0x20000000,size=2MiB,align=64,access=rw,cost=1; empty: the attribute module.pools">,
    Option<"strategy", "strategy", "std::string", /*default=*/"\"auto\"",
           "How to pack: a name of the strategy registry">,
    Option<"pins", "pins", "std::string", /*default=*/"\"\"",
           "Networks: weights and tensors that have to be in one pool, with ';' between: w=flash;x=sram@0x400">,
    Option<"poolIo", "pool-io", "bool", /*default=*/"false",
           "Inputs and outputs may be in the pools, too; those of functions are no arguments any more">,
    Option<"poolPolicy", "pool-policy", "std::string", /*default=*/"\"auto\"",
           "How a buffer with several candidates gets its pool: auto, order, value or exact">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Bytes that every buffer is aligned to in pools that say nothing of it; a power of two">,
    Option<"inPlace", "in-place", "bool", /*default=*/"true",
           "Let an elementwise op write to the bytes of an operand that dies there">,
    Option<"maxTicks", "max-ticks", "int64_t", /*default=*/"262144",
           "How long the time axis may get before calls on it count as one tick">,
    Option<"problemFile", "problem-file", "std::string", /*default=*/"\"\"",
           "Also write the planning problem and its plan to this JSON file">,
    Option<"planFile", "plan-file", "std::string", /*default=*/"\"\"",
           "Also write the plan alone to this JSON file">,
    Option<"poolData", "pool-data", "std::string", /*default=*/"\"\"",
           "Also write the contents of read-only pools, to PREFIX.<pool>.bin">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what each pool holds, and why a buffer is left alone">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect",
  ];
}

#endif // TPU_MLIR_TRANSFORMS_ASSIGNPOOLS
