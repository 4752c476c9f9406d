#ifndef TPU_MLIR_TRANSFORMS_ASSIGNGLOBALADDRESS
#define TPU_MLIR_TRANSFORMS_ASSIGNGLOBALADDRESS

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def AssignGlobalAddress : Pass<"tpu-assign-global-address", "::mlir::ModuleOp"> {
  let summary = "Give every global neuron tensor its place in global memory";
  let description = [{
    A global neuron tensor is a tensor that is in global memory once its op has
    run; of a `tpu.Group` only the inputs and outputs are. The pass finds how
    long each has to live, which of them are the same bytes (reshapes, fusible
    slices, merged concats, calls, ...), turns that into a planning problem,
    solves it with the chosen strategy and writes the validated plan into the
    types of all values, function types included.

    The module that holds the functions gets `module.neuron_addr` and
    `module.neuron_size`; with `io-mode=io_alone` and `io_reloc` also
    `module.io_addr` and `module.io_size`; on base-register chips
    `module.neuron_size` (the shared region) and `module.private_size` instead.
    `module.neuron_align` and, where it was asked for, `module.pool_io` say what
    addresses were chosen by, for reports.
    The outer module's `module.addr_mode` says which mode is in force and its
    `module.state` becomes `TPU_ADDRESSED`; `module.same_addr` keeps the option
    of that name, and `module.chip` names the chip the addresses are for.

    | io-mode | inputs live | outputs live | where inputs and outputs are |
    |---|---|---|---|
    | `basic` | the whole run | to the end | neuron region |
    | `in_reuse` | to their last reader | to the end | neuron region |
    | `io_alone` | the whole run | the whole run | a region of their own |
    | `io_tag` | the whole run | the whole run | the largest: one memory tag each |
    | `io_reloc` | the whole run | the whole run | after the neurons, moved by the runtime |

    With `pools` or the attribute `module.pools` neuron tensors may also be in
    memories that the user describes; inputs and outputs of the network with
    `pool-io`. Where one has a cost the plan tries to make the sum of bytes x
    accesses x cost small; else they are filled in order. A line
    `name=neuron,cost=10` gives the neuron region one, a line `name=l2,cost=2`
    opens L2 to what is no input or output of a function and not read or
    written by the host; of L2 a program has the share of the cores it uses
    (`module.cores`). Chip files may have such lines: there L2 is used without
    asking, and `l2=false` switches that off. `pins` puts single tensors into
    one pool, or at an offset there.

    With `gmem-bytes` the regions of the chip, rounded up and with what lies
    between them, have to fit into so many bytes; of several modules on one
    device (`module.device_id`) all weights, inputs and outputs and the largest
    neuron region.

    With `share` the pass looks for what tensors may share: results of ops that
    work place by place, and of layer groups whose sections store just what they
    load, take the place of an operand that nobody reads afterwards (such ops get
    the attribute `in_place`); pieces of a concat are computed where it has them
    (`only_merge`), where that needs less: a concat in place lives whole from its
    first piece on. With `in-order`, or where the chip's description says so,
    kernels read before they write: results may then begin some bytes below an
    operand that nobody reads afterwards (such ops get the attribute
    `in_order`, and a module whose chip does not say so gets
    `module.kernels_in_order`). What does not make a region of the chip smaller is left
    alone, and the neuron region never grows.

    Assumes that weights have addresses (`tpu-assign-weight-address`) and that
    every function is called from one place. Invariants: P1-P9, G1-G3; check
    the result with `tpu-verify-addresses`.
  }];
  let options = ChipOptions.all # [
    Option<"strategy", "strategy", "std::string", /*default=*/"\"auto\"",
           "How to pack: a name of the strategy registry">,
    Option<"ioMode", "io-mode", "std::string", /*default=*/"\"\"",
           "basic, in_reuse, io_alone, io_tag or io_reloc; empty: the attribute module.addr_mode, else basic">,
    Option<"sameAddr", "same-addr", "std::string", /*default=*/"\"\"",
           "Inputs and outputs that share an address, as input:output pairs: 0:0,1:2; empty: the attribute module.same_addr">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"0",
           "Bytes that every neuron address is a multiple of; 0: the chip's">,
    Option<"gmemBytes", "gmem-bytes", "int64_t", /*default=*/"0",
           "Bytes of global memory on the board; 0: no limit but the chip's address windows">,
    Option<"pools", "pools", "std::string", /*default=*/"\"\"",
           "Memories besides the chip's, as lines with ';' between: name=sram,base=0x20000000,size=2MiB,align=64,cost=1; empty: the attribute module.pools">,
    Option<"pins", "pins", "std::string", /*default=*/"\"\"",
           "Weights and tensors that have to be in one pool, with ';' between: w=flash;x=sram@0x400; empty: the attribute module.pins">,
    Option<"poolIo", "pool-io", "bool", /*default=*/"false",
           "Inputs and outputs of the network may be in these memories, too">,
    Option<"l2", "l2", "bool", /*default=*/"true",
           "Tensors that do not ask for L2 may be there where a pool line of the chip or of `pools` opens it; false: on no chip">,
    Option<"share", "share", "bool", /*default=*/"false",
           "Results may take the place of operands, and pieces that of their concat, where the plan then needs less">,
    Option<"inOrder", "in-order", "bool", /*default=*/"false",
           "With `share`: kernels write results in order, after they have read what these need, as if the chip said so">,
    Option<"unlimited", "unlimited", "bool", /*default=*/"false",
           "Where a memory is too small, plan as if it had room: for pictures of what does not fit">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Refuse top and tpu ops that are not defined instead of treating them conservatively">,
    Option<"planCache", "plan-cache", "std::string", /*default=*/"\"\"",
           "Folder of plans that other runs have found, and will: equal problems are solved once; empty: once in a run">,
    Option<"problemFile", "problem-file", "std::string", /*default=*/"\"\"",
           "Also write the planning problem, weights included, and its plan to this JSON file">,
    Option<"planFile", "plan-file", "std::string", /*default=*/"\"\"",
           "Also write the plan alone to this JSON file">,
    Option<"poolData", "pool-data", "std::string", /*default=*/"\"\"",
           "Also write the contents of pools of weights, to PREFIX.<pool>.bin; weights need inline data">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_ASSIGNGLOBALADDRESS
