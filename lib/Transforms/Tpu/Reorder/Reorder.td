#ifndef TPU_MLIR_TRANSFORMS_REORDER
#define TPU_MLIR_TRANSFORMS_REORDER

include "mlir/Pass/PassBase.td"

def Reorder : Pass<"tpu-reorder", "::mlir::ModuleOp"> {
  let summary = "Put ops in an order that needs less global memory";
  let description = [{
    Neuron memory cannot be smaller than what is alive at one time, and what is
    alive at one time depends on the order of the ops. In each function that is
    one block, and in no region inside of it, ops change places: in an order
    that needs little, found by rules of thumb and by an exact search. A layer
    group, a call, an op with regions is one op. Groups that run transfers for
    each other keep their neighbours: an order in which they do not is none.

    Values decide what comes before what. Ops that are not defined, are no ops
    of the Top or Tpu dialect or have effects keep their order among each other,
    and so do calls. Weights keep their order, too.

    The orders with the lowest peaks are packed, the text among them, as the chip
    has it: with regions of their own for inputs and outputs, with L2 and with
    the memories of the user, where there are any. The one of the lowest packing
    is taken, of which no region of neurons needs more; of equals it is the text.
    So nothing needs more than before. A module that has addresses needs new ones
    afterwards.

    ```mlir
    // before: both wide tensors are alive at a time
    %a = "tpu.Wide"(%x) : (tensor<1x8xf32>) -> tensor<1x4096xf32>
    %b = "tpu.Wide"(%y) : (tensor<1x8xf32>) -> tensor<1x4096xf32>
    %c = "tpu.Narrow"(%a) : (tensor<1x4096xf32>) -> tensor<1x8xf32>
    %d = "tpu.Narrow"(%b) : (tensor<1x4096xf32>) -> tensor<1x8xf32>
    // after
    %a = "tpu.Wide"(%x) : (tensor<1x8xf32>) -> tensor<1x4096xf32>
    %c = "tpu.Narrow"(%a) : (tensor<1x4096xf32>) -> tensor<1x8xf32>
    %b = "tpu.Wide"(%y) : (tensor<1x8xf32>) -> tensor<1x4096xf32>
    %d = "tpu.Narrow"(%b) : (tensor<1x4096xf32>) -> tensor<1x8xf32>
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "The chip by name; empty: the attribute module.chip, and where that is 'ALL' none">,
    Option<"chipFile", "chip-file", "std::string", /*default=*/"\"\"",
           "A JSON file that describes the chip; wins over the name">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"0",
           "Of neuron tensors, in bytes: sizes are rounded up to it; 0: the chip's, or 64">,
    Option<"ioMode", "io-mode", "std::string", /*default=*/"\"\"",
           "basic, in_reuse, io_alone, io_tag or io_reloc: where inputs and outputs are, and how long; empty: the "
           "attribute module.addr_mode, else basic">,
    Option<"sameAddr", "same-addr", "std::string", /*default=*/"\"\"",
           "Pairs of an input and an output that share an address, as 0:0,1:2; empty: the attribute module.same_addr">,
    Option<"pools", "pools", "std::string", /*default=*/"\"\"",
           "Memories besides the chip's, with ';' between, as of tpu-assign-global-address; empty: the attribute module.pools">,
    Option<"pins", "pins", "std::string", /*default=*/"\"\"",
           "Tensors that have to be in one pool, with ';' between; empty: the attribute module.pins">,
    Option<"poolIo", "pool-io", "bool", /*default=*/"false",
           "Inputs and outputs of the network may be in those memories, too">,
    Option<"l2", "l2", "bool", /*default=*/"true",
           "Tensors may be in L2 where the chip or a pool line of the module opens it">,
    Option<"inPlace", "in-place", "bool", /*default=*/"false",
           "Results may take the place of operands that die, as tpu-assign-global-address=share does it">,
    Option<"maxSets", "max-sets", "int64_t", /*default=*/"200000",
           "Sets of ops that the search looks at in a function">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say of each function what its order needs, and the least that any does">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_REORDER
