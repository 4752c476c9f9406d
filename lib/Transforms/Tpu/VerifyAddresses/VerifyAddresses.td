#ifndef TPU_MLIR_TRANSFORMS_VERIFYADDRESSES
#define TPU_MLIR_TRANSFORMS_VERIFYADDRESSES

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def VerifyAddresses : Pass<"tpu-verify-addresses", "::mlir::ModuleOp"> {
  let summary = "Run an addressed module on paper and check every read";
  let description = [{
    Knows nothing of how addresses were made. It walks the module in the order
    in which the machine runs it, keeps a map of memory that says which byte
    belongs to which tensor, and checks at every read that the bytes still
    belong to the tensor that is read:

    * inputs and weights are there from the start; every other tensor is
      written by its op; scratch (`tpu.Buffer`) is written by its reader;
    * a view that lies inside its operand, and a merged concat, write nothing;
      anywhere else they are copies, unless the op emits no code for one;
    * of an If both branches run on their own copy of memory, and only what
      they agree on counts afterwards; a loop runs until memory at its head
      does not change any more, and what its body yields replaces counter,
      condition and states all at once: a state may become another one, or a
      view of it; in a parallel op nothing may be overwritten that anything
      else inside uses;
    * calls pass tensors without copies; what a region yields elsewhere than
      into the op's result is copied there. A function that several places call
      runs once: what it needs and overwrites is recorded, and holds for the
      other calls, too. Each call makes new results, where those of the last
      one were.

    Also checked: no result shares bytes with an operand of the same op unless
    the op declares it (G1), or has the attribute `in_order`, its kernels read
    before they write (the chip says so, or `module.kernels_in_order`), and the
    operand begins so far above the result that a walk over the result's
    elements reads each byte of it before it is written; inputs and outputs keep their bytes as the I/O
    mode promises (G2), but for inputs that give their place to an output of
    their size: those that `module.same_addr` records, and in the modes that
    keep inputs and outputs apart also others that ops read (a state, in modules
    of toolchains that record nothing); weights do not overlap (W2); every address is aligned,
    every tensor lies in one of the regions that the module's attributes and
    the chip name, what `module.pins` names is where it is pinned to (P4), no two
    regions overlap, and weights < I/O < neurons on chips with one linear
    memory.

    Attributes that contradict each other, the chip or the addresses are errors:

    * regions that begin elsewhere than on the chip, are larger than its address
      windows, or that it does not have (a plan for another chip);
    * an I/O mode that the chip does not have; `io_alone` or `io_reloc` without
      the region, or with an input or output outside of it; `io_tag` without
      one that has a tag; `basic` or `in_reuse` with such a region or tag;
    * dynamic weights that begin after the weights;
    * in L2: more than the share of the module's cores, an input or output of a
      function, or what the host reads or writes.

    Works on any addressed module, whoever made it.

    Errors: E007 (I/O mode), E011 (no address), E012 (overwritten), E013
    (range), E008 (a required sharing does not hold). O(n log n) for n ops
    without loops; of nested functions that are called several times each counts
    once for each of those around it.
  }];
  let options = ChipOptions.all # [
    Option<"alignment", "alignment", "int64_t", /*default=*/"0",
           "Bytes that neuron addresses are multiples of; 0: what the attribute module.neuron_align says, else the chip's">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_VERIFYADDRESSES
