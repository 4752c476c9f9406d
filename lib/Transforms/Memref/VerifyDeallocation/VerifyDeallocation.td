#ifndef TPU_MLIR_TRANSFORMS_VERIFYDEALLOCATION
#define TPU_MLIR_TRANSFORMS_VERIFYDEALLOCATION

include "mlir/Pass/PassBase.td"

def VerifyDeallocation : Pass<"memref-verify-deallocation"> {
  let summary = "Check that allocated memrefs are freed once, and not too early";
  let description = [{
    Follows each buffer from where it is allocated through every branch and
    loop, be they made of blocks or regions, and finds uses after a free (E019),
    second frees and frees of the caller's buffers (E020), and leaks (E021). It
    is independent of the pass that places deallocations and changes nothing.

    What is known of a buffer on the way is a *world*: whether it is free, which
    SSA values hold it, and which `i1` values are true or false. A branch on a
    known `i1` is followed on that side only, one on an unknown `i1` on both
    sides, each of which learns it. Logic of `i1` values is looked through, and a
    flag that is handed on unchanged is the one that went in. So an ownership
    flag that is handed on, beside a buffer or alone, is understood:

    ```mlir
      cf.cond_br %c, ^own, ^lend
    ^own:
      %a = memref.alloc() : memref<4xf32>
      cf.br ^join(%a, %true : memref<4xf32>, i1)
    ^lend:
      cf.br ^join(%arg, %false : memref<4xf32>, i1)
    ^join(%m: memref<4xf32>, %own: i1):
      "test.use"(%m) : (memref<4xf32>) -> ()
      scf.if %own {
        memref.dealloc %m : memref<4xf32>
      }
    ```

    Conditions that are not known may make a path impossible. A fault is an
    error only if one place of the program is enough for it: whenever control
    gets there, the buffer has gone wrong or is bound to. A fault that takes two
    unrelated branches to go a certain way in one run is a remark; with `strict`
    it is an error, too. Code is taken to be there because it runs at times.

    A buffer leaks when it is not free and no value holds it that anybody uses
    later, unless it was returned, stored or given to an op that may keep it.
    Leaks are remarks unless `leaks` says otherwise. The results of calls to
    functions that hand over what they allocate are followed like allocations,
    as are those of `memref.realloc`; a call that returns its argument gives it
    another name. Regions that run in an unknown way or in parallel may run,
    several times or not. A buffer that is freed by an op other than
    `memref.dealloc` and `memref.realloc` is not followed any further.

    A buffer with more than `max-worlds` worlds gets what others leave of those
    of the function; if that is not enough it is not decided, and a remark says
    so. Time is linear in the worlds; buffers that never leave their block have
    one.
  }];
  let options = [
    Option<"leaks", "leaks", "std::string", /*default=*/"\"remark\"",
           "What a leak is: error, remark or ignore">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Make errors of faults that several branches have to agree on">,
    Option<"maxWorlds", "max-worlds", "int64_t", /*default=*/"16384",
           "Worlds of one buffer above which it waits for the others; a "
           "function has 16 times as many, and 16 more for each of its "
           "buffers, above which it is not decided">
  ];
}

#endif // TPU_MLIR_TRANSFORMS_VERIFYDEALLOCATION
