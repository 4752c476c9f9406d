#ifndef TPU_MLIR_TRANSFORMS_LAYERGROUP
#define TPU_MLIR_TRANSFORMS_LAYERGROUP

include "lib/Transforms/Tpu/ChipOptions.td"
include "mlir/Pass/PassBase.td"

def LayerGroup : Pass<"tpu-layer-group", "::mlir::ModuleOp"> {
  let summary = "Run stretches of layers from local memory, section by section";
  let description = [{
    Replaces stretches of consecutive Tpu ops by `tpu.Group`: only what a group
    reads and results in moves between global and local memory. Tensors are cut
    into sections; `ginfo` says which part each op computes, where it lies in a
    lane and in which stage it runs, `flow` in which timestep. Address
    assignment then sees each group as one op.

    An op can be in a group when it implements LocalSliceOpInterface and says
    that it can be computed in parts. A group has two ops at least. An op that
    alone needs more local memory than a lane has stays global, with a remark
    that says how much is missing, for which tensor and in which sections.

    `search=optimal` finds the cheapest way to cut a stretch into groups
    (dynamic programming over the cut points), `greedy` takes the longest group
    that fits, from the front. `objective` is what is minimised: `cycles` of
    the cost model, `traffic`, the bytes moved between global and local memory,
    or `balanced`, cycles and half of those that the bytes take; equals of
    cycles are decided by traffic, others by cycles. Functions that are not TPU_STATIC, and
    ops in regions, are left alone.

    Groups that are there already stay, unless `regroup` takes them apart. In
    functions that are not TPU_STATIC no new ones could follow: a section is cut
    for one size, and where padding begins, and which rows a store has to write,
    moves with a smaller one. There `regroup` takes apart what `tpu-verify-local`
    would refuse, and leaves those layers global: one by one they run at any
    size up to the planned one. What cannot be taken apart (moves within local
    memory, groups in regions) stays, too. A remark says so of each.

    Memory may matter more than time: each tensor that `keep-local` names counts
    as 256 times its bytes when it moves to or from global memory, so that it
    is in a group with all of its readers wherever one can be made of them.

    What is in L2 moves faster. `pools` says as the same option of later passes
    does whether tensors may be there, and is written to `module.pools` for them.

    Sections along h have rows in common, which are loaded and computed twice.
    With `line-buffers` groups may keep such rows in local memory instead: a
    `tpu.LineBuffer` copies them from one section to the next, where that costs
    less. Only on one core, and only for a code generator that has this op.

    A group may have layers that are apart in the program, such as the first ones
    of branches that read the same tensor: then layers move, never across one
    that is not local. Views that stand between layers of a group, but have
    nothing to do with it, move in front of it or behind it. `reorder=false`
    keeps the order of the program.

    Weights that are still in the front end's order are loaded in the layout of
    the chip: the load's result type says so.

    The result is the same for the same input, byte for byte. All groups of up
    to 32 ops are looked at, and of longer ones so many that each doubling of
    their length takes the same time.

    ```mlir
    // before
    %4 = "tpu.Conv2D"(%1, %2, %3) {...} : (...) -> tensor<1x64x32x32xf16>
    %5 = "tpu.Pool2D"(%4) {...} : (tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16>
    // after
    %4 = "tpu.Group"(%1) ({
      %6 = "tpu.Load"(%1) {ginfo = #tpu.lg<out_addr = 16384, ...>, ...} : ...
      %7 = "tpu.Load"(%2) {ginfo = #tpu.lg<...>, lmem_type = 0 : i64, ...} : ...
      %8 = "tpu.Load"(%3) {ginfo = #tpu.lg<...>, lmem_type = 0 : i64, ...} : ...
      %9 = "tpu.Conv2D"(%6, %7, %8) {ginfo = #tpu.lg<...>, ...} : ...
      %10 = "tpu.Pool2D"(%9) {ginfo = #tpu.lg<...>, ...} : ...
      %11 = "tpu.Store"(%10, %0) {ginfo = #tpu.lg<...>, ...} : ...
      "tpu.Yield"(%11) : (tensor<1x64x16x16xf16>) -> ()
    }) {flow = [-1, 3, -2, 4, 5], hsecs = 2 : i64, ...} : ...
    ```
  }];
  let options = ChipOptions.all # [
    Option<"search", "search", "std::string", /*default=*/"\"optimal\"",
           "optimal or greedy">,
    Option<"objective", "objective", "std::string", /*default=*/"\"balanced\"",
           "balanced, cycles or traffic">,
    Option<"maxLayers", "max-layers", "int64_t", /*default=*/"0",
           "Ops of one group, at most; 0: no limit">,
    Option<"maxParts", "max-parts", "int64_t", /*default=*/"256",
           "Parts of one dimension, at most">,
    Option<"maxRecompute", "max-recompute", "int64_t", /*default=*/"150",
           "Percent of the work that a group may do, rows that are computed twice included">,
    Option<"cutChannels", "cut-channels", "bool", /*default=*/"true",
           "Cut results along channels, too">,
    Option<"lineBuffers", "line-buffers", "bool", /*default=*/"false",
           "Keep rows from section to section by tpu.LineBuffer, which code generators of tpu-mlir do not know">,
    Option<"reorder", "reorder", "bool", /*default=*/"true",
           "Let layers run in another order where groups of layers that are apart cost less">,
    Option<"keepLocal", "keep-local", "std::string", /*default=*/"\"\"",
           "Names of tensors that should not be in global memory, with ';' between">,
    Option<"pools", "pools", "std::string", /*default=*/"\"\"",
           "Memories besides the chip's, as later passes take them, for what they say of L2: name=l2,cost=1; empty: the attribute module.pools">,
    Option<"l2", "l2", "bool", /*default=*/"true",
           "Expect tensors in L2 where a pool line of the chip or of the module opens it">,
    Option<"merges", "merges", "bool", /*default=*/"false",
           "Expect concats outside of groups to move nothing where their pieces may be computed in their place">,
    Option<"regroup", "regroup", "bool", /*default=*/"false",
           "Take existing groups apart first, in functions that run dynamically those that are wrong; global addresses have to be assigned anew">,
    Option<"nodeLimit", "node-limit", "int64_t", /*default=*/"100000",
           "Search limit of one group's addresses, in nodes">,
    Option<"planCache", "plan-cache", "std::string", /*default=*/"\"\"",
           "Folder of groups that other runs have found, and will: equal stretches are searched once; empty: once in a run">,
    Option<"remarks", "remarks", "bool", /*default=*/"true",
           "Say which ops stay global because they do not fit, and what regroup leaves as it is or global">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::tpu_mlir::tpu::TpuDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_LAYERGROUP
